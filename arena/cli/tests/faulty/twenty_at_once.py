"""Sends twenty commands at once."""
import good


class Player(good.Player):
    def live(self):
        while True:
            for _ in range(20):
                self.wire.send("Forward")
            for _ in range(20):
                self.wire_line()


Player().play()
