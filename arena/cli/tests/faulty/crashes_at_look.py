"""Can't read the answer to its first Look, and ends with an exception."""
import argparse
import socket

parser = argparse.ArgumentParser(add_help=False)
parser.add_argument("-p", type=int)
parser.add_argument("-n")
parser.add_argument("-h", default="127.0.0.1")
arguments = parser.parse_args()
lines = socket.create_connection((arguments.h, arguments.p)).makefile("rw", newline="\n")


def second_tile(look):
    return look[1:].split(";")[1]


lines.readline()
print(arguments.n, file=lines, flush=True)
lines.readline()
lines.readline()
while True:
    print("Look", file=lines, flush=True)
    second_tile(lines.readline())
