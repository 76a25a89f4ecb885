"""Many matches in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._base import MOST, Board, Settings


class VectorArena:
    """``n`` matches with the seeds ``seed``, ``seed + 1``…; in the step that ends one, another begins in its place with a seed
    that is greater by ``n``, unless ``again`` is False. The arrays are the environment's own, and each step writes them anew:

    - ``observations`` (n, rows, size), float32: a row for each player that a team may have, zeros for one that never was;
      ``fields(observations)`` gives views by name, as in ``observation="dict"``.
    - ``masks`` (n, rows, values), int8; ``rewards`` (n, rows), float32.
    - ``states`` (n, rows), int32: 0 not there, 1 there, 2 and more: it owes a line.
    - ``ends`` (n, 2), int32: 0 goes on, 1 over, 2 cut off; and the place of your team that won the match that ended, or -1.
    """

    def __init__(self, n: int, game: str = "zappy", *, threads: int = 0, again: bool = True, **settings: Any) -> None:
        settings.setdefault("max_players", settings.get("clients", 6))
        self.settings = Settings(game, observation="flat", **settings)
        if self.settings.record is not None:
            raise ValueError("record: many matches leave no record; play the seed in another environment")
        if not 1 <= n <= MOST:
            raise ValueError(f"n is {n}, the range is 1 to {MOST}")
        self.n, self.threads, self.again, self._board = n, threads, again, None
        self.shape = (n, self.settings.rows, len(self.settings.components))

    def reset(self, seed: int = 0) -> Board:
        """Begins all matches; the arrays are attributes of what is returned."""
        if not 0 <= seed <= 2**64 - self.n:
            raise ValueError(f"seed is {seed}; the range is 0 to 2**64 - {self.n}")
        self._board = Board(self.settings, range(seed, seed + self.n), self.threads, self.again)
        return self._board

    def step(self, actions: np.ndarray) -> Board:
        """Plays a round of each match. ``actions`` (n, rows) or (n, rows, components), int32; those of rows that don't owe
        a line are ignored."""
        if self._board is None:
            raise RuntimeError("the environment is closed, or was never begun; call reset()")
        actions = np.ascontiguousarray(actions, np.int32)
        if actions.size != np.prod(self.shape):
            raise ValueError(f"actions: their shape is {actions.shape}, expected {self.shape}")
        actions = actions.reshape(self.shape)
        wrong = ((actions < 0) | (actions >= self.settings.components)).any(-1)
        if wrong.any():
            raise ValueError(f"action: {actions[wrong][0]} isn't in the action space, 0 up to without {self.settings.components}")
        self._board.step(actions)
        return self._board

    def fields(self, observations: np.ndarray) -> dict[str, np.ndarray]:
        """Views of the observations by the names of their fields."""
        return self.settings.fields_of(observations)

    def close(self) -> None:
        """Drops the matches where they stand."""
        self._board = None
