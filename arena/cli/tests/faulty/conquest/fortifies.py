"""Wants pioneers to do what workers do."""
import good


class Faction(good.Faction):
    def order(self, at):
        return "fortify" if self.tiles[at] == "0" else super().order(at)


Faction().play()
