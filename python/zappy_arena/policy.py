"""A policy of numpy alone for Zappy: features of an observation, and weights that choose a deed by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: What it chooses from; the last two concern a stone that the next level needs.
DEEDS = ["Forward", "Right", "Left", "Look", "Inventory", "Fork", "Incantation", "Take food", "Take", "Set"]
FEATURES = 30
#: What lies on the tile for an incantation from each level, from food on.
NEEDS = np.array(
    [[0] * 7, [0, 1, 0, 0, 0, 0, 0], [0, 1, 1, 1, 0, 0, 0], [0, 2, 0, 1, 0, 2, 0], [0, 1, 1, 2, 0, 1, 0],
     [0, 1, 2, 1, 3, 0, 0], [0, 1, 2, 3, 0, 1, 0], [0, 2, 2, 2, 2, 2, 1], [0] * 7], np.float32)
#: The tiles of a view that are looked at, as rows ahead and columns to the right.
AHEAD, RIGHT = np.array([(row, column) for row in range(4) for column in range(-row, row + 1)]).T
FORWARD, TURN_RIGHT, TURN_LEFT, LOOK, INVENTORY, CONNECT, FORK, EJECT, INCANTATION, TAKE, SET = range(1, 12)
SET = TAKE + 7


def _way(there: np.ndarray, ahead: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(m, 5) flags of the nearest tile with something: here, ahead, to the right or behind, to the left, none."""
    distance = np.where(there, np.abs(ahead) + np.abs(right), 99)
    nearest = distance.argmin(1)
    rows = np.arange(len(there))
    near, ahead, right = distance[rows, nearest], ahead[rows, nearest], right[rows, nearest]
    way = np.select([near == 99, near == 0, ahead > 0, right < 0], [4, 0, 1, 3], 2)
    return np.eye(5, dtype=np.float32)[way]


def features(fields: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(m, FEATURES) numbers of m observations, and (m, len(DEEDS)) the actions that the deeds are."""
    m = len(fields["level"])
    view = fields["look"][:, :, AHEAD, RIGHT + 8]
    offset = fields["look_offset"].astype(np.int32)
    dx, dy, turns = AHEAD - offset[:, :1], RIGHT - offset[:, 1:2], offset[:, 2:]
    ahead = np.select([turns == 0, turns == 1, turns == 2], [dx, dy, -dx], -dy)
    right = np.select([turns == 0, turns == 1, turns == 2], [dy, -dx, -dy], dx)
    level, carried = fields["level"][:, 0].astype(int), fields["inventory"]
    answer, ok = fields["answers"][:, 0, 0].astype(int), fields["answers"][:, 0, 1] > 0
    here = (ahead == 0) & (right == 0)
    # What was tried in vain here isn't here any more.
    vain = ((answer >= TAKE) & (answer < SET) & ~ok)[:, None] & here
    lacks = np.maximum(NEEDS[level] - carried, 0)
    wanted = (view[:, :7] * (lacks > 0)[:, :, None])[:, 1:].sum(1) > 0
    crowd = (view[:, 7] * here).sum(1)
    food = carried[:, 0] - fields["inventory_age"][:, 0] / 126
    age, complete = fields["look_age"][:, 0], lacks[:, 1:].sum(1) == 0
    seen = view[:, 9].sum(1) > 0
    flags = [
        np.ones(m), food < 4, food < 9, food > 15, fields["inventory_age"][:, 0] > 250, age > 40, ~seen, age == 0,
        complete & (level < 8), level == 1, level == 2, level > 2, ok, answer == LOOK, answer == FORK,
        answer >= SET, answer == INCANTATION, crowd > 1, fields["slots"][:, 0] > 0, fields["age"][:, 0] > 600,
    ]
    ways = [_way((view[:, 0] > 0) & ~vain, ahead, right), _way(wanted & ~vain, ahead, right)]
    numbers = np.concatenate([np.stack(flags, 1).astype(np.float32), *ways], 1)
    deeds = np.tile([FORWARD, TURN_RIGHT, TURN_LEFT, LOOK, INVENTORY, FORK, INCANTATION, TAKE, TAKE, SET], (m, 1))
    tile = (view[:, :7] * here[:, None]).sum(2)
    deeds[:, 8] += 1 + np.argmax((lacks > 0)[:, 1:] * (tile > 0)[:, 1:], 1)
    # It puts down what an incantation needs and it carries most of, one after another.
    deeds[:, 9] += 1 + np.argmax(np.minimum(NEEDS[level], carried)[:, 1:], 1)
    return numbers, deeds


def decide(weights: np.ndarray, fields: dict[str, np.ndarray], masks: np.ndarray) -> np.ndarray:
    """The actions (m,) for m observations; ``weights`` (FEATURES, deeds) for all or (m, FEATURES, deeds) for each."""
    numbers, deeds = features(fields)
    scores = np.einsum("mf,mfd->md", numbers, weights) if weights.ndim == 3 else numbers @ weights
    rows = np.arange(len(deeds))
    scores = np.where(masks[rows[:, None], deeds] > 0, scores, -np.inf)
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
