"""Many games at once."""

import os

import numpy as np
import pytest

import ggp
from ggp.vector import unpack

GAMES = os.path.join(os.path.dirname(__file__), "../../games")


def load(name):
    return ggp.Game.from_file(os.path.join(GAMES, f"{name}.kif"))


@pytest.mark.parametrize("name", ["connect_four", "rock_paper_scissors", "eight_puzzle", "breakthrough"])
@pytest.mark.parametrize("form", ["packed", "bits"])
def test_states_and_masks_are_the_games(name, form):
    game = load(name)
    env = ggp.VectorEnv(game, 700, observations=form, masks=form, seed=5)
    observations, info = env.reset()
    fluents, actions = np.array(game.fluents), np.array(game.actions)
    moves = [np.array(game.moves(role)) for role in game.roles]
    follow = [0, 511, 512, 699]
    states = [game.initial] * len(follow)
    for _ in range(45):
        bits = observations if form == "bits" else unpack(observations, env.num_bits)
        masks = info["action_mask"]
        masks = masks if form == "bits" else unpack(masks, env.num_actions)
        given = env.sample()
        for place, number in enumerate(follow):
            state = states[place]
            assert set(fluents[bits[number] == 1]) <= set(state.facts)
            assert np.array_equal(state.bits, env.state(number).bits) and env.state(number) == state
            legal = state.legal()
            if state.terminal:
                assert not masks[number].any()
                states[place] = game.initial
            elif env.joint:
                for role, mask in enumerate(masks[number]):
                    assert list(moves[role][mask[: len(moves[role])] == 1]) == legal[game.roles[role]]
                states[place] = state.apply([str(moves[role][a]) for role, a in enumerate(given[number])])
            else:
                meant = set().union(*(legal[role] for role in state.to_move or game.roles))
                assert set(actions[masks[number] == 1]) == meant
                if state.to_move:
                    states[place] = state.apply(str(actions[given[number]]))
                else:
                    states[place] = state.apply({})
        observations, rewards, terminated, truncated, info = env.step(given)
        for place, number in enumerate(follow):
            state = states[place]
            assert terminated[number] == state.terminal and not truncated[number]
            goals = [state.goals[role] if state.terminal else 0 for role in game.roles]
            assert list(rewards[number]) == goals
            if not env.joint:
                turn = info["turn"][number]
                assert (game.roles[turn] if turn >= 0 else None) == (state.to_move or [None])[0]


def test_arrays_are_written_in_place():
    env = ggp.VectorEnv(load("connect_four"), 512)
    first, info = env.reset()
    kept = first.copy()
    second, rewards, *_ , more = env.step()
    assert second is first and more["action_mask"] is info["action_mask"]
    assert not np.array_equal(kept, second) and rewards.dtype == np.float32


def test_seeds_repeat_and_threads_change_nothing():
    def run(**options):
        env = ggp.VectorEnv(load("breakthrough"), 1500, **options)
        env.reset()
        return [np.copy(env.step()[0]) for _ in range(20)]

    one, same, threads, other = run(seed=3), run(seed=3), run(seed=3, threads=2), run(seed=4)
    assert all(map(np.array_equal, one, same)) and all(map(np.array_equal, one, threads))
    assert not all(map(np.array_equal, one, other))
    env = ggp.VectorEnv(load("breakthrough"), 1500)
    env.reset(seed=3)
    assert np.array_equal(env.step()[0], one[0])


def test_games_end_as_they_are_told_to():
    game = load("tic_tac_toe")
    same = ggp.VectorEnv(game, 512, autoreset="same-step")
    same.reset()
    for _ in range(20):
        observations, rewards, terminated, *_ = same.step()
        assert np.array_equal(observations[terminated], np.broadcast_to(game.initial.bits, (terminated.sum(), 1)))
        assert np.all(rewards[terminated].sum(axis=1) == 100) and not rewards[~terminated].any()
    never = ggp.VectorEnv(game, 512, autoreset="disabled")
    never.reset()
    total = sum(never.step()[1].sum() for _ in range(12))
    assert total == 512 * 100
    mask = np.zeros(512, bool)
    mask[:3] = True
    observations, _ = never.reset(options={"reset_mask": mask})
    assert np.all(observations[:3] == game.initial.bits) and not np.any(observations[3:] == game.initial.bits)
    short = ggp.VectorEnv(game, 2, max_steps=2)
    short.reset()
    assert not short.step()[3].any() and short.step()[3].all()


def test_positions_are_put_in():
    game = load("tic_tac_toe")
    env = ggp.VectorEnv(game, 512)
    state = game.play("(draw 1 1) (draw 2 1) (draw 1 2) (draw 2 2)")
    env.set_state(9, state)
    actions = env.sample().copy()
    actions[9] = game.actions.index("(draw 1 3)")
    _, rewards, terminated, _, _ = env.step(actions)
    assert terminated[9] and list(rewards[9]) == [100, 0] and terminated.sum() == 1


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda game: ggp.VectorEnv(game, 0), "num_envs"),
        (lambda game: ggp.VectorEnv(game, 4, observations="words"), "observations"),
        (lambda game: ggp.VectorEnv(game, 4, actions="all"), "actions"),
        (lambda game: ggp.VectorEnv(game, 4, autoreset="later"), "autoreset"),
        (lambda game: ggp.VectorEnv(game, 4, max_steps=0), "max_steps"),
        (lambda game: ggp.VectorEnv(game, 4).step(np.zeros(5, np.int32)), "shape"),
        (lambda game: ggp.VectorEnv(game, 4).step(np.full(4, 99)), "game 0: action 99 is not legal"),
        (lambda game: ggp.VectorEnv(game, 4).reset(options={"reset_mask": np.zeros(3, bool)}), "reset_mask"),
        (lambda game: ggp.VectorEnv(game, 4).state(4), "there is no game 4"),
    ],
)
def test_wrong_use_says_what_is_wrong(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong(load("tic_tac_toe"))


def test_gymnasium_takes_it():
    gymnasium = pytest.importorskip("gymnasium")
    from ggp.gymnasium import GymnasiumVectorEnv

    env = GymnasiumVectorEnv(load("tic_tac_toe"), "noughts", num_envs=600)
    assert isinstance(env, gymnasium.vector.VectorEnv)
    observations, info = env.reset(seed=2)
    assert env.observation_space.contains(observations)
    total, ends, draw = 0.0, 0, np.random.default_rng(1)
    over = np.zeros(600, bool)
    for _ in range(40):
        mask = info["action_mask"]
        assert np.all(mask.any(axis=1) == ~over)
        actions = np.array([draw.choice(np.flatnonzero(row)) if row.any() else 0 for row in mask])
        observations, rewards, terminated, truncated, info = env.step(actions)
        over = terminated | truncated
        assert not rewards[~terminated].any()
        total, ends = total + rewards.sum(), ends + terminated.sum()
    # Random play of tic-tac-toe: noughts win 28.8 %, and 12.7 % are draws.
    assert ends > 2000 and abs(total / ends - 0.352) < 0.04
    recorded = gymnasium.wrappers.vector.RecordEpisodeStatistics(GymnasiumVectorEnv(load("tic_tac_toe"), "crosses", 8))
    recorded.reset()


def test_pettingzoo_takes_it():
    pytest.importorskip("pettingzoo")
    from ggp.pettingzoo import PettingZooEnv
    from pettingzoo.test import api_test

    for name in ["tic_tac_toe", "rock_paper_scissors", "three_player_race"]:
        api_test(PettingZooEnv(load(name)), num_cycles=60)
