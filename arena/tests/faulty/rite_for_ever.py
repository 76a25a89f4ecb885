"""Waits for `Current level` after an incantation, whatever came of it."""
import good


class Player(good.Player):
    def incantation(self):
        self.wire.send("Incantation")
        line = self.wire_line()
        while line == "Elevation underway" or not line.startswith("Current level"):
            if line == "ko" and not self.begun(line):
                return
            line = self.wire_line()

    def begun(self, line):
        return True


Player().play()
