"""Read games from their rules, analyse them, evaluate states, and play thousands of games at once.

>>> import ggp
>>> game = ggp.Game.from_file("games/tic_tac_toe.kif")
>>> game.roles
['crosses', 'noughts']
>>> state = game.initial.apply("(draw 2 2)")
>>> state.to_move
['noughts']
>>> len(state.legal("noughts"))
8

Errors have the same text as in the program:

>>> game.initial.apply("(draw 9 9)")
Traceback (most recent call last):
    ...
ggp.MoveError: `(draw 9 9)` is no legal move of crosses here; it has (draw 1 1), (draw 1 2), (draw 1 3), (draw 2 1), (draw 2 2), (draw 2 3), (draw 3 1), (draw 3 2), (draw 3 3)
"""

from ._ggp import (
    Function,
    FunctionError,
    Game,
    GgpError,
    InternalError,
    MoveError,
    RulesError,
    State,
    StateError,
    __version__,
)
from .analysis import Analysis
from .documents import linear_document
from .vector import VectorEnv

__all__ = [
    "Analysis",
    "Function",
    "FunctionError",
    "Game",
    "GgpError",
    "InternalError",
    "MoveError",
    "RulesError",
    "State",
    "StateError",
    "VectorEnv",
    "__version__",
    "linear_document",
]
