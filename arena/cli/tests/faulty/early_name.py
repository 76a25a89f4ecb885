"""Names its team before it has read WELCOME."""
import good


class Player(good.Player):
    def login(self):
        self.wire.send(good.TEAM)
        read, self.wire.read = self.wire.read, lambda: self.wire.__class__.read(self.wire)
        send, self.wire.send = self.wire.send, lambda line: None
        super().login()
        self.wire.read, self.wire.send = read, send


Player().play()
