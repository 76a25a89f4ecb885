"""Doesn't know that a unit can be defended and enlightened at once."""
import good


class Faction(good.Faction):
    def take(self, words):
        super().take(words)
        if words[0] == "unit":
            ["-", "d", "e"].index(words[7])


Faction().play()
