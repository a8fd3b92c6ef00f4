"""Steps per second of ggp's vector environment, Pgx (on the CPU) and OpenSpiel, on one core, one after the other.

    pip install pgx jax open_spiel
    python reports/python/compare.py [--seconds 2] [--envs 512,4096,65536]

All three do the same work: given actions (legal ones, drawn before timing starts), and after each step the observation
and the mask of legal actions of every game; finished games restart. Only steps that make a move are counted. For each
program the output shows the best of several numbers of games at once. The process is bound to one core.
"""

import argparse
import os
import platform
import statistics
import sys
import time
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})

import numpy as np  # noqa: E402  after the variables above

GAMES = Path(__file__).resolve().parents[2] / "games"
# The game here, in Pgx and in OpenSpiel; None if there is none with the same rules and size.
ROWS = [
    ("tic_tac_toe", "tic_tac_toe", "tic_tac_toe"),
    ("connect_four", "connect_four", "connect_four"),
    ("reversi", "othello", "othello"),
    ("hex", "hex", "hex(board_size=11)"),
    ("chess", None, "chess"),
]
RECORDED = 128
ROUNDS = 5


def measured(run, steps, seconds):
    """The median of ROUNDS rounds, in steps per second of processor time; `run` makes `steps` steps."""
    run()
    speeds = []
    for _ in range(ROUNDS):
        begun, made = time.process_time(), 0
        while time.process_time() - begun < seconds / ROUNDS:
            run()
            made += steps
        speeds.append(made / (time.process_time() - begun))
    return statistics.median(speeds)


def rules(name):
    """The rules of a game here; hex has the 11 by 11 board of Pgx instead of 9 by 9."""
    text = (GAMES / f"{name}.kif").read_text()
    if name == "hex":
        text = text.replace("(adjacent_index 8 9)", "(adjacent_index 8 9) (adjacent_index 9 10) (adjacent_index 10 11)")
        text = text.replace("end_edge red 9", "end_edge red 11").replace("end_edge blue ?row 9", "end_edge blue ?row 11")
    return text


def ggp_speed(name, envs, seconds, form="packed"):
    import ggp

    game = ggp.Game.from_text(rules(name), name)
    env = ggp.VectorEnv(game, envs, observations=form, masks=form, seed=1)
    env.reset()
    actions, moves = [], 0
    ended = np.zeros(envs, bool)
    for _ in range(RECORDED):
        actions.append(env.sample().copy())
        moves += envs - int(ended.sum())
        _, _, terminated, truncated, _ = env.step(actions[-1])
        ended = terminated | truncated

    def run():
        env.reset()
        for given in actions:
            env.step(given)

    return measured(run, moves, seconds)


def pgx_speed(name, envs, seconds):
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    init = jax.jit(jax.vmap(env.init))
    step = jax.vmap(auto_reset(env.step, env.init))

    def choose(key, mask):
        return jax.random.categorical(key, jnp.where(mask, 0.0, -jnp.inf))

    @jax.jit
    def recorded(state, key):
        def one(carry, _):
            state, key = carry
            key, draw, begin = jax.random.split(key, 3)
            action = jax.vmap(choose)(jax.random.split(draw, envs), state.legal_action_mask)
            state = step(state, action, jax.random.split(begin, envs))
            return (state, key), action

        return jax.lax.scan(one, (state, key), None, length=RECORDED)

    @jax.jit
    def given(state, actions, keys):
        def one(state, action):
            state = step(state, action, keys)
            # The sums force the computation of observation and mask.
            return state, (state.observation.sum(), state.legal_action_mask.sum())

        return jax.lax.scan(one, state, actions)

    state = init(jax.random.split(jax.random.PRNGKey(1), envs))
    (state, key), _ = recorded(state, jax.random.PRNGKey(2))
    (_, _), actions = recorded(state, key)
    keys = jax.random.split(jax.random.PRNGKey(3), envs)
    run = lambda: jax.block_until_ready(given(state, actions, keys))  # noqa: E731
    return measured(run, envs * RECORDED, seconds)


def open_spiel_speed(name, seconds):
    import pyspiel

    game = pyspiel.load_game(name)
    draw = np.random.default_rng(1)
    plays = []
    for _ in range(20):
        state, actions = game.new_initial_state(), []
        while not state.is_terminal():
            actions.append(int(draw.choice(state.legal_actions())))
            state.apply_action(actions[-1])
        plays.append(actions)

    def run():
        for actions in plays:
            state = game.new_initial_state()
            for action in actions:
                state.apply_action(action)
                if not state.is_terminal():
                    state.observation_tensor(0)
                    state.legal_actions_mask()

    return measured(run, sum(map(len, plays)), seconds)


def number(speed):
    if speed is None:
        return ""
    return f"{speed / 1e6:.1f} M" if speed >= 1e6 else f"{speed / 1e3:.0f} k"


def best(measure, envs):
    found = [(measure(count), count) for count in envs]
    return max(found)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=2.0, help="processor time for each measurement, in seconds")
    arguments.add_argument("--envs", default="512,4096,65536", help="numbers of games at once")
    arguments.add_argument("--games", default="", help="only these games, by their names here")
    arguments.add_argument("--without", default="", help="programs to skip: pgx, open_spiel")
    options = arguments.parse_args()
    envs = [int(count) for count in options.envs.split(",")]
    only = [name for name in options.games.split(",") if name]
    without = options.without.split(",")
    print("| game | ggp, packed | games at once | ggp, bytes | Pgx | games at once | OpenSpiel | against Pgx | against OpenSpiel |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for own, theirs, spiel in ROWS:
        if only and own not in only:
            continue
        packed, at = best(lambda count: ggp_speed(own, count, options.seconds), envs)
        plain = ggp_speed(own, at, options.seconds, "bits")
        other, at_pgx = None, ""
        if theirs and "pgx" not in without:
            other, at_pgx = best(lambda count: pgx_speed(theirs, count, options.seconds), envs)
        single = open_spiel_speed(spiel, options.seconds) if "open_spiel" not in without else None
        ratio = lambda speed: f"{packed / speed:.0f}x" if speed else ""  # noqa: E731
        cells = [own, number(packed), at, number(plain), number(other), at_pgx, number(single), ratio(other), ratio(single)]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    print(f"\n{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}", file=sys.stderr)


if __name__ == "__main__":
    main()
