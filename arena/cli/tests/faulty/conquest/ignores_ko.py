"""Names its faction again and again when it is refused."""
import good


class Faction(good.Faction):
    def login(self):
        self.line()
        self.send(self.options.n)
        while self.line() == "ko":
            self.send(self.options.n)
        self.width, self.height = map(int, self.line().split())
        self.line()


Faction().play()
