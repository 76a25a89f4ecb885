"""The environments of Zappy, by the names that PettingZoo's tools look for.

What a player observes, float32 arrays; ages are ticks of its own commands since then:

- ``look`` (10, 9, 17): the last ``Look``: planes of the seven resources, players, eggs, seen; rows ahead, itself in column 8.
- ``look_age`` (1); ``look_offset`` (3): how far ahead and to the right it went since, and how often it turned right.
- ``inventory`` (7), ``inventory_age`` (1), by its own ``Take`` and ``Set``, too; ``level`` (1); ``map`` (2).
- ``slots`` (1): the last answer to ``Connect_nbr``; ``incantation`` (1): whether it is in one.
- ``messages`` (4, 2), ``messages_age`` (4): direction and action of the last broadcasts, -1 for none and for other texts.
- ``answers`` (4, 2): its last commands, as actions, and whether they succeeded.
- ``eject``, ``eject_age``, ``age`` (1 each): where it was last pushed from and when; the ticks of its own commands.

Rewards count ``rose``, ``ate``, ``took``, ``dropped``, ``laid``, ``died``, ``won``, ``lost``.
"""

from functools import partial

from . import aec_env, parallel_env as _parallel_env

env = raw_env = partial(aec_env, "zappy")
parallel_env = partial(_parallel_env, "zappy")
