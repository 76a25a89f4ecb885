"""Doesn't look at the answer to its name."""
import good


class Player(good.Player):
    def login(self):
        self.wire.read()
        self.wire.send(good.TEAM)
        if self.wire.read() != "ko":
            self.wire.read()
        self.chance = good.random.Random(1)

    def look(self):
        tiles = super().look()
        return tiles if len(tiles) > 3 else [[], [], [], []]


Player().play()
