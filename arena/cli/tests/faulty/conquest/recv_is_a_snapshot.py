"""Looks for a whole snapshot in what one recv gives."""
import good


class Faction(good.Faction):
    def snapshot(self):
        text = self.rest
        self.rest = b""
        while b"\nturn " not in b"\n" + text or b"\ngo " not in text:
            text = self.receive()
        for line in text.decode().splitlines():
            self.take(line.split())
        return int(line.split()[1])


Faction().play()
