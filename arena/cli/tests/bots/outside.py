"""Says in one line what of the world outside it reaches: another server's port, a datagram's, a file, and a signal to the
process that started it all."""
import os
import socket
import sys

port, plan = int(sys.argv[1]), sys.argv[2]


def tries(what):
    try:
        what()
        return "yes"
    except OSError:
        return "no"


def datagram():
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.connect(("127.0.0.1", port))
    # A port that nobody listens on answers, if there is a way to it.
    out.send(b"x")
    out.settimeout(5)
    try:
        out.recv(1)
    except ConnectionRefusedError:
        with open("/proc/net/tcp") as table:
            if f":{port:04X} " not in table.read():
                raise


def arena():
    """The process above the first that is not in a sandbox; inside one, there is none."""
    above = os.getppid()
    with open(f"/proc/{above}/status") as status:
        above = int(status.read().split("PPid:")[1].split()[0])
    with open(f"/proc/{above}/cmdline", "rb") as line:
        if b"tournament" not in line.read():
            raise OSError("none in sight")
    os.kill(above, 0)


reached = {
    "tcp": lambda: socket.create_connection(("127.0.0.1", port), timeout=5),
    "udp": datagram,
    "plan": lambda: open(plan).read(1),
    "signal": arena,
}
print(", ".join(f"{name} {tries(what)}" for name, what in reached.items()), flush=True)
