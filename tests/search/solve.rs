//! `ggp solve` proves the values of small games, and prints a line of play that reaches them.

use std::collections::BTreeSet;

use assert_cmd::Command;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, State, load};
use serde_json::{Value, json};

fn solve(arguments: &[&str]) -> (i32, Value) {
    let output =
        Command::cargo_bin("ggp").unwrap().args(["solve", "--format", "json"]).args(arguments).output();
    let output = output.unwrap();
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn known_values_are_proved() {
    let known = [
        ("tic_tac_toe", json!({"crosses": 50, "noughts": 50})),
        ("connect_four_4x4", json!({"first": 50, "second": 50})),
        ("sum_fifteen", json!({"first": 50, "second": 50})),
        // The first player loses if the exclusive or of the heaps is 0 (Bouton 1901).
        ("nim", json!({"left": 0, "right": 100})),
        // The game is a draw (Tromp's table of board sizes).
        ("connect_four_5x4", json!({"crimson": 50, "amber": 50})),
        // A king and a rook mate within sixteen moves from any position.
        ("king_rook_endgame", json!({"white": 100, "black": 0})),
    ];
    for (game, values) in known {
        let (status, found) = solve(&[&format!("games/{game}.kif"), "--seconds", "1000"]);
        assert_eq!((status, &found["proved"], &found["values"]), (0, &json!(true), &values), "{game}");
    }
}

#[test]
fn states_are_counted_by_depth() {
    let count = |game: &str, more: &[&str]| {
        let game = format!("games/{game}.kif");
        solve(&[&[game.as_str(), "--count", "--seconds", "1000"], more].concat())
    };
    // Positions of tic-tac-toe by the number of marks, and those in which the game is over.
    let (status, found) = count("tic_tac_toe", &[]);
    assert_eq!((status, &found["complete"]), (0, &json!(true)));
    assert_eq!((&found["states"], &found["terminal"]), (&json!(5478), &json!(958)));
    let by_depth = [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78];
    let states: Vec<_> = found["depths"].as_array().unwrap().iter().map(|at| at["states"].clone()).collect();
    assert_eq!(states, by_depth);
    // Tromp's numbers of legal positions on small boards of Connect Four.
    assert_eq!(count("connect_four_4x4", &[]).1["states"], 161_029);
    // The limits end the count, and every number is a lower bound.
    let (status, found) = count("connect_four_5x4", &["--nodes", "1000"]);
    assert_eq!((status, &found["complete"], &found["states"]), (5, &json!(false), &json!(1000)));
    let (status, found) = count("connect_four_5x4", &["--memory", "1"]);
    assert_eq!((status, &found["stopped"]), (5, &json!("memory limit reached")));
    // Without a network, the rules give the same count.
    let (_, relational) = count("nim", &["--backend", "relational"]);
    assert_eq!(relational["depths"], count("nim", &[]).1["depths"]);
}

#[test]
fn puzzles_are_solved_in_the_fewest_moves() {
    // Five discs need 2^5 - 1 moves.
    let (status, found) = solve(&["games/towers_of_hanoi.kif"]);
    assert_eq!((status, found["line"].as_array().unwrap().len()), (0, 31));
    assert_eq!((&found["shortest"], &found["solver"]), (&json!(true), &json!("breadth-first")));
    let (status, found) = solve(&["games/eight_puzzle.kif"]);
    assert_eq!(status, 0);
    assert_eq!(found["line"].as_array().unwrap().len(), fewest_moves("games/eight_puzzle.kif"));
}

#[test]
#[cfg_attr(not(has_corpus), ignore = "GGP_CORPUS names no corpus")]
fn independent_parts_of_puzzles_are_solved_apart() {
    let corpus = std::env::var("GGP_CORPUS").expect("GGP_CORPUS names the corpus");
    let of = |name: &str| solve(&[&format!("{corpus}/parts/{name}.kif")]);
    // Each counter has 7 states, and each plan three moves.
    for (name, counters) in [("counters_5", 5), ("counters_9", 9)] {
        let (status, found) = of(name);
        assert_eq!((status, &found["values"], &found["solver"]), (0, &json!({"solo": 100}), &json!("parts")));
        assert_eq!(found["line"].as_array().unwrap().len(), 3 * counters);
        assert!(found["nodes"].as_u64().unwrap() < 200 * counters as u64, "{found}");
    }
    // Only the result of a full first board matters. Without that, 8,219,714 states were
    // visited.
    let (status, found) = of("tic_tac_toe_serial");
    assert_eq!((status, &found["values"]), (0, &json!({"xplayer": 50, "oplayer": 50})));
    assert!(found["nodes"].as_u64().unwrap() < 50_000, "{found}");
    let (status, found) = of("asteroids_parallel");
    assert_eq!((status, &found["solver"], &found["shortest"]), (0, &json!("parts"), &json!(true)));
}

/// The length of the shortest solution, by breadth-first search.
fn fewest_moves(path: &str) -> usize {
    let description = read(&Source::load(path).unwrap()).description.unwrap();
    let loaded = load(description, Backend::Auto, &Limits::default()).unwrap();
    let machine = &*loaded.machine;
    let mut cursor = machine.cursor();
    let mut layer: BTreeSet<State> = [machine.initial().clone()].into();
    for moves in 0.. {
        let mut next = BTreeSet::new();
        for state in &layer {
            cursor.set(state).unwrap();
            if cursor.goals(0) == [100] {
                return moves;
            }
            if cursor.terminal() {
                continue;
            }
            for action in cursor.legal(0).to_vec() {
                cursor.set(state).unwrap();
                cursor.advance(&[action]).unwrap();
                next.insert(cursor.state().clone());
            }
        }
        assert!(!next.is_empty(), "no path leads to 100");
        layer = next;
    }
    unreachable!("layers have no end")
}

#[test]
fn simultaneous_moves_have_mixed_values() {
    let (status, found) = solve(&["games/rock_paper_scissors.kif"]);
    assert_eq!((status, &found["proved"], &found["kind"]), (0, &json!(true), &json!("mixed")));
    assert_eq!(found["values"], json!({"left_hand": 50, "right_hand": 50}));
    assert_eq!(found["pure"], json!({"left_hand": 0, "right_hand": 0}));
    for role in ["left_hand", "right_hand"] {
        let shares = found["mixtures"][role].as_array().unwrap();
        assert!(
            shares.len() == 3
                && shares.iter().all(|one| (one["share"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-6)
        );
    }
    let (status, found) = solve(&["games/tic_tic_toe.kif"]);
    assert_eq!((status, &found["values"]), (0, &json!({"crosses": 50, "noughts": 50})));
    let (_, found) = solve(&["games/tic_tac_toe.kif"]);
    assert_eq!(found["kind"], json!("pure"));
}

#[test]
fn unproved_values_are_reported_as_open() {
    let (status, found) = solve(&["games/chess.kif", "--nodes", "2000"]);
    assert_eq!((status, &found["proved"]), (5, &json!(false)));
    assert!(found["values"].as_object().unwrap().values().all(Value::is_null));
    assert!(found["stopped"].as_object().unwrap().values().all(|why| why == "nodes"));
}

#[test]
fn values_are_proved_without_memory_for_all_states() {
    let (status, found) = solve(&["games/lights_out.kif", "--memory", "1"]);
    assert_eq!((status, &found["values"]), (0, &json!({"janitor": 100})));
    assert_eq!((&found["shortest"], &found["solver"]), (&json!(false), &json!("relaxed")));
    assert!(found["notes"][0].as_str().unwrap().contains("more memory"));
}

#[test]
fn the_fastest_mate_is_found() {
    let (status, found) = solve(&["games/king_rook_endgame.kif", "--seconds", "1000"]);
    assert_eq!((status, &found["solver"]), (0, &json!("all-states")));
    let plies = found["line"].as_array().unwrap().len();
    assert!(plies % 2 == 1 && plies <= 31, "{plies}");
}

#[test]
fn the_line_can_be_played_and_ends_with_the_values() {
    let (_, found) = solve(&["games/connect_four_4x4.kif"]);
    let description = read(&Source::load("games/connect_four_4x4.kif").unwrap()).description.unwrap();
    let loaded = load(description, Backend::Auto, &Limits::default()).unwrap();
    let machine = &*loaded.machine;
    let mut cursor = machine.cursor();
    for joint in found["line"].as_array().unwrap() {
        let named = |(role, text): (usize, &Value)| {
            let legal = cursor.legal(role).iter();
            *legal.clone().find(|&&action| machine.move_text(action) == text.as_str().unwrap()).unwrap()
        };
        let joint: Vec<_> = joint.as_array().unwrap().iter().enumerate().map(named).collect();
        cursor.advance(&joint).unwrap();
    }
    assert!(cursor.terminal());
    assert_eq!((cursor.goals(0), cursor.goals(1)), (&[50][..], &[50][..]));
}

/// Both roles get 100 only if they push at the same time in three steps.
const COOPERATION: &str = "
(role ann) (role bob)
(init (at 0)) (init (turn 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(worth 0 0) (worth 1 20) (worth 2 50) (worth 3 100)
(<= (legal ?r push) (role ?r))
(<= (legal ?r wait) (role ?r))
(<= pushed (does ann push) (does bob push))
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) pushed)
(<= (next (at ?x)) (true (at ?x)) (not pushed))
(<= (next (turn ?y)) (true (turn ?x)) (succ ?x ?y))
(<= terminal (true (turn 3)))
(<= (goal ?r ?g) (role ?r) (true (at ?x)) (worth ?x ?g))
";

#[test]
#[ignore = "takes a quarter of a minute"]
fn roles_with_equal_goals_cooperate() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.kif");
    std::fs::write(&path, COOPERATION).unwrap();
    let path = path.to_str().unwrap();
    let (status, found) = solve(&[path]);
    assert_eq!((status, &found["values"]), (0, &json!({"ann": 100, "bob": 100})));
    assert_eq!(found["teams"], json!([["ann", "bob"]]));
    // Players also choose jointly.
    for player in ["alphabeta:fuzzy", "ensemble", "auto"] {
        let play = Command::cargo_bin("ggp")
            .unwrap()
            .args(["play", path, "--format", "json", "--playouts", "300", "--play-clock", "1"])
            .args(["--player", &format!("ann={player}"), "--player", &format!("bob={player}")])
            .output()
            .unwrap();
        let record: Value = serde_json::from_slice(&play.stdout)
            .unwrap_or_else(|_| panic!("{player}: {}", String::from_utf8_lossy(&play.stderr)));
        assert_eq!(record["goalValues"], json!([100, 100]), "{player}: {record}");
    }
}

#[test]
fn a_game_without_legal_moves_has_no_value() {
    let rules = "
        (role a) (role b) (init (turn a)) (<= (legal ?r go) (true (turn ?r)))
        (<= (next (turn b)) (true (turn a))) (<= terminal (true (turn b)))
        (goal a 100) (goal b 0)";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.kif");
    std::fs::write(&path, rules).unwrap();
    let output = Command::cargo_bin("ggp").unwrap().arg("solve").arg(&path).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("role b has no legal move in the initial state"), "{errors}");
}

#[test]
fn too_many_joint_moves_are_reported() {
    let roles: String = (0..21).map(|role| format!("(role r{role}) ")).collect();
    let rules = format!(
        "{roles} (choice yes) (choice no) (init open) (<= (legal ?r ?c) (role ?r) (choice ?c))
        (<= (next (said ?r ?c)) (does ?r ?c)) (<= terminal (not (true open)))
        (<= (goal ?r 100) (true (said ?r yes))) (<= (goal ?r 0) (true (said ?r no)))"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.kif");
    std::fs::write(&path, rules).unwrap();
    let (status, found) = solve(&[path.to_str().unwrap(), "--seconds", "5"]);
    assert_eq!((status, &found["proved"]), (5, &json!(false)));
    let notes = found["notes"].to_string();
    assert!(notes.contains("too many joint moves to list"), "{notes}");
}
