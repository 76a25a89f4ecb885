"""Knows nothing of pushes."""
import good


class Player(good.Player):
    def unasked(self, line):
        if line.startswith("eject"):
            raise ValueError(f"unknown line {line!r}")
        return super().unasked(line)


Player().play()
