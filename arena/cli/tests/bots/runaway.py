"""Plays well, but in a process that forked away, and leaves another one behind that nothing tells of.

The first process ends at once. `--note FILE` gets the numbers of the others.
"""
import os
import sys

from player import Player, arguments, play

options = arguments(("--note", ""))


def fork_away():
    """Forks twice, with a session of its own between: no parent, group or session is left. True in the process that is away."""
    if os.fork():
        os.wait()
        return False
    os.setsid()
    if os.fork():
        os._exit(0)
    with open(options.note, "a") as note:
        note.write(f"{os.getpid()}\n")
    return True


def bot():
    player = Player(options)
    while True:
        player.live_a_moment()


if fork_away():
    # It cuts the last string, too.
    for descriptor in range(3):
        os.close(descriptor)
    os.execve("/bin/sleep", ["sleep", "600"], {})
if not fork_away():
    sys.exit(0)
play(bot)
