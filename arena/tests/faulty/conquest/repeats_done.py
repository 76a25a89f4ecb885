"""Says Done again when it is refused."""
import good


class Faction(good.Faction):
    last = 0

    def take(self, words):
        super().take(words)
        if words[0] == "ko" and words[-1] == "running":
            self.send(f"Done {self.last}")

    def snapshot(self):
        while True:
            words = self.line().split()
            self.take(words)
            if words[0] == "go" and int(words[1]) != self.last + 1:
                self.last = int(words[1])
                return self.last
            if words[0] == "go" and not self.rest:
                self.last += 1
                return self.last


Faction().play()
