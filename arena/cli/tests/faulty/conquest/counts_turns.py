"""Counts the turns by itself, from 1."""
import good


class Faction(good.Faction):
    count = 0

    def phase(self):
        self.snapshot()
        self.count += 1
        self.send(*self.orders(), f"Done {self.count}")


Faction().play()
