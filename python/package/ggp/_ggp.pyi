from os import PathLike
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from .analysis import Analysis

class GgpError(ValueError):
    """The given input can't be used."""

class RulesError(GgpError):
    """The rules have errors or can't be played; the text lists all errors."""

class StateError(GgpError):
    """A text that is not a state of the game."""

class MoveError(GgpError):
    """A move or an action that is not legal."""

class FunctionError(GgpError):
    """A function or a document that can't be used."""

class InternalError(RuntimeError):
    """An internal error of this package; please report it."""

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

        `backend` is "auto", "network" or "relational". `ground_limit` (atoms) and `ground_seconds` limit the instantiation
        of the rules. With `case_sensitive`, names that differ only in case are different names.

        `negation` decides when a negated literal is evaluated that comes before the literal that binds its variable:
        "language" waits until the variable is bound, "in-place" evaluates the literal where it is written.

        Raises `OSError` if the file can't be read, and `RulesError` if the rules have errors or can't be played.
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
        """Reads a game from the text of its rules; options and errors as in `from_file`."""

    @property
    def name(self) -> str:
        """The name of the game: its file name without the extension, or the given name."""
    @property
    def path(self) -> str:
        """The path of the file; for a game from text, its name."""
    @property
    def roles(self) -> list[str]:
        """The roles, in the order of the rules."""
    @property
    def backend(self) -> str:
        """The machine that runs the game: `network` or `relational`."""
    @property
    def notes(self) -> list[str]:
        """What loading left out, and why."""
    @property
    def initial(self) -> State:
        """The initial state."""
    @property
    def fluents(self) -> list[str]:
        """The fact that each bit of a state means, in the order of the bits."""
    @property
    def actions(self) -> list[str]:
        """All moves of all roles. With one action per game, an action is an index into this list."""

    def moves(self, role: str) -> list[str]:
        """The moves of a role. With one action per role, an action is an index into this list."""

    def state(self, atoms: str | Sequence[str]) -> State:
        """A state from its facts: a list of them, or a text in KIF or JSON. Raises `StateError`."""

    def play(self, moves: str, state: State | None = None) -> State:
        """The state after moves: `(draw 2 2) (draw 1 1)`, or lists of the moves of all roles. Raises `MoveError`."""

    def analyze(
        self, *, playouts: int | None = None, seconds: float | None = None, seed: int = 1, threads: int = 0
    ) -> Analysis:
        """Plays random games, finds the structures of the game, and makes and measures evaluation functions.

        `playouts` is the number of random games. `seconds` limits the whole analysis; without it all limits count work, and
        the same seed gives the same result. With `threads=0` the analysis uses all processors.
        """

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
        """A function from a document (its file, its text, or a dict), or a new one by its name, such as `fuzzy.red`.

        The other arguments are those of `analyze`, for a new function. Raises `FunctionError`.
        """

    def learned_function(self, role: str, constant: float, terms: Sequence[tuple[float, Sequence[str]]]) -> Function:
        """Your own function; see `ggp.linear_document`."""

class State:
    """A state of a game."""

    @property
    def facts(self) -> list[str]:
        """The facts that hold in the state."""
    @property
    def terminal(self) -> bool:
        """Whether the game is over."""
    def legal(self, role: str | None = None) -> Any:
        """The legal moves of a role as a list, or of all roles as a dict."""
    @property
    def to_move(self) -> list[str]:
        """The roles that have a choice."""
    @property
    def goals(self) -> dict[str, int | list[int] | None]:
        """The goal value of each role; None or a list if it has no value or several."""
    def apply(self, moves: str | Mapping[str, str] | Sequence[str]) -> State:
        """The state after a step.

        `moves` is the move of the only role that has a choice, or a dict of moves by role, or a list of the moves of all
        roles.
        """
    @property
    def bits(self) -> npt.NDArray[np.uint64]:
        """The bits of the state, 64 per word, the first bit lowest."""

class Function:
    """An evaluation function."""

    @property
    def id(self) -> str:
        """The name of the function, unique in its game."""
    @property
    def kind(self) -> str:
        """The kind of the function, such as `fuzzy`."""
    @property
    def role(self) -> str:
        """The role whose chances the function values."""
    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest possible value."""
    @property
    def formula(self) -> str:
        """The formula, for human readers."""
    @property
    def edited(self) -> bool:
        """Whether the document was edited after it was made."""
    def to_json(self) -> str:
        """The document of the function, as JSON."""

    def value(self, state: State, role: str | None = None) -> float:
        """The value of a state for the function's role."""

    def values(self, states: Sequence[State] | npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
        """The values of several states: a list of states, or packed bits with a row per state."""

    def moves(self, state: State, role: str | None = None) -> list[tuple[str, float]]:
        """The legal moves of a role with the values of the states after them, best first."""

def _panic(long: bool) -> None:
    """Panics, for the test that no panic leaves the package."""

class Lanes:
    """The games behind `ggp.VectorEnv`."""

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
