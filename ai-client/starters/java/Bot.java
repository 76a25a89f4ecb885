import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A small Zappy player to continue: it eats, reaches level 2 alone, shouts where it is, and lays one egg.
 *
 * <p>Every plan ends with a Look, and the answer to that Look makes the next plan. A few commands are sent ahead, so
 * that the server never waits for the network. What it does depends on the lines it reads and on ZAPPY_SEED alone. Each
 * player is a thread.
 */
public final class Bot {
    /** Commands sent and not answered, 2 at least; the server keeps ten, and drops what comes beyond. */
    private static final int AHEAD = 3;
    /** With less food, nothing else matters; a unit lasts 126 ticks. */
    private static final int HUNGRY = 6;
    /** With more food, eating is a waste of time. */
    private static final int ENOUGH = 30;
    /** With so much, an egg is laid. */
    private static final int RICH = 20;
    /** Ahead when facing up, right, down, left. */
    private static final int[][] STEPS = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};

    private record Options(String host, int port, String team) {}

    private final Options options;
    private final Socket socket;
    private final InputStream in;
    /** What to send, the next one first. */
    private final Queue<String> plan = new ArrayDeque<>();
    /** What was sent and not answered, the oldest first. */
    private final Queue<String> pending = new ArrayDeque<>();
    private Random chance;
    private boolean lays;
    private boolean frozen;
    private int level = 1;
    private int food = 9;
    /** What the server counts for a unit of food: 1, or 126 ticks; 0 until it is known. */
    private int unit;
    private int looks;
    // Counted from birth: the server doesn't tell a player where it stands, nor where north is.
    private int x;
    private int y;
    private int facing;

    /** Players of this process. */
    private static final AtomicInteger PLAYERS = new AtomicInteger();
    /** What it notes for you goes into the file in ZAPPY_NOTES, that of further players beside it; null without one. */
    private Path notes;
    /** Commands, and lines after WELCOME, by which notes count. */
    private int sent;
    private int heard = -1;

    private Bot(Options options, boolean lays) throws IOException {
        this.options = options;
        this.lays = lays;
        String path = System.getenv("ZAPPY_NOTES");
        int number = PLAYERS.incrementAndGet();
        notes = path == null ? null : Path.of(number == 1 ? path : path + "." + number);
        socket = new Socket(options.host(), options.port());
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        read(); // WELCOME
        send(options.team());
    }

    /** The next line, in however many packets it comes. readLine() would also end it at a '\r' in a broadcast. */
    private String read() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("it closed the connection");
            }
            line.write(next);
        }
        heard++;
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    /**
     * Notes something for you, which `zappy_arena show` and the observer tell: words, `tile X Y word` counted from birth as
     * x and y are, or `marker word` for the timeline. Opponents don't see it.
     */
    private void note(String words) {
        if (notes == null) {
            return;
        }
        try {
            String text = sent + "/" + heard + " " + words + "\n";
            Files.writeString(notes, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException full) {
            notes = null;
        }
    }

    private void send(String line) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Lives until it is dead or the match is over. False if there was no place for it. */
    private boolean play() {
        try (socket) {
            String slots = read();
            if (slots.equals("ko")) {
                return false;
            }
            read(); // The size of the map.
            // All processes of a team have the same seed; the number of slots left makes players differ.
            String seed = Objects.requireNonNullElse(System.getenv("ZAPPY_SEED"), "0");
            chance = new Random((seed + " " + slots).hashCode());
            goOn();
            for (String line = read(); !line.equals("dead"); line = read()) {
                handle(line);
                goOn();
            }
            System.err.println("starved");
        } catch (IOException over) {
            System.err.println("the match is over");
        }
        return true;
    }

    /** Sends what there is room for. */
    private void goOn() throws IOException {
        if (plan.isEmpty() && pending.isEmpty()) {
            plan.addAll(List.of("Inventory", "Look"));
        }
        while (!plan.isEmpty() && pending.size() < AHEAD) {
            pending.add(plan.element());
            send(plan.remove());
            sent++;
        }
    }

    /** What comes unasked first; a number answers Connect_nbr, and all else the oldest command. */
    private void handle(String line) {
        if (line.startsWith("message ")) {
            // Some servers send no blank behind the comma.
            String[] parts = line.substring("message ".length()).split(", ?", 2);
            hear(Integer.parseInt(parts[0]), parts[1]);
        } else if (line.startsWith("eject: ")) {
            // K is where the push came from; 5 is from behind, and moved us ahead.
            move((5 - Integer.parseInt(line.substring("eject: ".length()))) / 2);
            plan.clear(); // It was made for another tile.
        } else if (line.equals("Elevation underway")) {
            // For 300 ticks there are no answers. Another player's incantation may have taken us along.
            frozen = true;
        } else if (line.startsWith("Current level: ") || frozen && line.equals("ko")) {
            // Some servers leave the line before it out.
            frozen = false;
            if (!line.equals("ko")) {
                level = Integer.parseInt(line.substring("Current level: ".length()));
                System.err.println("level " + level);
                note("marker level " + level);
            }
        } else if (line.matches("\\d+") && pending.contains("Connect_nbr")) {
            // The official server answers it at once, before commands that were sent earlier.
            pending.remove("Connect_nbr");
        } else {
            if (pending.element().equals("Incantation") && !line.equals("ko")) {
                // That was answered by the lines above.
                pending.remove();
            }
            answer(pending.remove(), line);
        }
    }

    private void answer(String command, String line) {
        switch (command) {
            case "Look" -> {
                if (pending.isEmpty()) {
                    String[] tiles = line.substring(1, line.length() - 1).split(",", -1);
                    think(Arrays.stream(tiles).map(tile -> List.of(tile.trim().split(" "))).toList());
                }
            }
            case "Inventory" -> {
                food = Integer.parseInt(line.replaceFirst(".*food (\\d+).*", "$1"));
                // At birth it is 9 or 10 units. A server with --rules strict tells ticks: more than 1000.
                if (unit == 0) {
                    unit = food > 100 ? 126 : 1;
                }
                food /= unit;
            }
            case "Forward" -> move(0);
            case "Right" -> facing = (facing + 1) % 4;
            case "Left" -> facing = (facing + 3) % 4;
            case "Fork" -> {
                if (line.equals("ok")) {
                    hatch();
                }
            }
            default -> {
                // Take, Broadcast and Connect_nbr: nothing hangs on them here.
            }
        }
    }

    private void move(int turned) {
        int[] step = STEPS[(facing + turned + 4) % 4];
        x += step[0];
        y += step[1];
    }

    /**
     * TODO for you: direction is 0 here, 1 ahead, and on counter-clockwise to 8. Go there, or answer. Anybody can shout
     * anything: don't trust every text that begins with your team's name.
     */
    private void hear(int direction, String text) {}

    /** Makes a plan of what is seen. Tiles are lists of words, the own one first. */
    private void think(List<List<String>> tiles) {
        looks++;
        List<String> here = tiles.get(0);
        if (lays && food >= RICH) {
            // Nothing may be sent behind it: while the egg's connection is opened, no tick shall pass.
            lays = false;
            note("marker lays an egg");
            plan.add("Fork");
            return;
        }
        if (looks % 10 == 0) {
            plan.add("Broadcast " + options.team() + ":level:" + level + ":at:" + x + ":" + y);
        }
        List<String> wanted = new ArrayList<>();
        if (food < ENOUGH) {
            wanted.add("food");
        }
        if (level == 1 && food >= HUNGRY) {
            wanted.add("linemate");
        }
        note("level " + level + ", food " + food + ", here " + String.join(" ", here) + ", wants " + wanted);
        // TODO for you: from level 2 on it takes several players of one level on a tile, and more stones; see the table
        // in protocol.md, chapter 12. Take the stones you will need, meet, Set them down, and begin.
        boolean alone = Collections.frequency(here, "player") == 1;
        if (wanted.contains("linemate") && here.contains("linemate") && alone) {
            plan.addAll(List.of("Incantation", "Connect_nbr"));
        } else if (wanted.contains("food") && here.contains("food")) {
            plan.addAll(Collections.nCopies(Math.min(Collections.frequency(here, "food"), 3), "Take food"));
        } else {
            walk(tiles, wanted);
        }
        plan.addAll(List.of("Inventory", "Look"));
    }

    /** To the nearest tile that holds something wanted, or on. Tile d*d + i lies d ahead and i - d to the right. */
    private void walk(List<List<String>> tiles, List<String> wanted) {
        int best = Integer.MAX_VALUE;
        int bestAhead = 0;
        int bestRight = 0;
        for (int index = 1; index < tiles.size(); index++) {
            int ahead = (int) Math.sqrt(index);
            int right = index - ahead * ahead - ahead;
            int cost = ahead + Math.abs(right) + (right == 0 ? 0 : 1);
            if (cost < best && !Collections.disjoint(tiles.get(index), wanted)) {
                best = cost;
                bestAhead = ahead;
                bestRight = right;
            }
        }
        if (best < Integer.MAX_VALUE) {
            int[] on = STEPS[facing];
            int[] side = STEPS[(facing + 1) % 4];
            int goalX = x + bestAhead * on[0] + bestRight * side[0];
            int goalY = y + bestAhead * on[1] + bestRight * side[1];
            note("tile " + goalX + " " + goalY + " goal");
            plan.addAll(Collections.nCopies(bestAhead, "Forward"));
            if (bestRight != 0) {
                plan.add(bestRight > 0 ? "Right" : "Left");
                plan.addAll(Collections.nCopies(Math.abs(bestRight), "Forward"));
            }
        } else {
            if (chance.nextInt(4) == 0) {
                plan.add(chance.nextBoolean() ? "Left" : "Right");
            }
            plan.addAll(Collections.nCopies(level, "Forward"));
        }
    }

    /**
     * Opens the egg's connection: WELCOME is read and the team named before this player's next line, so that the child
     * comes in at the same tick each time. TODO for you: how many eggs does your team need, and where?
     */
    private void hatch() {
        try {
            new Thread(new Bot(options, false)::play).start();
        } catch (IOException error) {
            System.err.println("no connection for the egg");
        }
    }

    private static final String USAGE = """
            Usage: java Bot.java -p PORT -n TEAM [-h HOST]

              -p PORT  the server's port
              -n TEAM  the team's name (ZAPPY_TEAM)
              -h HOST  the server's host (localhost)
              --help   this""";

    private static Options optionsOf(String[] args) {
        String host = "localhost";
        // On a ladder NAME:TOKEN, which other users of this machine shall not see.
        String team = System.getenv("ZAPPY_TEAM");
        int port = 0;
        for (int i = 0; i + 1 < args.length; i += 2) {
            switch (args[i]) {
                case "-h" -> host = args[i + 1];
                case "-p" -> port = Integer.parseInt(args[i + 1]);
                case "-n" -> team = args[i + 1];
                default -> throw new IllegalArgumentException("unknown option " + args[i]);
            }
        }
        if (port < 1 || port > 65535 || team == null || args.length % 2 != 0) {
            throw new IllegalArgumentException("-p PORT and -n TEAM are needed");
        }
        return new Options(host, port, team);
    }

    private static void fail(int code, String words) {
        System.err.println("Bot: " + words);
        System.exit(code);
    }

    public static void main(String[] args) {
        // -h is the host here, so help is only --help.
        if (List.of(args).contains("--help")) {
            System.out.println(USAGE);
            return;
        }
        Options options = null;
        try {
            options = optionsOf(args);
        } catch (IllegalArgumentException error) {
            fail(2, error.getMessage() + "\n" + USAGE);
        }
        try {
            if (!new Bot(options, true).play()) {
                String name = options.team().split(":", 2)[0]; // What stands behind a colon is a ladder's token.
                String hint = "on a ladder: no or a wrong token, a removed name, too many waiting, or no opponent";
                fail(1, "no place in team " + name + ": no such team, or all its slots are taken (" + hint + ")");
            }
        } catch (IOException error) {
            fail(1, "no server on " + options.host() + ":" + options.port() + ": " + error.getMessage());
        }
    }
}
