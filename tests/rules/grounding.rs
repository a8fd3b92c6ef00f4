//! Rules are instantiated only for reachable terms, within budgets, and keep their meaning.

use std::sync::Arc;

use ggp::gdl::{Description, Source, read};
use ggp::ground::{Exceeded, GroundedGame, Limits, ground};
use ggp::machine::{Backend, LoadError, Machine, MachineError, NetworkMachine, load};

fn description(rules: &str) -> Arc<Description> {
    let source = Source::from_text("test", rules);
    let reading = read(&source);
    Arc::new(reading.description.unwrap_or_else(|| panic!("{:#?}", reading.diagnostics)))
}

fn ground_rules(rules: &str) -> GroundedGame {
    ground(&description(rules), &Limits::default()).expect("within the budget")
}

fn metric(game: &GroundedGame, name: &str) -> u64 {
    game.metrics.iter().find(|(metric, _)| *metric == name).expect("a known metric").1
}

fn fluents(game: &GroundedGame) -> Vec<String> {
    let machine = NetworkMachine::new(Arc::new(game.clone()));
    let count = game.network.fluents.len() as u32;
    (0..count).map(|number| machine.fluent_text(ggp::machine::FluentId(number))).collect()
}

/// A walk along a corridor whose end is blocked.
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
fn constant_fluents_have_no_bit() {
    let game = ground_rules(WALK);
    let all = fluents(&game);
    assert!(all.contains(&"(wall 3 4)".to_owned()) && all.contains(&"(lamp off)".to_owned()));
    let bits: Vec<&str> = game.network.bits.iter().map(|&fluent| all[fluent as usize].as_str()).collect();
    assert!(bits.iter().all(|fluent| fluent.starts_with("(at ")), "{bits:?}");
}

#[test]
fn unreachable_fluents_are_not_in_the_network() {
    let game = ground_rules(WALK);
    assert!(
        !fluents(&game).iter().any(|fluent| fluent == "(at 4)" || fluent == "(at 5)"),
        "{:?}",
        fluents(&game)
    );
}

/// A frame axiom over cells and moves: a mark stays unless the move goes to its row.
#[test]
fn variables_of_partial_bodies_are_projected_out() {
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
    let game = ground_rules(&rules);
    let moves = metric(&game, "moves");
    let cells = metric(&game, "fluents");
    assert!(moves > 100 && cells > 40, "{moves} moves, {cells} fluents");
    assert!(metric(&game, "rule instances") < moves * cells / 2, "{:?}", game.metrics);
}

