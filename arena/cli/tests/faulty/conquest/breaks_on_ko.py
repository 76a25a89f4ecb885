"""Breaks when an order is refused."""
import good


class Faction(good.Faction):
    def take(self, words):
        super().take(words)
        if words[:2] == ["ko", "not"]:
            raise ValueError("an order was refused")


Faction().play()
