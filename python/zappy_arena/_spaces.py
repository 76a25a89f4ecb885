"""The observations, actions and rewards of each game.

- Fields of an observation: name, shape, and bounds. The core writes them by their names; one that ends with ``age`` counts ticks.
- Actions: the line of each, in which the core replaces names in braces. The first is ``wait``, which sends none.
- Components of an action: how many values each has.
- Parts of rewards: their names.
"""

from __future__ import annotations

from collections.abc import Sequence

Spaces = tuple[list[tuple[str, list[int], tuple[float, float]]], list[str], list[int], list[str]]

COUNT, NUMBER, AMOUNT = (0, 100_000), (-1e9, 1e9), (0, 1000)
RESOURCES = ["food", "linemate", "deraumere", "sibur", "mendiane", "phiras", "thystame"]
UNITS = ["pioneer", "worker", "fighter", "cleric", "sapper"]
BUILDINGS = ["house", "mill", "sawmill", "market", "bakery", "factory", "bank", *(f"camp-{unit}" for unit in UNITS)]
#: Units, cities or starts that an action can name, by their order in the snapshot; and tiles around one, two steps each way.
PLACES, TARGETS = 64, 25


def zappy(texts: Sequence[str]) -> Spaces:
    """Those of a player of Zappy that may broadcast these texts."""
    actions = ["wait", "Forward", "Right", "Left", "Look", "Inventory", "Connect_nbr", "Fork", "Eject", "Incantation"]
    actions += [f"{verb} {one}" for verb in ("Take", "Set") for one in RESOURCES] + [f"Broadcast {text}" for text in texts]
    last = len(actions)
    fields = [
        ("look", [10, 9, 17], (0, 255)), ("look_age", [1], COUNT), ("look_offset", [3], (-255, 255)), ("inventory", [7], COUNT),
        ("inventory_age", [1], COUNT), ("level", [1], (1, 8)), ("slots", [1], COUNT), ("map", [2], COUNT),
        ("incantation", [1], (0, 1)), ("messages", [4, 2], (-1, last)), ("messages_age", [4], COUNT),
        ("answers", [4, 2], (0, last)), ("eject", [1], (0, 8)), ("eject_age", [1], COUNT), ("age", [1], COUNT),
    ]
    return fields, actions, [last], ["rose", "ate", "took", "dropped", "laid", "died", "won", "lost"]


def conquest(width: int, height: int, factions: int) -> Spaces:
    """Those of a faction of conquest, on a map of that size and among so many factions."""
    actions = ["wait", "Done {turn}", *(f"Base {what}" for what in ("income", "continue", "bomb", "idle"))]
    actions += [*(f"Base build {unit}" for unit in UNITS), "Base move {base}"]
    orders = ["travel {there}", "conquer", "neutralize", "gold", "attack {other}", "defend", "fortify", "heal {other}", "pray"]
    orders += ["convert {other}", "deploy", "clear", *(f"build {building}" for building in BUILDINGS), "retire", "idle"]
    actions += [f"Unit {{unit}} {order}" for order in orders]
    actions += [f"City {{city}} {verb} {{near}}" for verb in ("assign", "unassign")]
    actions += [*(f"City {{city}} recruit {unit}" for unit in UNITS), "Place {start}"]
    fields = [
        ("map", [15, height, width], (0, 255)), ("units", [PLACES, 6], AMOUNT), ("cities", [PLACES, 5], AMOUNT),
        ("own", [14], NUMBER), ("factions", [factions, 4], NUMBER), ("turn", [6], (0, 1e9)),
    ]
    parts = ["land", "score", "kills", "gold", "population", "refused", "died", "won", "lost"]
    return fields, actions, [len(actions), PLACES, TARGETS], parts
