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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A small faction of conquest to continue: pioneers take land, a worker earns, and a unit stays on the base.
 *
 * <p>It reads a snapshot up to `go N`, sends an order for its base and for each unit, and ends with `Done N`. What it
 * orders depends on the lines it reads alone.
 */
public final class Conquest {
    /** The price, what it costs each turn, and how many turns of the base it takes. */
    private record Kind(String name, int gold, int upkeep, int turns) {}

    private static final Kind PIONEER = new Kind("pioneer", 200, 25, 2);
    private static final Kind WORKER = new Kind("worker", 350, 45, 3);
    /** Of a pioneer's attack. */
    private static final int DAMAGE = 2;
    /** Units before the worker is built. */
    private static final int SETTLED = 4;
    /** An enemy so near to the base is met, and the base isn't left. */
    private static final int ALARM = 3;
    /** The owner of a tile that has none. */
    private static final int NEUTRAL = -1;
    /** Turns until the next unit appears, if none is being built. */
    private static final int LATER = 9;

    private record At(int x, int y) {}

    private record Tile(int owner, String flags) {}

    private static final Tile UNSEEN = new Tile(NEUTRAL, "----");

    private static final class Unit {
        final int number;
        final int owner;
        final String kind;
        final At at;
        int health;
        final String state;

        Unit(String[] words) {
            number = Integer.parseInt(words[1]);
            owner = Integer.parseInt(words[2]);
            kind = words[3];
            at = at(words, 4);
            health = Integer.parseInt(words[6]);
            state = words[7];
        }
    }

    private static At at(String[] words, int first) {
        return new At(Integer.parseInt(words[first]), Integer.parseInt(words[first + 1]));
    }

    /** What one faction knows, and what it orders. */
    private static final class Faction {
        private final int width;
        private final int height;
        private final int me;
        /** As last seen. */
        private final Map<At, Tile> tiles = new HashMap<>();
        /** In sight now, by number. */
        private final List<Unit> units = new ArrayList<>();
        /** From a tile to all others, the nearest first: the tile itself, the 8 around, and so on. */
        private final List<At> ways = new ArrayList<>();
        private int gold;
        private int pop;
        private int cap;
        private int upkeep;
        private At base;
        /** What is being built, and its turns; or "-". */
        private String[] slot;
        private List<Unit> enemies;
        /** Two units can't stand on one tile. */
        private Set<At> taken;
        /** And needn't go to one. */
        private final Set<At> goals = new HashSet<>();
        /** Where an enemy stands near the base; or null. */
        private At threat;
        private boolean makesRoom;
        private boolean poor;

        Faction(int width, int height, int me) {
            this.width = width;
            this.height = height;
            this.me = me;
            for (int x = 0; x < width; x++) {
                for (int y = 0; y < height; y++) {
                    ways.add(new At(x - width / 2, y - height / 2));
                }
            }
            ways.sort(Comparator.<At>comparingInt(way -> Math.max(Math.abs(way.x), Math.abs(way.y)))
                    .thenComparingInt(way -> Math.abs(way.x) + Math.abs(way.y))
                    .thenComparingInt(At::x).thenComparingInt(At::y));
        }

        /** Takes a line of the snapshot. What it doesn't know is left out. */
        void read(String[] words) {
            switch (words[0]) {
                case "turn" -> units.clear();
                case "faction" -> {
                    // faction I NAME alive gold G food F wood W bombs B land L pop P cap C kills K score S upkeep U base X Y
                    // slot TYPE LEFT, or slot - if nothing is being built.
                    if (Integer.parseInt(words[1]) == me) {
                        gold = Integer.parseInt(words[5]);
                        pop = Integer.parseInt(words[15]);
                        cap = Integer.parseInt(words[17]);
                        upkeep = Integer.parseInt(words[23]);
                        base = at(words, 25);
                        slot = Arrays.copyOfRange(words, 28, words.length);
                    }
                }
                case "unit" -> units.add(new Unit(words));
                case "tile" -> {
                    int owner = words[3].equals("-") ? NEUTRAL : Integer.parseInt(words[3]);
                    tiles.put(at(words, 1), new Tile(owner, words[5]));
                }
                default -> {
                    // Answers to orders, what became of them, sieges, cities: nothing hangs on them here.
                }
            }
        }

        private int owner(At at) {
            return tiles.getOrDefault(at, UNSEEN).owner;
        }

        /** TODO for you: allies, if the match has any, are no enemies; the line of the options names them. */
        private boolean isEnemys(int owner) {
            return owner != NEUTRAL && owner != me;
        }

