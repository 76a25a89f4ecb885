"""Logs in, listens, and never says anything."""
from player import Wire, arguments, play

options = arguments()


def bot():
    wire = Wire(options)
    wire.send(options.team)
    while True:
        wire.read()


play(bot)
