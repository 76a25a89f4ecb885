"""Waits for ever when the server has closed."""
import threading

import good


class Wire(good.Wire):
    def read(self):
        try:
            return super().read()
        except good.Over:
            threading.Event().wait()


class Player(good.Player):
    wire_type = Wire


Player().play()
