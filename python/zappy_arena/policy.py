"""A linear policy for Zappy, of numpy alone: it scores macro-actions, called deeds, by features of an observation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: What it chooses from. `food`, `stone` and `mate` go one step to the nearest seen food, needed stone or player, and take the
#: first two where they lie; `rite` puts down a stone that the next level needs, or begins the incantation.
DEEDS = ["Forward", "Right", "Look", "Inventory", "Fork", "food", "stone", "mate", "rite"]
FEATURES = 22
#: What an incantation needs at each level: units of each resource on the tile, from food on, and players.
NEEDS = np.array(
    [[0] * 7, [0, 1, 0, 0, 0, 0, 0], [0, 1, 1, 1, 0, 0, 0], [0, 2, 0, 1, 0, 2, 0], [0, 1, 1, 2, 0, 1, 0],
     [0, 1, 2, 1, 3, 0, 0], [0, 1, 2, 3, 0, 1, 0], [0, 2, 2, 2, 2, 2, 1], [0] * 7], np.float32)
PLAYERS = np.array([99, 1, 2, 2, 4, 4, 6, 6, 99])
#: The tiles of a view that count, as rows ahead and columns to the right.
AHEAD, RIGHT = np.array([(row, column) for row in range(4) for column in range(-row, row + 1)]).T
FORWARD, TURN_RIGHT, TURN_LEFT, LOOK, INVENTORY, CONNECT, FORK, EJECT, INCANTATION, TAKE = range(1, 11)
SET = TAKE + 7


def _way(there: np.ndarray, ahead: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(m,) the action that leads to the nearest tile where ``there`` is true; 0 if that is here, -1 if there is none."""
    distance = np.where(there, np.abs(ahead) + np.abs(right), 99)
    nearest = distance.argmin(1)
    rows = np.arange(len(there))
    near, ahead, right = distance[rows, nearest], ahead[rows, nearest], right[rows, nearest]
    return np.select([near == 99, near == 0, ahead > 0, right < 0], [-1, 0, FORWARD, TURN_LEFT], TURN_RIGHT)


def features(fields: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(m, FEATURES) the features of m observations, and (m, len(DEEDS)) the action of each deed, 0 if it can't be done."""
    m = len(fields["level"])
    view = fields["look"][:, :, AHEAD, RIGHT + 8]
    offset = fields["look_offset"].astype(np.int32)
    dx, dy, turns = AHEAD - offset[:, :1], RIGHT - offset[:, 1:2], offset[:, 2:]
    ahead = np.select([turns == 0, turns == 1, turns == 2], [dx, dy, -dx], -dy)
    right = np.select([turns == 0, turns == 1, turns == 2], [dy, -dx, -dy], dx)
    level, carried = fields["level"][:, 0].astype(int), fields["inventory"]
    answer, ok = fields["answers"][:, 0, 0].astype(int), fields["answers"][:, 0, 1] > 0
    here = (ahead == 0) & (right == 0)
    tile = (view * here[:, None]).sum(2)
    # A resource that couldn't be taken here isn't here any more.
    vain = ((answer >= TAKE) & (answer < SET) & ~ok)[:, None] & here
    lacks = np.maximum(NEEDS[level] - carried, 0)
    wanted = (view[:, :7] * (lacks > 0)[:, :, None]).sum(1) > 0
    age = fields["look_age"][:, 0]
    food = carried[:, 0] - fields["inventory_age"][:, 0] / 126
    to_food, to_stone = _way((view[:, 0] > 0) & ~vain, ahead, right), _way(wanted & ~vain, ahead, right)
    to_mate = _way((view[:, 7] > 0) & ~here, ahead, right)
    to_put = np.minimum(NEEDS[level] - tile[:, :7], carried)[:, 1:]
    complete = (NEEDS[level] <= tile[:, :7] + carried)[:, 1:].all(1) & (level < 8)
    enough = tile[:, 7] >= PLAYERS[level]
    before = fields["answers"][:, :, 0].astype(int)
    flags = [
        np.ones(m), food < 4, food < 8, food < 12, age > 30, age > 100, age == 0, complete, level == 1, level == 2, level > 2,
        ok, answer == LOOK, answer == TURN_RIGHT, (before == FORWARD).sum(1) > 2, (before == FORK).any(1), enough, to_food == 0,
        to_stone == 0, fields["inventory_age"][:, 0] > 250, fields["age"][:, 0] > 300, fields["age"][:, 0] > 1000,
    ]
    take = TAKE + 1 + np.argmax(lacks[:, 1:] * (tile[:, 1:7] > 0), 1)
    put = np.where(to_put.max(1) > 0, SET + 1 + to_put.argmax(1), INCANTATION)
    deeds = [
        *(np.full(m, one) for one in (FORWARD, TURN_RIGHT, LOOK, INVENTORY, FORK)), np.where(to_food == 0, TAKE, to_food),
        np.where(to_stone == 0, take, to_stone), to_mate, np.where(complete & (enough | (level == 1)), put, 0),
    ]
    return np.stack(flags, 1).astype(np.float32), np.maximum(np.stack(deeds, 1), 0)


def decide(weights: np.ndarray, fields: dict[str, np.ndarray], masks: np.ndarray) -> np.ndarray:
    """The actions (m,) for m observations; ``weights`` (FEATURES, deeds) for all or (m, FEATURES, deeds) for each."""
    numbers, deeds = features(fields)
    scores = np.einsum("mf,mfd->md", numbers, weights) if weights.ndim == 3 else numbers @ weights
    rows = np.arange(len(deeds))
    scores = np.where((masks[rows[:, None], deeds] > 0) & (deeds > 0), scores, -np.inf)
    return deeds[rows, scores.argmax(1)].astype(np.int32)


def load(path: str) -> tuple[Callable[[Any, Any], int], dict[str, Any]]:
    """The policy in a file of ``examples/evolve.py``, and its settings."""
    with np.load(path) as file:
        if "weights" not in file or file["weights"].shape != (FEATURES, len(DEEDS)):
            raise ValueError(f"{path} holds no weights of {FEATURES} x {len(DEEDS)}; examples/evolve.py makes such a file")
        weights, slots, most = file["weights"], int(file["clients"]), int(file["max_players"])

    def policy(observation: dict[str, np.ndarray], mask: np.ndarray) -> int:
        fields = {name: value[None] for name, value in observation.items()}
        return int(decide(weights, fields, mask[None])[0])

    return policy, {"game": "zappy", "clients": slots, "max_players": most}
