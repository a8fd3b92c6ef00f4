"""One role of a game as a vector environment of Gymnasium; a policy or random moves play the other roles."""

from __future__ import annotations

from typing import Any, Callable

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ._ggp import Game
from .vector import VectorEnv

#: Maps observations and masks (bits, a row per game) to an action per game.
Policy = Callable[[np.ndarray, np.ndarray], np.ndarray]


class GymnasiumVectorEnv(gymnasium.vector.VectorEnv):
    """`num_envs` games in which you choose the moves of one role, whenever it has a choice.

    Observations are the bits of the states. The reward is the role's goal value at the end, divided by 100 (0 to 1).
    `info["action_mask"]` marks the legal actions. A finished game restarts with the next step.

    >>> import ggp
    >>> from ggp.gymnasium import GymnasiumVectorEnv
    >>> env = GymnasiumVectorEnv(ggp.Game.from_file("games/tic_tac_toe.kif"), "noughts", num_envs=512)
    >>> observations, info = env.reset(seed=1)
    >>> int(observations.sum(axis=1)[0]), int(info["action_mask"].sum(axis=1)[0])
    (10, 8)
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        game: Game,
        role: str,
        num_envs: int = 512,
        *,
        opponents: Policy | None = None,
        max_steps: int | None = None,
        seed: int = 1,
        threads: int = 1,
    ) -> None:
        self._env = VectorEnv(
            game, num_envs, observations="bits", masks="bits", max_steps=max_steps, seed=seed, threads=threads
        )
        if self._env.joint:
            raise ValueError("several roles choose at once in this game: play it with ggp.VectorEnv")
        roles = game.roles
        if role.lower() not in roles:
            raise KeyError(f"the game has no role `{role}`; it has {', '.join(roles)}")
        self._role = roles.index(role.lower())
        self._opponents = opponents
        self.num_envs = num_envs
        self.single_observation_space = gymnasium.spaces.MultiBinary(self._env.num_bits)
        self.single_action_space = gymnasium.spaces.Discrete(self._env.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        self._env.reset(seed=seed, options=options)
        self._play_on(np.zeros(self.num_envs, np.float32))
        return self._env._observations.astype(np.int8), self._info()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        rewards = np.zeros(self.num_envs, np.float64)
        _, found, _, _, _ = self._env.step(np.asarray(actions, np.int32))
        rewards += found[:, self._role]
        self._play_on(rewards)
        terminated, truncated = self._env._ended.copy()
        return self._env._observations.astype(np.int8), rewards / 100.0, terminated, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._env._masks.copy()}

    def _play_on(self, rewards: np.ndarray) -> None:
        """Moves the other roles until it is the role's turn in every game that is not over."""
        env = self._env
        while True:
            others = (env._turns != self._role) & ~env._ended.any(axis=0)
            if not others.any():
                return
            policy = self._opponents
            actions = env.sample() if policy is None else policy(env._observations, env._masks)
            _, found, _, _, _ = env.step(np.where(others, actions, -1))
            rewards += found[:, self._role]

    def close(self, **kwargs: Any) -> None:
        """Does nothing; there are no resources to release."""
