"""Orders every unit that it sees."""
import good


class Faction(good.Faction):
    def unit(self, number, faction, at):
        self.units[number] = at


Faction().play()
