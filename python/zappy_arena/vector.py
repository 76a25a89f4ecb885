"""Many matches in one call."""

from __future__ import annotations

import os
from collections import namedtuple
from typing import Any

import numpy as np

from ._base import Board, Environment, Settings
from ._checks import MOST, check, integer, is_number

#: Numbers in the observations of all matches, at most: 4 GiB.
NUMBERS = 1 << 30
#: Views of all arrays; what is done to them, matches don't see.
Arrays = namedtuple("Arrays", ["observations", "masks", "rewards", "states", "ends"])


class VectorArena(Environment):
    """``n`` matches with the seeds ``seed``, ``seed + 1``…; in the step that ends one, another begins in its place with a seed
    that is greater by ``n``; with ``again=False`` it stays ended. Each step writes the arrays anew:

    - ``observations`` (n, rows, size), float32: a row for each player that a team may have, zeros for one that never was;
      ``fields(observations)`` gives views by name, as in ``observation="dict"``.
    - ``masks`` (n, rows, values), int8; ``rewards`` (n, rows), float32.
    - ``states`` (n, rows), int32: 0 not there, 1 there, 2 and more: it owes a line.
    - ``ends`` (n, 2), int32: 0 goes on, 1 over, 2 cut off; and the place of your team that won the match that ended, or -1.

    ``threads``: how many play at most, 0 for one on each core; more than cores or matches are never started.
    ``max_players`` is ``clients`` by default, so that no row is left over for eggs.
    """

    def __init__(self, n: int, game: str = "zappy", *, threads: int = 0, again: bool = True, **settings: Any) -> None:
        super().__init__(n, game, threads=threads, again=again, **settings)
        n, threads, again = check("n", n), check("threads", threads), check("again", again)
        for name in ("observation", "record", "render_mode"):
            if settings.pop(name, None) is not None:
                raise ValueError(f"{name}: many matches have arrays alone; play their seeds in parallel_env for anything else")
        clients = settings.get("clients", 6)
        # What is wrong with `clients` is said by that name.
        settings.setdefault("max_players", clients if is_number(clients, 1, MOST) else 6)
        self.settings = Settings(game, observation="flat", **settings)
        if n * self.settings.rows * self.settings.size > NUMBERS:
            raise ValueError(f"n is {n}; so many matches observe more than 4 GiB: take fewer, a smaller size or max_players")
        self.n, self.threads, self._stride = n, min(threads, n, os.cpu_count() or 1), n if again else 0
        self.shape = (n, self.settings.rows, len(self.settings.components))

    def reset(self, seed: int = 0) -> Arrays:
        """Begins all matches; the arrays are attributes of what is returned."""
        seed = check("seed", seed, integer(0, 2**64 - self.n))
        self._board = board = Board(self.settings, list(range(seed, seed + self.n)), self.threads, self._stride)
        self._arrays = Arrays(*(getattr(board, name).view() for name in Arrays._fields))
        return self._arrays

    def step(self, actions: Any) -> Arrays:
        """Plays a round of each match. ``actions`` (n, rows, components), or (n, rows) in Zappy, of any type of integers; those
        of rows that don't owe a line are ignored."""
        board = self._open()
        try:
            given = np.asarray(actions)
        except ValueError as error:
            raise ValueError(f"actions: {error}") from error
        if given.dtype.kind not in "iu":
            raise ValueError(f"actions: their dtype is {given.dtype}; integers are expected")
        if given.shape != self.shape and given.shape + (1,) != self.shape:
            raise ValueError(f"actions: their shape is {given.shape}, expected {self.shape}")
        given = given.reshape(self.shape)
        wrong = ((given < 0) | (given >= self.settings.components)).any(-1)
        if wrong.any():
            raise ValueError(f"actions: {given[wrong][0]} isn't in the action space, 0 up to without {self.settings.components}")
        board.step(np.ascontiguousarray(given, np.int32))
        return self._arrays

    def fields(self, observations: np.ndarray) -> dict[str, np.ndarray]:
        """Views of the observations by the names of their fields."""
        if getattr(observations, "shape", ())[-1:] != (self.settings.size,):
            raise ValueError(f"observations: they are an array whose last axis has {self.settings.size} numbers")
        return self.settings.fields_of(observations)

    def close(self) -> None:
        """Drops the matches where they stand."""
        self._board = None
