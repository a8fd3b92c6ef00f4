"""Many games at once, following the conventions of Gymnasium's vector environments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._ggp import Game, State
from ._ggp import Lanes as _Lanes

_OBSERVATIONS = ("packed", "bits", None)


class VectorEnv:
    """`num_envs` copies of one game that step together; each processor instruction works on 512 of them.

    If one role chooses at a time, an action is one number per game: the index of its move in `game.actions`. All other
    roles make their only move, and -1 skips the step of that game. If several roles choose at once (`joint`), an action is
    one row per game: for each role the index of its move in `game.moves(role)`, or -1 for a role with only one move.

    `step` and `reset` write to the same arrays every time and return them. Copy an array if you want to keep it.

    observations
        The facts that hold in each game, a bit for each of `game.fluents`. `"packed"` has 64 bits per word (`numpy.uint64`,
        the first bit lowest), `"bits"` a byte per bit (`numpy.uint8`), and None turns observations off.
    masks
        The legal actions, in the same forms. A game that is over has none.
    rewards
        `float32`, a row per game: the goal values (0 to 100) of all roles if the game ended with this step, else 0.
    autoreset
        When a finished game restarts: `"next-step"` (its next action is ignored; Gymnasium's default), `"same-step"` (its
        last state is not returned; slower), or `"disabled"`.
    max_steps
        The number of steps after which a game is truncated; with None only its rules end it.
    threads
        The number of threads that share the games; 0 means one per processor. It does not change the results.

    >>> import ggp, numpy as np
    >>> game = ggp.Game.from_file("games/connect_four.kif")
    >>> env = ggp.VectorEnv(game, 1024, seed=7)
    >>> observations, info = env.reset()
    >>> observations.shape, info["action_mask"].shape, int(info["turn"][0])
    ((1024, 2), (1024, 1), 0)
    >>> observations, rewards, terminated, truncated, info = env.step(env.sample())
    >>> bool(terminated.any()), int(info["turn"][0])
    (False, 1)
    >>> env.step(np.full(1024, 99))
    Traceback (most recent call last):
        ...
    ggp.MoveError: game 0: action 99 is not legal; choose an action that the game's mask allows
    """

    def __init__(
        self,
        game: Game,
        num_envs: int = 512,
        *,
        actions: str = "auto",
        observations: str | None = "packed",
        masks: str | None = "packed",
        autoreset: str = "next-step",
        max_steps: int | None = None,
        seed: int = 1,
        threads: int = 1,
    ) -> None:
        for name, value in (("observations", observations), ("masks", masks)):
            if value not in _OBSERVATIONS:
                raise ValueError(f'{name} must be "packed", "bits" or None, not `{value}`')
        if actions not in ("auto", "turns", "joint"):
            raise ValueError(f'actions must be "auto", "turns" or "joint", not `{actions}`')
        self.game = game
        self.num_envs = num_envs
        self._lanes = _Lanes(game, num_envs, actions, autoreset, max_steps, seed, threads)
        self.joint: bool = self._lanes.joint
        roles = len(game.roles)
        bits, words, groups, mask_bits, mask_words = self._lanes.shapes
        self.num_bits = bits
        self.num_actions = mask_bits
        self._observations = _array(num_envs, (), observations, words, bits)
        groups_shape = (groups,) if self.joint else ()
        self._masks = _array(num_envs, groups_shape, masks, mask_words, mask_bits)
        self._rewards = np.zeros((num_envs, roles), np.float32)
        self._ended = np.zeros((2, num_envs), np.bool_)
        self._terminated, self._truncated = self._ended
        self._turns = np.zeros(num_envs, np.int8)
        self._sampled = np.zeros((num_envs, roles) if self.joint else num_envs, np.int32)
        # Made once: a step of a large game evicts the interpreter's data from the cache, so Python work costs more there.
        self._shown = (
            self._observations,
            self._masks,
            self._rewards,
            self._terminated.view(np.uint8),
            self._truncated.view(np.uint8),
            self._turns,
        )

    @property
    def actions_shape(self) -> tuple[int, ...]:
        """The shape of the actions that `step` takes."""
        return self._sampled.shape

    def _look(self, actions: np.ndarray | None) -> None:
        self._lanes.step(actions, *self._shown)

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"turn": self._turns}
        if self._masks is not None:
            info["action_mask"] = self._masks
        return info

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray | None, dict[str, Any]]:
        """Restarts all games, or those marked in `options={"reset_mask": ...}`. `seed` is the seed of `sample`."""
        if seed is not None:
            self._lanes.seed(seed)
        mask = (options or {}).get("reset_mask")
        self._lanes.reset(None if mask is None else np.ascontiguousarray(mask, np.bool_))
        self._look(None)
        return self._observations, self._info()

    def step(
        self, actions: np.ndarray | None = None
    ) -> tuple[np.ndarray | None, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Makes a step in every game, with random actions if none are given. If an action is not legal, no game steps."""
        if actions is None:
            actions = self.sample()
        actions = np.ascontiguousarray(actions, np.int32)
        if actions.shape != self.actions_shape:
            raise ValueError(f"actions must have the shape {self.actions_shape}, not {actions.shape}")
        self._look(actions)
        return self._observations, self._rewards, self._terminated, self._truncated, self._info()

    def sample(self) -> np.ndarray:
        """Random legal actions, all equally likely; 0 for a game that is over."""
        self._lanes.sample(self._sampled)
        return self._sampled

    def state(self, number: int) -> State:
        """The state of the game with this number."""
        return self._lanes.state(number)

    def set_state(self, number: int, state: State) -> None:
        """Sets the state of a game; the next step updates the arrays."""
        self._lanes.set_state(number, state)

    def close(self) -> None:
        """Does nothing; there are no resources to release."""

    def __repr__(self) -> str:
        return f"<ggp.VectorEnv: {self.num_envs} games of {self.game.name}>"


def _array(games: int, groups: tuple[int, ...], form: str | None, words: int, bits: int) -> np.ndarray | None:
    if form is None:
        return None
    if form == "packed":
        return np.zeros((games, *groups, words), np.uint64)
    return np.zeros((games, *groups, bits), np.uint8)


def unpack(packed: np.ndarray, bits: int) -> np.ndarray:
    """Packed words as one byte per bit.

    >>> import numpy as np
    >>> unpack(np.array([[5]], np.uint64), 4)
    array([[1, 0, 1, 0]], dtype=uint8)
    """
    little = np.ascontiguousarray(packed, "<u8")
    return np.unpackbits(little.view(np.uint8), axis=-1, bitorder="little")[..., :bits]
