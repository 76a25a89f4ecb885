"""Eats, walks, lays eggs and starts a process for each of them.

A child is told nothing but that it is one: its parent's players share everything else through the game. So it
doesn't matter which of two children of one moment hatches from which egg.
"""
import subprocess
import sys

from player import Over, Player, arguments, play

EGGS_OF_ONE = 4
FOUNDERS = 4
PLAYERS_OF_A_TEAM = 12

options = arguments(("--child", 0))


class Layer(Player):
    def __init__(self):
        self.children = []
        # Players that the team has had, as far as this one knows; a child lays only when it has heard.
        self.count = None if options.child else FOUNDERS
        super().__init__(options, self.tell_parent)

    def tell_parent(self):
        """The parent sends nothing before this: so the child comes in at the tick its parent is at."""
        if options.child:
            print("welcome", flush=True)

    def heard(self, text):
        words = text.split(":")
        if words[:2] == ["layers", options.team] and words[2:] and words[2].isdigit():
            self.count = max((self.count or 0) + 1, int(words[2]))

    def lay(self):
        if self.ask("Fork") != "ok":
            return
        command = [sys.executable, "-S", "-B", *sys.argv, "--child", "1"]
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        child.stdout.readline()
        self.children.append(child)
        self.count += 1
        self.ask(f"Broadcast layers:{options.team}:{self.count}")

    def live(self):
        while True:
            self.live_a_moment()
            room = self.count is not None and self.count < PLAYERS_OF_A_TEAM
            if room and len(self.children) < EGGS_OF_ONE and self.food() >= 6:
                self.lay()


def bot():
    player = Layer()
    try:
        player.live()
    finally:
        # Only the end of this connection is the end of this player.
        player.wire.socket.close()
        for child in player.children:
            child.wait()


play(bot)
