"""Ends after ten phases."""
import sys

import good


class Faction(good.Faction):
    count = 0

    def phase(self):
        super().phase()
        self.count += 1
        if self.count == 10:
            sys.exit(0)


Faction().play()
