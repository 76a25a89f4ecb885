"""Waits for `Current level` once its incantation is under way, though it may fail."""
import good


class Player(good.Player):
    def incantation(self):
        self.wire.send("Incantation")
        line = self.wire_line()
        while line not in ("ko", "Elevation underway"):
            line = self.wire_line()
        while line != "ko" and not line.startswith("Current level"):
            line = self.wire_line()
            if line == "ko":
                line = "another player's, surely"


Player().play()
