"""Logs in, then opens one connection after the other and closes each as soon as it is welcomed."""

import argparse
import socket

parser = argparse.ArgumentParser(add_help=False)
parser.add_argument("-p", type=int, dest="port")
parser.add_argument("-n", dest="team")
parser.add_argument("-h", dest="host")
there = parser.parse_args()


def connect():
    connection = socket.create_connection((there.host, there.port))
    lines = connection.makefile("rw")
    lines.readline()
    return connection, lines


kept, lines = connect()
lines.write(there.team + "\n")
lines.flush()
lines.readline()
for _ in range(5000):
    connect()[0].close()
