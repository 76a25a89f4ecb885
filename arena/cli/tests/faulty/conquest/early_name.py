"""Names its faction without waiting for WELCOME."""
import good


class Faction(good.Faction):
    def login(self):
        self.send(self.options.n)
        self.line()
        self.line()
        self.width, self.height = map(int, self.line().split())
        self.line()


Faction().play()
