"""Orders whatever could be ordered."""
import good


class Faction(good.Faction):
    def orders(self):
        for _ in range(100):
            yield "Base income"


Faction().play()
