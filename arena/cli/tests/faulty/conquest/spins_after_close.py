"""Reads on in a loop when the connection has ended."""
import good


class Faction(good.Faction):
    def receive(self):
        return self.socket.recv(65536)


Faction().play()
