"""Orders again when nothing comes for a while."""
import good


class Faction(good.Faction):
    def login(self):
        super().login()
        self.socket.settimeout(0.3)

    def receive(self):
        try:
            return super().receive()
        except TimeoutError:
            self.send("Base income")
            return b""


Faction().play()
