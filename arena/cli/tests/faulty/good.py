"""A bot without a mistake: eats, walks, looks for linemate, begins incantations, lays an egg and hatches from it.

One player after the other is a thread of this process; each reads up to its answer before it says more.
"""
import os
import random
import sys
import threading

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bots"))

from player import Body, Over, Wire, arguments

OPTIONS = arguments()
TEAM = OPTIONS.team


class Player(Body):
    def __init__(self, lays=True):
        super().__init__(OPTIONS)
        self.lays = lays

    def login(self):
        self.wire.read()
        self.wire.send(TEAM)
        slots = self.wire.read()
        if slots == "ko":
            sys.exit(1)
        self.wire.read()
        self.chance = random.Random(f"{os.environ.get('ZAPPY_SEED')} {slots}")

    def incantation(self):
        # It ends with two lines, or with one; the number says that it is over.
        self.wire.send("Incantation")
        self.wire.send("Connect_nbr")
        while not self.wire_line().isdigit():
            pass

    def wire_line(self):
        line = self.wire.read()
        self.unasked(line)
        return line

    def eat(self, tiles):
        if "food" in tiles[0]:
            self.ask("Take food")
        elif "food" not in tiles[2]:
            self.ask(self.chance.choice(["Left", "Right", "Forward"]))
            self.ask("Forward")
        else:
            self.ask("Forward")

    def live_a_moment(self):
        tiles = self.look()
        self.eat(tiles)
        if "linemate" in tiles[0] and self.food() > 5:
            self.incantation()

    def lay(self):
        self.lays = False
        if self.ask("Fork") == "ok":
            child = type(self)(lays=False)
            threading.Thread(target=child.play).start()

    def live(self):
        while True:
            self.live_a_moment()
            if self.lays and self.food() > 15:
                self.lay()

    def play(self):
        try:
            self.login()
            self.live()
        except Over:
            self.wire.socket.close()


if __name__ == "__main__":
    Player().play()
