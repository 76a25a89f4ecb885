"""Ends its lines as a telnet does."""
import good


class Faction(good.Faction):
    def send(self, *lines):
        super().send(*(f"{line}\r" for line in lines))


Faction().play()
