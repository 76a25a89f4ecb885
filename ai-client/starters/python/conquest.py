#!/usr/bin/env python3
"""A faction of conquest: takes the land around, and sends its first pioneers to the other end of the map.

    python3 conquest.py -p PORT -n FACTION [-h HOST]

What it orders depends on the lines it reads alone, so a match in lockstep can be played again to the byte.
"""

import argparse
import os
import socket
import sys

if sys.version_info < (3, 8):
    sys.exit("conquest.py needs Python 3.8 or later; this is " + sys.version.split()[0] + ": try python3")

STRIKERS = 4  # pioneers that go for the enemy's base together
GATHERING = 4  # tiles before it, where they wait for each other


class Faction:
    def __init__(self, width, height, options):
        self.width, self.height = width, height
        self.me = int(options["you"])
        self.tiles = {}  # (x, y) -> (owner or None, flags), as last seen
        self.strikers = set()
        self.assault = False

    def begin(self):
        self.own, self.units = {}, {}

    def read(self, words):
        """Takes a line of the snapshot."""
        if words[0] == "faction" and int(words[1]) == self.me and "gold" in words:
            keys = words[4:words.index("base")]
            self.own = {key: int(value) for key, value in zip(keys[::2], keys[1::2])}
            at = words.index("base")
            self.base = (int(words[at + 1]), int(words[at + 2]))
            self.slot = words[at + 4:]
        elif words[0] == "tile":
            owner = None if words[3] == "-" else int(words[3])
            self.tiles[int(words[1]), int(words[2])] = (owner, words[5])
        elif words[0] == "unit":
            self.units[int(words[1])] = (int(words[2]), words[3], (int(words[4]), int(words[5])))

    def far(self, a, b):
        """Steps between two tiles: diagonals count as one, and the map has no edge."""
        dx, dy = abs(a[0] - b[0]), abs(a[1] - b[1])
        return max(min(dx, self.width - dx), min(dy, self.height - dy))

    def around(self, at):
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if dx or dy:
                    yield (at[0] + dx) % self.width, (at[1] + dy) % self.height

    def orders(self):
        yield self.base_order()
        self.taken = {at for _, _, at in self.units.values()}
        self.hits = {}
        mine = {n: (kind, at) for n, (owner, kind, at) in sorted(self.units.items()) if owner == self.me}
        target = self.target()
        # The unit on the base stays there; the next ones strike.
        self.strikers &= set(mine)
        if not self.strikers:
            self.assault = False
            free = [n for n, (_, at) in mine.items() if at != self.base]
            self.strikers = set(free[:STRIKERS]) if len(free) >= STRIKERS else set()
        near = sum(self.far(mine[n][1], target) <= GATHERING for n in self.strikers)
        self.assault = near >= STRIKERS or self.assault
        for number, (_, at) in mine.items():
            yield "Unit {} {}".format(number, self.unit_order(number, at, target))

    def base_order(self):
        if self.slot != ["-"]:
            return "Base continue"
        rich = self.own["gold"] >= 200 + 2 * self.own["upkeep"]
        return "Base build pioneer" if rich and self.own["pop"] < self.own["cap"] else "Base income"

    def target(self):
        """An enemy's base that was seen; else a tile not seen yet, as far away as possible."""
        bases = [at for at, (owner, flags) in self.tiles.items() if "b" in flags and owner not in (None, self.me)]
        if bases:
            return min(bases)
        every = ((x, y) for x in range(self.width) for y in range(self.height))
        unseen = [at for at in every if at not in self.tiles]
        opposite = (self.base[0] + self.width // 2) % self.width, (self.base[1] + self.height // 2) % self.height
        return min(unseen, key=lambda at: self.far(at, opposite), default=opposite)

    def unit_order(self, number, at, target):
        owner = self.tiles[at][0]
        if at == self.base:
            # Makes room when the next unit is about to appear.
            return self.step(at, target) if self.slot[-1] == "1" or self.slot == ["-"] and self.own["pop"] < 4 else "gold"
        strikes = number in self.strikers
        if strikes and at == target:
            return "neutralize"
        if strikes and self.assault and self.far(at, target) == 1 and target not in self.taken:
            return self.step(at, target)
        for enemy, (side, _, where) in sorted(self.units.items()):
            if side != self.me and self.far(at, where) == 1 and self.hits.get(enemy, 0) < 3:
                self.hits[enemy] = self.hits.get(enemy, 0) + 1
                if self.hits[enemy] == 2:
                    self.taken.discard(where)  # two hits end a pioneer, and the next unit steps there
                return "attack " + str(enemy)
        if strikes and (self.assault or self.far(at, target) > GATHERING):
            return self.step(at, target)
        if owner != self.me:
            return "conquer" if owner is None else "neutralize"
        return self.step(at, self.nearest(at))

    def nearest(self, at):
        foreign = [tile for tile, (owner, _) in self.tiles.items() if owner != self.me and tile not in self.taken]
        return min(foreign, key=lambda tile: (self.far(at, tile), self.far(self.base, tile), tile), default=at)

    def step(self, at, to):
        ways = [way for way in self.around(at) if way not in self.taken]
        if not ways:
            return "idle"
        way = min(ways, key=lambda way: (self.far(way, to), way))
        self.taken.discard(at)
        self.taken.add(way)
        return "travel {} {}".format(*way)


def notes():
    """Notes something for you, which `zappy_arena show` and the observer tell: words, `tile X Y word`, or `marker word` for the
    timeline. Opponents don't see it. The number before it is that of the lines sent so far."""
    path = os.environ.get("ZAPPY_NOTES")
    try:
        file = open(path, "a") if path else None
    except OSError:
        file = None

    def note(sent, *words):
        try:
            if file:
                print(sent, *words, file=file, flush=True)
        except OSError:
            pass

    return note


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-p", type=int, required=True, help="port")
    parser.add_argument("-n", required=True, help="faction")
    parser.add_argument("-h", default="localhost", help="host")
    options = parser.parse_args()
    stream = socket.create_connection((options.h, options.p))
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    lines = stream.makefile("r", encoding="utf-8", errors="replace", newline="\n")

    note, sent = notes(), -1  # The faction's name is no order.

    def send(*words):
        nonlocal sent
        stream.sendall("".join(line + "\n" for line in words).encode())
        sent += len(words)

    lines.readline()  # WELCOME
    send(options.n)
    if lines.readline().strip() == "ko":
        raise SystemExit("the server doesn't know the faction " + options.n + ", or its seat is taken")
    width, height = map(int, lines.readline().split())
    words = lines.readline().split()[1:]
    faction = Faction(width, height, {"conquest": words[0], **dict(zip(words[1::2], words[2::2]))})
    starts = []
    for line in lines:
        words = line.split()
        if not line.endswith("\n"):
            break  # the connection ended in the middle of a line
        if not words:
            continue
        if words[0] == "turn":
            faction.begin()
        elif words[0] == "start":
            starts.append(words[1])
        elif words[0] == "go" and words[1] == "0":
            send("Place " + str(starts[0]), "Done 0")
        elif words[0] == "go":
            assault = faction.assault
            orders = [*faction.orders()]
            note(sent, "gold {}, {} strikers, target".format(faction.own["gold"], len(faction.strikers)), *faction.target())
            if faction.assault and not assault:
                note(sent, "marker assault")
                note(sent, "tile", *faction.target(), "target")
            send(*orders, "Done " + words[1])
        elif words[0] in ("faction", "tile", "unit"):
            faction.read(words)


if __name__ == "__main__":
    main()
