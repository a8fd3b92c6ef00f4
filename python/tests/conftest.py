"""Tests run in the project's folder, so that games are named as in the docs."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="session")
def program():
    """The program `ggp`, where it was built or is on the path."""
    import shutil

    built = os.environ.get("PROGRAM_UNDER_TEST") or next(
        (str(path) for path in [ROOT / "target/debug/ggp", ROOT / "target/release/ggp"] if path.exists()), None
    )
    found = built or shutil.which("ggp")
    if found is None:
        pytest.skip("the program ggp isn't built: cargo build, or PROGRAM_UNDER_TEST=...")
    return found
