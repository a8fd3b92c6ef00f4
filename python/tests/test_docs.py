"""The output shown in the docs is the real output."""

import doctest
import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ggp

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("module", ["", ".analysis", ".documents", ".vector", ".gymnasium", ".pettingzoo"])
def test_docstrings(module):
    pytest.importorskip(module[1:] or "ggp") if module in (".gymnasium", ".pettingzoo") else None
    found = importlib.import_module("ggp" + module)
    result = doctest.testmod(found, optionflags=OPTIONS)
    assert result.failed == 0 and result.attempted > 0


def test_the_guide():
    page = Path("docs/guide/python.md").read_text()
    blocks = re.findall(r"```pycon\n(.*?)```", page, re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "guide", "python.md", 0)
    assert len(test.examples) > 10
    result = doctest.DocTestRunner(optionflags=OPTIONS).run(test)
    assert result.failed == 0


def test_the_stubs_name_everything():
    stubs = (Path(ggp.__file__).parent / "_ggp.pyi").read_text()
    from ggp import _ggp

    for name in dir(_ggp):
        if not name.startswith("__"):
            assert re.search(rf"^(class|def) {name}\b", stubs, re.MULTILINE), name
    for kind in [_ggp.Game, _ggp.State, _ggp.Function]:
        body = re.search(rf"^class {kind.__name__}\b.*?(?=^class |\Z)", stubs, re.MULTILINE | re.DOTALL).group(0)
        for name in vars(kind):
            if not name.startswith("_"):
                assert re.search(rf"def {name}\(", body), f"{kind.__name__}.{name}"
    assert (Path(ggp.__file__).parent / "py.typed").exists()


def test_the_notebook(program, tmp_path):
    """The cells of code run one after the other, as in Jupyter."""
    notebook = json.loads(Path("python/notebooks/value_function.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    script = tmp_path / "notebook.py"
    script.write_text("\n\n".join(cells))
    environment = {**os.environ, "NOTEBOOK_PROGRAM": program, "NOTEBOOK_OUT": str(tmp_path), "NOTEBOOK_GAMES": os.path.abspath("games")}
    result = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    share = float(re.search(r"won ([0-9.]+) % of", result.stdout).group(1))
    assert share >= 60, result.stdout
