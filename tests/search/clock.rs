//! Searches that merge states which differ only in the step counter find the same values, and visit fewer states.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::fmt::Write as _;

use crate::sampled::{load_source, sample_state};
use crate::search::minimax;
use ggp::evaluation::Function;
use ggp::gdl::Source;
use ggp::machine::{Loaded, Machine, State};
use ggp::search::{
    AlphaBetaOptions, Deepening, Limits, Maxn, MaxnOptions, Search, SearchContext, SearchResult,
    SimultaneousOptions, SimultaneousSearch, Teams,
};
use ggp::simulate::Choices;
use serde_json::json;

/// Two roles take turns to move one token along random arcs, some of which go both ways. So the token can return to a square
/// after two, three or four plies. The game ends on a few squares, or after `limit` steps. Every square has a goal value.
fn walk(seed: u64, limit: usize) -> Loaded {
    const SQUARES: usize = 9;
    let mut draws = Choices::new(seed, 0);
    let mut rules = String::from(
        "(role first) (role second)
         (init (token 0)) (init (control first)) (init (step 0))
         (<= (legal ?r (go ?y)) (true (control ?r)) (true (token ?x)) (arc ?x ?y))
         (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
         (<= (next (token ?y)) (does ?r (go ?y)))
         (<= (next (control second)) (true (control first)))
         (<= (next (control first)) (true (control second)))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= terminal (true (token ?x)) (stop ?x))
         (<= (goal first ?g) (true (token ?x)) (worth ?x ?g ?h))
         (<= (goal second ?h) (true (token ?x)) (worth ?x ?g ?h))\n",
    );
    writeln!(rules, "(<= terminal (true (step {limit})))").unwrap();
    for step in 0..limit {
        writeln!(rules, "(succ {step} {})", step + 1).unwrap();
    }
    for square in 0..SQUARES {
        let goal = 10 * draws.below(11);
        writeln!(rules, "(worth {square} {goal} {})", 100 - goal).unwrap();
        for _ in 0..2 {
            let other = draws.below(SQUARES);
            writeln!(rules, "(arc {square} {other})").unwrap();
            if draws.below(3) > 0 {
                writeln!(rules, "(arc {other} {square})").unwrap();
            }
        }
    }
    writeln!(rules, "(stop {}) (stop {})", 5 + draws.below(2), 7 + draws.below(2)).unwrap();
    load_source(&Source::from_text("walk", rules))
}

/// A similar game with simultaneous moves: each role chooses one of two directions. The target square of every pair is
/// random.
fn duel(seed: u64, limit: usize) -> Loaded {
    const SQUARES: usize = 6;
    let mut draws = Choices::new(seed, 2);
    let mut rules = String::from(
        "(role first) (role second)
         (init (token 0)) (init (step 0)) (way a) (way b)
         (<= (legal ?r ?w) (role ?r) (way ?w))
         (<= (next (token ?y)) (does first ?v) (does second ?w) (true (token ?x)) (leads ?x ?v ?w ?y))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= terminal (true (token 5)))
         (<= (goal first ?g) (true (token ?x)) (worth ?x ?g ?h))
         (<= (goal second ?h) (true (token ?x)) (worth ?x ?g ?h))\n",
    );
    writeln!(rules, "(<= terminal (true (step {limit})))").unwrap();
    for step in 0..limit {
        writeln!(rules, "(succ {step} {})", step + 1).unwrap();
    }
    for square in 0..SQUARES {
        let goal = 10 * draws.below(11);
        writeln!(rules, "(worth {square} {goal} {})", 100 - goal).unwrap();
        for (first, second) in [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")] {
            writeln!(rules, "(leads {square} {first} {second} {})", draws.below(SQUARES)).unwrap();
        }
    }
    load_source(&Source::from_text("duel", rules))
}

/// A function of the first role with a random weight for each square. It does not depend on the step.
fn by_squares(machine: &dyn Machine, seed: u64) -> Function {
    let mut draws = Choices::new(seed, 1);
    let squares = (0..9).map(|square| format!("(token {square})"));
    let terms = squares.filter(|square| machine.fluent_named(square).is_some());
    let terms = terms.map(|square| json!({"weight": draws.below(50), "pattern": square}));
    let terms: Vec<serde_json::Value> = terms.collect();
    function(json!({"kind": "sum", "terms": terms}), [0.0, 50.0])
}

/// A function whose value is the number of steps made.
fn by_steps(limit: usize) -> Function {
    let order: Vec<String> = (0..=limit).map(|step| step.to_string()).collect();
    let spec = json!({"kind": "index", "pattern": "(step ?n)", "argument": 1, "order": order, "absent": 0.0});
    function(spec, [0.0, limit as f64])
}

fn function(spec: serde_json::Value, range: [f64; 2]) -> Function {
    let function = json!({"feature": {
        "role": "first", "aim": "maximise", "rewards": [0, 100],
        "feature": {"id": "looks", "family": "kuhlmann", "role": null, "formula": "", "range": range, "spec": spec},
    }});
    serde_json::from_value(function).unwrap()
}

