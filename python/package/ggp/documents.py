"""Your own evaluation functions, as documents that every player of `ggp` accepts."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Mapping, Sequence

from ._ggp import Function, Game


def linear_document(
    game: Game,
    role: str,
    constant: float,
    weights: Mapping[str | Sequence[str], float],
    path: str | PathLike[str] | None = None,
) -> Function:
    """A weighted sum of facts, mapped to the goal values of a role by the logistic function.

    A key of `weights` is a fact, or up to six facts that must all hold. With `path` the document is written to that file,
    for `ggp play`, `ggp eval` and other commands.

    >>> import ggp
    >>> game = ggp.Game.from_file("games/tic_tac_toe.kif")
    >>> f = linear_document(game, "crosses", 0.0, {"(mark 2 2 cross)": 1.0, "(mark 2 2 nought)": -1.0})
    >>> round(f.value(game.initial), 3), round(f.value(game.initial.apply("(draw 2 2)")), 1)
    (50.0, 73.1)
    """
    terms = [([facts] if isinstance(facts, str) else list(facts), float(w)) for facts, w in weights.items()]
    function = game.learned_function(role, float(constant), [(w, facts) for facts, w in terms if w != 0.0])
    if path is not None:
        Path(path).write_text(function.to_json(), encoding="utf-8")
    return function
