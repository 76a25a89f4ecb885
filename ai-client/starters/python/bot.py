#!/usr/bin/env python3
"""A small Zappy player to continue: it eats, reaches level 2 alone, shouts where it is, and lays one egg.

Every plan ends with a Look, and the answer to that Look makes the next plan. A few commands are sent ahead, so that
the server never waits for the network. What it does depends on the lines it reads and on ZAPPY_SEED alone. It needs
Python 3.8; what only newer ones can read isn't in here, so that an older one can say so.
"""
from __future__ import print_function

import argparse
import itertools
import math
import os
import random
import signal
import socket
import sys
import threading
from collections import deque

if sys.version_info < (3, 8):
    sys.exit("bot.py needs Python 3.8 or later; this is " + sys.version.split()[0] + ": try python3")

AHEAD = 3  # commands sent and not answered, 2 at least; the server keeps ten, and drops what comes beyond
HUNGRY = 6  # with less food, nothing else matters; a unit lasts 126 ticks
ENOUGH = 30  # with more food, eating is a waste of time
RICH = 20  # with so much, an egg is laid
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))  # ahead when facing up, right, down, left

numbers = itertools.count(1)  # of this process's players


def open_notes():
    """Where a new player notes for you: the file in ZAPPY_NOTES, further players beside it. None without one."""
    path, number = os.environ.get("ZAPPY_NOTES"), next(numbers)
    try:
        return open(path if number == 1 else "%s.%d" % (path, number), "a") if path else None
    except OSError:
        return None


