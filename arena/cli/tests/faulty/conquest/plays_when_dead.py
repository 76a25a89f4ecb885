"""Goes on ordering when it is beaten."""
import good


class Faction(good.Faction):
    def take(self, words):
        super().take(words)
        if words[0] == "dead":
            self.send("Base income", "Done 1")


Faction().play()
