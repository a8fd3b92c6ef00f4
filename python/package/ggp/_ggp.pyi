from os import PathLike
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from .analysis import Analysis

class GgpError(ValueError):
    """What was given can't be used."""

class RulesError(GgpError):
    """Rules with errors, or that can't be played; the text says all of them."""

class StateError(GgpError):
    """A text that is no state of the game."""

class MoveError(GgpError):
    """A move or an action that can't be made."""

class FunctionError(GgpError):
    """A function or a document that can't be used."""

class InternalError(RuntimeError):
    """A mistake of this package; please report it."""

class Game:
    """A game that can be played."""

    @staticmethod
    def from_file(
        path: str | PathLike[str],
        *,
        backend: str = "auto",
        ground_limit: int | None = None,
        ground_seconds: float | None = None,
        case_sensitive: bool = False,
        negation: str = "language",
    ) -> Game:
        """Reads a game from a file of rules in GDL (prefix KIF).

        `negation` is "language" or "in-place": when a negated literal is read that comes before the literal that binds
        its variable.
        """

    @staticmethod
    def from_text(
        text: str,
        name: str = "game",
        *,
        backend: str = "auto",
        ground_limit: int | None = None,
        ground_seconds: float | None = None,
        case_sensitive: bool = False,
        negation: str = "language",
    ) -> Game:
        """Reads a game from rules as text."""

    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def roles(self) -> list[str]: ...
    @property
    def backend(self) -> str:
        """What plays it: `network` or `relational`."""
    @property
    def notes(self) -> list[str]:
        """What loading did without, and why."""
    @property
    def initial(self) -> State: ...
    @property
    def fluents(self) -> list[str]:
        """The facts that the bits of a state say, in their order."""
    @property
    def actions(self) -> list[str]:
        """All moves, of all roles: where one action a game is given, it is the number of one of these."""

    def moves(self, role: str) -> list[str]:
        """The moves of a role: where each role's action is given, it is the number of one of these."""

    def state(self, atoms: str | Sequence[str]) -> State:
        """A state from its facts: a list of them, or a text in KIF or JSON."""

    def play(self, moves: str, state: State | None = None) -> State:
        """The state after moves: `(draw 2 2) (draw 1 1)`, or lists of the moves of all roles."""

    def analyze(
        self, *, playouts: int | None = None, seconds: float | None = None, seed: int = 1, threads: int = 0
    ) -> Analysis:
        """Plays at random, finds out what the game is made of, makes evaluation functions and says what they are worth."""

    def function(
        self,
        what: str | PathLike[str] | Mapping[str, Any],
        role: str | None = None,
        *,
        playouts: int | None = None,
        seconds: float | None = None,
        seed: int = 1,
        threads: int = 0,
    ) -> Function:
        """A function: a document (its file, its text, or a dict), or a name such as `fuzzy.red`, made on the spot."""

    def learned_function(self, role: str, constant: float, terms: Sequence[tuple[float, Sequence[str]]]) -> Function:
        """A function of your own: see `ggp.linear_document`."""

class State:
    """A state of a game."""

    @property
    def facts(self) -> list[str]: ...
    @property
    def terminal(self) -> bool: ...
    def legal(self, role: str | None = None) -> Any:
        """The legal moves of a role, or of all roles as a dict."""
    @property
    def to_move(self) -> list[str]:
        """The roles that have a choice."""
    @property
    def goals(self) -> dict[str, int | list[int] | None]: ...
    def apply(self, moves: str | Mapping[str, str] | Sequence[str]) -> State:
        """The successor: after the move of the only role that has a choice, or moves by role, or moves of all roles."""
    @property
    def bits(self) -> npt.NDArray[np.uint64]:
        """The bits of the state, 64 a word, the first lowest."""

class Function:
    """An evaluation function."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def range(self) -> tuple[float, float]: ...
    @property
    def formula(self) -> str: ...
    @property
    def edited(self) -> bool: ...
    def to_json(self) -> str:
        """The document."""

    def value(self, state: State, role: str | None = None) -> float:
        """The value of a state for the function's role."""

    def values(self, states: Sequence[State] | npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
        """The values of states: of a list of them, or of packed bits with a row for each."""

    def moves(self, state: State, role: str | None = None) -> list[tuple[str, float]]:
        """The legal moves of a role with the values of the states after them, best first."""

def _panic(long: bool) -> None:
    """Panics inside, for the test that no panic gets out."""

class Lanes:
    """What `ggp.VectorEnv` runs on."""

    def __init__(
        self,
        game: Game,
        games: int,
        actions: str,
        auto_reset: str,
        max_steps: int | None,
        seed: int,
        threads: int,
    ) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
