"""Waits for `Current level` after each `Incantation`, also when that was refused at once."""
import good


class Player(good.Player):
    def incantation(self):
        self.wire.send("Incantation")
        while not self.wire_line().startswith("Current level"):
            pass


Player().play()
