"""Writes commands without capitals."""
import good


class Player(good.Player):
    def eat(self, tiles):
        super().eat(tiles)
        self.ask("forward")


Player().play()
