"""The environments of zappy, by the names that PettingZoo's tools look for."""

from __future__ import annotations

from typing import Any

from . import aec_env, parallel_env as _parallel_env
from .envs import AECArena, ParallelArena


def raw_env(max_cycles: int | None = None, **settings: Any) -> AECArena:
    """The AEC environment of zappy."""
    return aec_env("zappy", max_cycles=max_cycles, **settings)


def parallel_env(max_cycles: int | None = None, **settings: Any) -> ParallelArena:
    """The parallel environment of zappy."""
    return _parallel_env("zappy", max_cycles=max_cycles, **settings)


env = raw_env
