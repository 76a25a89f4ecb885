"""Never forgets a unit that it had."""
import good


class Faction(good.Faction):
    ever = {}

    def unit(self, number, faction, at):
        if faction == "0":
            self.ever[number] = at

    def orders(self):
        yield "Base income"
        for number in sorted(self.ever):
            yield f"Unit {number} gold"


Faction().play()
