"""Takes `0` slots left for a refusal."""
import sys

import good


class Wire(good.Wire):
    def read(self):
        line = super().read()
        if line == "0":
            sys.exit("no place in the team")
        return line


class Player(good.Player):
    wire_type = Wire

    def incantation(self):
        """Not this one: its end is told by a number, which may be 0."""

    def lay(self):
        """Nor this one, which needs a slot more."""


Player().play()