/// Visits every state to a depth, and has no table.
const EXHAUSTIVE: AlphaBetaOptions =
    AlphaBetaOptions { table: 0, killers: false, null_window: false, cutoffs: false, clock: false };

/// A lower bound on the number of proved values, of 2,625.
const LEAST_PROOFS: u32 = 1_000;

fn with_table(clock: bool) -> AlphaBetaOptions {
    AlphaBetaOptions { table: 1 << 20, clock, ..AlphaBetaOptions::default() }
}

fn search(
    machine: &dyn Machine,
    function: Option<&Function>,
    state: &State,
    depth: Option<u32>,
    options: AlphaBetaOptions,
) -> SearchResult {
    let context = SearchContext::alone(machine, 0);
    let mut search = match function {
        Some(function) => Deepening::new(context, function, options).unwrap(),
        None => Deepening::plain(context, options),
    };
    search.search(state, &Limits { depth, ..Limits::default() }, &mut |_| {}).unwrap()
}

#[test]
fn states_that_differ_only_in_the_clock_are_equal_without_it() {
    let game = walk(1, 9);
    let machine = &*game.machine;
    let clock = machine.clock().expect("the step is a clock");
    let at = |step: u32| {
        let mut words = machine.initial().0.clone();
        clock.set(&mut words, step);
        State(words)
    };
    assert_ne!(at(2), at(4));
    assert_eq!(clock.without(&at(2)), clock.without(&at(4)));
    // The rules read whose turn it is, so that is not part of the clock.
    let mut cursor = machine.cursor();
    cursor.set(machine.initial()).unwrap();
    let joint: Vec<_> = (0..2).map(|role| cursor.legal(role)[0]).collect();
    cursor.advance(&joint).unwrap();
    assert_ne!(clock.without(cursor.state()), clock.without(machine.initial()));
}

#[test]
fn the_walk_has_a_clock() {
    let game = walk(1, 6);
    assert_eq!(game.machine.clock().map(|clock| clock.last_step()), Some(6));
}

#[test]
fn solved_values_equal_those_of_minimax() {
    for (seed, limit) in (1..=25).flat_map(|seed| (2..=9).map(move |limit| (seed, limit))) {
        let game = walk(seed, limit);
        let machine = &*game.machine;
        for role in 0..2 {
            let context = SearchContext::alone(machine, role);
            let mut carried = Deepening::plain(context.clone(), with_table(true));
            // Searches from the end of a playout back to its beginning; `carried` keeps its table between states.
            for from_end in 1..=limit {
                let state = sample_state(machine, seed, from_end);
                let wanted = f64::from(minimax(&context, &state, &mut HashMap::new()).unwrap());
                let mut fresh = Deepening::plain(context.clone(), with_table(true));
                let found = fresh.search(&state, &Limits::default(), &mut |_| {}).unwrap();
                assert!(found.proved, "{seed} {limit} {from_end}");
                assert_eq!(found.value, Some(wanted), "{seed} {limit} {role} {from_end}");
                let found = carried.search(&state, &Limits::default(), &mut |_| {}).unwrap();
                assert_eq!(found.value, Some(wanted), "{seed} {limit} {role} {from_end} carried on");
            }
        }
    }
}

#[test]
fn values_at_a_depth_equal_exhaustive_search() {
    let (mut proofs, mut proofs_without) = (0, 0);
    for (seed, limit) in (1..=25).flat_map(|seed| [3, 5, 6, 8, 30].map(|limit| (seed, limit))) {
        let game = walk(seed, limit);
        let machine = &*game.machine;
        let state = machine.initial();
        let context = SearchContext::alone(machine, 0);
        let solved = LazyCell::new(|| f64::from(minimax(&context, state, &mut HashMap::new()).unwrap()));
        for function in [None, Some(by_squares(machine, seed)), Some(by_steps(limit))] {
            for depth in 1..=7 {
                let look = |options| search(machine, function.as_ref(), state, Some(depth), options);
                let wanted = look(EXHAUSTIVE);
                let (found, without) = (look(with_table(true)), look(with_table(false)));
                assert_eq!(found.value, wanted.value, "{seed} {limit} {depth} {function:?}");
                proofs += u32::from(found.proved);
                proofs_without += u32::from(without.proved);
                for result in [found, without] {
                    // If all games end before the depth, the value must be proved. Other proofs depend on the content of the
                    // table, but must be correct.
                    assert!(result.proved || !wanted.proved, "{seed} {limit} {depth}");
                    if result.proved {
                        assert_eq!(result.value, Some(*solved), "{seed} {limit} {depth}");
                    }
                }
            }
        }
    }
    let (fewest, most) = (proofs.min(proofs_without), proofs.max(proofs_without));
    assert!(fewest > LEAST_PROOFS && most - fewest <= most / 50, "{proofs} proofs, {proofs_without} without");
}

