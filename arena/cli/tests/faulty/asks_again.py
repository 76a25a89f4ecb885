"""Sends its command again when there is no answer after half a second."""
import good


class Player(good.Player):
    def login(self):
        super().login()
        self.wire.socket.settimeout(0.5)

    def ask(self, command):
        self.wire.send(command)
        while True:
            try:
                line = self.wire.read()
            except TimeoutError:
                self.wire.send(command)
                continue
            if not self.unasked(line):
                return line

    def live_a_moment(self):
        """Nothing that reads the answers."""
        self.ask("Look")
        self.ask("Take food")
        self.ask("Forward")

    def food(self):
        return 0


Player().play()
