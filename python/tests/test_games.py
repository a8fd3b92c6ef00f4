"""Games, states, moves, analyses, functions."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import ggp


@pytest.fixture(scope="module")
def tic_tac_toe():
    return ggp.Game.from_file(os.path.join(os.path.dirname(__file__), "../../games/tic_tac_toe.kif"))


def test_a_game_is_played_by_its_rules(tic_tac_toe):
    state = tic_tac_toe.initial
    for move in ["(draw 1 1)", "(draw 2 1)", "(draw 1 2)", "(draw 2 2)"]:
        assert not state.terminal and state.goals["crosses"] is not None
        state = state.apply(move)
    assert state.to_move == ["crosses"]
    won = state.apply({"crosses": "(draw 1 3)"})
    assert won.terminal and won.goals == {"crosses": 100, "noughts": 0} and won.to_move == []
    assert won == tic_tac_toe.play("(draw 1 1) (draw 2 1) (draw 1 2) (draw 2 2) (draw 1 3)")
    assert won == tic_tac_toe.state(won.facts) == tic_tac_toe.state(str(won))
    assert len({won, tic_tac_toe.state(won.facts)}) == 1 and won != state
    assert state.legal("crosses") == state.legal()["crosses"] and len(state.legal("noughts")) == 1


def test_negations_are_read_as_asked():
    rules = """(role a) (disc d1) (disc d2) (init (on d1 d2)) (init (on d2 d3))
        (<= (legal a (lift ?x)) (clear ?x)) (<= terminal (true over)) (<= (next over) (true (on d1 d2))) (goal a 100)
        (<= (clear ?x) (disc ?x) (not (true (on ?y ?x))) (disc ?y))"""

    def legal(**options):
        return [str(move) for move in ggp.Game.from_text(rules, **options).initial.legal("a")]

    assert legal() == legal(negation="language") == ["(lift d1)", "(lift d2)"]
    assert legal(negation="in-place") == ["(lift d1)"]
    with pytest.raises(ValueError, match="in-place"):
        ggp.Game.from_text(rules, negation="nowhere")


def test_moves_at_once_are_given_for_each_role():
    game = ggp.Game.from_file("games/rock_paper_scissors.kif")
    state = game.initial
    first, second = game.roles
    legal = state.legal()
    with pytest.raises(ggp.MoveError, match="choose at once"):
        state.apply(legal[first][0])
    with pytest.raises(ggp.MoveError, match=f"a move of {second} is missing"):
        state.apply({first: legal[first][0]})
    one = state.apply({first: legal[first][0], second: legal[second][1]})
    assert one == state.apply([legal[first][0], legal[second][1]])


def test_errors_have_the_words_of_the_program(tic_tac_toe, program, tmp_path):
    rules = "(role x)\n(<= (next (p ?x)) (true (q ?y)))\n"
    file = tmp_path / "broken.kif"
    file.write_text(rules)
    with pytest.raises(ggp.RulesError) as error:
        ggp.Game.from_file(file)
    said = subprocess.run([program, "eval", str(file), "fuzzy"], capture_output=True, text=True).stderr
    assert "GDL" in str(error.value) and str(error.value).strip() in said
    with pytest.raises(OSError, match="nowhere.kif can't be read"):
        ggp.Game.from_file("nowhere.kif")
    with pytest.raises(ggp.StateError) as error:
        tic_tac_toe.state("(mark 9 9 cross)")
    said = subprocess.run(
        [program, "eval", "games/tic_tac_toe.kif", "fuzzy.crosses", "--state", "(mark 9 9 cross)"],
        capture_output=True, text=True,
    ).stderr
    assert str(error.value) in said
    with pytest.raises(ggp.MoveError, match="is no legal move"):
        tic_tac_toe.initial.apply("(draw 4 4)")
    with pytest.raises(ggp.MoveError, match="terminal"):
        tic_tac_toe.play("(draw 1 1) (draw 2 1) (draw 1 2) (draw 2 2) (draw 1 3)").apply({})
    with pytest.raises(KeyError, match="it has crosses, noughts"):
        tic_tac_toe.initial.legal("nobody")
    for wrong in [lambda: tic_tac_toe.function("fuzzi.crosses"), lambda: tic_tac_toe.function({"schema": 1})]:
        with pytest.raises(ggp.FunctionError):
            wrong()
    with pytest.raises(ValueError, match="back end"):
        ggp.Game.from_text("(role x)", backend="fast")


def test_the_relational_machine_plays_as_well(tic_tac_toe):
    game = ggp.Game.from_file("games/tic_tac_toe.kif", backend="relational")
    assert game.backend == "relational" and game == tic_tac_toe
    assert sorted(game.play("(draw 2 2)").facts) == sorted(tic_tac_toe.play("(draw 2 2)").facts)
    with pytest.raises(ggp.GgpError, match="without a network"):
        game.fluents
    with pytest.raises(ggp.GgpError, match="can't be played in lanes"):
        ggp.VectorEnv(game, 512)
    with pytest.raises(ValueError, match="another game"):
        tic_tac_toe.play("(draw 2 2)", game.initial)


def timeless(document):
    """What does not depend on the clock, without the verdict: `analyze` plays no games between searches."""
    left_out = ("timing", "path", "verdict")
    if isinstance(document, dict):
        return {key: timeless(value) for key, value in document.items() if key not in left_out}
    return [timeless(entry) for entry in document] if isinstance(document, list) else document


def test_an_analysis_is_plain_data(tic_tac_toe, program):
    analysis = tic_tac_toe.analyze(playouts=300)
    said = subprocess.run(
        [program, "analyze", "games/tic_tac_toe.kif", "--playouts", "300", "--format", "json"],
        capture_output=True, text=True, check=True,
    ).stdout
    expected = json.loads(said)
    assert timeless(analysis) == timeless(expected)
    frame = analysis.frame("evaluations")
    assert list(frame["id"]) == [document["id"] for document in analysis.documents]
    with pytest.raises(KeyError, match="there are"):
        analysis.frame("nothing")
    assert {"correlations.crosses.correlation", "correlations.noughts.low"} <= set(analysis.frame("features").columns)


def test_frames_have_the_figures_of_good_play():
    analysis = ggp.Game.from_file("games/connect_four.kif").analyze(playouts=2000)
    assert analysis["guided_play"] is not None, analysis["ends"]
    assert analysis.frame("guided_play")["sequences"][0] >= 100
    functions = analysis.frame("evaluations")
    assert functions["guided.correlation"].notna().sum() > 10
    features = analysis.frame("features")
    assert features["guided.red.correlation"].notna().sum() > 10


def test_functions_value_states(tic_tac_toe, tmp_path):
    made = tic_tac_toe.function("fuzzy.crosses")
    assert (made.role, made.kind) == ("crosses", "fuzzy")
    path = tmp_path / "fuzzy.json"
    path.write_text(made.to_json())
    for again in [tic_tac_toe.function(path), tic_tac_toe.function(json.loads(made.to_json()))]:
        assert again.value(tic_tac_toe.initial) == made.value(tic_tac_toe.initial)
    states = [tic_tac_toe.initial, tic_tac_toe.play("(draw 2 2)")]
    values = made.values(states)
    assert values.dtype == np.float64 and list(values) == [made.value(state) for state in states]
    packed = np.stack([state.bits for state in states])
    assert list(made.values(packed)) == list(values)
    with pytest.raises(ValueError, match="words"):
        made.values(np.zeros((3, 9), np.uint64))
    with pytest.raises(ggp.FunctionError, match="is a function for crosses, not for noughts"):
        made.value(states[0], "noughts")
    best, value = made.moves(states[0])[0]
    assert best == "(draw 2 2)" and value == made.value(tic_tac_toe.play(best))


def test_own_functions_are_documents(tic_tac_toe):
    f = ggp.linear_document(tic_tac_toe, "noughts", -0.5, {("(mark 1 1 nought)", "(mark 2 2 nought)"): 2.0})
    assert f.value(tic_tac_toe.initial) == pytest.approx(100 / (1 + np.exp(0.5)))
    assert not tic_tac_toe.function(json.loads(f.to_json())).edited
    with pytest.raises(ggp.FunctionError, match="term 1"):
        ggp.linear_document(tic_tac_toe, "noughts", 0.0, {"(mark 9 9 nought)": 1.0})


def test_long_calls_release_the_interpreter():
    """While a game is analysed another thread counts on."""
    game = ggp.Game.from_file("games/breakthrough.kif")
    counted = []
    over = threading.Event()

    def count():
        while not over.is_set():
            counted.append(time.perf_counter())
            time.sleep(0.01)

    thread = threading.Thread(target=count)
    thread.start()
    begun = time.perf_counter()
    game.analyze(seconds=2)
    took = time.perf_counter() - begun
    over.set()
    thread.join()
    assert len(counted) > took / 0.05, f"{len(counted)} in {took} s"


def test_control_c_ends_long_calls():
    code = (
        "import ggp, signal, time\n"
        # Whoever runs the tests in the background may have it ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "game = ggp.Game.from_file('games/breakthrough.kif')\n"
        "print('ready', flush=True)\n"
        "begun = time.time()\n"
        "try:\n"
        "    game.analyze(seconds=100)\n"
        "except KeyboardInterrupt:\n"
        "    print(time.time() - begun, flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    asked = time.perf_counter()
    took = float(process.stdout.readline())
    assert process.wait() == 0 and took < 100 and time.perf_counter() - asked < 5


@pytest.mark.parametrize("long", [False, True])
def test_no_panic_gets_out(long):
    with pytest.raises(ggp.InternalError, match="on purpose"):
        ggp._ggp._panic(long)


def test_control_c_ends_the_making_of_code():
    """Code for the lanes of a large game takes seconds to make; it can be made again afterwards."""
    code = (
        "import ggp, signal, threading, time, os\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "game = ggp.Game.from_file('games/chess.kif')\n"
        "threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    ggp.VectorEnv(game, 512, actions='turns')\n"
        "    time.sleep(1)\n"
        "except KeyboardInterrupt:\n"
        "    print('ended')\n"
        "print(ggp.VectorEnv(game, 1, actions='turns').num_actions > 1000)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "ended\nTrue\n", result.stdout + result.stderr
