"""What all environments have in common: settings, spaces, and the core's matches with their arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import EzPickle

from . import _core, _spaces
from ._checks import MOST, check, is_number, option

#: The characters of observed text: each stands for one byte.
CHARACTERS = frozenset(map(chr, range(256)))
#: Bytes of one observation as text, at most.
TEXT_BYTES = 1 << 20
#: Bytes at the end of a record that hold its last line, which only whole ones have.
FOOTER_BYTES = 60


class Settings(EzPickle):
    """The checked arguments of an environment. What is wrong is a ``ValueError`` that names the argument.

    Parameters, the same for all environments:

    - ``game``: ``"zappy"`` or ``"conquest"``; ``teams``: their names; ``size``: tiles from west to east and from north
      to south; any option of the game by its name (``clients=3``, ``rules="strict"``, ``cities=True``, ``turns=50``).
    - ``max_ticks``: the tick at which a match ends by itself; ``max_cycles``: rounds after which it is cut off.
    - ``max_players``: players of a team of Zappy in a match, the dead included; ``auto_join``: whether free slots are joined.
    - ``texts``: what can be broadcast, a line each.
    - ``opponents``: levels of ``zappy_ai`` that play the last teams, in the order of ``teams``; the others are yours.
    - ``observation``: ``"dict"``, ``"flat"`` (one Box) or ``"text"`` (the lines read since the last observation, which have no
      dtype: PettingZoo's ``api_test`` can't take any ``Text`` space, its ``parallel_api_test`` can).
    - ``rewards``: a weight from -1e9 to 1e9 for each part that counts; ``{"won": 1}`` by default.
    - ``record``: the match's file, ``{seed}`` in its name replaced; ``render_mode``: ``"ansi"`` or ``"html"``.
    """

    def __init__(
        self, game: str = "zappy", *, teams: Sequence[str] = ("red", "blue"), size: tuple[int, int] = (20, 20),
        max_ticks: int | None = None, max_cycles: int | None = None, max_players: int = 32, auto_join: bool = True,
        texts: Sequence[str] = (), opponents: Sequence[str] = (), observation: str = "dict",
        rewards: Mapping[str, float] | None = None, record: str | os.PathLike[str] | None = None,
        render_mode: str | None = None, **options: Any,
    ) -> None:
        given = {**locals(), **options}
        given = {name: check(name, value) for name, value in given.items() if name not in ("self", "options")}
        EzPickle.__init__(self, **given)
        if len(opponents) >= len(teams):
            raise ValueError(f"opponents: {len(opponents)} for {len(teams)} teams; leave one team or more to yourself")
        if render_mode == "html" and record is None:
            raise ValueError("render_mode 'html' shows the record; name a file by record=")
        self.teams, self.mode, self.record, self.render_mode = list(teams), observation, record, render_mode
        self.game, self.max_cycles, self.texts = game, given["max_cycles"], list(texts)
        self.is_zappy, self.keeps_text, self.auto_join = game == "zappy", observation == "text", auto_join
        self.max_players = given["max_players"] if self.is_zappy else 1
        self.own, self.opponents = self.teams[: len(self.teams) - len(opponents)], list(opponents)
        self.rows = len(self.own) * self.max_players
        if self.rows > MOST:
            raise ValueError(f"max_players is {max_players}; your {len(self.own)} teams together may have {MOST} players")
        self._rewards = {"won": 1.0} if rewards is None else dict(rewards)
        pairs = [(ascii(name.replace("_", "-"))[1:-1], option(value)) for name, value in options.items()]
        self.setup = _core.Setup(self, game, self.teams, tuple(size), pairs, max_ticks)
        ends = np.cumsum(self.components).tolist()
        self._parts = [slice(end - size, end) for end, size in zip(ends, self.components)]
        self.sizes = [int(np.prod(shape)) for _, shape, _ in self.fields]
        self.size = sum(self.sizes)
        self.observation_space = self._observation_space()

    def _declare(self, width: int, height: int, strict: bool, levels: list[str]) -> None:
        """Called by the core once it knows the map and the rules; then it reads the attributes that it needs."""
        for one in self.opponents:
            if one not in levels:
                raise ValueError(f"opponents: {one!r} is no level of {self.game}; the levels are {', '.join(levels)}")
        spaces = _spaces.zappy(self.texts) if self.is_zappy else _spaces.conquest(width, height, len(self.teams))
        self.fields, self.actions, self.components, self.parts = spaces
        unknown = set(self._rewards) - set(self.parts)
        if unknown:
            raise ValueError(f"rewards: there is no {min(map(repr, unknown))}; the parts are {', '.join(self.parts)}")
        self.strict, self.weights = strict, [float(self._rewards.get(part, 0.0)) for part in self.parts]

    def _observation_space(self) -> gymnasium.Space:
        if self.mode == "text":
            return gymnasium.spaces.Text(TEXT_BYTES, min_length=0, charset=CHARACTERS)
        if self.mode == "flat":
            low, high = np.repeat(np.float32([bounds for _, _, bounds in self.fields]), self.sizes, axis=0).T
            return gymnasium.spaces.Box(low, high, dtype=np.float32)
        spaces: dict[str, gymnasium.Space] = {
            name: gymnasium.spaces.Box(low, high, tuple(shape), np.float32) for name, shape, (low, high) in self.fields
        }
        if len(self.components) == 1:
            spaces["action_mask"] = gymnasium.spaces.Box(0, 1, (self.components[0],), np.int8)
        return gymnasium.spaces.Dict(spaces)

    def action_space(self) -> gymnasium.Space:
        """A new action space: ``Discrete`` in Zappy, ``MultiDiscrete`` of order, place and target in conquest."""
        if len(self.components) == 1:
            return gymnasium.spaces.Discrete(self.components[0])
        return gymnasium.spaces.MultiDiscrete(self.components)

    def action(self, action: Any, whose: str) -> Sequence[int]:
        """The components of an action; one outside of the action space is refused."""
        # Asking the space about each action would take half of a step's time.
        values = action.tolist() if isinstance(action, (np.ndarray, np.integer)) else action
        values, sizes = values if isinstance(values, (list, tuple)) else [values], self.components
        if len(values) != len(sizes) or not all(is_number(value, 0, size - 1) for value, size in zip(values, sizes)):
            raise ValueError(f"action: {action!r} of {whose} isn't in its action space {self.action_space()}")
        return values

    def agents(self) -> list[str]:
        """The name of each row, in order."""
        numbers = [f"_{number}" for number in range(self.max_players)] if self.is_zappy else [""]
        return [team + number for team in self.own for number in numbers]

    def masks(self, rows: np.ndarray) -> list[Any]:
        """The masks of rows as ``action_space().sample(mask)`` takes them."""
        if len(self.components) == 1:
            return list(rows)
        return [tuple(row[part] for part in self._parts) for row in rows]

    def fields_of(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Views of rows of shape ``(…, size)``, by field."""
        views, start = {}, 0
        for (name, shape, _), size in zip(self.fields, self.sizes):
            views[name] = rows[..., start : start + size].reshape(*rows.shape[:-1], *shape)
            start += size
        return views

    def observations(self, rows: np.ndarray, masks: np.ndarray, texts: Sequence[bytes]) -> list[Any]:
        """The observations of rows, from copies of their arrays and from the text that they read."""
        if self.mode == "text":
            return [text.decode("latin-1") for text in texts]
        if self.mode == "flat":
            return list(rows)
        views = self.fields_of(rows)
        if len(self.components) == 1:
            views["action_mask"] = masks
        names = list(views)
        return [dict(zip(names, row)) for row in zip(*views.values())]


