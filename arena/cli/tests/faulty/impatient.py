"""Breaks when an answer takes more than a second."""
import good


class Player(good.Player):
    def login(self):
        super().login()
        self.wire.socket.settimeout(1)

    def incantation(self):
        """Takes three seconds, as it knows."""


Player().play()
