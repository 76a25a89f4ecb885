"""Logs in, sends commands as fast as it can, and never reads an answer."""
from player import Wire, arguments, play

options = arguments()


def bot():
    wire = Wire(options)
    wire.send(options.team)
    while True:
        wire.send("\n".join(["Look", "Inventory"] * 50))


play(bot)
