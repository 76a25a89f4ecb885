"""PettingZoo's environments, in which agents that owe a line act, one after another or all at once."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv, ParallelEnv

from . import _render
from ._base import Board, Environment, Settings
from ._checks import check


class _Match(Environment):
    """The parent of both environments: one match at a time, and its agents by their names.
    The same seed and the same actions give the same match."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.settings = settings
        self.metadata = {"name": f"{settings.game}_v0", "render_modes": ["ansi", "html"], "is_parallelizable": False}
        self.render_mode, self.max_cycles = settings.render_mode, settings.max_cycles
        self.possible_agents = settings.agents()
        self.agents: list[str] = []
        self._row = {name: row for row, name in enumerate(self.possible_agents)}
        self._spaces: dict[str, gymnasium.Space] = {}
        self._random = np.random.default_rng()
        self._seed: int | None = None
        self.match_seed = 0

    def observation_space(self, agent: str) -> gymnasium.Space:
        """The observation space, which is the same for all agents."""
        self._place(agent)
        return self.settings.observation_space

    def action_space(self, agent: str) -> gymnasium.Space:
        """An agent's action space. Once :meth:`reset` was given a seed, the spaces of all agents are seeded by it."""
        row = self._place(agent)
        if agent not in self._spaces:
            space = self._spaces[agent] = self.settings.action_space()
            if self._seed is not None:
                space.seed(self._seed % 2**31 + row)
        return self._spaces[agent]

    def _place(self, agent: str) -> int:
        if not isinstance(agent, str) or agent not in self._row:
            raise ValueError(f"there is no agent {agent!r}; possible_agents has their names")
        return self._row[agent]

    def _begin(self, seed: int | None) -> None:
        seed = check("seed", seed)
        self.close()
        if seed is not None:
            self._random, self._seed = np.random.default_rng(seed), seed
            for name, space in self._spaces.items():
                space.seed(seed % 2**31 + self._row[name])
        self.match_seed = int(self._random.integers(2**53)) if seed is None else seed
        self._board = Board(self.settings, [self.match_seed])
        self._states = self._board.states[0].tolist()
        self.agents = self._living()

    def _living(self) -> list[str]:
        return [agent for agent, state in zip(self.possible_agents, self._states) if state]

    def _asked(self) -> list[str]:
        """The agents that owe a line, in drawn order."""
        asked = [(state, row) for row, state in enumerate(self._states) if state > 1]
        return [self.possible_agents[row] for _, row in sorted(asked)]

    def _play(self, chosen: np.ndarray) -> list[str]:
        """Plays a round; the agents that live after it."""
        board = self._open()
        board.step(chosen[None])
        self._states = board.states[0].tolist()
        return self._living()

    def _observe(self, agents: list[str]) -> tuple[list[Any], list[Any]]:
        """The observations and the masks of these agents."""
        board, rows = self._open(), [self._place(agent) for agent in agents]
        texts = [board.core.text(row) for row in rows] if self.settings.mode == "text" else ()
        masks = board.masks[0].take(rows, 0)
        return self.settings.observations(board.observations[0].take(rows, 0), masks, texts), self.settings.masks(masks)

    def standings(self) -> dict[str, Any]:
        """How the match stands: ``ticks``, ``reason`` (``running`` while it goes on), ``won`` (whether the teams of rank 1
        have won), and ``teams``, a rank and a score for each."""
        ticks, reason, won, teams = self._open().core.standings()
        ranks = {team: {"rank": rank, "score": score} for team, rank, score in teams}
        return {"ticks": ticks, "reason": reason, "won": won, "teams": ranks}

    def render(self) -> str | None:
        """The map as text, or the observer's page of the record so far; None without a ``render_mode``."""
        board = self._open()
        if self.render_mode == "html":
            return _render.html(str(board.record))
        return _render.ansi(board.core.snapshot()) if self.render_mode else None

    def close(self) -> None:
        """Ends the match; its record is whole then."""
        board, self._board = self._board, None
        if board is not None:
            board.end()