class Player:
    """One player on one connection, from WELCOME to its end."""

    def __init__(self, options, lays):
        self.options, self.lays = options, lays
        self.plan = deque()  # what to send, the next one first
        self.pending = deque()  # what was sent and not answered, the oldest first
        self.level, self.food, self.frozen, self.looks = 1, 9, False, 0
        self.unit = None  # what the server counts for a unit of food: 1, or 126 ticks
        # Counted from birth: the server doesn't tell a player where it stands, nor where north is.
        self.x, self.y, self.facing = 0, 0, 0
        self.notes, self.sent, self.heard = open_notes(), 0, -1  # WELCOME doesn't count
        self.socket = socket.create_connection((options.host, options.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines = self.socket.makefile("rb")
        self.read()  # WELCOME
        self.send(options.team)

    def read(self):
        """The next line, in however many packets it comes. Others may shout bytes that are no UTF-8."""
        line = self.lines.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        self.heard += 1
        return line[:-1].decode("latin-1")

    def send(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def note(self, *words):
        """Notes something for you, which `zappy_arena show` and the observer tell: words, ("tile", x, y, word) counted from
        birth as x and y are, or ("marker", word) for the timeline. Opponents don't see it."""
        try:
            if self.notes:
                print("%d/%d" % (self.sent, self.heard), *words, file=self.notes, flush=True)
        except OSError:
            self.notes = None

    def play(self):
        """Lives until it is dead or the match is over. False if there was no place for it."""
        try:
            slots = self.read()
            if slots == "ko":
                return False
            self.slots = int(slots)
            self.read()  # The size of the map.
            # All processes of a team have the same seed; the number of slots left makes players differ.
            self.chance = random.Random("%s %s" % (os.environ.get("ZAPPY_SEED", "0"), slots))
            self.go_on()
            line = self.read()
            while line != "dead":
                self.handle(line)
                self.go_on()
                line = self.read()
            print("starved", file=sys.stderr)
        except (OSError, EOFError):
            print("the match is over", file=sys.stderr)
        finally:
            self.lines.close()
            self.socket.close()
        return True

    def go_on(self):
        """Sends what there is room for."""
        if not self.plan and not self.pending:
            self.plan.extend(["Inventory", "Look"])
        while self.plan and len(self.pending) < AHEAD:
            command = self.plan.popleft()
            self.pending.append(command)
            self.send(command)
            self.sent += 1

    def handle(self, line):
        """What comes unasked first; a number answers Connect_nbr, and all else the oldest command."""
        if line.startswith("message "):
            # Some servers send no blank behind the comma.
            direction, _, text = line[len("message "):].partition(",")
            self.hear(int(direction), text[1:] if text.startswith(" ") else text)
        elif line.startswith("eject: "):
            # K is where the push came from; 5 is from behind, and moved us ahead.
            self.move((5 - int(line[len("eject: "):])) // 2)
            self.plan.clear()  # It was made for another tile.
        elif line == "Elevation underway":
            # For 300 ticks there are no answers. Another player's incantation may have taken us along.
            self.frozen = True
        elif line.startswith("Current level: ") or self.frozen and line == "ko":
            # Some servers leave the line before it out.
            self.frozen = False
            if line != "ko":
                self.level = int(line.split()[-1])
                print("level %d" % self.level, file=sys.stderr)
                self.note("marker", "level", self.level)
        elif line.isdigit() and "Connect_nbr" in self.pending:
            # The official server answers it at once, before commands that were sent earlier.
            self.pending.remove("Connect_nbr")
        else:
            if self.pending[0] == "Incantation" and line != "ko":
                # That was answered by the lines above.
                self.pending.popleft()
            self.answer(self.pending.popleft(), line)

    def answer(self, command, line):
        if command == "Look" and not self.pending:
            self.think([tile.split() for tile in line.strip("[]").split(",")])
        elif command == "Inventory":
            food = int(line.strip("[ ]").split(",")[0].split()[1])
            # At birth it is 9 or 10 units. A server with --rules strict tells ticks: more than 1000.
            self.unit = self.unit or (126 if food > 100 else 1)
            self.food = food // self.unit
        elif command == "Forward":
            self.move(0)
        elif command in ("Left", "Right"):
            self.facing = (self.facing + (1 if command == "Right" else 3)) % 4
        elif command == "Fork" and line == "ok":
            self.hatch()

    def move(self, turned):
        dx, dy = STEPS[(self.facing + turned) % 4]
        self.x, self.y = self.x + dx, self.y + dy

    def hear(self, direction, text):
        """TODO for you: direction is 0 here, 1 ahead, and on counter-clockwise to 8. Go there, or answer. Anybody
        can shout anything: don't trust every text that begins with your team's name."""

    def think(self, tiles):
        """Makes a plan of what is seen. Tiles are lists of words, the own one first."""
        self.looks += 1
        here = tiles[0]
        if self.lays and self.food >= RICH:
            # Nothing may be sent behind it: while the egg's connection is opened, no tick shall pass.
            self.lays = False
            self.note("marker", "lays an egg")
            self.plan.append("Fork")
            return
        if self.looks % 10 == 0:
            self.plan.append("Broadcast %s:level:%d:at:%d:%d" % (self.options.team, self.level, self.x, self.y))
        wanted = ["food"] if self.food < ENOUGH else []
        if self.level == 1 and self.food >= HUNGRY:
            wanted.append("linemate")
        # TODO for you: from level 2 on it takes several players of one level on a tile, and more stones; see the table
        # in protocol.md, chapter 12. Take the stones you will need, meet, Set them down, and begin.
        words = "level %d, food %d, here %s, wants %s"
        self.note(words % (self.level, self.food, " ".join(here), " and ".join(wanted) or "nothing"))
        if "linemate" in wanted and "linemate" in here and here.count("player") == 1:
            self.plan.extend(["Incantation", "Connect_nbr"])
        elif "food" in wanted and "food" in here:
            self.plan.extend(["Take food"] * min(here.count("food"), 3))
        else:
            self.walk(tiles, wanted)
        self.plan.extend(["Inventory", "Look"])

    def walk(self, tiles, wanted):
        """To the nearest tile that holds something wanted, or on. Tile d*d + i lies d ahead and i - d to the right."""
        ways = []
        for index in range(1, len(tiles)):
            ahead = math.isqrt(index)
            right = index - ahead * ahead - ahead
            if any(thing in tiles[index] for thing in wanted):
                ways.append((ahead + abs(right) + (right != 0), ahead, right))
        if ways:
            _, ahead, right = min(ways)
            (dx, dy), (rx, ry) = STEPS[self.facing], STEPS[(self.facing + 1) % 4]
            self.note("tile", self.x + ahead * dx + right * rx, self.y + ahead * dy + right * ry, "goal")
            self.plan.extend(["Forward"] * ahead)
            if right:
                self.plan.append("Right" if right > 0 else "Left")
                self.plan.extend(["Forward"] * abs(right))
        else:
            if self.chance.randrange(4) == 0:
                self.plan.append(self.chance.choice(["Left", "Right"]))
            self.plan.extend(["Forward"] * self.level)

    def hatch(self):
        """Opens the egg's connection: WELCOME is read and the team named before this player's next line, so that the
        child comes in at the same tick each time. TODO for you: how many eggs does your team need, and where?"""
        try:
            child = type(self)(self.options, lays=False)
            threading.Thread(target=child.play).start()
        except (OSError, EOFError):
            print("no connection for the egg", file=sys.stderr)


def main(kind=Player):
    # -h is the host here, so help is only --help.
    parser = argparse.ArgumentParser(description="A player of Zappy.", add_help=False)
    parser.add_argument("-p", dest="port", metavar="PORT", type=int, required=True, help="the server's port")
    team = os.environ.get("ZAPPY_TEAM")  # On a ladder NAME:TOKEN, which other users of this machine shall not see.
    parser.add_argument("-n", dest="team", metavar="TEAM", default=team, required=not team, help="the team's name (ZAPPY_TEAM)")
    parser.add_argument("-h", dest="host", metavar="HOST", default="localhost", help="the server's host (localhost)")
    parser.add_argument("--help", action="help", help="this")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends this player and its child, without a traceback.
    try:
        player = kind(options, lays=True)
    except (OSError, EOFError) as error:
        sys.exit("bot.py: no server on %s:%d: %s" % (options.host, options.port, error))
    if not player.play():
        # What stands behind a colon is a ladder's token.
        name, hint = options.team.split(":")[0], "on a ladder: no or a wrong token, a removed name, too many waiting, or no opponent"
        sys.exit("bot.py: no place in team %s: no such team, or all its slots are taken (%s)" % (name, hint))


if __name__ == "__main__":
    main()