        /** Whether a worker can earn most there. */
        private boolean isSite(At at) {
            return tiles.getOrDefault(at, UNSEEN).flags.contains("r") && !isEnemys(owner(at));
        }

        /** Steps between two tiles: a diagonal is one, and the map has no edge. */
        private int distance(At a, At b) {
            int dx = Math.abs(a.x - b.x);
            int dy = Math.abs(a.y - b.y);
            return Math.max(Math.min(dx, width - dx), Math.min(dy, height - dy));
        }

        /** All tiles, the nearest first. */
        private Stream<At> around(At at) {
            return ways.stream().map(way -> new At((at.x + way.x + width) % width, (at.y + way.y + height) % height));
        }

        List<String> orders() {
            List<Unit> mine = units.stream().filter(unit -> unit.owner == me).toList();
            enemies = units.stream().filter(unit -> isEnemys(unit.owner)).toList();
            taken = units.stream().map(unit -> unit.at).collect(Collectors.toCollection(HashSet::new));
            goals.clear();
            threat = enemies.stream().map(unit -> unit.at).filter(at -> distance(at, base) <= ALARM).findFirst().orElse(null);
            List<String> orders = new ArrayList<>();
            int left = baseOrder(mine.stream().anyMatch(unit -> unit.kind.equals("worker")), orders);
            // The base acts before the units: the one on it makes room a turn before the next one appears.
            makesRoom = left <= 1 && threat == null;
            poor = gold < 2 * upkeep;
            for (Unit unit : mine) {
                // By the rules `arena` a unit that has changed sides takes no order at first.
                String order = unit.state.equals("c") ? null : unitOrder(unit);
                if (order != null) {
                    orders.add("Unit " + unit.number + " " + order);
                }
            }
            return orders;
        }

        /** Adds the order, and gives how many turns the next unit takes after it. */
        private int baseOrder(boolean hasWorker, List<String> orders) {
            boolean builds = !slot[0].equals("-");
            if (builds && gold >= upkeep) {
                orders.add("Base continue");
                return Integer.parseInt(slot[1]) - 1;
            }
            boolean site = tiles.keySet().stream().anyMatch(this::isSite);
            Kind kind = site && !hasWorker && pop >= SETTLED ? WORKER : PIONEER;
            // What can't be paid costs score, and by the rules `arena` a unit.
            if (builds || pop >= cap || gold < kind.gold + 2 * (upkeep + kind.upkeep)) {
                orders.add("Base income");
                return LATER;
            }
            gold -= kind.gold;
            orders.add("Base build " + kind.name);
            return kind.turns - 1;
        }

        /** TODO for you: fighters, clerics and sappers, which this faction doesn't build. */
        private String unitOrder(Unit unit) {
            boolean onGuard = unit.at.equals(base) && !makesRoom;
            if (unit.kind.equals("worker")) {
                return onGuard ? "gold" : workerOrder(unit);
            } else if (!unit.kind.equals("pioneer")) {
                return null;
            }
            String attack = attack(unit);
            return attack != null ? attack : onGuard ? "gold" : pioneerOrder(unit);
        }

        /** TODO for you: strike. A faction whose base tile isn't its own is beaten, but a single unit seldom takes it. */
        private String pioneerOrder(Unit unit) {
            int owner = owner(unit.at);
            if (owner != me) {
                return isEnemys(owner) ? "neutralize" : "conquer";
            } else if (threat != null && distance(unit.at, base) <= 2 * ALARM) {
                return step(unit, threat);
            } else if (poor && !unit.at.equals(base)) {
                return "gold";
            }
            return go(unit, at -> owner(at) != me);
        }

        private String workerOrder(Unit unit) {
            if (isSite(unit.at)) {
                return owner(unit.at) == me ? "gold" : "conquer";
            }
            return go(unit, this::isSite);
        }

        /** An enemy beside the unit, if the others before it have left it alive. TODO for you: which one first? */
        private String attack(Unit unit) {
            for (Unit enemy : enemies) {
                if (enemy.health > 0 && distance(unit.at, enemy.at) == 1) {
                    enemy.health -= DAMAGE;
                    if (enemy.health <= 0) {
                        taken.remove(enemy.at);
                    }
                    return "attack " + enemy.number;
                }
            }
            return null;
        }

