"""Breaks when a line is longer than its buffer."""
import good


class Wire(good.Wire):
    def read(self):
        line = super().read()
        if len(line) > 4096:
            raise OverflowError("buffer too small")
        return line


class Player(good.Player):
    wire_type = Wire


Player().play()
