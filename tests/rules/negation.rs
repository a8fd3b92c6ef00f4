//! A negated literal is evaluated after its variables are bound, for any order of literals. With `--negation in-place` every
//! command evaluates it at its position, and every document records the reading.

use assert_cmd::Command;
use ggp::gdl::{Negation, Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Machine, load};
use serde_json::Value;

/// Discs on a table: some authors meant `(not (true (on ?y ?x))) (disc ?y)` as "nothing lies on `?x`".
const DISCS: &str = "(role ann) (disc d1) (disc d2) (disc d3)
(init (on d1 d2)) (init (on d2 table)) (init (on d3 table)) (init (turn 0))
(<= (clear ?x) (disc ?x) (not (true (on ?y ?x))) (disc ?y))
(<= (legal ann (lift ?x)) (clear ?x))
(<= (next (turn 1)) (does ann (lift ?x)))
(<= (next (on ?x ?z)) (true (on ?x ?z)) (not (lifted ?x)))
(<= (lifted ?x) (does ann (lift ?x)))
(<= terminal (true (turn 1))) (<= (goal ann 100) (role ann))";

/// The game ends when a role has no stone left.
const STONES: &str =
    "(role left) (role right) (init (stone 1 left)) (init (stone 2 right)) (init (turn left))
(<= (has ?p) (true (stone ?x ?p)))
(<= (legal ?p (take ?x)) (true (turn ?p)) (true (stone ?x ?q)) (distinct ?p ?q))
(<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
(<= (taken ?x) (does ?p (take ?x)))
(<= (next (stone ?x ?p)) (true (stone ?x ?p)) (not (taken ?x)))
(<= (next (turn right)) (true (turn left))) (<= (next (turn left)) (true (turn right)))
(<= terminal (not (has ?p)) (role ?p))
(<= (goal ?p 100) (has ?p)) (<= (goal ?p 0) (role ?p) (not (has ?p)))";

const BACKENDS: [Backend; 3] = [Backend::Network, Backend::Lanes, Backend::Relational];

fn machine(text: &str, negation: Negation, backend: Backend) -> Box<dyn Machine> {
    let source = Source::from_text("negation", text).with_negation(negation);
    let description = read(&source).description.expect("the rules have no errors");
    load(description, backend, &Limits::default()).unwrap().machine
}

fn legal(machine: &dyn Machine, role: usize) -> Vec<String> {
    let cursor = machine.cursor();
    let mut moves: Vec<String> = cursor.legal(role).iter().map(|&action| machine.move_text(action)).collect();
    moves.sort();
    moves
}

#[test]
fn all_machines_agree_on_both_readings() {
    for backend in BACKENDS {
        let moves = |negation| legal(&*machine(DISCS, negation, backend), 0);
        assert_eq!(moves(Negation::Language), ["(lift d1)", "(lift d2)", "(lift d3)"], "{backend:?}");
        assert_eq!(moves(Negation::InPlace), ["(lift d1)", "(lift d3)"], "{backend:?}");
    }
}

#[test]
fn the_order_of_literals_does_not_matter() {
    for backend in BACKENDS {
        let machine = machine(STONES, Negation::Language, backend);
        let mut cursor = machine.cursor();
        assert!(!cursor.terminal());
        let joint = [cursor.legal(0)[0], cursor.legal(1)[0]];
        cursor.advance(&joint).unwrap();
        assert!(cursor.terminal(), "{backend:?}");
        assert_eq!((cursor.goals(0), cursor.goals(1)), (&[100][..], &[0][..]), "{backend:?}");
    }
}

#[test]
fn the_warning_suggests_the_option() {
    let faults = |negation| read(&Source::from_text("discs", DISCS).with_negation(negation)).diagnostics;
    for negation in [Negation::Language, Negation::InPlace] {
        let faults = faults(negation);
        let fault = faults.iter().find(|fault| fault.code.to_string() == "GDL027").expect("it is reported");
        assert!(fault.help.contains("--negation in-place"), "{fault:?}");
    }
}

#[test]
#[cfg_attr(not(has_corpus), ignore = "GGP_CORPUS names no corpus")]
fn small_corpus_cases_are_read_as_expected() {
    let cases = crate::corpus().join("cases");
    let text = |name: &str| std::fs::read_to_string(cases.join(name)).unwrap();
    for backend in BACKENDS {
        let moves = |name: &str, role| legal(&*machine(&text(name), Negation::Language, backend), role);
        assert_eq!(moves("negation.kif", 0), ["(drop 2)", "wait"]);
        assert_eq!(moves("negation.kif", 1), ["(lift 3)", "wait"]);
        assert_eq!(moves("negation_in_place.kif", 0), ["(lift d1)", "(lift d2)", "(lift d3)"]);
        assert_eq!(moves("negation_first.kif", 0), ["(take 2)"]);
    }
}

fn document(arguments: &[&str]) -> Value {
    let output = Command::cargo_bin("ggp").unwrap().args(arguments).output().unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn every_document_records_the_reading_of_negations() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (game, trace) = (file("discs.kif"), file("trace.jsonl"));
    std::fs::write(&game, DISCS).unwrap();
    for (number, (options, expected)) in
        [(&[][..], "language"), (&["--negation", "in-place"], "in-place")].into_iter().enumerate()
    {
        let run = |arguments: &[&str], place: &str| {
            let document = document(&[options, arguments, &["--format", "json"]].concat());
            assert_eq!(document.pointer(place), Some(&expected.into()), "{arguments:?}");
        };
        run(&["analyze", &game, "--playouts", "50", "--functions", "mobility"], "/game/negation");
        run(&["simulate", &game, "--playouts", "50", "--trace", &trace], "/game/negation");
        run(&["replay", &game, &trace], "/negation");
        run(&["solve", &game], "/negation");
        run(&["play", "--managed", &game], "/negation");
        run(&["play", &game, "--player", "ann=random"], "/negation");
        let out = file(&format!("tournament{number}"));
        let players = ["--players", "random", "uct", "--nodes", "10", "--rounds", "1", "--out", &out];
        let tournament =
            [options, &["tournament", "--games", &game], &players, &["--format", "json"]].concat();
        let found = document(&tournament)["plan"]["games"][0]["negation"].as_str().map(str::to_owned);
        assert_eq!(found.as_deref().unwrap_or("language"), expected);
    }
    // The two readings allow different moves, so a trace of one does not replay under the other.
    let replay = |options: &[&str]| {
        let arguments = [options, &["replay", &game, &trace]].concat();
        Command::cargo_bin("ggp").unwrap().args(arguments).output().unwrap().status.code()
    };
    assert_eq!((replay(&[]), replay(&["--negation", "in-place"])), (Some(4), Some(0)));
}
