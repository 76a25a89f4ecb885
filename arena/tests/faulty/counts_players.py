"""Believes that whom it sees ahead is somebody else than whom it stands beside."""
import good


class Player(good.Player):
    def look(self):
        tiles = super().look()
        if tiles[0].count("player") > 1 and "player" in tiles[2]:
            raise ValueError("too many players")
        return tiles


Player().play()
