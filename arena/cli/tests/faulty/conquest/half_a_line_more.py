"""Takes the half line before the end for a whole one."""
import good


class Faction(good.Faction):
    def receive(self):
        try:
            return super().receive()
        except good.Over:
            if not self.rest:
                raise
            return b"\n"


Faction().play()
