"""A player like any other, whose process also opens connections on which it never says anything."""
from player import Player, Wire, arguments, play

options = arguments(("--mute", 3))


def bot():
    player = Player(options)
    mute = []
    while True:
        player.live_a_moment()
        if len(mute) < options.mute:
            mute.append(Wire(options))


play(bot)
