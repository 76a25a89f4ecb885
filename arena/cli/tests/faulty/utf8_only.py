"""Breaks when a line isn't UTF-8."""
import good


class Wire(good.Wire):
    def read(self):
        while b"\n" not in self.bytes:
            chunk = self.socket.recv(65536)
            if not chunk:
                raise good.Over
            self.bytes += chunk
        line, self.bytes = self.bytes.split(b"\n", 1)
        return line.decode()


class Player(good.Player):
    wire_type = Wire


Player().play()
