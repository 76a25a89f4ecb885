"""What the bots here and in `tests/faulty` share: a connection as lines, commands and their answers, and a life of
eating and walking.

Nothing here looks at a clock, at a process id or at the system's chance: the same lines read and the same
ZAPPY_SEED make the same lines sent. It imports little, since tests start hundreds of these bots.
"""
import os
import random
import socket
import sys
import types


class Over(Exception):
    """The player is dead, or the match is over."""


def arguments(*flags):
    """The subject's flags (-h is the host), and more of a bot's own with their defaults. Each has a value."""
    given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    options = types.SimpleNamespace(port=int(given["-p"]), team=given["-n"], host=given.get("-h", "localhost"))
    for flag, default in flags:
        setattr(options, flag.lstrip("-"), type(default)(given.get(flag, default)))
    return options


class Wire:
    """A connection as lines: they may come in pieces, and many at once."""

    def __init__(self, options):
        self.bytes = b""
        try:
            self.socket = socket.create_connection((options.host, options.port))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except ConnectionError:
            raise Over from None

    def read(self):
        while b"\n" not in self.bytes:
            try:
                chunk = self.socket.recv(65536)
            except ConnectionError:
                chunk = b""
            if not chunk:
                raise Over
            self.bytes += chunk
        line, self.bytes = self.bytes.split(b"\n", 1)
        return line.decode("utf-8", "replace")

    def send(self, line):
        try:
            self.socket.sendall(line.encode() + b"\n")
        except ConnectionError:
            raise Over from None


class Body:
    """A player that reads up to the answer of each command; it isn't logged in yet."""

    wire_type = Wire

    def __init__(self, options):
        self.options = options
        self.wire = self.wire_type(options)
        self.frozen = False

    def heard(self, text):
        """Another player said something."""

    def unasked(self, line):
        """Whether that line answers no command."""
        if line == "dead":
            raise Over
        if line.startswith("message "):
            self.heard(line.partition(", ")[2])
            return True
        if line == "Elevation underway":
            self.frozen = True
            return True
        if self.frozen and (line == "ko" or line.startswith("Current level")):
            self.frozen = False
            return True
        return line.startswith("eject: ")

    def ask(self, command):
        """Sends a command and reads up to its answer."""
        self.wire.send(command)
        while True:
            line = self.wire.read()
            if not self.unasked(line):
                return line

    def look(self):
        """What lies on each tile in sight, the player's own tile first."""
        return [tile.split() for tile in self.ask("Look").strip("[]").split(",")]

    def food(self):
        return int(self.ask("Inventory").strip("[ ]").split(",")[0].split()[1])


class Player(Body):
    """One player that lives by eating; `welcomed` is called between the server's WELCOME and the team's name."""

    def __init__(self, options, welcomed=lambda: None):
        super().__init__(options)
        self.wire.read()
        welcomed()
        self.wire.send(options.team)
        slots = self.wire.read()
        if slots == "ko":
            raise Over
        self.wire.read()
        # What makes one player of a team different from the next comes from the game.
        place = self.ask("Look")
        self.chance = random.Random(f"{os.environ.get('ZAPPY_SEED', 0)} {options.team} {slots} {place}")

    def live_a_moment(self):
        """Eats what lies here, goes where there is more, or anywhere."""
        tiles = self.look()
        for _ in range(min(tiles[0].count("food"), 3)):
            self.ask("Take food")
        if "food" not in tiles[2]:
            self.ask(self.chance.choice(["Left", "Right", "Forward"]))
        self.ask("Forward")


def play(bot):
    """Runs a bot to its end, which is no failure."""
    try:
        bot()
    except (Over, KeyboardInterrupt):
        sys.exit(0)
