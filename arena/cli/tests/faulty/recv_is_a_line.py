"""Takes whatever one recv gives for one line."""
import good


class Wire(good.Wire):
    plays = False

    def read(self):
        if not self.plays:
            return super().read()
        chunk = self.socket.recv(65536)
        if not chunk:
            raise good.Over
        return chunk.decode("utf-8", "replace").strip()


class Player(good.Player):
    wire_type = Wire

    def login(self):
        super().login()
        self.wire.plays = True

    def look(self):
        self.ask("Look")
        return [["food"], [], []]

    def food(self):
        self.ask("Inventory")
        return 0


Player().play()
