"""Plays well, cares for no signal, and doesn't go when the match is over."""
import signal
import time

from player import Over, Player, arguments

options = arguments()
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
try:
    player = Player(options)
    while True:
        player.live_a_moment()
except Over:
    pass
while True:
    time.sleep(60)
