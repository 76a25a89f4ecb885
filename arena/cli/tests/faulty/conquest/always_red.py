"""Sends the faction's name that it was tried with, whatever -n says."""
import good


class Faction(good.Faction):
    def login(self):
        self.options.n = "red"
        super().login()


Faction().play()
