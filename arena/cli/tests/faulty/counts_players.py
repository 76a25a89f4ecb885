"""Believes that a player ahead is never the one beside it, though on a small map both tiles are the same."""
import good


class Player(good.Player):
    def look(self):
        tiles = super().look()
        if tiles[0].count("player") > 1 and "player" in tiles[2]:
            raise ValueError("too many players")
        return tiles


Player().play()
