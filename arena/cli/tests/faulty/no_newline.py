"""Forgets the end of its lines."""
import good


class Wire(good.Wire):
    def send(self, line):
        self.socket.sendall(line.encode())


class Player(good.Player):
    wire_type = Wire


Player().play()
