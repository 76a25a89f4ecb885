"""Lives, and notes what it sees; with `--as WAY` what it leaves in the place of notes is something else.

`--wait FIFO` lets it stand before its third command until a line comes through that pipe, as at a breakpoint. `--dice on` lets it
walk by chance that no seed decides. `--print on` lets it print what it sees, too.
"""
import os
import random
import sys

import player


class Counted(player.Wire):
    lines = -1  # WELCOME doesn't count

    def read(self):
        line = super().read()
        self.lines += 1
        return line


class Noter(player.Player):
    wire_type = Counted
    sent = 0

    def note(self, words):
        path = os.environ.get("ZAPPY_NOTES")
        if path and self.options.way == "notes":
            with open(path, "a") as notes:
                notes.write(f"{self.sent}/{self.wire.lines} {words}\n")

    def ask(self, command):
        if self.sent == 2 and self.options.wait:
            self.note("marker waits")
            with open(self.options.wait) as pipe:
                pipe.readline()
            self.note("marker awake")
        if self.options.dice and command == "Forward":
            command = random.SystemRandom().choice(["Forward", "Left", "Right"])
        answer = super().ask(command)
        self.sent += 1
        if command == "Look":
            if self.options.print:
                print("sees", answer, file=sys.stderr, flush=True)
            self.note("saw " + answer)
            self.note("tile 0 -1 ahead")
        return answer


def spoil(way):
    """Something else than notes lies in their place."""
    path = os.environ["ZAPPY_NOTES"]
    if way == "garbage":
        with open(path, "wb") as notes:
            notes.write(bytes(range(256)) * 4096 * 2)
    elif way == "fifo":
        os.mkfifo(path)
    elif way == "link":
        os.symlink("/etc/passwd", path)
    elif way == "folder":
        os.mkdir(path)


def live():
    options = player.arguments(("--as", "notes"), ("--wait", ""), ("--dice", ""), ("--print", ""))
    options.way = getattr(options, "as")
    if options.way != "notes":
        spoil(options.way)
    noter = Noter(options)
    noter.note("marker logged in")
    while True:
        noter.live_a_moment()


player.play(live)