#[test]
fn recursive_atoms_form_a_loop_with_the_least_fixpoint() {
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
    let game = ground_rules(rules);
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

/// A relation over pairs of cells with millions of rows, of which play needs a few.
#[test]
fn large_static_relations_are_derived_on_demand() {
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
    let game = ground_rules(&rules);
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
fn games_above_the_budget_run_on_the_relational_machine() {
    let limits = Limits { atoms: 5, ..Limits::default() };
    let exceeded = ground(&description(WALK), &limits).err().map(|error| error.limit().clone());
    assert_eq!(exceeded, Some(Exceeded::Atoms(5)));
    let none = Limits { seconds: 0.0, ..Limits::default() };
    assert_eq!(ground(&description(WALK), &none).err(), Some(Exceeded::Seconds(0.0)));
    let owned = Arc::try_unwrap(description(WALK)).expect("the only owner");
    let limits = Limits { instances: 1, ..Limits::default() };
    let loaded = load(owned, Backend::Auto, &limits).expect("falls back");
    let fallback = loaded.fallback.map(|exceeded| exceeded.limit().clone());
    assert_eq!((loaded.machine.backend(), fallback), ("relational", Some(Exceeded::Instances(1))));
}

#[test]
fn growing_terms_end_in_a_named_error() {
    let rules = "(role r) (init (p zero)) (legal r go)
        (<= (next (p (s ?x))) (true (p ?x)))
        (<= terminal (true (p one))) (goal r 0)";
    let limits = Limits { seconds: 5.0, atoms: 20_000, ..Limits::default() };
    let exceeded = ground(&description(rules), &limits).expect_err("terms grow without end");
    assert_eq!(exceeded.limit(), &Exceeded::Atoms(20_000));
    let Exceeded::Grown(_, growth) = &exceeded else { panic!("{exceeded}") };
    assert_eq!((&*growth.relation, &growth.free[..]), ("p/1", &[1][..]));
    let owned = Arc::try_unwrap(description(rules)).expect("the only owner");
    let loaded = load(owned, Backend::Auto, &limits).expect("one state holds one term");
    let mut cursor = loaded.machine.cursor();
    for _ in 0..50 {
        let go = cursor.legal(0).to_vec();
        cursor.advance(&go).expect("within the budget");
    }
    assert!(!cursor.terminal());
}

/// A negated literal is evaluated after its variables are bound, for any bound arguments of the rule.
#[test]
fn negative_literals_are_evaluated_after_their_variables_are_bound() {
    let rules = |use_of_pick: &str| {
        format!(
            "(role r) (way a north) (way a south) (blocked south) (init (at a)) (legal r go)
            (<= (pick ?from ?way) (not (blocked ?way)) (way ?from ?way))
            (<= (next (went ?way)) (does r go) {use_of_pick})
            (<= terminal (true (went north))) (goal r 0)"
        )
    };
    for use_of_pick in ["(true (at ?x)) (way ?x ?way) (pick ?x ?way)", "(true (at ?x)) (pick ?x ?way)"] {
        let machine = NetworkMachine::new(Arc::new(ground_rules(&rules(use_of_pick))));
        let mut cursor = machine.cursor();
        let go = cursor.legal(0).to_vec();
        cursor.advance(&go).expect("within the budget");
        assert!(cursor.terminal(), "{use_of_pick}");
    }
}

/// Numbers from 0, each with its successor.
fn numbers(count: usize) -> String {
    let number = |number: usize| format!("(num {number}) (succ {number} {})", number + 1);
    (0..count).map(number).collect()
}

/// The legal moves of the first role in the initial state, on the machine of this back end.
fn first_moves(rules: &str, backend: Backend) -> Vec<String> {
    let owned = Arc::try_unwrap(description(rules)).expect("the only owner");
    let loaded = load(owned, backend, &Limits::default()).expect("few facts are needed");
    let cursor = loaded.machine.cursor();
    cursor.legal(0).iter().map(|&action| loaded.machine.move_text(action)).collect()
}

/// A state-dependent relation with millions of rows, of which play needs one, under a negation.
#[test]
fn large_relations_are_derived_on_demand() {
    let rules = format!(
        "(role r) (init (guard 3)) (init (at 5)) {}
        (<= (hit ?x ?i ?j ?k) (true (guard ?x)) (num ?i) (num ?j) (num ?k))
        (<= (hit ?y ?i ?j ?k) (hit ?x ?i ?j ?k) (succ ?x ?y) (not (true (at ?y))))
        (<= (legal r (go ?y)) (true (at ?x)) (succ ?x ?y) (not (hit ?y ?x ?y ?x)))
        (legal r stay) (<= (next (at ?y)) (does r (go ?y))) (<= (next (guard ?x)) (true (guard ?x)))
        (<= terminal (true (at 9))) (<= (goal r 100) (true (at 9)))",
        numbers(120)
    );
    for backend in [Backend::Auto, Backend::Network, Backend::Relational] {
        assert_eq!(first_moves(&rules, backend), ["(go 6)", "stay"], "{backend:?}");
    }
}

/// A static relation of about eleven million lists, queried through state-dependent relations.
#[test]
fn large_static_relations_are_queried_through_the_state() {
    let lists = (1..=7).map(|length| {
        let list = (1..=length).rev().fold("nil".to_owned(), |rest, at| format!("(cons ?v{at} {rest})"));
        let words: String = (1..=length).map(|at| format!("(num ?v{at})")).collect();
        format!("(<= (bag {list}) {words})")
    });
    let rules = format!(
        "(role r) (init (open 0)) (bag nil) {} {}
        (<= (put ?e ?l (cons ?e ?l)) (num ?e) (bag ?l))
        (<= (way ?a ?b ?l) (put ?a ?l ?l2) (way2 ?a ?b ?l2))
        (<= (way2 ?a ?b ?l) (succ ?a ?b) (true (open ?a)) (bag ?l))
        (<= (way2 ?a ?b ?l) (succ ?a ?c) (true (open ?a)) (way ?c ?b ?l) (bag ?l))
        (<= (legal r (walk ?b)) (way 0 ?b nil))
        (<= (next (open ?b)) (does r (walk ?b))) (<= (next (open ?b)) (true (open ?b)))
        (<= terminal (true (open 6))) (<= (goal r 100) (true (open 6)))",
        numbers(10),
        lists.collect::<String>()
    );
    for backend in [Backend::Network, Backend::Relational] {
        assert_eq!(first_moves(&rules, backend), ["(walk 1)"], "{backend:?}");
    }
}

/// A relation of which play needs all rows exceeds the limit; the error names it.
#[test]
fn the_error_names_the_relation_above_the_limit() {
    let rules = format!(
        "(role r) (init (at 1)) {}
        (<= (pick ?x ?i ?j ?k) (true (at ?x)) (num ?i) (num ?j) (num ?k))
        (<= (legal r (go ?i ?j ?k)) (pick ?x ?i ?j ?k)) (<= (next (at 2)) (does r (go ?i ?j ?k)))
        (<= terminal (true (at 2))) (goal r 0)",
        numbers(160)
    );
    let owned = Arc::try_unwrap(description(&rules)).expect("the only owner");
    let error = load(owned, Backend::Relational, &Limits::default()).err().expect("four million moves");
    let LoadError::Machine(MachineError::TooManyAtoms { limit: 3_000_000, growth }) = &error else {
        panic!("{error}")
    };
    let message = error.to_string();
    assert!(growth.relation == "pick/4" && message.contains("`pick/4`"), "{message}");
    assert!(!message.contains("infinitely"), "{message}");
}

#[test]
fn ground_prints_one_row_per_game_and_the_reason_for_no_network() {
    let mut command = assert_cmd::Command::cargo_bin("ggp").expect("the binary is built with the tests");
    command.args(["check", "--ground", "games/tic_tac_toe.kif", "games/halma.kif", "--format", "json"]);
    let output = command.args(["--ground-limit", "2000"]).assert().success().get_output().stdout.clone();
    let all: serde_json::Value = serde_json::from_slice(&output).expect("one JSON document");
    let cell = |row: usize, key: &str| all["rows"][row][key].clone();
    assert_eq!((cell(0, "game"), cell(0, "machine")), ("tic_tac_toe".into(), "network".into()));
    assert!(cell(0, "gates").as_u64() < cell(0, "gates_before").as_u64(), "{all}");
    assert_eq!((cell(1, "game"), cell(1, "machine")), ("halma".into(), "relational".into()));
    assert!(
        cell(1, "gates").is_null() && cell(1, "reason").as_str().is_some_and(|r| r.contains("2,000")),
        "{all}"
    );
}

/// Numbers from 1 as facts of `n`, each with its successor.
fn chain(count: u32) -> String {
    (1..=count).map(|number| format!("(n {number}) (succ {number} {}) ", number + 1)).collect()
}

/// A million pairs can hold in some state, of which ten playouts see about a hundred.
#[test]
fn expensive_networks_are_not_built() {
    let rules = chain(1000)
        + "(role a) (init (left 1)) (init (right 1)) (init (step 1)) (legal a go) (legal a stay)
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 9)))
        (<= (next (left ?y)) (does a go) (true (left ?x)) (succ ?x ?y)) (<= (next (left ?x)) (does a stay) (true (left ?x)))
        (<= (next (right ?y)) (true (right ?x)) (succ ?x ?y))
        (<= (next (pair ?x ?y)) (true (left ?x)) (true (right ?y)))
        (<= (goal a 100) (true (pair ?x ?x))) (<= (goal a 0) (true (pair ?x ?y)) (distinct ?x ?y))";
    let load = |backend| load((*description(&rules)).clone(), backend, &Limits::default()).unwrap();
    let chosen = load(Backend::Auto);
    assert_eq!((chosen.machine.backend(), chosen.fallback), ("relational", Some(Exceeded::Slower)));
    assert_eq!(load(Backend::Network).machine.backend(), "network");
}

