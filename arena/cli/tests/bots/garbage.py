"""Logs in and says what is no command, bytes of all kinds among it, for ever."""
from player import Wire, arguments, play

options = arguments()


def bot():
    wire = Wire(options)
    wire.send(options.team)
    for _ in range(3):
        wire.read()
    number = 0
    while True:
        number += 1
        wire.socket.sendall(b"\x00\xff\xfe Forwards " + str(number).encode() + b"\n")
        wire.read()


play(bot)
