"""Waits for the rest of a line when the connection ends in the middle of it."""
import time

import good


class Wire(good.Wire):
    def read(self):
        while b"\n" not in self.bytes:
            chunk = self.socket.recv(65536)
            if not chunk and not self.bytes:
                raise good.Over
            self.bytes += chunk
            if not chunk:
                time.sleep(0.01)
        line, self.bytes = self.bytes.split(b"\n", 1)
        return line.decode("utf-8", "replace")


class Player(good.Player):
    wire_type = Wire


Player().play()
