"""Environments for learning, over the rules of Zappy Arena.

``aec_env`` and ``parallel_env`` are PettingZoo's, ``single_env`` is Gymnasium's, and ``vector_env`` plays many matches at
once. All take the arguments of :class:`Settings`.
"""

from __future__ import annotations

import os
from typing import Any

from . import _core
from ._base import Settings
from ._checks import check
from .envs import AECArena, ParallelArena
from .single import SingleArena
from .vector import VectorArena

__all__ = ["Settings", "aec_env", "parallel_env", "single_env", "vector_env", "conquest", "verify", "zappy"]


def aec_env(game: str = "zappy", **settings: Any) -> AECArena:
    """PettingZoo's environment in which agents act one after another."""
    return AECArena(Settings(game, **settings))


def parallel_env(game: str = "zappy", **settings: Any) -> ParallelArena:
    """PettingZoo's environment in which agents act at once."""
    return ParallelArena(Settings(game, **settings))


def single_env(game: str = "zappy", opponents: Any = ("easy",), **settings: Any) -> SingleArena:
    """Gymnasium's environment of one team, against levels of ``zappy_ai`` or policies ``f(observation, mask) -> action``."""
    return SingleArena(game, opponents, **settings)


def vector_env(n: int, game: str = "zappy", **settings: Any) -> VectorArena:
    """``n`` matches that are played in one call, on all cores or on so many ``threads``."""
    return VectorArena(n, game, **settings)


def verify(path: str | os.PathLike[str]) -> tuple[int, bool]:
    """Plays a record again and proves it: the ticks that it has, and whether it is whole."""
    check("path", path)
    try:
        return _core.verify(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from error


# They import what stands above.
from . import conquest, zappy  # noqa: E402
