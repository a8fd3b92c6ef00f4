//! Promise: rules are instantiated over what play can reach, within budgets, and mean the same afterwards.

use std::sync::Arc;

use ggp::gdl::{Description, Source, read};
use ggp::ground::{Exceeded, Grounded, Limits, ground};
use ggp::machine::{Backend, Machine, NetworkMachine, load};

fn description(rules: &str) -> Arc<Description> {
    let source = Source::from_text("test", rules);
    let reading = read(&source);
    Arc::new(reading.description.unwrap_or_else(|| panic!("{:#?}", reading.diagnostics)))
}

fn grounded(rules: &str) -> Grounded {
    ground(&description(rules), &Limits::default()).expect("within the budget")
}

fn metric(game: &Grounded, name: &str) -> u64 {
    game.metrics.iter().find(|(metric, _)| *metric == name).expect("a known metric").1
}

fn fluents(game: &Grounded) -> Vec<String> {
    let machine = NetworkMachine::new(Arc::new(game.clone()));
    let count = game.network.fluents.len() as u32;
    (0..count).map(|number| machine.fluent_text(ggp::machine::FluentId(number))).collect()
}

/// A walk along a corridor whose end is closed off.
const WALK: &str = "
    (role walker) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
    (init (at 1)) (init (wall 3 4)) (init (lamp off))
    (<= (legal walker (to ?y)) (true (at ?x)) (succ ?x ?y) (not (true (wall ?x ?y))))
    (legal walker stay)
    (<= (next (at ?y)) (does walker (to ?y)))
    (<= (next (at ?x)) (does walker stay) (true (at ?x)))
    (<= (next (wall ?x ?y)) (true (wall ?x ?y)))
    (<= (next (lamp ?x)) (true (lamp ?x)) (distinct ?x on))
    (<= terminal (true (at 4)))
    (goal walker 0)";

#[test]
fn what_never_changes_is_no_bit_and_still_in_the_state() {
    let game = grounded(WALK);
    let all = fluents(&game);
    assert!(all.contains(&"(wall 3 4)".to_owned()) && all.contains(&"(lamp off)".to_owned()));
    let bits: Vec<&str> = game.network.bits.iter().map(|&fluent| all[fluent as usize].as_str()).collect();
    assert!(bits.iter().all(|fluent| fluent.starts_with("(at ")), "{bits:?}");
}

#[test]
fn a_wall_keeps_what_is_behind_it_out_of_the_network() {
    let game = grounded(WALK);
    assert!(
        !fluents(&game).iter().any(|fluent| fluent == "(at 4)" || fluent == "(at 5)"),
        "{:?}",
        fluents(&game)
    );
}

/// Every cell is either touched by the move or keeps its content: a frame axiom over cells and moves.
#[test]
fn variables_of_a_part_of_a_body_are_projected_out() {
    let mut rules = String::from("(role r) (init (mark 1 1)) (init (mark 2 2))\n");
    for n in 1..=12 {
        rules += &format!("(n {n})\n");
    }
    rules += "
        (<= (legal r (go ?u ?v ?x ?y)) (n ?u) (n ?v) (n ?x) (n ?y) (true (mark ?u ?v)) (near ?u ?x) (near ?v ?y))
        (<= (near ?a ?a) (n ?a)) (near 1 2) (near 2 3) (near 3 4) (near 4 5) (near 5 6) (near 6 7) (near 7 8)
        (<= (next (mark ?x ?y)) (does r (go ?u ?v ?x ?y)))
        (<= (next (mark ?a ?b)) (true (mark ?a ?b)) (does r (go ?u ?v ?x ?y)) (n ?u) (n ?v) (off ?a ?x))
        (<= (off ?a ?b) (n ?a) (n ?b) (distinct ?a ?b))
        (<= terminal (true (mark 9 9))) (goal r 0)";
    let game = grounded(&rules);
    let moves = metric(&game, "moves");
    let cells = metric(&game, "fluents");
    assert!(moves > 100 && cells > 40, "{moves} moves, {cells} fluents");
    assert!(metric(&game, "rule instances") < moves * cells / 2, "{:?}", game.metrics);
}

#[test]
fn recursion_among_changing_atoms_is_a_loop_with_the_least_fixpoint() {
    let rules = "
        (role r) (edge a b) (edge b c) (edge c a) (edge c d)
        (node a) (node b) (node c) (node d)
        (init (open d))
        (<= (legal r (toggle ?x)) (node ?x))
        (<= (next (open ?x)) (does r (toggle ?x)) (not (true (open ?x))))
        (<= (next (open ?x)) (true (open ?x)) (does r (toggle ?y)) (distinct ?x ?y))
        (<= (reach a) (true (open a)))
        (<= (reach ?y) (reach ?x) (edge ?x ?y) (true (open ?y)))
        (<= terminal (reach d)) (<= (goal r 100) (reach d)) (<= (goal r 0) (not (reach d)))";
    let game = grounded(rules);
    assert_eq!(metric(&game, "loops"), 1);
    let machine = NetworkMachine::new(Arc::new(game));
    let mut cursor = machine.cursor();
    for (step, expected) in
        [("(toggle b)", false), ("(toggle c)", false), ("(toggle a)", true), ("(toggle b)", false)]
    {
        let played = *cursor.legal(0).iter().find(|m| machine.move_text(**m) == step).expect("legal");
        cursor.advance(&[played]).expect("within the budget");
        assert_eq!(cursor.terminal(), expected, "after {step}");
    }
}

