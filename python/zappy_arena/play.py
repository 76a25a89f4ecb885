"""Plays a learned policy over TCP: ``python3 -m zappy_arena.play weights.npz -p PORT -n TEAM -h HOST``.

Lines become observations as in the environments, so in lockstep a policy that depends on observations alone plays the same
match here. One process is a whole team: it also connects players for the eggs that its players lay.
"""

from __future__ import annotations

import argparse
import importlib
import selectors
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

from ._base import Reader, Settings

#: How long a server may take to listen, in seconds.
PATIENCE = 10.0
#: The longest line that is read, in bytes.
LINE_BYTES = 1 << 20


class Connection:
    """A player's socket, and what the player knows."""

    def __init__(self, address: tuple[str, int], settings: Settings) -> None:
        self.settings, self.reader, self.buffer = settings, Reader(settings), b""
        self.greeted = self.plays = False
        until = time.monotonic() + PATIENCE
        while True:
            try:
                self.socket = socket.create_connection(address, PATIENCE)
                break
            except ConnectionRefusedError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self) -> bool:
        """Reads what has come; False when the connection has ended."""
        try:
            chunk = self.socket.recv(1 << 16)
        except ConnectionResetError:
            return False
        *lines, self.buffer = (self.buffer + chunk).split(b"\n")
        if len(self.buffer) > LINE_BYTES:
            raise ValueError(f"a line of more than {LINE_BYTES} bytes came; is there a Zappy server at -h and -p?")
        for line in lines:
            self.greeted = True
            if line == b"ko" and not self.plays:
                raise ValueError("the server refused the team's name, or it has no slot left; check -n and --players")
            self.plays |= line not in (b"WELCOME", b"ko")
            self.reader.read(line)
        return bool(chunk)

    def send(self, line: bytes) -> None:
        """Sends a line. A server that has ended the match reads no more, but its last lines are still to be read."""
        try:
            self.socket.sendall(line + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            pass

    def say(self, policy: Callable[[Any, Any], Any]) -> None:
        """Sends the line of the policy's action."""
        known, masks = self.reader.observations[0].copy(), self.reader.masks[0].copy()
        line = self.reader.act(policy(self.settings.observations(known, masks, [])[0], self.settings.masks(masks)[0]))
        if line is not None:
            self.send(line)


def play(host: str, port: int, team: str, players: int, settings: Settings, policy: Callable[[Any, Any], Any]) -> None:
    """Plays with so many players until the last connection ends."""
    if settings.mode == "text":
        raise ValueError("observation 'text' is for environments; over a network the lines are there already")
    selector = selectors.DefaultSelector()

    def connect() -> None:
        connection = Connection((host, port), settings)
        # The greeting is read before anything else is sent: so the server knows in which round it came.
        while not connection.greeted and connection.read():
            pass
        connection.send(team.encode())
        connection.socket.settimeout(None)
        selector.register(connection.socket, selectors.EVENT_READ, connection)

    for _ in range(players):
        connect()
    had, unborn = players, set()
    while selector.get_map():
        for key, _ in selector.select():
            connection = key.data
            goes_on = connection.read()
            if connection.reader.observe().get("laid"):
                unborn.add(connection)
            if not goes_on:
                selector.unregister(connection.socket)
                connection.socket.close()
            elif connection.reader.states > 1:
                if connection in unborn and had < settings.max_players:
                    had += 1
                    connect()
                unborn.discard(connection)
                connection.say(policy)


def load(weights: str, maker: str) -> tuple[Callable[[Any, Any], Any], dict[str, Any]]:
    """The policy that ``maker``, as in ``module:function``, makes of a file: ``f(observation, mask)``, and its settings."""
    module, _, function = maker.partition(":")
    return getattr(importlib.import_module(module), function)(weights)


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="zappy_arena.play", add_help=False, description=__doc__.split("\n")[0])
    parser.add_argument("weights", help="the policy's file")
    parser.add_argument("-p", "--port", type=int, required=True)
    parser.add_argument("-n", "--name", required=True, metavar="TEAM")
    parser.add_argument("-h", "--host", default="localhost")
    parser.add_argument("--players", type=int, default=1, help="connections at the start [default: 1]")
    parser.add_argument("--policy", default="zappy_arena.policy:load", metavar="MODULE:FUNCTION", help="what makes a policy of the file")
    parser.add_argument("--help", action="help")
    options = parser.parse_args(arguments)
    try:
        policy, settings = load(options.weights, options.policy)
        play(options.host, options.port, options.name, options.players, Settings(**settings), policy)
    except (OSError, ValueError, ImportError, AttributeError) as error:
        print(f"zappy_arena.play: {error}", file=sys.stderr)
        return 84 if isinstance(error, ValueError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
