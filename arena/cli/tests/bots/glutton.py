"""Logs in, then takes more and more of one thing: `--of memory`, `disk`, `file`, `processes`,
`threads`, `connections`, `nameless` (files on disk without a name), `hidden` (memory that no process maps)."""
import os
import socket
import threading
import time

from player import Wire, arguments, play

options = arguments(("--of", "memory"))
CHUNK = 4 << 20


def memory(kept=[]):
    kept.append(b"x" * CHUNK)


def disk(count=[0]):
    count[0] += 1
    with open(f"litter-{count[0]}", "wb") as file:
        file.write(b"x" * CHUNK)


def file():
    with open("litter", "ab") as file:
        file.write(b"x" * CHUNK)


def nameless(kept=[]):
    if not kept or os.fstat(kept[-1].fileno()).st_size > 8 * CHUNK:
        kept.append(open("nameless", "wb"))
        os.unlink("nameless")
    kept[-1].write(b"x" * CHUNK)


def hidden(kept=[]):
    # Each file stays far below the kernel's limit for one file, so that only the sum of all is too much.
    if not kept or os.fstat(kept[-1]).st_size > 8 * CHUNK:
        kept.append(os.memfd_create("hidden"))
    os.write(kept[-1], b"x" * CHUNK)


def processes():
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)


def threads():
    threading.stack_size(256 << 10)
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def connections(count=[0]):
    count[0] += 1
    # No process has more than its own limit allows.
    if count[0] <= 3 and os.fork() == 0:
        kept = [socket.create_connection((options.host, options.port)) for _ in range(20)]
        time.sleep(600)
        os._exit(len(kept))


def bot():
    wire = Wire(options)
    wire.send(options.team)
    for _ in range(3):
        wire.read()
    while True:
        globals()[options.of]()
        # Slowly enough that it is found before the machine feels it.
        time.sleep(0.01)


play(bot)