class ParallelArena(_Match, ParallelEnv):
    """A step is a round of the lockstep clock. The mask of an agent that owes no line allows only ``wait``; any other action of
    it is ignored, and counted in ``infos[agent]["ignored"]``. ``infos[agent]["action_mask"]`` is the mask, int8."""

    def reset(self, seed: int | None = None, options: dict | None = None) -> tuple[dict, dict]:
        self._begin(seed)
        self._cycles, self._ignored = 0, dict.fromkeys(self.possible_agents, 0)
        observations, masks = self._observe(self.agents)
        infos = {agent: {"action_mask": mask, "ignored": 0} for agent, mask in zip(self.agents, masks)}
        return dict(zip(self.agents, observations)), infos

    def step(self, actions: dict[str, Any]) -> tuple[dict, dict, dict, dict, dict]:
        """Plays a round. An agent that owes a line and has no action here is left out until time passes."""
        board = self._open()
        if not self.agents:
            return {}, {}, {}, {}, {}
        check("actions", actions)
        chosen = np.zeros((self.settings.rows, len(self.settings.components)), np.int32)
        for agent, action in actions.items():
            row = self._place(agent)
            chosen[row] = self.settings.action(action, agent)
            if self._states[row] < 2 and chosen[row, 0]:
                self._ignored[agent] += 1
        living = self._play(chosen)
        self._cycles += 1
        cut = self.max_cycles is not None and self._cycles >= self.max_cycles
        lives, agents = set(living), list(dict.fromkeys(self.agents + living))
        observations, masks = self._observe(agents)
        rewards = board.rewards[0].tolist()
        self.agents = [] if cut else living
        return (
            dict(zip(agents, observations)),
            {agent: rewards[self._row[agent]] for agent in agents},
            {agent: agent not in lives for agent in agents},
            {agent: cut and agent in lives for agent in agents},
            {agent: {"action_mask": mask, "ignored": self._ignored[agent]} for agent, mask in zip(agents, masks)},
        )


class AECArena(_Match, AECEnv):
    """Selects the agents that owe a line, in the order drawn for the round, and plays the round when all of them have acted.
    With ``max_cycles`` an agent is cut off after so many actions of its own."""

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        self._begin(seed)
        self.rewards, self._cumulative_rewards, self.terminations, self.truncations, self.infos = {}, {}, {}, {}, {}
        self._acted: dict[str, int] = {}
        self._chosen = np.zeros((self.settings.rows, len(self.settings.components)), np.int32)
        self._welcome(self.agents)
        self._queue = self._asked()
        self._skip_agent_selection = None
        self.agent_selection = self._queue[0]
        self._inform()

    def _welcome(self, agents: list[str]) -> None:
        for agent in agents:
            self.rewards[agent] = self._cumulative_rewards[agent] = 0.0
            self.terminations[agent] = self.truncations[agent] = False
            self.infos[agent], self._acted[agent] = {}, 0

    def _inform(self) -> None:
        """Puts the selected agent's mask into its infos."""
        if self.agents and self.agent_selection in self.infos:
            mask = self._open().masks[0, [self._row[self.agent_selection]]]
            self.infos[self.agent_selection] = {"action_mask": self.settings.masks(mask)[0]}

    def observe(self, agent: str) -> Any:
        """What an agent knows now. As text, the lines that it has read since the last call."""
        return self._observe([agent])[0][0]

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What ``agent_selection`` knows and has earned, whether it is out or cut off, and its infos."""
        self._open()
        return super().last(observe)

    def step(self, action: Any) -> None:
        """Acts for ``agent_selection``; None for an agent that is done."""
        board, agent = self._open(), self.agent_selection
        if not self.agents:
            raise RuntimeError("the match is over; call reset()")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return self._inform()
        self._chosen[self._row[agent]] = self.settings.action(action, agent)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._acted[agent] += 1
        if self.max_cycles is not None and self._acted[agent] >= self.max_cycles:
            self.truncations[agent] = True
        self._queue.remove(agent)
        while not self._queue and not all(self.truncations[one] or self.terminations[one] for one in self.agents):
            self._go_on(board)
        self._accumulate_rewards()
        self.agent_selection = self._queue[0] if self._queue else self.agents[0]
        self._deads_step_first()
        self._inform()

    def _go_on(self, board: Board) -> None:
        """Plays a round with the chosen actions, and queues the agents that owe a line after it."""
        living = self._play(self._chosen)
        self._chosen[:] = 0
        lives = set(living)
        for agent, reward in zip(self.possible_agents, board.rewards[0].tolist()):
            if reward and agent in self.rewards:
                self.rewards[agent] += reward
        for agent in self.agents:
            self.terminations[agent] = agent not in lives
        new = [agent for agent in living if agent not in self._acted]
        self.agents += new
        self._welcome(new)
        self._queue = [agent for agent in self._asked() if not self.truncations.get(agent, True)]
