"""Prints what it thinks."""
import good


class Faction(good.Faction):
    def phase(self):
        super().phase()
        print("I think " * 10_000, flush=True)


Faction().play()
