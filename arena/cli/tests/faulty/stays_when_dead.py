"""Doesn't notice that it is dead, and waits."""
import threading

import good


class Player(good.Player):
    def unasked(self, line):
        if line == "dead":
            threading.Event().wait()
        return super().unasked(line)


Player().play()