/// A relation over the square of a hundred thousand pairs, of which play asks for a few.
#[test]
fn a_static_relation_too_large_to_write_out_is_derived_on_demand() {
    let mut rules = String::from("(role r) (init (at n1 n1))\n");
    for n in 1..40 {
        rules += &format!("(succ n{n} n{})\n", n + 1);
    }
    rules += "
        (<= (num ?x) (succ ?x ?y)) (<= (num ?y) (succ ?x ?y))
        (<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?z) (succ ?x ?y) (less ?y ?z))
        (<= (side ?x ?y low) (less ?x ?y)) (<= (side ?x ?y high) (less ?y ?x))
        (<= (side ?x ?x same) (num ?x))
        (<= (direction ?x1 ?y1 ?x2 ?y2 ?a ?b) (side ?x1 ?x2 ?a) (side ?y1 ?y2 ?b))
        (legal r go)
        (<= (next (at ?x ?y)) (does r go) (true (at ?x ?y)) (direction ?x ?y n3 n3 same same))
        (<= (next (at ?u ?v)) (does r go) (true (at ?x ?y)) (direction ?x ?y n3 n3 low low) (succ ?x ?u) (succ ?y ?v))
        (<= terminal (true (at n3 n3))) (goal r 50)";
    let game = grounded(&rules);
    assert!(metric(&game, "static facts") < 300_000, "{:?}", game.metrics);
    for backend in [Backend::Network, Backend::Relational] {
        let owned = Arc::try_unwrap(description(&rules)).expect("the only owner");
        let loaded = load(owned, backend, &Limits::default()).expect("loads");
        let mut cursor = loaded.machine.cursor();
        for terminal in [false, false, true] {
            let mut held = Vec::new();
            loaded.machine.fluents(cursor.state(), &mut held);
            let held: Vec<String> = held.iter().map(|&fluent| loaded.machine.fluent_text(fluent)).collect();
            assert_eq!(cursor.terminal(), terminal, "{}: {held:?}", loaded.machine.backend());
            let go = cursor.legal(0).to_vec();
            cursor.advance(&go).expect("within the budget");
        }
    }
}

#[test]
fn past_its_budget_a_game_runs_on_the_relational_machine() {
    let limits = Limits { atoms: 5, ..Limits::default() };
    assert_eq!(ground(&description(WALK), &limits).err(), Some(Exceeded::Atoms(5)));
    let none = Limits { seconds: 0.0, ..Limits::default() };
    assert_eq!(ground(&description(WALK), &none).err(), Some(Exceeded::Seconds(0.0)));
    let owned = Arc::try_unwrap(description(WALK)).expect("the only owner");
    let limits = Limits { instances: 1, ..Limits::default() };
    let loaded = load(owned, Backend::Auto, &limits).expect("falls back");
    assert_eq!((loaded.machine.backend(), loaded.fallback), ("relational", Some(Exceeded::Instances(1))));
}

#[test]
fn rules_that_make_ever_larger_terms_end_in_a_named_error() {
    let rules = "(role r) (init (p zero)) (legal r go)
        (<= (next (p (s ?x))) (true (p ?x)))
        (<= terminal (true (p one))) (goal r 0)";
    let limits = Limits { seconds: 5.0, atoms: 20_000, ..Limits::default() };
    assert_eq!(ground(&description(rules), &limits).err(), Some(Exceeded::Atoms(20_000)));
    let owned = Arc::try_unwrap(description(rules)).expect("the only owner");
    let loaded = load(owned, Backend::Auto, &limits).expect("one state holds one term");
    let mut cursor = loaded.machine.cursor();
    for _ in 0..50 {
        let go = cursor.legal(0).to_vec();
        cursor.advance(&go).expect("within the budget");
    }
    assert!(!cursor.terminal());
}

/// A negated literal is read where it stands, with what every question of the rule has bound by then.
#[test]
fn negation_stands_where_the_question_has_bound_its_variables() {
    let rules = |use_of_pick: &str| {
        format!(
            "(role r) (way a north) (way a south) (blocked south) (init (at a)) (legal r go)
            (<= (pick ?from ?way) (not (blocked ?way)) (way ?from ?way))
            (<= (next (went ?way)) (does r go) {use_of_pick})
            (<= terminal (true (went north))) (goal r 0)"
        )
    };
    let goes = |use_of_pick: &str| {
        let machine = NetworkMachine::new(Arc::new(grounded(&rules(use_of_pick))));
        let mut cursor = machine.cursor();
        let go = cursor.legal(0).to_vec();
        cursor.advance(&go).expect("within the budget");
        cursor.terminal()
    };
    assert!(goes("(true (at ?x)) (way ?x ?way) (pick ?x ?way)"), "the way is known: it is not blocked");
    assert!(!goes("(true (at ?x)) (pick ?x ?way)"), "the way is asked for: some way is blocked");
}

#[test]
fn several_games_make_a_row_each_and_say_why_one_has_no_network() {
    let mut command = assert_cmd::Command::cargo_bin("ggp").expect("the binary is built with the tests");
    command.args(["ground", "games/tic_tac_toe.kif", "games/halma.kif", "--format", "json"]);
    let output = command.args(["--ground-limit", "2000"]).assert().success().get_output().stdout.clone();
    let all: serde_json::Value = serde_json::from_slice(&output).expect("one JSON document");
    let of = |row: usize, key: &str| all["rows"][row][key].clone();
    assert_eq!((of(0, "game"), of(0, "machine")), ("tic_tac_toe".into(), "network".into()));
    assert!(of(0, "gates").as_u64() < of(0, "gates_before").as_u64(), "{all}");
    assert_eq!((of(1, "game"), of(1, "machine")), ("halma".into(), "relational".into()));
    assert!(
        of(1, "gates").is_null() && of(1, "reason").as_str().is_some_and(|r| r.contains("2000")),
        "{all}"
    );
}
