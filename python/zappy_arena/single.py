"""Gymnasium's environment: one team against others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import EzPickle

from ._base import Settings
from ._checks import check
from .envs import AECArena


class SingleArena(gymnasium.Env, EzPickle):
    """Each step is an action of the player of your team that owes the next line; ``infos["agent"]`` names it. With
    ``clients=1, auto_join=False`` it is always the same player. An opponent is a level of ``zappy_ai``, or a policy
    ``f(observation, mask) -> action`` for each player of its team. ``terminated``: your team is out, or the match is over."""

    def __init__(self, game: str, opponents: Sequence[str | Callable[[Any, Any], Any]], **settings: Any) -> None:
        EzPickle.__init__(self, game, opponents, **settings)
        check("opponents", opponents)
        teams = settings.pop("teams", ["red", "blue", *(f"team{number}" for number in range(3, len(opponents) + 2))])
        check("teams", teams)
        if len(teams) != len(opponents) + 1:
            raise ValueError(f"opponents: {len(opponents)} for {len(teams)} teams; name one for each team but the first")
        # The core plays the last teams.
        rivals = sorted(zip(teams[1:], opponents), key=lambda rival: not callable(rival[1]))
        self._policies = {team: one for team, one in rivals if callable(one)}
        levels = [one for _, one in rivals if not callable(one)]
        self._settings = Settings(game, teams=[teams[0], *(team for team, _ in rivals)], opponents=levels, **settings)
        self._env = AECArena(self._settings)
        self.observation_space = self._settings.observation_space
        self.action_space = self._settings.action_space()
        self.metadata, self.render_mode = {"render_modes": ["ansi", "html"], "render_fps": 10}, self._settings.render_mode
        self._is_over = False

    def _team(self, agent: str) -> str:
        return agent if agent in self._settings.own else agent.rpartition("_")[0]

    def _until_own(self) -> tuple[float, bool, bool]:
        """Plays until a player of the own team owes a line. Returns what the team earned meanwhile, whether it is out or the
        match over, and whether it is cut off."""
        env, own, earned = self._env, self._settings.own[0], 0.0
        while env.agents:
            agent = env.agent_selection
            done = env.terminations[agent] or env.truncations[agent]
            mine = self._team(agent) == own
            if mine:
                earned += env._cumulative_rewards[agent]
            if mine and not done:
                return earned, False, False
            cut = env.truncations[agent]
            if mine and done and not any(self._team(one) == own for one in env.agents if one != agent):
                return earned, not cut, cut
            env.step(None if done else self._policies[self._team(agent)](env.observe(agent), env.infos[agent]["action_mask"]))
        return earned, True, False

    def _told(self) -> tuple[Any, dict[str, Any]]:
        env = self._env
        agent = env.agent_selection
        infos = {**env.infos.get(agent, {}), "agent": agent, "standings": env.standings()}
        return env.observe(agent), infos

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=check("seed", seed))
        self._env.reset(seed)
        self._is_over = False
        self._until_own()
        return self._told()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Acts for the player that ``infos["agent"]`` named last."""
        if self._is_over:
            raise RuntimeError("the match is over for your team, or was cut off; call reset()")
        self._env.step(action)
        earned, terminated, truncated = self._until_own()
        self._is_over = terminated or truncated
        observation, infos = self._told()
        return observation, earned, terminated, truncated, infos

    def action_masks(self) -> np.ndarray:
        """The mask of the player that acts, bool, component after component: what sb3-contrib calls."""
        return self._env._open().masks[0, self._env._row[self._env.agent_selection]] > 0

    def render(self) -> str | None:
        return self._env.render()

    def close(self) -> None:
        self._env.close()
