"""Thinks for two seconds in the fifth phase."""
import time

import good


class Faction(good.Faction):
    count = 0

    def snapshot(self):
        turn = super().snapshot()
        self.count += 1
        if self.count == 5:
            time.sleep(1.6)
        return turn


Faction().play()
