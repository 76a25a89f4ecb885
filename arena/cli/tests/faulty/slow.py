"""Thinks for two seconds now and then."""
import time

import good


class Player(good.Player):
    def live(self):
        while True:
            for _ in range(20):
                self.live_a_moment()
            time.sleep(1.6)


Player().play()
