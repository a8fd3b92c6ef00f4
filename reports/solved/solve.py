#!/usr/bin/env python3
"""Solves games, checks the certificates of their values, and writes solved.csv.

usage: solve.py GGP SECONDS MEBIBYTES GAME... > solved.csv

One process at a time. Each row has what `ggp solve` proved within the limits, and whether `ggp check` accepts the certificate.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

COLUMNS = ["collection", "game", "values", "kind", "method", "states", "seconds", "moves", "certificate", "exact"]


def run(command, seconds):
    """The exit status and the JSON document of a command; none if it printed none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60)
    except subprocess.TimeoutExpired:
        return None, None
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.returncode, None


def row(ggp, seconds, mebibytes, game, folder):
    """The row of a game that was solved; none of another."""
    certificate = folder / "certificate.jsonl"
    certificate.unlink(missing_ok=True)
    limits = ["--seconds", seconds, "--memory", mebibytes, "--format", "json"]
    _, found = run([ggp, "solve", game, "--certificate", certificate, *limits], float(seconds))
    if not found or not found["proved"]:
        return None
    written, exact = "none", ""
    if certificate.exists():
        _, checked = run([ggp, "check", game, "--certificate", certificate, "--format", "json"], float(seconds))
        if not checked:
            written = "not checked"
        elif not checked["valid"]:
            written = "wrong"
        else:
            written = "valid"
            exact = "yes" if all(of["at_least"] == of["at_most"] for of in checked["values"].values()) else "no"
    values = " ".join(f"{role}:{value:g}" for role, value in found["values"].items() if value is not None)
    states, time = found["nodes"], f"{found['timing']['seconds']:.2f}"
    path = pathlib.Path(game)
    start = [path.parent.name, path.stem, values, found["kind"], found["solver"]]
    return [*start, states, time, len(found["line"]), written, exact]


def main():
    ggp, seconds, mebibytes, *games = sys.argv[1:]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        for game in games:
            solved = row(ggp, seconds, mebibytes, game, pathlib.Path(folder))
            if solved:
                out.writerow(solved)
                sys.stdout.flush()


main()
