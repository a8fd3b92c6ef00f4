"""A game as an environment of PettingZoo, in which agents move one after the other (AEC)."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv

from ._ggp import Game, State
from .vector import unpack


class PettingZooEnv(AECEnv):
    """The roles of a game as agents.

    Agents with a choice act one after the other; simultaneous moves take effect together, after the last of them.
    Observations are dicts of `observation`, the bits of the state, and `action_mask` over `game.moves(role)`. The reward
    is the goal value at the end, divided by 100 (0 to 1).

    >>> import ggp
    >>> from ggp.pettingzoo import PettingZooEnv
    >>> env = PettingZooEnv(ggp.Game.from_file("games/tic_tac_toe.kif"))
    >>> env.reset(seed=1)
    >>> env.agent_selection, int(env.observe("crosses")["action_mask"].sum())
    ('crosses', 9)
    """

    metadata = {"name": "ggp", "is_parallelizable": False, "render_modes": ["ansi"]}

    def __init__(self, game: Game, max_steps: int = 1000, render_mode: str | None = None) -> None:
        super().__init__()
        self.game = game
        self.render_mode = render_mode
        self.possible_agents = game.roles
        self.agents = list(self.possible_agents)
        self._moves = {role: game.moves(role) for role in self.possible_agents}
        self._bits = len(game.fluents)
        self._max_steps = max_steps
        self.observation_spaces = {
            role: gymnasium.spaces.Dict(
                observation=gymnasium.spaces.Box(0, 1, (self._bits,), np.int8),
                action_mask=gymnasium.spaces.Box(0, 1, (len(self._moves[role]),), np.int8),
            )
            for role in self.possible_agents
        }
        self.action_spaces = {
            role: gymnasium.spaces.Discrete(len(self._moves[role])) for role in self.possible_agents
        }

    def observation_space(self, agent: str) -> gymnasium.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._steps = 0
        self._stand(self.game.initial)

    def _stand(self, state: State) -> None:
        """Sets the state, and steps on while no role has a choice."""
        self._chosen: dict[str, str] = {}
        while True:
            self.state_of_game = state
            if state.terminal:
                for role, goal in state.goals.items():
                    self.rewards[role] = (goal if isinstance(goal, int) else 0) / 100.0
                    self.terminations[role] = True
            elif self._steps >= self._max_steps:
                self.truncations = dict.fromkeys(self.agents, True)
            elif not state.to_move:
                state = state.apply({})
                self._steps += 1
                continue
            break
        over = state.terminal or any(self.truncations.values())
        self._asked = list(self.agents) if over else state.to_move
        self.agent_selection = self._asked[0]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        mask = np.zeros(len(self._moves[agent]), np.int8)
        if agent in self._asked and not self.state_of_game.terminal:
            legal = set(self.state_of_game.legal(agent))
            mask[[number for number, move in enumerate(self._moves[agent]) if move in legal]] = 1
        bits = unpack(self.state_of_game.bits[np.newaxis], self._bits)[0].astype(np.int8)
        return {"observation": bits, "action_mask": mask}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._chosen[agent] = self._moves[agent][action]
        waiting = [role for role in self._asked if role not in self._chosen]
        if waiting:
            self.agent_selection = waiting[0]
        else:
            self._steps += 1
            self._stand(self.state_of_game.apply(self._chosen))
        self._accumulate_rewards()

    def render(self) -> str:
        return str(self.state_of_game)

    def close(self) -> None:
        """Does nothing; there are no resources to release."""
