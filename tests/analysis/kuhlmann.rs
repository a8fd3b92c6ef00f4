//! Evaluation functions of one feature have the values of the published slides, in states of the original games.

use std::collections::BTreeMap;

use crate::sampled::{load_game, load_source};
use ggp::evaluation::scaled_feature::{Aim, ScaledFeature, functions, rewards};
use ggp::evaluation::{GoalEvidence, RewardSource};
use ggp::feature::{Family, FluentIndex, Ownership, Sources, StateEvaluator, features};
use ggp::gdl::Source;
use ggp::machine::{Loaded, Machine, State};
use ggp::simulate::{Budget, Choices, Context};
use ggp::structure::detect;

/// A king that leaves walls behind.
const WALLS: &str = "
(role walker) (succ 1 2) (succ 2 3) (succ 3 4) (index 1) (index 2) (index 3)
(init (cell 1 1 king)) (init (step 1))
(<= (init (cell ?x ?y blank)) (index ?x) (index ?y) (not (start ?x ?y)))
(start 1 1)
(<= (legal walker (go ?z ?y)) (true (cell ?x ?y king)) (near ?x ?z) (true (cell ?z ?y blank)))
(<= (legal walker (go ?x ?z)) (true (cell ?x ?y king)) (near ?y ?z) (true (cell ?x ?z blank)))
(<= (legal walker rest) (true (step ?n)))
(<= (near ?x ?y) (succ ?x ?y) (index ?y)) (<= (near ?x ?y) (succ ?y ?x) (index ?x))
(<= moved (does walker (go ?x ?y)))
(<= (next (cell ?x ?y king)) (does walker (go ?x ?y)))
(<= (next (cell ?x ?y king)) (true (cell ?x ?y king)) (not moved))
(<= (next (cell ?x ?y wall)) (true (cell ?x ?y king)) moved)
(<= (next (cell ?x ?y wall)) (true (cell ?x ?y wall)))
(<= (next (cell ?x ?y blank)) (true (cell ?x ?y blank)) (not (does walker (go ?x ?y))))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 4)))
(<= (goal walker 100) (true (cell 2 2 wall))) (<= (goal walker 0) (not (true (cell 2 2 wall))))";

/// Piles on a board, each owned by one of two sides. A move takes one thing from a pile and chooses the new owner.
const PILES: &str = "
(role taker) (succ 0 1) (succ 1 2) (succ 2 3) (index 1) (index 2) (index 3)
(init (step 0))
(<= (init (pile ?x ?y north 3)) (index ?x) (index ?y) (distinct ?x ?y))
(<= (init (pile ?x ?x south 2)) (index ?x))
(side north) (side south)
(<= (legal taker (take ?x ?y ?o)) (true (pile ?x ?y ?w ?n)) (succ ?m ?n) (side ?o))
(<= (next (pile ?x ?y ?o ?m)) (does taker (take ?x ?y ?o)) (true (pile ?x ?y ?w ?n)) (succ ?m ?n))
(<= (taken ?x ?y) (does taker (take ?x ?y ?o)))
(<= (next (pile ?x ?y ?w ?n)) (true (pile ?x ?y ?w ?n)) (not (taken ?x ?y)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 3)))
(<= row (true (pile ?x ?y south 0)) (succ ?x ?z) (true (pile ?z ?y south 0)))
(<= row (true (pile ?x ?y south 0)) (succ ?y ?z) (true (pile ?x ?z south 0)))
(<= (goal taker 100) row) (<= (goal taker 0) (not row))";

fn functions_of_rules(rules: &str) -> Vec<ScaledFeature> {
    kuhlmann(&load_source(&Source::from_text("game", rules)))
}

/// The formulas of Kuhlmann's features, each with whether it goes beyond the table of 2006.
fn formulas(functions: &[ScaledFeature]) -> BTreeMap<String, bool> {
    let own = functions.iter().map(|function| &function.feature).filter(|one| one.family == Family::Kuhlmann);
    own.map(|feature| (feature.formula.clone(), feature.beyond_source)).collect()
}

#[test]
fn markers_are_counted_next_to_pieces() {
    let found = formulas(&functions_of_rules(WALLS));
    assert_eq!(found.get("index of argument 1 of (cell ?x ?y king)"), Some(&false), "{found:?}");
    assert_eq!(found.get("index of argument 2 of (cell ?x ?y king)"), Some(&false), "{found:?}");
    assert_eq!(found.get("count (cell ?x ?y wall)"), Some(&true), "{found:?}");
    // In a game without pieces, the table of 2006 itself counts markers.
    let reversi = formulas(&kuhlmann(&load_game("reversi")));
    assert!(!reversi.is_empty() && reversi.values().all(|beyond| !beyond), "{reversi:?}");
}

#[test]
fn amounts_on_boards_are_features() {
    let found = formulas(&functions_of_rules(PILES));
    for (x, y) in (1..=3).flat_map(|x| (1..=3).map(move |y| (x, y))) {
        let formula = format!("index of argument 4 of (pile {x} {y} ?x ?y)");
        assert_eq!(found.get(&formula), Some(&true), "{found:?}");
    }
    assert_eq!(found.get("count (pile ?x ?y north ?z)"), Some(&false), "{found:?}");
}

