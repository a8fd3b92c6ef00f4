"""Many games at once, after the conventions of Gymnasium's vector environments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._ggp import Game, State
from ._ggp import Lanes as _Lanes

_OBSERVATIONS = ("packed", "bits", None)


class VectorEnv:
    """`num_envs` games of one kind, stepped together; 512 of them share every instruction of the processor.

    An action is a number a game: that of the move that the role with a choice makes, among `game.actions`; all others make
    their only move, and -1 lets a game stay where it is. Where several roles choose at once (`joint`), it is a row a game: for each role the number of its move
    among `game.moves(role)`, -1 for a role that has only one.

    `step` and `reset` write to the same arrays every time and return them: copy what you keep.

    observations
        What holds in each game, a bit for each of `game.fluents`: `"packed"`, 64 bits a word (`numpy.uint64`, the first bit
        lowest), `"bits"`, a byte each (`numpy.uint8`), or None for nothing.
    masks
        Which actions may be chosen, in the same forms; of a game that is over none.
    rewards
        `float32`, a row a game: the goal values (0 to 100) of all roles where the game ended with this step, else 0.
    autoreset
        When a game that is over begins again: `"next-step"` (its next action is ignored, as Gymnasium does by default),
        `"same-step"` (its last state isn't seen; slower), or `"disabled"`.
    max_steps
        Steps after which a game is truncated; None where only its rules end it.
    threads
        Threads that share the games; 0 for one a processor. The results are the same.

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
    ggp.MoveError: game 0: action 99 can't be chosen; its mask says which can
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
                raise ValueError(f'{name}: `{value}` is none of "packed", "bits" and None')
        if actions not in ("auto", "turns", "joint"):
            raise ValueError(f'actions: `{actions}` is none of "auto", "turns" and "joint"')
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
        # Made once: each step of a large game finds the interpreter's own work out of the cache.
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
        """The shape of what `step` takes."""
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
        """All games begin again, or those of `options={"reset_mask": ...}`. A seed is one for `sample`."""
        if seed is not None:
            self._lanes.seed(seed)
        mask = (options or {}).get("reset_mask")
        self._lanes.reset(None if mask is None else np.ascontiguousarray(mask, np.bool_))
        self._look(None)
        return self._observations, self._info()

    def step(
        self, actions: np.ndarray | None = None
    ) -> tuple[np.ndarray | None, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Makes a step in every game; without actions, random ones. Where one can't be chosen no game steps."""
        if actions is None:
            actions = self.sample()
        actions = np.ascontiguousarray(actions, np.int32)
        if actions.shape != self.actions_shape:
            raise ValueError(f"actions of the shape {self.actions_shape} are expected, not {actions.shape}")
        self._look(actions)
        return self._observations, self._rewards, self._terminated, self._truncated, self._info()

    def sample(self) -> np.ndarray:
        """Random actions, each that may be chosen as likely as the others; 0 where a game is over."""
        self._lanes.sample(self._sampled)
        return self._sampled

    def state(self, number: int) -> State:
        """The state of a game."""
        return self._lanes.state(number)

    def set_state(self, number: int, state: State) -> None:
        """Puts a game into a state; the arrays show it from the next step on."""
        self._lanes.set_state(number, state)

    def close(self) -> None:
        """Nothing is held that has to be given back."""

    def __repr__(self) -> str:
        return f"<ggp.VectorEnv: {self.num_envs} games of {self.game.name}>"


def _array(games: int, groups: tuple[int, ...], form: str | None, words: int, bits: int) -> np.ndarray | None:
    if form is None:
        return None
    if form == "packed":
        return np.zeros((games, *groups, words), np.uint64)
    return np.zeros((games, *groups, bits), np.uint8)


def unpack(packed: np.ndarray, bits: int) -> np.ndarray:
    """Packed words as a byte for each bit.

    >>> import numpy as np
    >>> unpack(np.array([[5]], np.uint64), 4)
    array([[1, 0, 1, 0]], dtype=uint8)
    """
    little = np.ascontiguousarray(packed, "<u8")
    return np.unpackbits(little.view(np.uint8), axis=-1, bitorder="little")[..., :bits]
