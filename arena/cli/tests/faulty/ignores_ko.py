"""Asks for a slot again and again, as fast as it can."""
import good


class Player(good.Player):
    def login(self):
        self.wire.read()
        while True:
            self.wire.send(good.TEAM)
            slots = self.wire.read()
            if slots != "ko":
                break
        self.wire.read()
        self.chance = good.random.Random(slots)


Player().play()