fn kuhlmann(game: &Loaded) -> Vec<ScaledFeature> {
    let budget = Budget { playouts: 1000, ..Budget::default() };
    let (structures, _) = detect(&*game.machine, &game.statics, &budget, &Context::default()).unwrap();
    let fluent_index = FluentIndex::new(&*game.machine);
    let ownership = Ownership::default();
    let made =
        features(&Sources { fluent_index: &fluent_index, structures: &structures, ownership: &ownership });
    functions(&*game.machine, &structures.teams, &made.list, &GoalEvidence::default())
}

/// States of random playouts, by their number of discs of a colour.
fn states_with(machine: &dyn Machine, disc: &str, colour: &str, discs: &[usize]) -> BTreeMap<usize, State> {
    let mut found = BTreeMap::new();
    for playout in 0.. {
        let (mut cursor, mut choices) = (machine.cursor(), Choices::new(1, playout));
        while !cursor.terminal() {
            let mut facts = Vec::new();
            machine.fluents(cursor.state(), &mut facts);
            let ours = |fact: &&_| {
                let text = machine.fluent_text(**fact);
                text.starts_with(&format!("({disc} ")) && text.ends_with(&format!(" {colour})"))
            };
            let count = facts.iter().filter(ours).count();
            if discs.contains(&count) {
                found.entry(count).or_insert_with(|| cursor.state().clone());
            }
            let joint: Vec<_> =
                (0..2).map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())]).collect();
            cursor.advance(&joint).unwrap();
        }
        if found.len() == discs.len() {
            break;
        }
    }
    found
}

fn values(game: &str, disc: &str, colour: &str, aim: Aim) -> Vec<f64> {
    let game = load_game(game);
    let all = kuhlmann(&game);
    let wanted = |function: &&ScaledFeature| {
        let formula = format!("count ({disc} ?x ?y {colour})");
        function.role == colour && function.aim == aim && function.feature.formula == formula
    };
    let function = all.iter().find(wanted).unwrap();
    assert_eq!(function.feature.range, [0.0, 64.0]);
    let text = serde_json::to_string(function).unwrap();
    let read: ScaledFeature = serde_json::from_str(&text).unwrap();
    let mut measure = read.bind(&*game.machine).unwrap();
    let states = states_with(&*game.machine, disc, colour, &[8, 12, 10, 14]);
    let mut state_evaluator = StateEvaluator::new(&*game.machine);
    [8, 12, 10, 14].map(|discs| measure.value(&state_evaluator.at(&states[&discs]).unwrap())).to_vec()
}

#[test]
fn reversi_maximises_discs() {
    assert_eq!(values("reversi", "disc", "black", Aim::Maximise), [13.25, 19.375, 16.3125, 22.4375]);
}

#[test]
fn suicide_reversi_minimises_discs() {
    assert_eq!(values("suicide_reversi", "square", "dark", Aim::Minimise), [86.75, 80.625, 83.6875, 77.5625]);
}

#[test]
fn unattainable_goal_values_are_ignored() {
    let game = load_game("reversi");
    let reward_range = |unattainable: &[i32], seen: &[i32]| {
        let known = GoalEvidence { unattainable: vec![unattainable.to_vec()], seen: vec![seen.to_vec()] };
        known.rewards(&*game.machine, 0)
    };
    assert_eq!(reward_range(&[], &[0, 50, 100]), ([0, 100], RewardSource::Rules));
    assert_eq!(reward_range(&[100], &[0, 50]), ([0, 50], RewardSource::Proved));
    assert_eq!(reward_range(&[], &[50, 100]), ([50, 100], RewardSource::Seen));
    assert_eq!(reward_range(&[0], &[50]), ([50, 100], RewardSource::Proved));
    // A single value gives no range, and some value must be attainable: both cases use the values of the rules.
    assert_eq!(reward_range(&[], &[50]), ([0, 100], RewardSource::Rules));
    assert_eq!(reward_range(&[0, 50, 100], &[]), ([0, 100], RewardSource::Rules));
}

#[test]
fn values_are_between_proved_loss_and_proved_win() {
    for name in ["connect_four", "king_rook_endgame", "gold_rush", "racetrack_corridor", "rush_hour", "chess"]
    {
        let game = load_game(name);
        let machine = &*game.machine;
        let mut measures: Vec<_> = kuhlmann(&game)
            .into_iter()
            .map(|function| {
                assert_ne!(function.feature.family, Family::Expression);
                let role = game.machine.description().roles.iter();
                let role = role.map(|&role| machine.term_text(role)).position(|role| role == function.role);
                (rewards(machine, role.unwrap()), function.bind(machine).unwrap(), function.id())
            })
            .collect();
        assert!(!measures.is_empty(), "{name}");
        let mut state_evaluator = StateEvaluator::new(machine);
        let (mut cursor, mut choices) = (machine.cursor(), Choices::new(3, 0));
        for _ in 0..30 {
            let position = state_evaluator.at(cursor.state()).unwrap();
            for (rewards, measure, id) in &mut measures {
                let (value, [least, most]) = (measure.value(&position), rewards.map(f64::from));
                assert!(value >= least + 1.0 && value <= most - 1.0, "{name}: {id} is {value}");
            }
            if cursor.terminal() {
                break;
            }
            let roles = 0..machine.description().roles.len();
            let joint: Vec<_> =
                roles.map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())]).collect();
            cursor.advance(&joint).unwrap();
        }
    }
}
