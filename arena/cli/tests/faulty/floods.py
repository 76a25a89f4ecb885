"""Asks for the number of slots in a loop."""
import good


class Player(good.Player):
    def live(self):
        while True:
            self.ask("Connect_nbr")


Player().play()
