"""Waits for the first turn before it says anything."""
import good


class Faction(good.Faction):
    def phase(self):
        turn = self.snapshot()
        if turn > 0:
            self.send(*self.orders(), f"Done {turn}")


Faction().play()
