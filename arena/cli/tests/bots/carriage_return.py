"""Ends its lines as Windows does."""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faulty"))

import good


class Wire(good.Wire):
    def send(self, line):
        super().send(line + "\r")


class Player(good.Player):
    wire_type = Wire


Player().play()
