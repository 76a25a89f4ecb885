"""Ends when it has read WELCOME."""
import sys

import good


class Player(good.Player):
    def login(self):
        self.wire.read()
        sys.exit(1)


Player().play()
