"""Waits for ever when the connection has ended."""
import time

import good


class Faction(good.Faction):
    def end(self):
        time.sleep(600)


Faction().play()
