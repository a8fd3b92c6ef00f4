//! Promise: evaluation functions of one feature have the values of the slides, on real states of the real games.

use std::collections::BTreeMap;

use crate::sampled::loaded;
use ggp::evaluation::kuhlmann::{Aim, Kuhlmann, functions, rewards};
use ggp::feature::{Family, FluentIndex, Ownership, Sources, StateEvaluator, features};
use ggp::machine::{Loaded, Machine, State};
use ggp::simulate::{Budget, Choices, Context};
use ggp::structure::detect;

fn kuhlmann(game: &Loaded) -> Vec<Kuhlmann> {
    let budget = Budget { playouts: 1000, ..Budget::default() };
    let (structures, _) = detect(&*game.machine, &game.statics, &budget, &Context::default()).unwrap();
    let fluent_index = FluentIndex::new(&*game.machine);
    let ownership = Ownership::default();
    let made =
        features(&Sources { fluent_index: &fluent_index, structures: &structures, ownership: &ownership });
    functions(&*game.machine, &structures.teams, &made.list)
}

/// States of random playouts with so many discs of a colour.
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
    let game = loaded(game);
    let all = kuhlmann(&game);
    let wanted = |function: &&Kuhlmann| {
        let formula = format!("count ({disc} ?x ?y {colour})");
        function.role == colour && function.aim == aim && function.feature.formula == formula
    };
    let function = all.iter().find(wanted).unwrap();
    assert_eq!(function.feature.range, [0.0, 64.0]);
    let text = serde_json::to_string(function).unwrap();
    let read: Kuhlmann = serde_json::from_str(&text).unwrap();
    let mut measure = read.bind(&*game.machine).unwrap();
    let states = states_with(&*game.machine, disc, colour, &[8, 12, 10, 14]);
    let mut state_evaluator = StateEvaluator::new(&*game.machine);
    [8, 12, 10, 14].map(|discs| measure.value(&state_evaluator.at(&states[&discs]).unwrap())).to_vec()
}

#[test]
fn reversi_wants_many_discs() {
    assert_eq!(values("reversi", "disc", "black", Aim::Maximise), [13.25, 19.375, 16.3125, 22.4375]);
}

#[test]
fn suicide_reversi_wants_few_discs() {
    assert_eq!(values("suicide_reversi", "square", "dark", Aim::Minimise), [86.75, 80.625, 83.6875, 77.5625]);
}

#[test]
fn every_value_is_between_a_proved_loss_and_a_proved_win() {
    for name in ["connect_four", "king_rook_endgame", "gold_rush", "racetrack_corridor", "rush_hour", "chess"]
    {
        let game = loaded(name);
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
