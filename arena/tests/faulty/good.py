"""A bot without a mistake: eats, walks, looks for linemate, begins incantations, lays an egg and hatches from it.

One player after the other is a thread of this process; each reads up to its answer before it says more.
"""
import os
import random
import socket
import sys
import threading


def option(flag, default=None):
    return sys.argv[sys.argv.index(flag) + 1] if flag in sys.argv else default


HOST, PORT, TEAM = option("-h", "localhost"), int(option("-p")), option("-n")


class Over(Exception):
    """Dead, or the match is over."""


class Wire:
    """Lines, however they come."""

    def __init__(self):
        self.bytes = b""
        self.socket = socket.create_connection((HOST, PORT))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

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


class Player:
    wire_type = Wire

    def __init__(self, lays=True):
        self.wire = self.wire_type()
        self.lays = lays
        self.frozen = False

    def login(self):
        self.wire.read()
        self.wire.send(TEAM)
        slots = self.wire.read()
        if slots == "ko":
            sys.exit(1)
        self.wire.read()
        self.chance = random.Random(f"{os.environ.get('ZAPPY_SEED')} {slots}")

    def unasked(self, line):
        """Whether nobody asked for that line."""
        if line == "dead":
            raise Over
        if line == "Elevation underway":
            self.frozen = True
            return True
        if self.frozen and (line == "ko" or line.startswith("Current level")):
            self.frozen = False
            return True
        return line.startswith(("message ", "eject: "))

    def ask(self, command):
        self.wire.send(command)
        while True:
            line = self.wire.read()
            if not self.unasked(line):
                return line

    def food(self):
        return int(self.ask("Inventory").strip("[ ]").split(",")[0].split()[1])

    def look(self):
        return [tile.split() for tile in self.ask("Look").strip("[]").split(",")]

    def incantation(self):
        # It ends with two lines, or with one; the number says that it is over.
        self.wire.send("Incantation")
        self.wire.send("Connect_nbr")
        while not self.wire_line().isdigit():
            pass

    def wire_line(self):
        line = self.wire.read()
        self.unasked(line)
        return line

    def eat(self, tiles):
        if "food" in tiles[0]:
            self.ask("Take food")
        elif "food" not in tiles[2]:
            self.ask(self.chance.choice(["Left", "Right", "Forward"]))
            self.ask("Forward")
        else:
            self.ask("Forward")

    def live_a_moment(self):
        tiles = self.look()
        self.eat(tiles)
        if "linemate" in tiles[0] and self.food() > 5:
            self.incantation()

    def lay(self):
        self.lays = False
        if self.ask("Fork") == "ok":
            child = type(self)(lays=False)
            threading.Thread(target=child.play).start()

    def live(self):
        while True:
            self.live_a_moment()
            if self.lays and self.food() > 15:
                self.lay()

    def play(self):
        try:
            self.login()
            self.live()
        except Over:
            self.wire.socket.close()


if __name__ == "__main__":
    Player().play()
