"""Gives up when the answer to its name takes more than a second and a half."""
import good


class Player(good.Player):
    def login(self):
        self.wire.socket.settimeout(1.5)
        super().login()
        self.wire.socket.settimeout(None)


Player().play()
