"""Breaks when a snapshot is longer than its buffer."""
import good


class Faction(good.Faction):
    def take(self, words):
        super().take(words)
        if len(self.tiles) > 150:
            raise OverflowError("buffer too small")


Faction().play()
