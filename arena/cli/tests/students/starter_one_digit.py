"""The starter, but it reads one digit of a number: `food 12` is 1."""
import starter


class Player(starter.Player):
    def answer(self, command, line):
        super().answer(command, line)
        if command == "Inventory":
            self.food = int(line.split()[2][0])


starter.main(Player)
