#!/usr/bin/env python3
"""A small faction of conquest to continue: pioneers take land, a worker earns, and a unit stays on the base.

It reads a snapshot up to `go N`, sends an order for its base and for each unit, and ends with `Done N`. What it orders
depends on the lines it reads alone. It needs Python 3.8; what only newer ones can read isn't in here, so that an older
one can say so.
"""
from __future__ import print_function

import argparse
import itertools
import os
import signal
import socket
import sys

if sys.version_info < (3, 8):
    sys.exit("conquest.py needs Python 3.8 or later; this is " + sys.version.split()[0] + ": try python3")

KINDS = {"pioneer": (200, 25, 2), "worker": (350, 45, 3)}  # gold, upkeep each turn, turns of the base
DAMAGE = 2  # of a pioneer's attack
SETTLED = 4  # units before the worker is built
ALARM = 3  # an enemy so near to the base is met, and the base isn't left
NEUTRAL = -1  # the owner of a tile that has none
LATER = 9  # turns until the next unit appears, if none is being built


class Unit:
    def __init__(self, words):
        self.owner, self.kind, self.at = int(words[2]), words[3], (int(words[4]), int(words[5]))
        self.health, self.state = int(words[6]), words[7]


class Faction:
    """What one faction knows, and what it orders."""

    def __init__(self, width, height, me):
        self.width, self.height, self.me = width, height, me
        self.tiles = {}  # (x, y) -> (owner, flags), as last seen
        self.units = {}  # in sight now, by number
        # The ways from a tile to all others, the nearest first: the tile itself, the 8 around, and so on.
        ways = [(x - width // 2, y - height // 2) for x in range(width) for y in range(height)]
        self.ways = sorted(ways, key=lambda way: (max(map(abs, way)), sum(map(abs, way)), way))

    def read(self, words):
        """Takes a line of the snapshot. What it doesn't know is left out."""
        if words[0] == "turn":
            self.units = {}
        elif words[0] == "faction" and int(words[1]) == self.me:
            # faction I NAME alive gold G food F wood W bombs B land L pop P cap C kills K score S upkeep U base X Y slot TYPE
            # LEFT, or slot - if nothing is being built.
            self.gold, self.pop, self.cap, self.upkeep = [int(words[at]) for at in (5, 15, 17, 23)]
            self.base, self.slot = (int(words[25]), int(words[26])), words[28:]
        elif words[0] == "unit":
            self.units[int(words[1])] = Unit(words)
        elif words[0] == "tile":
            self.tiles[int(words[1]), int(words[2])] = (NEUTRAL if words[3] == "-" else int(words[3]), words[5])

    def owner(self, at):
        return self.tiles.get(at, (NEUTRAL, "----"))[0]

    def has(self, at, flag):
        return flag in self.tiles.get(at, (NEUTRAL, "----"))[1]

    def is_enemys(self, owner):
        """TODO for you: allies, if the match has any, are no enemies; the line of the options names them."""
        return owner not in (NEUTRAL, self.me)

    def distance(self, a, b):
        """Steps between two tiles: a diagonal is one, and the map has no edge."""
        dx, dy = abs(a[0] - b[0]), abs(a[1] - b[1])
        return max(min(dx, self.width - dx), min(dy, self.height - dy))

    def around(self, at):
        """All tiles, the nearest first."""
        return (((at[0] + dx) % self.width, (at[1] + dy) % self.height) for dx, dy in self.ways)

    def orders(self):
        units = sorted(self.units.items())
        mine = [(number, unit) for number, unit in units if unit.owner == self.me]
        self.enemies = [(number, unit) for number, unit in units if self.is_enemys(unit.owner)]
        self.taken = {unit.at for _, unit in units}  # two units can't stand on one tile
        self.goals = set()  # and needn't go to one
        self.threat = next((unit.at for _, unit in self.enemies if self.distance(unit.at, self.base) <= ALARM), None)
        base, left = self.base_order(any(unit.kind == "worker" for _, unit in mine))
        # The base acts before the units: the one on it makes room a turn before the next one appears.
        self.makes_room = left <= 1 and not self.threat
        self.poor = self.gold < 2 * self.upkeep
        orders = [base]
        for number, unit in mine:
            # By the rules `arena` a unit that has changed sides takes no order at first.
            order = None if unit.state == "c" else self.unit_order(unit)
            orders += ["Unit %d %s" % (number, order)] if order else []
        return orders

    def base_order(self, has_worker):
        """The order, and how many turns the next unit takes after it."""
        if self.slot[0] != "-":
            # What can't be paid costs score, and by the rules `arena` a unit.
            return ("Base continue", int(self.slot[1]) - 1) if self.gold >= self.upkeep else ("Base income", LATER)
        site = any(self.has(at, "r") and not self.is_enemys(self.owner(at)) for at in self.tiles)
        kind = "worker" if site and not has_worker and self.pop >= SETTLED else "pioneer"
        gold, upkeep, turns = KINDS[kind]
        if self.pop >= self.cap or self.gold < gold + 2 * (self.upkeep + upkeep):
            return "Base income", LATER
        self.gold -= gold
        return "Base build " + kind, turns - 1

    def unit_order(self, unit):
        """TODO for you: fighters, clerics and sappers, which this faction doesn't build."""
        on_guard = unit.at == self.base and not self.makes_room
        if unit.kind == "pioneer":
            return self.attack(unit) or ("gold" if on_guard else self.pioneer_order(unit))
        if unit.kind == "worker":
            return "gold" if on_guard else self.worker_order(unit)
        return None

    def pioneer_order(self, unit):
        """TODO for you: strike. A faction whose base tile isn't its own is beaten, but a single unit seldom takes it."""
        owner = self.owner(unit.at)
        if owner != self.me:
            return "neutralize" if self.is_enemys(owner) else "conquer"
        if self.threat and self.distance(unit.at, self.base) <= 2 * ALARM:
            return self.step(unit, self.threat)
        if self.poor and unit.at != self.base:
            return "gold"
        return self.go(unit, lambda at: self.owner(at) != self.me)

    def worker_order(self, unit):
        owner = self.owner(unit.at)
        if self.has(unit.at, "r") and not self.is_enemys(owner):
            return "gold" if owner == self.me else "conquer"
        return self.go(unit, lambda at: self.has(at, "r") and not self.is_enemys(self.owner(at)))

    def attack(self, unit):
        """An enemy beside the unit, if the others before it have left it alive. TODO for you: which one first?"""
        for number, enemy in self.enemies:
            if enemy.health > 0 and self.distance(unit.at, enemy.at) == 1:
                enemy.health -= DAMAGE
                if enemy.health <= 0:
                    self.taken.discard(enemy.at)
                return "attack %d" % number
        return None

    def go(self, unit, good):
        """Towards the nearest good tile to which no other unit goes."""
        free = (at for at in self.around(unit.at) if at not in self.taken and at not in self.goals)
        goal = next((at for at in free if good(at)), None)
        if goal is None and unit.at != self.base:
            return "gold" if self.owner(unit.at) == self.me else "idle"
        self.goals.add(goal)
        return self.step(unit, goal or unit.at)

    def step(self, unit, to):
        free = [at for at in itertools.islice(self.around(unit.at), 1, 9) if at not in self.taken]
        if not free:
            return "idle"
        at = min(free, key=lambda at: self.distance(at, to))
        self.taken.discard(unit.at)
        self.taken.add(at)
        return "travel %d %d" % at


class Connection:
    """Lines from the server and to it, and notes for you."""

    def __init__(self, options):
        self.socket = socket.create_connection((options.host, options.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines = self.socket.makefile("rb")
        self.sent = -1  # The faction's name is no order.
        path = os.environ.get("ZAPPY_NOTES")
        try:
            self.notes = open(path, "a") if path else None
        except OSError:
            self.notes = None

    def read(self):
        """The words of the next line, in however many packets it comes. Names may have any bytes."""
        line = self.lines.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        return [word.decode("latin-1") for word in line.split()]

    def send(self, lines):
        self.socket.sendall("".join(line + "\n" for line in lines).encode())
        self.sent += len(lines)

    def note(self, *words):
        """Notes something for you, which `zappy_arena show` and the observer tell: words, ("tile", x, y, word), or ("marker",
        word) for the timeline. Opponents don't see it."""
        try:
            if self.notes:
                print(self.sent, *words, file=self.notes, flush=True)
        except OSError:
            self.notes = None


def play(server, name):
    """Plays until the match is over, which ends the connection. False if there was no place for it."""
    server.read()  # WELCOME
    server.send([name])
    if server.read() == ["ko"]:
        return False
    width, height = map(int, server.read())
    options = server.read()
    faction, place, alarm = Faction(width, height, int(options[options.index("you") + 1])), [], None
    while True:
        words = server.read()
        word = words[0] if words else ""
        if word == "start":
            place = place or ["Place " + words[1]]  # TODO for you: the best one, not the first.
        elif word == "go" and words[1] == "0":
            server.send(place + ["Done 0"])
        elif word == "go":
            orders = faction.orders()
            server.note("gold %d, population %d of %d" % (faction.gold, faction.pop, faction.cap))
            if faction.threat and not alarm:
                server.note("marker", "alarm")
                server.note("tile", faction.threat[0], faction.threat[1], "enemy")
            alarm = faction.threat
            server.send(orders + ["Done " + words[1]])
        elif word in ("dead", "over"):
            print(" ".join(words), file=sys.stderr)
        elif word:
            faction.read(words)


def main():
    # -h is the host here, so help is only --help.
    parser = argparse.ArgumentParser(description="A faction of conquest.", add_help=False)
    parser.add_argument("-p", dest="port", metavar="PORT", type=int, required=True, help="the server's port")
    team = os.environ.get("ZAPPY_TEAM")  # On a ladder NAME:TOKEN, which other users of this machine shall not see.
    parser.add_argument("-n", dest="team", metavar="TEAM", default=team, required=not team, help="the faction's name (ZAPPY_TEAM)")
    parser.add_argument("-h", dest="host", metavar="HOST", default="localhost", help="the server's host (localhost)")
    parser.add_argument("--help", action="help", help="this")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback.
    try:
        server = Connection(options)
    except OSError as error:
        sys.exit("conquest.py: no server on %s:%d: %s" % (options.host, options.port, error))
    try:
        if not play(server, options.team):
            # What stands behind a colon is a ladder's token.
            name, hint = options.team.split(":")[0], "on a ladder: no or a wrong token, a removed name, too many waiting, or no opponent"
            sys.exit("conquest.py: no place for %s: no such faction, or its seat is taken (%s)" % (name, hint))
    except (OSError, EOFError):
        print("the match is over", file=sys.stderr)


if __name__ == "__main__":
    main()
