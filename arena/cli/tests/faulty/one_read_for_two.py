"""Expects both numbers after its name in one read, as servers usually send them."""
import random

import good


class Player(good.Player):
    def login(self):
        self.wire.read()
        self.wire.send(good.TEAM)
        lines = self.wire.socket.recv(65536).decode().split("\n")
        if lines[0] == "ko":
            good.sys.exit(1)
        self.side = lines[1].split()[1]
        self.chance = random.Random(lines[0])


Player().play()
