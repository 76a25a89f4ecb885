"""Takes the width for the height."""
import good


class Faction(good.Faction):
    def east_south(self, at):
        return at[0], (at[1] + 1) % self.width


Faction().play()
