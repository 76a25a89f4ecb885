# step5.py: six gather for all seven incantations, meet once, and rise to level 8 together.
import bot
import step4

STONES = ("linemate", "deraumere", "sibur", "mendiane", "phiras", "thystame")
TABLE = {1: (1, 0, 0, 0, 0, 0), 2: (1, 1, 1, 0, 0, 0), 3: (2, 0, 1, 0, 2, 0), 4: (1, 1, 2, 0, 1, 0)}
TABLE.update({5: (1, 2, 1, 3, 0, 0), 6: (1, 2, 3, 0, 1, 0), 7: (2, 2, 2, 2, 2, 1)})
TEAM = 6
NEEDED = {stone: sum(row[i] for row in TABLE.values()) for i, stone in enumerate(STONES)}
# Seven incantations are 2,100 ticks, 17 units; the rest is for the way and for waiting until all are there.
PROVISIONS = 30


class Team(step4.Meeting):
    def __init__(self, options, lays):
        super().__init__(options, lays)
        self.bags = {}  # what each of the team carries, by the number of slots it read
        self.here = set()  # who of the team says that it stands on this tile

    def answer(self, command, line):
        if command == "Inventory":
            entries = (entry.split() for entry in line.strip("[ ]").split(","))
            self.bags[self.slots] = {thing: int(number) for thing, number in entries}
        super().answer(command, line)

    def hear(self, direction, text):
        super().hear(direction, text)
        words = text.split(":")
        if words[:2] == [self.options.team, "has"]:
            slots, *numbers = map(int, words[2:])
            self.bags[slots] = dict(zip(("food",) + STONES, numbers))
        elif words[:2] == [self.options.team, "here"]:
            (self.here.add if direction == 0 else self.here.discard)(words[2])

    def lacking(self):
        """What the whole team has too little of."""
        return [stone for stone in STONES if sum(bag[stone] for bag in self.bags.values()) < NEEDED[stone]]

    def think(self, tiles):
        self.looks += 1
        ready = len(self.bags) == TEAM and not self.lacking()
        if self.calls() and ready and all(bag["food"] >= PROVISIONS for bag in self.bags.values()):
            self.summoned = True
        if not self.summoned:
            self.gather(tiles)
        elif self.calls():
            self.lead(tiles[0])
        else:
            self.follow(tiles)
        self.plan.extend(["Inventory", "Look"])

    def gather(self, tiles):
        if self.looks % 6 == 0:
            mine = self.bags[self.slots]
            numbers = ":".join(str(mine[thing]) for thing in ("food",) + STONES)
            self.plan.append(f"Broadcast {self.options.team}:has:{self.slots}:{numbers}")
        food = ["food"] if self.food < PROVISIONS + 5 else []
        wanted = food if self.food < bot.HUNGRY else food + self.lacking()
        takes = [f"Take {thing}" for thing in tiles[0] if thing in wanted]
        if takes:
            self.plan.extend(takes[:4])
        else:
            self.walk(tiles, wanted)

    def put_down(self):
        for stone in STONES:
            self.plan.extend([f"Set {stone}"] * self.bags[self.slots][stone])

    def lead(self, here):
        self.put_down()
        stones = all(here.count(stone) >= number for stone, number in zip(STONES, TABLE.get(self.level, ())))
        if stones and len(self.here) == TEAM - 1:  # Strangers may stand here, too: a Look isn't enough.
            self.plan.extend(["Incantation", "Connect_nbr"])
        else:
            self.plan.append(f"Broadcast {self.options.team}:come")

    def follow(self, tiles):
        if self.called == 0:
            self.put_down()
            self.plan.extend(["Take food"] * tiles[0].count("food"))
            self.plan.append(f"Broadcast {self.options.team}:here:{self.slots}")
        else:
            self.plan.extend(step4.TOWARDS[self.called or 0])


if __name__ == "__main__":
    bot.main(Team)
