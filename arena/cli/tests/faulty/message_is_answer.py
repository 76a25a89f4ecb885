"""Takes a message for the answer of its command."""
import good


class Player(good.Player):
    def unasked(self, line):
        return super().unasked(line) and not line.startswith("message ")

    def look(self):
        self.ask("Look")
        return [["food"], [], []]

    def food(self):
        self.ask("Inventory")
        return 0


Player().play()
