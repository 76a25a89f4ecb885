"""Plays for a while, then opens another connection and says there, at once, that it is `--name`.

With `--gone 1` it doesn't stay to see what comes of it.
"""
import os

from player import Player, Wire, arguments, play

options = arguments(("--name", "GRAPHIC"), ("--moments", 0), ("--gone", 0))


def bot():
    if options.moments:
        player = Player(options)
        for _ in range(options.moments):
            player.live_a_moment()
    other = Wire(options)
    other.send(options.name)
    if options.gone:
        os._exit(0)
    while True:
        other.read()


play(bot)
