"""Spells the first word of its orders as it likes."""
import good


class Faction(good.Faction):
    def orders(self):
        return (order.lower() for order in super().orders())


Faction().play()
