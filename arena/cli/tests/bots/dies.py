"""Lives for a while, sends one command more and is gone at once.

With `--unread 1` it goes with an answer unread, so that its system breaks the connection off instead of ending it.
"""
import os
import select

from player import Player, arguments, play

options = arguments(("--moments", 10), ("--unread", 0))


def bot():
    player = Player(options)
    for _ in range(options.moments):
        player.live_a_moment()
    player.wire.send("Forward")
    if options.unread:
        select.select([player.wire.socket], [], [])
    os._exit(3)


play(bot)
