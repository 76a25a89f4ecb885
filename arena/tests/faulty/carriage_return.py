"""Ends its lines as Windows does."""
import good


class Wire(good.Wire):
    def send(self, line):
        super().send(line + "\r")


class Player(good.Player):
    wire_type = Wire


Player().play()
