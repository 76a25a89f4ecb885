"""What each argument takes: what holds for it, and the words for that."""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

#: Players in a match, and matches at once, at most.
MOST = 10_000
#: Texts that can be broadcast, and bytes of each, at most.
TEXTS, TEXT_BYTES = 1000, 512
#: The greatest weight of a part of the rewards: sums stay far below what float32 holds.
WEIGHT = 1e9

Rule = tuple[Callable[[Any], bool], str]


def is_number(value: Any, low: float, high: float, kind: Any = (int, np.integer)) -> bool:
    """Whether that is an integer, or a number of that kind, within a range, and neither True nor False."""
    return isinstance(value, kind) and type(value) is not bool and low <= value <= high


def _is_line(value: Any, most: int) -> bool:
    return re.fullmatch(r"[^\0-\x1f\x7f-\x9f]+", value) is not None and len(value.encode()) <= most and value.strip() == value


def option(value: Any) -> str:
    """An option's value as it is written on the command line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return ";".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def integer(low: int, high: int, note: str = "") -> Rule:
    """The rule of an integer within a range."""
    return lambda value: is_number(value, low, high), f"an integer from {low} to {high}{note}"


def _one_of(*values: str) -> Rule:
    return lambda value: isinstance(value, str) and value in values, " or ".join(map(repr, values))


def _list(least: int, most: int, holds: Callable[[Any], bool], words: str) -> Rule:
    return lambda value: isinstance(value, (list, tuple)) and least <= len(value) <= most and all(map(holds, value)), words


def _or_none(rule: Rule) -> Rule:
    return lambda value: value is None or rule[0](value), f"None or {rule[1]}"


_FLAG: Rule = lambda value: isinstance(value, bool), "True or False"
_PATH: Rule = lambda value: "\0" not in os.fspath(value) and os.fsencode(value) != b"", "the path of a file"
_OPTION: Rule = (lambda value: isinstance(value, (int, np.integer, str, list, tuple)) and option(value).encode() != b"",
                 "an integer, True, False, or text as on the command line")
_TEXTS = _list(0, TEXTS, lambda one: _is_line(one, TEXT_BYTES),
               f"a list of up to {TEXTS} different texts of 1 to {TEXT_BYTES} bytes, without control characters and blanks at the ends")
_RULES: dict[str, Rule] = {
    "game": _one_of("zappy", "conquest"),
    "teams": _list(1, 100, lambda one: _is_line(one, 64) and one.split() == [one], "a list of up to 100 words of 1 to 64 bytes"),
    "size": _list(2, 2, lambda one: is_number(one, 1, 500), "two integers from 1 to 500, the width and height in tiles"),
    "max_ticks": _or_none(integer(1, 10**15)),
    "max_cycles": _or_none(integer(1, 2**63 - 1)),
    "max_players": integer(1, MOST),
    "auto_join": _FLAG,
    "texts": (lambda value: _TEXTS[0](value) and len(set(value)) == len(value), _TEXTS[1]),
    "opponents": _list(0, 99, lambda one: isinstance(one, str) or callable(one),
                       "a list: for each team the name of a level, or in single_env a policy f(observation, mask) -> action"),
    "observation": _one_of("dict", "flat", "text"),
    "rewards": _or_none((lambda value: all(is_number(one, -WEIGHT, WEIGHT, (int, float, np.number)) for one in value.values()),
                         f"a dict of weights from {-WEIGHT:g} to {WEIGHT:g}, as in {{'won': 1}}")),
    "record": _or_none(_PATH),
    "render_mode": _or_none(_one_of("ansi", "html")),
    "n": integer(1, MOST),
    "threads": integer(0, MOST, ", 0 for one on each core"),
    "again": _FLAG,
    "seed": _or_none(integer(0, 2**64 - 1)),
    "path": _PATH,
    "actions": (lambda value: hasattr(value, "items"), "a dict of agents and their actions"),
}


def check(name: str, value: Any, rule: Rule | None = None) -> Any:
    """The value, an integer as ``int``; refused if the argument of that name doesn't take it. Other names are a game's options."""
    holds, words = rule or _RULES.get(name, _OPTION)
    with suppress(AttributeError, TypeError, ValueError):
        if holds(value):
            return int(value) if isinstance(value, np.integer) else value
    raise ValueError(f"{name} is {reprlib.repr(value)}; it takes {words}")
