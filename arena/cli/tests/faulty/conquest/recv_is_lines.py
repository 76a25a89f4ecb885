"""Takes what one recv gives for whole lines."""
import good


class Faction(good.Faction):
    def receive(self):
        return super().receive().rstrip(b"\n") + b"\n"


Faction().play()
