"""A faction without a mistake: takes the land around, builds pioneers, waits for its phase, and leaves at the end.

The bots beside it change one method each.
"""
import argparse
import socket
import sys


class Over(Exception):
    """The connection has ended."""


class Faction:
    def __init__(self):
        parser = argparse.ArgumentParser(add_help=False)
        parser.add_argument("-p", type=int)
        parser.add_argument("-n")
        parser.add_argument("-h", default="localhost")
        self.options = parser.parse_args()
        self.socket = socket.create_connection((self.options.h, self.options.p))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""
        self.begin()

    def receive(self):
        chunk = self.socket.recv(65536)
        if not chunk:
            raise Over
        return chunk

    def line(self):
        while b"\n" not in self.rest:
            self.rest += self.receive()
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()

    def send(self, *lines):
        self.socket.sendall("".join(f"{line}\n" for line in lines).encode())

    def login(self):
        self.line()
        self.send(self.options.n)
        if self.line() == "ko":
            sys.exit(1)
        self.width, self.height = map(int, self.line().split())
        self.line()

    def begin(self):
        """A new snapshot."""
        self.units, self.tiles, self.starts = {}, {}, []

    def take(self, words):
        """A line of the snapshot, or an answer."""
        if words[0] == "turn":
            self.begin()
        elif words[0] == "start":
            self.starts.append(words[1])
        elif words[0] == "unit":
            self.unit(int(words[1]), words[2], (int(words[4]), int(words[5])))
        elif words[0] == "tile":
            self.tiles[int(words[1]), int(words[2])] = words[3]

    def unit(self, number, faction, at):
        if faction == "0":
            self.units[number] = at

    def snapshot(self):
        """Reads up to `go`; the turn that stands behind it."""
        while True:
            words = self.line().split()
            self.take(words)
            if words[0] == "go":
                return int(words[1])

    def orders(self):
        yield "Base continue"
        yield "Base build pioneer"
        for number, at in sorted(self.units.items()):
            yield f"Unit {number} {self.order(at)}"

    def order(self, at):
        if self.tiles[at] == "-":
            return "conquer"
        x, y = self.east_south(at)
        return f"travel {x} {y}"

    def east_south(self, at):
        return (at[0] + 1) % self.width, (at[1] + 1) % self.height

    def phase(self):
        turn = self.snapshot()
        if turn == 0:
            self.send(f"Place {self.starts[0]}", "Done 0")
        else:
            self.send(*self.orders(), f"Done {turn}")

    def play(self):
        try:
            self.login()
            while True:
                self.phase()
        except Over:
            self.end()

    def end(self):
        self.socket.close()


if __name__ == "__main__":
    Faction().play()
