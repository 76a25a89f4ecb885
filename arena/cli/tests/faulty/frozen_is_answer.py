"""Takes the lines of another player's incantation for its answers."""
import good


class Player(good.Player):
    def unasked(self, line):
        if line == "dead":
            raise good.Over
        return line.startswith(("message ", "eject: "))

    def look(self):
        self.ask("Look")
        return [["food"], [], []]

    def food(self):
        self.ask("Inventory")
        return 0


Player().play()
