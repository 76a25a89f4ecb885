"""Sends thousands of lines ahead, and begins to read only then."""
from player import Wire, arguments, play

options = arguments(("--lines", 5000))


def bot():
    wire = Wire(options)
    wire.send(options.team)
    wire.send("\n".join(["Forward", "Take food", "Look", "Connect_nbr", "nonsense"] * (options.lines // 5)))
    while True:
        wire.read()


play(bot)
