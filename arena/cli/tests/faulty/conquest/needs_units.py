"""Breaks when it has no unit."""
import good


class Faction(good.Faction):
    def orders(self):
        first = min(self.units)
        yield f"Unit {first} gold"


Faction().play()
