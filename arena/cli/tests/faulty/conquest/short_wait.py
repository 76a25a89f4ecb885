"""Takes half a second of silence for the end."""
import good


class Faction(good.Faction):
    def login(self):
        super().login()
        self.socket.settimeout(0.5)


Faction().play()
