"""The results of an analysis, as plain data."""

from __future__ import annotations

import json
from typing import Any


class Analysis(dict):
    """The document of `ggp analyze --format json`, as a dict of plain data. `ggp schema` prints its schema.

    >>> import ggp
    >>> game = ggp.Game.from_file("games/tic_tac_toe.kif")
    >>> analysis = game.analyze(playouts=200)
    >>> analysis["structures"]["zero_sum"]
    True
    >>> sorted(document["id"] for document in analysis.documents)[:2]
    ['fuzzy.crosses', 'fuzzy.noughts']
    """

    #: The documents of all evaluation functions; `Game.function` accepts each of them.
    documents: list[dict[str, Any]]

    @classmethod
    def _of(cls, text: str, documents: list[str]) -> Analysis:
        analysis = cls(json.loads(text))
        analysis.documents = [json.loads(document) for document in documents]
        return analysis

    def frame(self, name: str):
        """A list of the document as a pandas frame, such as `features`, `evaluations` or `properties`.

        Column names are nested keys joined by dots. Values per role have a column for each role, such as
        `correlations.left.correlation`, or `guided.left.correlation` for states from games of the best function. A part
        that is not a list, such as `guided_play`, becomes a frame of one row.

        >>> import ggp
        >>> analysis = ggp.Game.from_file("games/nim.kif").analyze(playouts=100)
        >>> analysis.frame("evaluations").columns[0]
        'id'
        >>> "correlations.left.correlation" in analysis.frame("features").columns
        True
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("frames need pandas: pip install pandas") from error
        found: Any = self
        for part in name.split("."):
            if not isinstance(found, dict) or part not in found:
                raise KeyError(f"the analysis has no `{name}`; there are {', '.join(self._lists())}")
            found = found[part]
        if isinstance(found, dict):
            found = [found]
        if not isinstance(found, list):
            raise KeyError(f"`{name}` is not a list; there are {', '.join(self._lists())}")
        return pandas.json_normalize([_by_role(row) for row in found])

    def _lists(self) -> list[str]:
        """The names of the lists in the document and in its parts."""
        names = []
        for key, value in self.items():
            if isinstance(value, list):
                names.append(key)
            elif isinstance(value, dict):
                names += [f"{key}.{inner}" for inner, found in value.items() if isinstance(found, list)]
        return names


def _by_role(row: Any) -> Any:
    """A row in which each list with one entry per role becomes a dict by role."""
    if not isinstance(row, dict):
        return row

    def keyed(value: Any) -> Any:
        if isinstance(value, list) and value and all(isinstance(entry, dict) and "role" in entry for entry in value):
            return {entry["role"]: {key: of for key, of in entry.items() if key != "role"} for entry in value}
        return value

    return {key: keyed(value) for key, value in row.items()}
