"""Asks what costs no time, and nothing else, for ever."""
from player import Player, arguments, play

options = arguments()


def bot():
    player = Player(options)
    while True:
        player.ask("Connect_nbr")


play(bot)
