"""Has one more order when it is done."""
import good


class Faction(good.Faction):
    def phase(self):
        super().phase()
        self.send("Base idle")


Faction().play()
