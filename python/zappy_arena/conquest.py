"""The environments of conquest, by the names that PettingZoo's tools look for.

What a faction observes, float32 arrays; types, owners and buildings are numbers from 1 on:

- ``map`` (15, height, width): in sight, own, another's, forest, base, resource, fort, bomb; owner, building, what is left of
  a siege; type of the own unit and of another's, health, state (1 ``d``, 2 ``e``, 4 ``c``).
- ``units`` (64, 6): own ones by number: x, y, type, health, state, answer to its last order (1 ok, 2 maybe, 3 ko).
- ``cities`` (64, 5): x, y, citizens, workers, merchants; ``factions`` (factions, 4): alive, land, population, score.
- ``own`` (14): land, score, kills, gold, population, food, wood, bombs, cap, upkeep, base x and y, slot's type and turns.
- ``turn`` (6): turn, turns, dominion's need, last answer, orders carried out and failed.

Rewards count what it gained of ``land``, ``score``, ``kills``, ``gold``, ``population``; ``refused``, ``died``, ``won``, ``lost``.
"""

from functools import partial

from . import aec_env, parallel_env as _parallel_env

env = raw_env = partial(aec_env, "conquest")
parallel_env = partial(_parallel_env, "conquest")
