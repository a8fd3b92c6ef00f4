//! The values of evaluation functions do not depend on the names of symbols or on the order of rules and literals.
//!
//! A scrambled game is played with the same playouts, mapped through the renaming, and its functions are made again from
//! these. On every state of the sample each function has the same values, bit for bit, as a function of the original game.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::listed::{own_games, real_games_named};
use crate::scramble::{REAL_GAMES, Scramble, compare_all, rules_of, scrambled, written};
use ggp::evaluation::{BuildContext, Function, Kind, Parameters, function_statistics, functions};
use ggp::feature::{Feature, StateEvaluator, measure};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{self, Backend, Machine, MoveId, NetworkMachine};
use ggp::simulate::{Budget, Choices, Context};
use ggp::structure::detect;

/// Playouts of each version of a game, and the limit of their work.
const PLAYOUTS: u64 = 24;
const WORK: Option<u64> = Some(100_000_000);

fn load(name: &str, text: &str) -> machine::Loaded {
    let reading = read(&Source::from_text(name, text));
    let description = reading.description.unwrap_or_else(|| panic!("{name}: {:#?}", reading.diagnostics));
    machine::load(description, Backend::Network, &Limits::default()).unwrap()
}

/// The texts of all moves of a game, by move number.
fn moves(game: &machine::Loaded) -> Vec<String> {
    let count = game.grounded.as_ref().unwrap().network.actions.len() as u32;
    (0..count).map(|number| game.machine.move_text(MoveId(number))).collect()
}

/// The functions of a game by kind and role number. The inner key of a function has its values on all states of the sample,
/// its range, mean and correlations, as bits; the number counts the functions with this key.
type Values = BTreeMap<(Kind, usize), BTreeMap<Vec<u64>, usize>>;

fn values(machine: &dyn Machine, statics: &ggp::ground::StaticFacts) -> (Values, usize) {
    let budget = Budget { playouts: PLAYOUTS, work: WORK, ..Budget::default() };
    let context = Context::default();
    let structures = detect(machine, statics, &budget, &context).unwrap().0;
    let report = measure(machine, &structures, &budget, &context).unwrap();
    let features: Vec<Feature> = report.features.into_iter().map(|measured| measured.feature).collect();
    let made =
        functions(&BuildContext::new(machine, &structures, &features, &budget), &Parameters::default());
    let measured = function_statistics(machine, &made.list, &report.sequences, &budget).unwrap();
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let mut found: Values = BTreeMap::new();
    let mut state_evaluator = StateEvaluator::new(machine);
    let mut states = 0;
    let mut ready: Vec<_> = made.list.iter().map(|function| function.bind(machine).unwrap()).collect();
    let mut columns: Vec<Vec<u64>> = vec![Vec::new(); ready.len()];
    for state in report.sequences.iter().flat_map(|sequence| &sequence.states) {
        let position = state_evaluator.at(state).unwrap();
        states += 1;
        for (column, measure) in columns.iter_mut().zip(&mut ready) {
            column.push(measure.value(&position).to_bits());
        }
    }
    for ((function, quality), mut column) in made.list.iter().zip(measured).zip(columns) {
        let role = roles.iter().position(|role| role == Function::role(function)).unwrap();
        column.extend(function.range().map(f64::to_bits));
        column.extend([quality.mean, quality.goal_correlation(), quality.within].map(f64::to_bits));
        *found.entry((function.kind(), role)).or_default().entry(column).or_default() += 1;
    }
    (found, states)
}

/// Whether both games have one function with about the same values. Fuzzy functions add their members in single precision,
/// in the order of the rules.
fn are_alike(one: Option<&BTreeMap<Vec<u64>, usize>>, two: Option<&BTreeMap<Vec<u64>, usize>>) -> bool {
    let column = |values: Option<&BTreeMap<Vec<u64>, usize>>| -> Vec<f64> {
        let only = values.filter(|values| values.len() == 1).and_then(|values| values.keys().next());
        only.into_iter().flatten().map(|&bits| f64::from_bits(bits)).collect()
    };
    let (one, two) = (column(one), column(two));
    let is_close = |(one, two): (&f64, &f64)| (one - two).abs() < 1e-4 || one.is_nan() && two.is_nan();
    !one.is_empty() && one.len() == two.len() && one.iter().zip(&two).all(is_close)
}

fn compare(path: &Path, wrong: &mut Vec<String>) {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let rules = rules_of(path);
    let mut choices = Choices::new(11, 0);
    // Arguments keep their positions, because an order in the opposite direction gives other features.
    let scramble = Scramble { positions: BTreeMap::new(), ..Scramble::new(&rules, &mut choices) };
    let plain = load(&name, &written(&rules));
    let other = load(&name, &written(&scrambled(&rules, &scramble, &mut choices)));
    // The same playouts need the legal moves in the order of the original game, renamed.
    let order: BTreeMap<String, usize> =
        moves(&plain).iter().enumerate().map(|(rank, text)| (scramble.term(text), rank)).collect();
    let ranks: Vec<usize> = moves(&other).iter().map(|text| order[text]).collect();
    let mut grounded = (**other.grounded.as_ref().unwrap()).clone();
    for moves in &mut grounded.network.moves {
        moves.sort_by_key(|chosen| ranks[chosen.action as usize]);
    }
    let mapped = NetworkMachine::new(Arc::new(grounded));

    let (wanted, states) = values(&*plain.machine, &plain.statics);
    let (found, mapped_states) = values(&mapped, &other.statics);
    if states != mapped_states {
        wrong.push(format!("{name}: {mapped_states} states, not {states}"));
        return;
    }
    let kinds: BTreeSet<&(Kind, usize)> = wanted.keys().chain(found.keys()).collect();
    for &key in kinds {
        let (one, two) = (wanted.get(&key), found.get(&key));
        if one == two || key.0 == Kind::Fuzzy && are_alike(one, two) {
            continue;
        }
        let count =
            |values: Option<&BTreeMap<Vec<u64>, usize>>| values.map_or(0, |v| v.values().sum::<usize>());
        let lost =
            one.map_or(0, |one| one.keys().filter(|v| two.is_none_or(|two| !two.contains_key(*v))).count());
        let (kind, role) = key;
        let (one, two) = (count(one), count(two));
        wrong.push(format!(
            "{name}: {kind} of role {role}: {one} functions, scrambled {two}; {lost} have other values"
        ));
    }
}

#[test]
#[ignore = "takes half a minute"]
fn functions_of_scrambled_project_games_keep_their_values() {
    compare_all(&own_games(), compare);
}

#[test]
#[ignore = "takes two minutes, and needs the corpus"]
fn functions_of_scrambled_corpus_games_keep_their_values() {
    compare_all(&real_games_named(&REAL_GAMES), compare);
}
