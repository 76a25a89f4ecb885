"""Breaks at a line that it doesn't know."""
import good

KNOWN = ["turn", "order", "dominion", "faction", "did", "unit", "tile", "siege", "go", "ok", "maybe", "ko", "start", "dead", "over"]


class Faction(good.Faction):
    def take(self, words):
        super().take(words)
        if words[0] not in KNOWN:
            raise ValueError(f"unknown line {words[0]}")


Faction().play()
