"""Plays for `--moments`, then kills the server of its match, or the arena's process that plays it, if it sees that. It plays
on in a sandbox, where it doesn't."""
import glob
import os
import signal

from player import Player, arguments, play

options = arguments(("--whom", "zappy_server"), ("--moments", 0))


def line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


def parent(pid):
    try:
        with open(f"/proc/{pid}/status") as file:
            return int(file.read().split("PPid:")[1].split()[0])
    except OSError:
        return 0


def kill():
    arena = os.getppid()
    if b"tournament\0one-match" not in line(arena):
        return
    found = [arena]
    if options.whom == "zappy_server":
        pids = [int(path[6:]) for path in glob.glob("/proc/[0-9]*")]
        found = [pid for pid in pids if parent(pid) == arena and b"zappy_server" in line(pid)]
    for pid in found:
        os.kill(pid, signal.SIGKILL)


def bot():
    player = Player(options)
    for _ in range(options.moments):
        player.live_a_moment()
    kill()
    while True:
        player.live_a_moment()


play(bot)
