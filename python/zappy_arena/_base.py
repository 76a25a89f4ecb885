"""What all environments have in common: settings, spaces, and the core's matches with their arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from . import _core, _spaces

#: The characters of observed text: each stands for one byte.
CHARACTERS = frozenset(map(chr, range(256)))
#: Bytes of one observation as text, at most.
TEXT_BYTES = 1 << 20
#: Bytes at the end of a record that hold its last line, which only whole ones have.
FOOTER_BYTES = 60
#: Bytes of a text that can be broadcast, at most.
LINE_BYTES = 512
#: Players of a team, and matches at once, at most.
MOST = 10_000


def option(value: Any) -> str:
    """An option's value as it is written on the command line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return ";".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


class Settings:
    """The checked arguments of an environment.

    Parameters, the same for all environments:

    - ``game``: ``"zappy"`` or ``"conquest"``; ``teams``: their names; ``size``: tiles from west to east and from north
      to south; any option of the game by its name (``clients=3``, ``rules="strict"``, ``cities=True``, ``turns=50``).
    - ``max_ticks``: the tick at which a match ends by itself; ``max_cycles``: rounds after which it is cut off.
    - ``max_players``: players that a team of Zappy may have in a match, the dead included; ``auto_join``: whether free slots
      are joined.
    - ``texts``: what can be broadcast, a line each.
    - ``opponents``: levels of ``zappy_ai`` that play the last teams, in the order of ``teams``; the others are yours.
    - ``observation``: ``"dict"``, ``"flat"`` (one Box) or ``"text"`` (the lines read since the last observation).
    - ``rewards``: a weight for each part that counts; ``{"won": 1}`` by default.
    - ``record``: the file for the match's record, with ``{seed}`` in its name replaced; ``render_mode``: ``"ansi"``, ``"html"``.
    """

    def __init__(
        self,
        game: str = "zappy",
        *,
        teams: Sequence[str] = ("red", "blue"),
        size: tuple[int, int] = (20, 20),
        max_ticks: int | None = None,
        max_cycles: int | None = None,
        max_players: int = 32,
        auto_join: bool = True,
        texts: Sequence[str] = (),
        opponents: Sequence[str] = (),
        observation: str = "dict",
        rewards: Mapping[str, float] | None = None,
        record: str | Path | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if observation not in ("dict", "flat", "text"):
            raise ValueError(f"observation is {observation!r}; the values are 'dict', 'flat' and 'text'")
        if render_mode not in (None, "ansi", "html"):
            raise ValueError(f"render_mode is {render_mode!r}; the values are None, 'ansi' and 'html'")
        if max_cycles is not None and max_cycles < 1:
            raise ValueError(f"max_cycles is {max_cycles}; it is None or at least 1")
        if len(opponents) >= len(teams):
            raise ValueError(f"opponents: {len(opponents)} for {len(teams)} teams; leave one team or more to yourself")
        if render_mode == "html" and record is None:
            raise ValueError("render_mode 'html' shows the record; name a file by record=")
        self.teams, self.mode, self.record, self.render_mode = list(teams), observation, record, render_mode
        self.game, self.max_cycles, self.texts = game, max_cycles, list(texts)
        self.is_zappy, self.keeps_text, self.auto_join = game == "zappy", observation == "text", auto_join
        self.max_players = max_players if self.is_zappy else 1
        self.own, self.opponents = self.teams[: len(self.teams) - len(opponents)], list(opponents)
        self._rewards = {"won": 1.0} if rewards is None else dict(rewards)
        pairs = [(name.replace("_", "-"), option(value)) for name, value in options.items()]
        try:
            if not 1 <= max_players <= MOST:
                raise ValueError(f"max_players is {max_players}, the range is 1 to {MOST}")
            for text in texts:
                if not 1 <= len(text.encode()) <= LINE_BYTES or text.strip() != text or "\n" in text:
                    raise ValueError(f"texts: a text has 1 to {LINE_BYTES} bytes, no line end, and no blanks at its ends")
            self.setup = _core.Setup(self, game, self.teams, tuple(size), pairs, max_ticks)
        except (AttributeError, OverflowError, TypeError) as error:
            causes = ": ".join(str(one) for one in (error, error.__cause__) if one)
            raise ValueError(f"an argument is out of its range, or of another type: {causes}") from error
        ends = np.cumsum(self.components).tolist()
        self._parts = [slice(end - size, end) for end, size in zip(ends, self.components)]
        self.sizes = [int(np.prod(shape)) for _, shape, _ in self.fields]
        self.size = sum(self.sizes)
        self.rows = len(self.own) * self.max_players
        self.observation_space = self._observation_space()

    def _declare(self, width: int, height: int, strict: bool) -> None:
        """Called by the core once it knows the map and the rules; then it reads the attributes that it needs."""
        spaces = _spaces.zappy(self.texts) if self.is_zappy else _spaces.conquest(width, height, len(self.teams))
        self.fields, self.actions, self.components, self.parts = spaces
        unknown = set(self._rewards) - set(self.parts)
        if unknown:
            raise ValueError(f"rewards: there is no {sorted(unknown)[0]!r}; the parts are {', '.join(self.parts)}")
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

    def agents(self) -> list[str]:
        """The name of each row, in order."""
        if not self.is_zappy:
            return list(self.own)
        return [f"{team}_{number}" for team in self.own for number in range(self.max_players)]

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
    """``observations`` (n, rows, size), float32; ``masks`` (n, rows, values), int8; ``rewards``, float32, and ``states``,
    int32, (n, rows)."""

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
        self._core, self._parts = _core.Reader(settings.setup), settings.parts
        self.read = self._core.read

    def act(self, action: Any) -> bytes | None:
        """The line of an action, without its end; None for ``wait``."""
        return self._core.act(np.atleast_1d(action).tolist())

    def observe(self) -> None:
        """Writes what the player knows now into the arrays, and what it earned since the last call."""
        self._core.observe(self)

    def earned(self) -> dict[str, float]:
        """What was earned before the last observation, by parts."""
        return dict(zip(self._parts, self.rewards[0].tolist()))


class Board(_Arrays):
    """Matches, their arrays, and ``ends`` (n, 2), int32. Each step writes the arrays anew."""

    def __init__(self, settings: Settings, seeds: Sequence[int], threads: int = 1, again: bool = False) -> None:
        n, rows = len(seeds), settings.rows
        super().__init__(settings, n, rows)
        self.ends = np.zeros((n, 2), np.int32)
        self.record = None if settings.record is None else str(settings.record).replace("{seed}", str(seeds[0]))
        self.core = _core.Matches(settings.setup, list(seeds), threads, n if again else 0, self.record)
        # The first step plays no round.
        self.step(np.zeros((n, rows, len(settings.components)), np.int32))

    def step(self, actions: np.ndarray) -> None:
        """Plays a round of each match; ``actions`` (n, rows, components), int32."""
        self.ends[:] = self.core.step(actions, self)

    def end(self) -> None:
        """Ends the first match, which completes its record."""
        self.core.end()
        if self.record is not None:
            with open(self.record, "rb") as file:
                file.seek(max(0, os.stat(self.record).st_size - FOOTER_BYTES))
                if b"\ncheck " not in file.read(FOOTER_BYTES):
                    raise ValueError(f"record: {self.record} can't be written; name a file in a folder that has room")