        /** Towards the nearest good tile to which no other unit goes. */
        private String go(Unit unit, Predicate<At> good) {
            Stream<At> free = around(unit.at).filter(at -> !taken.contains(at) && !goals.contains(at));
            At goal = free.filter(good).findFirst().orElse(null);
            if (goal == null && !unit.at.equals(base)) {
                return owner(unit.at) == me ? "gold" : "idle";
            }
            goals.add(goal);
            return step(unit, goal != null ? goal : unit.at);
        }

        private String step(Unit unit, At to) {
            Stream<At> free = around(unit.at).skip(1).limit(8).filter(at -> !taken.contains(at));
            At best = free.reduce((a, b) -> distance(b, to) < distance(a, to) ? b : a).orElse(null);
            if (best == null) {
                return "idle";
            }
            taken.remove(unit.at);
            taken.add(best);
            return "travel " + best.x + " " + best.y;
        }
    }

    private record Options(String host, int port, String team) {}

    private final Socket socket;
    private final InputStream in;
    /** What it notes for you goes into the file in ZAPPY_NOTES; null without one. */
    private Path notes;
    /** Lines; the faction's name is no order. */
    private int sent = -1;

    private Conquest(Options options) throws IOException {
        String path = System.getenv("ZAPPY_NOTES");
        notes = path == null ? null : Path.of(path);
        socket = new Socket(options.host(), options.port());
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** The words of the next line, in however many packets it comes. Names may have any bytes. */
    private String[] read() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("it closed the connection");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.ISO_8859_1).trim().split("[ \t\r]+");
    }

    private void send(List<String> lines) throws IOException {
        String text = lines.stream().map(line -> line + "\n").collect(Collectors.joining());
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        sent += lines.size();
    }

    /**
     * Notes something for you, which `zappy_arena show` and the observer tell: words, `tile X Y word`, or `marker word` for the
     * timeline. Opponents don't see it.
     */
    private void note(String words) {
        if (notes == null) {
            return;
        }
        try {
            Files.writeString(notes, sent + " " + words + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException full) {
            notes = null;
        }
    }

    /** Plays until the match is over, which ends the connection. False if there was no place for it. */
    private boolean play(String name) throws IOException {
        read(); // WELCOME
        send(List.of(name));
        if (read()[0].equals("ko")) {
            return false;
        }
        At size = at(read(), 0);
        List<String> options = Arrays.asList(read());
        int me = Integer.parseInt(options.get(options.indexOf("you") + 1));
        Faction faction = new Faction(size.x, size.y, me);
        List<String> place = new ArrayList<>();
        while (true) {
            String[] words = read();
            switch (words[0]) {
                case "start" -> {
                    if (place.isEmpty()) {
                        place.add("Place " + words[1]); // TODO for you: the best one, not the first.
                    }
                }
                case "go" -> {
                    List<String> orders = words[1].equals("0") ? new ArrayList<>(place) : act(faction);
                    orders.add("Done " + words[1]);
                    send(orders);
                }
                case "dead", "over" -> System.err.println(String.join(" ", words));
                default -> faction.read(words);
            }
        }
    }

    /** The orders of a phase. */
    private List<String> act(Faction faction) {
        boolean alarm = faction.threat != null;
        List<String> orders = faction.orders();
        note("gold " + faction.gold + ", population " + faction.pop + " of " + faction.cap);
        if (faction.threat != null && !alarm) {
            note("marker alarm");
            note("tile " + faction.threat.x + " " + faction.threat.y + " enemy");
        }
        return orders;
    }

    private static final String USAGE = """
            Usage: java Conquest.java -p PORT -n TEAM [-h HOST]

              -p PORT  the server's port
              -n TEAM  the faction's name (ZAPPY_TEAM)
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
        System.err.println("Conquest: " + words);
        System.exit(code);
    }

    public static void main(String[] args) {
        // -h is the host here, so help is only --help.
        if (List.of(args).contains("--help")) {
            System.out.println(USAGE);
            return;
        }
        Options options = null;
        Conquest server = null;
        try {
            options = optionsOf(args);
            server = new Conquest(options);
        } catch (IllegalArgumentException error) {
            fail(2, error.getMessage() + "\n" + USAGE);
        } catch (IOException error) {
            fail(1, "no server on " + options.host() + ":" + options.port() + ": " + error.getMessage());
        }
        try {
            if (!server.play(options.team())) {
                String name = options.team().split(":", 2)[0]; // What stands behind a colon is a ladder's token.
                String hint = "on a ladder: no or a wrong token, a removed name, too many waiting, or no opponent";
                fail(1, "no place for " + name + ": no such faction, or its seat is taken (" + hint + ")");
            }
        } catch (IOException over) {
            System.err.println("the match is over");
        }
    }
}
