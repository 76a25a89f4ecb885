"""Forgets the end of its lines, but for the one with its team's name."""
import good


class Player(good.Player):
    def login(self):
        super().login()
        self.wire.send = lambda line: self.wire.socket.sendall(line.encode())


Player().play()