#[test]
fn the_clock_saves_nodes_unless_the_function_counts_steps() {
    let nodes = |function: &dyn Fn(&dyn Machine) -> Option<Function>, clock: bool| -> u64 {
        let look = |seed| {
            let game = walk(seed, 30);
            let (machine, options) = (&*game.machine, with_table(clock));
            search(machine, function(machine).as_ref(), machine.initial(), Some(10), options).nodes
        };
        (1..=10).map(look).sum()
    };
    let saved = |function: &dyn Fn(&dyn Machine) -> Option<Function>| {
        let (with, without) = (nodes(function, true), nodes(function, false));
        1.0 - with as f64 / without as f64
    };
    assert!(saved(&|_| None) > 0.2, "{}", saved(&|_| None));
    let by_squares = |machine: &dyn Machine| Some(by_squares(machine, 3));
    assert!(saved(&by_squares) > 0.2, "{}", saved(&by_squares));
    assert_eq!(saved(&|_| Some(by_steps(30))), 0.0);
}

#[test]
fn states_with_an_unexpected_clock_are_separate_entries() {
    let game = walk(4, 5);
    let machine = &*game.machine;
    let named = |text: &str| machine.fluent_named(text).unwrap();
    let timeless = machine.state_of(&[named("(token 0)"), named("(control first)")]);
    let context = SearchContext::alone(machine, 0);
    let function = by_squares(machine, 4);
    let limits = Limits { depth: Some(7), ..Limits::default() };
    let mut carried = Deepening::new(context, &function, with_table(true)).unwrap();
    // The state without a step never ends by the clock, so it must not share an entry with other states.
    for state in [machine.initial(), &timeless, machine.initial()] {
        let found = carried.search(state, &limits, &mut |_| {}).unwrap();
        let wanted = search(machine, Some(&function), state, Some(7), with_table(false));
        assert_eq!((found.value, found.proved), (wanted.value, wanted.proved));
    }
}

#[test]
fn mixed_values_equal_those_without_a_table() {
    let whole = SimultaneousOptions { table: 1 << 20, ..SimultaneousOptions::default() };
    let bare = SimultaneousOptions { table: 0, cutoffs: false, serialised: false, clock: false, ..whole };
    for (seed, limit) in (1..=15).flat_map(|seed| [2, 3, 4, 7].map(|limit| (seed, limit))) {
        let game = duel(seed, limit);
        let machine = &*game.machine;
        assert_eq!(machine.clock().map(|clock| clock.last_step() as usize), Some(limit));
        for function in [None, Some(by_squares(machine, seed))] {
            let search = |options: SimultaneousOptions| {
                let context = SearchContext::alone(machine, 0);
                match &function {
                    Some(function) => SimultaneousSearch::new(context, function, options).unwrap(),
                    None => SimultaneousSearch::plain(context, options),
                }
            };
            for depth in 1..=4 {
                let limits = Limits { depth: Some(depth), ..Limits::default() };
                let look = |options| search(options).search(machine.initial(), &limits, &mut |_| {}).unwrap();
                let (found, wanted) = (look(whole), look(bare));
                let apart = (found.value.unwrap() - wanted.value.unwrap()).abs();
                assert!(apart < 1e-4, "{seed} {limit} {depth}: {:?}, not {:?}", found.value, wanted.value);
                assert_eq!(found.proved, wanted.proved, "{seed} {limit} {depth}");
            }
        }
        // `carried` keeps its table from state to state, from the end of a playout back to its beginning.
        let mut carried = SimultaneousSearch::plain(SearchContext::alone(machine, 0), whole);
        for from_end in 1..=limit.min(4) {
            let state = sample_state(machine, seed, from_end);
            let mut fresh = SimultaneousSearch::plain(SearchContext::alone(machine, 0), bare);
            let wanted = fresh.search(&state, &Limits::default(), &mut |_| {}).unwrap();
            let found = carried.search(&state, &Limits::default(), &mut |_| {}).unwrap();
            let apart = (found.value.unwrap() - wanted.value.unwrap()).abs();
            assert!(apart < 1e-4, "{seed} {limit} {from_end}: {:?}, not {:?}", found.value, wanted.value);
        }
    }
}

#[test]
fn max_n_equals_minimax_with_a_clock() {
    for (seed, limit) in (1..=15).flat_map(|seed| (2..=8).map(move |limit| (seed, limit))) {
        let game = walk(seed, limit);
        let machine = &*game.machine;
        let options = MaxnOptions { table: 1 << 20, ..MaxnOptions::default() };
        let teams = Teams::alone(machine).with_sum(Some(100));
        let mut carried = Maxn::plain(machine, 0, teams.clone(), options);
        for from_end in 1..=limit {
            let state = sample_state(machine, seed, from_end);
            let context = SearchContext::alone(machine, 0);
            let wanted = f64::from(minimax(&context, &state, &mut HashMap::new()).unwrap());
            let mut fresh = Maxn::plain(machine, 0, teams.clone(), options);
            for search in [&mut fresh, &mut carried] {
                let found = search.search(&state, &Limits::default(), &mut |_| {}).unwrap();
                assert_eq!((found.value, found.proved), (Some(wanted), true), "{seed} {limit} {from_end}");
            }
        }
    }
}
