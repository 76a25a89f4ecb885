"""Thinks in the fifth phase for longer than a busy machine excuses."""
import time

import good


class Faction(good.Faction):
    count = 0

    def snapshot(self):
        turn = super().snapshot()
        self.count += 1
        if self.count == 5:
            time.sleep(2.2)
        return turn


Faction().play()
