"""A student's first bot, without a mistake: one command at a time, and its answer read before the next.

The files beside it are this bot but for one thing: a mistake that students make, or a way to do it that is as good.
"""
import argparse
import os
import random
import socket
import sys

# The way to each tile of a Look at level 1: its own, then ahead to the left, ahead, ahead to the right.
WAYS = [[], ["Forward", "Left", "Forward"], ["Forward"], ["Forward", "Right", "Forward"]]


def arguments():
    # -h is the host here, so argparse may not take it for a wish for help.
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-p", type=int, required=True)
    parser.add_argument("-n", required=True)
    parser.add_argument("-h", default="localhost")
    return parser.parse_args()


class Student:
    ways = WAYS

    def __init__(self, options):
        self.options, self.team = options, options.n
        self.socket = socket.create_connection((options.h, options.p))
        self.bytes = b""
        self.frozen = False

    def read(self):
        while b"\n" not in self.bytes:
            chunk = self.socket.recv(4096)
            if not chunk:
                sys.exit(0)
            self.bytes += chunk
        line, self.bytes = self.bytes.split(b"\n", 1)
        return line.decode("latin-1")

    def send(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def login(self):
        self.read()
        self.send(self.team)
        if self.read() == "ko":
            sys.exit("no place in the team")
        self.read()

    def dead(self):
        sys.exit(0)

    def message(self, line):
        """Others may say what they like."""

    def unasked(self, line):
        """Whether that line answers no command."""
        if line == "dead":
            self.dead()
        if line.startswith("message "):
            self.message(line)
            return True
        if line == "Elevation underway":
            self.frozen = True
            return True
        if self.frozen and (line == "ko" or line.startswith("Current level")):
            self.frozen = False
            return True
        return line.startswith("eject: ")

    def answer(self):
        while True:
            line = self.read()
            if not self.unasked(line):
                return line

    def ask(self, command):
        self.send(command)
        return self.answer()

    def look(self):
        return [tile.split() for tile in self.ask("Look").strip("[]").split(",")]

    def take(self, what):
        return self.ask("Take " + what) == "ok"

    def rise(self):
        # The number comes after everything that belongs to the incantation.
        self.send("Incantation")
        self.send("Connect_nbr")
        while not self.read_any().isdigit():
            pass

    def read_any(self):
        line = self.read()
        self.unasked(line)
        return line

    def go_to(self, tile):
        for step in self.ways[tile]:
            self.ask(step)

    def wander(self):
        self.ask(random.choice(["Forward", "Forward", "Left", "Right"]))

    def live_a_moment(self):
        tiles = self.look()
        here = next((i for i, tile in enumerate(tiles[:4]) if "food" in tile), None)
        if here is None:
            self.wander()
        else:
            self.go_to(here)
            self.take("food")
        if "linemate" in tiles[0] and int(self.ask("Inventory").strip("[ ]").split(",")[0].split()[1]) > 5:
            self.rise()

    def play(self):
        self.login()
        while True:
            self.live_a_moment()


def main(kind):
    random.seed(os.environ.get("ZAPPY_SEED"))
    kind(arguments()).play()


if __name__ == "__main__":
    main(Student)
