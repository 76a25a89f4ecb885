"""Plays for a while, then a process of it that has forked away wants to watch, disguised as its opponent's.

`--as group` joins the process group of each program beside it, `--as seed` takes the environment of each for its own.
"""
import os
import sys
import time

from player import Player, Wire, arguments, play

options = arguments(("--as", "group"))


def beside(parent):
    """The programs of the same arena, by number."""
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as stat:
                above = int(stat.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if above == parent and int(entry) != os.getpid():
            yield int(entry)


def disguised(number):
    """Puts on what there is to put on; that none of it may be there is what the arena promises."""
    try:
        if vars(options)["as"] == "group":
            os.setpgid(0, number)
            return
        os.setsid()
        with open(f"/proc/{number}/environ", "rb") as environ:
            entries = dict(e.split(b"=", 1) for e in environ.read().split(b"\0") if b"=" in e)
        words = [sys.executable, "-S", "-B", __file__, "-p", str(options.port), "-h", options.host, "-n", "watch"]
        os.execve(sys.executable, words, entries)
    except OSError:
        pass


def watch():
    other = Wire(options)
    other.send("GRAPHIC")
    while True:
        other.read()


def bot():
    player = Player(options)
    for _ in range(3):
        player.live_a_moment()
    arena = os.getppid()
    # The match waits for this player, and it waits until the others have been heard.
    heard, open_end = os.pipe()
    os.set_inheritable(open_end, True)
    for number in list(beside(arena)):
        if os.fork() == 0:
            if os.fork() == 0:
                while os.getppid() != arena:
                    time.sleep(0.001)
                disguised(number)
                play(watch)
            os._exit(0)
        os.wait()
    os.close(open_end)
    os.read(heard, 1)
    while True:
        player.live_a_moment()


play(watch if options.team == "watch" else bot)
