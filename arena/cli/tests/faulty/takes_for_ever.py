"""Tries to take what it saw until it has it."""
import good


class Player(good.Player):
    def eat(self, tiles):
        if "food" in tiles[0]:
            while self.ask("Take food") != "ok":
                pass
        else:
            super().eat(tiles)


Player().play()