class _Arrays:
    """``observations`` (n, rows, size) and ``rewards`` (n, rows), float32; ``masks`` (n, rows, values), int8; ``states``, int32."""

    def __init__(self, settings: Settings, n: int, rows: int) -> None:
        self.observations = np.zeros((n, rows, settings.size), np.float32)
        self.masks = np.zeros((n, rows, sum(settings.components)), np.int8)
        self.rewards = np.zeros((n, rows), np.float32)
        self.states = np.zeros((n, rows), np.int32)


class Reader(_Arrays):
    """A player without a match, for players over a network: it reads lines and turns actions into lines. The arrays are those
    of one match with one row, but for ``rewards`` (1, parts)."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, 1, 1)
        self.rewards = np.zeros((1, len(settings.parts)), np.float32)
        self._core, self._parts, self._action = _core.Reader(settings.setup), settings.parts, settings.action
        self.read = self._core.read

    def act(self, action: Any) -> bytes | None:
        """The line of an action, without its end; None for ``wait``."""
        return self._core.act(self._action(action, "the player"))

    def observe(self) -> dict[str, float]:
        """Writes what the player knows now into the arrays; returns what it earned since the last call, by parts."""
        self._core.observe(self)
        return dict(zip(self._parts, self.rewards[0].tolist()))


class Board(_Arrays):
    """Matches, their arrays, and ``ends`` (n, 2), int32. A match that has ended is followed by one with a seed that is greater
    by ``stride``, or with 0 by none; with None none is cut off. ``process``: the one that has a record or threads, if any."""

    def __init__(self, settings: Settings, seeds: Sequence[int], threads: int = 1, stride: int | None = None) -> None:
        n, rows = len(seeds), settings.rows
        super().__init__(settings, n, rows)
        self.ends = np.zeros((n, 2), np.int32)
        self.record = None if settings.record is None else os.fspath(settings.record).replace("{seed}", str(seeds[0]))
        self.process = os.getpid() if self.record is not None or threads != 1 else None
        self.core = _core.Matches(settings.setup, list(seeds), threads, stride, self.record)
        # The first step plays no round.
        self.step(np.zeros((n, rows, len(settings.components)), np.int32))

    def step(self, actions: np.ndarray) -> None:
        """Plays a round of each match; ``actions`` (n, rows, components), int32."""
        self.ends[:] = self.core.step(actions, self)

    def end(self) -> None:
        """Ends the first match, which completes its record; in a fork of its process it drops the match."""
        if self.process not in (None, os.getpid()):
            return
        self.core.end()
        if self.record is not None:
            try:
                with open(self.record, "rb") as file:
                    file.seek(max(0, os.stat(self.record).st_size - FOOTER_BYTES))
                    if b"\ncheck " not in file.read(FOOTER_BYTES):
                        raise ValueError(f"record: {self.record} can't be written; name a file in a folder that has room")
            except OSError as error:
                raise ValueError(f"record: {error}; it was there when the match began") from error


class Environment(EzPickle):
    """The parent of all environments. What is pickled or copied is one with the same arguments and without a match."""

    _board: Board | None = None

    def _open(self) -> Board:
        if self._board is None:
            raise RuntimeError("there is no match: the environment is closed, or is a copy, or was never begun; call reset()")
        if self._board.process not in (None, os.getpid()):
            record, process = self._board.record, self._board.process
            what, remedy = (record, "make one with another record here") if record else ("threads", "call reset() here")
            raise RuntimeError(f"the match and its {what} belong to process {process}, of which this one is a fork; {remedy}")
        return self._board
