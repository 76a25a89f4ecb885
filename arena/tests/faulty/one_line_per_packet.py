"""Takes the first line of each packet and forgets the rest."""
import good


class Wire(good.Wire):
    def read(self):
        chunk = b""
        while b"\n" not in chunk:
            more = self.socket.recv(65536)
            if not more:
                raise good.Over
            chunk += more
        return chunk.split(b"\n")[0].decode("utf-8", "replace")


class Player(good.Player):
    wire_type = Wire


Player().play()
