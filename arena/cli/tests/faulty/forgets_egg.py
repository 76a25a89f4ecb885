"""Lays an egg and opens no connection for it."""
import good


class Player(good.Player):
    def lay(self):
        self.lays = False
        self.ask("Fork")


Player().play()
