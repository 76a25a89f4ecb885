"""Lives, and now and then sleeps for too long."""
import time

from player import Player, arguments, play

options = arguments(("--nap", 0.5), ("--every", 10))


def bot():
    player = Player(options)
    while True:
        for _ in range(options.every):
            player.live_a_moment()
        time.sleep(options.nap)


play(bot)
