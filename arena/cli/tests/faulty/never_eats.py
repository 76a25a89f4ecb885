"""Walks until it starves."""
import good


class Player(good.Player):
    def eat(self, tiles):
        self.ask("Forward")


Player().play()