/// The relation is large in a later state only.
#[test]
fn relations_that_grow_in_later_states_are_derived_on_demand() {
    let rules = chain(40)
        + "(role a) (init (at 1)) (<= (next (at ?y)) (true (at ?x)) (next_number ?x ?y))
        (next_number 1 2) (next_number 2 3) (next_number 3 4) (<= terminal (true (at 4))) (goal a 100)
        (<= (large ?x ?y ?z) (n ?x) (n ?y) (n ?z) (true (at 3)))
        (legal a wait) (<= (legal a (go ?x)) (n ?x) (large ?x 1 2))";
    let game = load((*description(&rules)).clone(), Backend::Relational, &Limits::default()).unwrap();
    let mut cursor = game.machine.cursor();
    for _ in 0..2 {
        let wait = cursor.legal(0)[0];
        assert_eq!(cursor.legal(0).len(), 1);
        cursor.advance(&[wait]).unwrap();
    }
    assert!(cursor.legal(0).len() > 30, "{} moves", cursor.legal(0).len());
    assert!(cursor.work() < 10_000, "{} rows", cursor.work());
}

/// The second large relation appears only when the first one is derived on demand.
#[test]
fn relations_are_derived_on_demand_until_none_is_large() {
    let rules = chain(20)
        + "(role a) (init (at 1)) (<= (next (at ?x)) (does a (go ?x))) (<= terminal (true (at 5))) (goal a 100)
        (<= (first ?x ?y ?z ?v) (n ?x) (n ?y) (n ?z) (n ?v) (true (at ?w)))
        (<= (second ?x ?y ?z ?v) (n ?x) (n ?y) (n ?z) (n ?v) (true (at ?w)) (first ?x ?x ?x ?x) (distinct ?x ?z))
        (<= (legal a (go ?x)) (n ?x) (first ?x ?x ?x ?x) (second ?x 1 2 3))";
    let game = load((*description(&rules)).clone(), Backend::Relational, &Limits::default()).unwrap();
    let cursor = game.machine.cursor();
    let moves: Vec<String> = cursor.legal(0).iter().map(|&action| game.machine.move_text(action)).collect();
    assert_eq!(moves.len(), 19, "{moves:?}");
    assert!(cursor.work() < 20_000, "{} rows", cursor.work());
}
