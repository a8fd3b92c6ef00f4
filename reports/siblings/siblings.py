"""How often evaluation functions distinguish sibling states: python3 reports/siblings/siblings.py GGP > table.md

Sibling states are the successors of one state. For each kind and role, the function counts that correlates best with the
results of random play, as in the players `alphabeta:KIND`."""
import json
import math
import subprocess
import sys
from itertools import combinations

GAMES = ["breakthrough", "checkers", "connect_four", "dots_and_boxes", "hex", "pentago", "quarto", "reversi"]
KINDS = ["fuzzy", "statistical", "kuhlmann", "material", "mobility", "novelty"]
ANALYSIS = ["--playouts", "2000", "--proof-work", "0", "--threads", "1"]
STATES = 200  # sampled states of each game, each from its own random playout
SAME = 1e-9  # smaller differences, as a share of the values' size, are errors of rounding


def functions(ggp, path):
    """The function of each kind and role that correlates best with the results."""
    text = subprocess.run([ggp, "analyze", path, "--format", "json", "--effort", "0", *ANALYSIS],
                          capture_output=True, text=True, check=True).stdout
    best = {}
    for function in json.loads(text)["evaluations"]:
        goal = (function["quality"] or {}).get("goal") or {}
        correlation = goal.get("correlation")
        key = (function["kind"], function["role"])
        value = -2.0 if correlation is None else correlation
        if function["kind"] in KINDS and value > best.get(key, (-3.0,))[0]:
            best[key] = (value, function["id"])
    return {key: name for key, (_, name) in best.items()}


def shares(ggp, path):
    """For each kind the share of pairs of siblings with different values in each state, and the number of siblings."""
    chosen = functions(ggp, path)
    words = [word for name in chosen.values() for word in ("--functions", name)]
    server = subprocess.Popen([ggp, "env", path, "--serve", *words, *ANALYSIS[:2], *ANALYSIS[4:]], text=True,
                              bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(**request):
        server.stdin.write(json.dumps(request) + "\n")
        return json.loads(server.stdout.readline())

    found, siblings = {kind: [] for kind in KINDS}, []
    for state in ask(samples={"playouts": STATES, "states": STATES, "seed": 1})["samples"]["states"]:
        answer = ask(state=state, successors=True, values=True)
        if answer.get("terminal") or len(answer.get("to_move", [])) != 1 or "successors" not in answer:
            continue
        role = answer["to_move"][0]
        open_states = {tuple(sorted(next["state"])): next["values"] for next in answer["successors"]
                       if not next["terminal"]}
        if len(open_states) < 2:
            continue
        siblings.append(len(open_states))
        for kind in KINDS:
            name = chosen.get((kind, role))
            if name is None:
                continue
            values = [values[name] for values in open_states.values()]
            pairs = list(combinations(values, 2))
            different = sum(abs(a - b) > SAME * max(1.0, abs(a), abs(b)) for a, b in pairs)
            found[kind].append(different / len(pairs))
    server.stdin.close()
    server.wait()
    return found, siblings


def cell(numbers):
    """The mean in per cent and half of its 95 % interval."""
    if len(numbers) < 2:
        return ""
    mean = sum(numbers) / len(numbers)
    variance = sum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1)
    return f"{100 * mean:.1f} ± {100 * 1.96 * math.sqrt(variance / len(numbers)):.1f}"


def main(ggp):
    every, some = {kind: [] for kind in KINDS}, {kind: [] for kind in KINDS}
    print(f"| game | states | siblings | {' | '.join(KINDS)} |\n|---|---|---|{'---|' * len(KINDS)}")
    for game in GAMES:
        found, siblings = shares(ggp, f"games/{game}.kif")
        print(f"| {game} | {len(siblings)} | {sum(siblings) / max(1, len(siblings)):.1f} | "
              f"{' | '.join(cell(found[kind]) for kind in KINDS)} |", flush=True)
        for kind in KINDS:
            every[kind] += found[kind]
            some[kind] += [float(share > 0) for share in found[kind]]
    for name, numbers in [("all", every), ("*states with a difference*", some)]:
        print(f"| {name} | | | {' | '.join(cell(numbers[kind]) for kind in KINDS)} |")


if __name__ == "__main__":
    main(sys.argv[1])
