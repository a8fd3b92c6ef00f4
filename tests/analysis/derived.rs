//! Promise: solutions of what rules derive, and of joins, are counted as the rules have them, in lanes as one by one, and
//! which are offered depends neither on names nor on the order of rules.

use std::collections::BTreeMap;

use ggp::evaluation::Function;
use ggp::evaluation::statistical::{StatisticalFunction, StatisticalParameters, StatisticalTerm};
use ggp::feature::{Feature, FluentIndex, Spec, StateEvaluator, derived_expressions};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, FluentId, Loaded, Machine, load};
use ggp::simulate::Watch;

use crate::in_lanes::{compare, states};
use crate::renaming::scrambled;

fn load_text(text: &str) -> Loaded {
    let reading = read(&Source::from_text("game", text));
    load(reading.description.unwrap(), Backend::Network, &Limits::default()).unwrap()
}

fn text_of(game: &str) -> String {
    std::fs::read_to_string(format!("games/{game}.kif")).unwrap()
}

fn offered(machine: &dyn Machine) -> Vec<Feature> {
    derived_expressions(&FluentIndex::new(machine), &[], &Watch::default()).unwrap().0
}

fn solutions(literals: &[&str]) -> Spec {
    Spec::Solutions { of: literals.iter().map(|&literal| literal.to_owned()).collect() }
}

#[test]
fn counts_are_those_of_the_rules() {
    let game = load_text(&text_of("tic_tac_toe"));
    let machine = &*game.machine;
    let bind = |literals: &[&str]| solutions(literals).bind(machine).unwrap();
    let mut won = bind(&["(won ?player)"]);
    let mut empty = bind(&["(true (mark ?row ?column empty))"]);
    let mut pairs = bind(&[
        "(after ?one ?other)",
        "(true (mark ?one ?column ?sign))",
        "(true (mark ?other ?column ?sign))",
    ]);
    let mut evaluator = StateEvaluator::new(machine);
    let mut wins = 0;
    for state in states(machine) {
        let position = evaluator.at(&state).unwrap();
        if position.view.terminal() {
            let best = (0..2).filter(|&role| position.view.goals(role) == [100]).count();
            assert_eq!(won.value(&position), best as f64);
            wins += best;
        }
        let mut fluents: Vec<FluentId> = Vec::new();
        machine.fluents(&state, &mut fluents);
        let mut sign: BTreeMap<(u32, u32), String> = BTreeMap::new();
        for text in fluents.iter().map(|&fluent| machine.fluent_text(fluent)) {
            let words: Vec<&str> = text.trim_matches(['(', ')']).split(' ').collect();
            if let ["mark", row, column, other] = words[..] {
                sign.insert((row.parse().unwrap(), column.parse().unwrap()), other.to_owned());
            }
        }
        let free = sign.values().filter(|sign| *sign == "empty").count();
        assert_eq!(empty.value(&position), free as f64);
        let below = |&(row, column): &(u32, u32)| sign.get(&(row + 1, column));
        let alike = sign.iter().filter(|(cell, sign)| below(cell) == Some(sign)).count();
        assert_eq!(pairs.value(&position), alike as f64);
    }
    assert!(wins > 10, "{wins}");
}

#[test]
fn what_is_no_conjunction_of_the_game_is_refused_with_a_reason() {
    let game = load_text(&text_of("tic_tac_toe"));
    let wrong = |literals: &[&str]| solutions(literals).bind(&*game.machine).err().unwrap().to_string();
    assert!(wrong(&["(lost ?player)"]).contains("lost/1"));
    assert!(wrong(&["(won (f ?player))"]).contains("function"));
    assert!(wrong(&["(won ?player"]).contains("(won ?player"));
    let relational = load(
        read(&Source::from_text("game", text_of("tic_tac_toe"))).description.unwrap(),
        Backend::Relational,
        &Limits::default(),
    )
    .unwrap();
    let without = solutions(&["(won ?player)"]).bind(&*relational.machine).err().unwrap();
    assert!(without.to_string().contains("network"), "{without}");
}

#[test]
fn lanes_count_what_is_counted_one_by_one() {
    for name in ["tic_tac_toe", "connect_four", "breakthrough", "checkers", "gold_rush", "king_rook_endgame"]
    {
        let game = load_text(&text_of(name));
        let machine = &*game.machine;
        let term = |(number, feature): (usize, Feature)| StatisticalTerm {
            weight: 0.37 * (number as f64 - 7.3),
            stability: 1.0,
            correlation: 0.5,
            mean: 0.5,
            deviation: 1.5,
            feature,
        };
        let offered = offered(machine);
        assert!(!offered.is_empty(), "{name}");
        let function = |(number, feature): (usize, &Feature)| {
            let terms =
                offered[..number / 4].iter().chain([feature]).cloned().enumerate().map(term).collect();
            Function::Statistical(StatisticalFunction {
                role: machine.term_text(machine.description().roles[0]),
                parameters: StatisticalParameters::default(),
                sequences: 1,
                playouts: 0,
                constant: 50.0,
                scale: 1.0,
                candidates: 0,
                held_out: None,
                terms,
            })
        };
        let functions: Vec<Function> = offered.iter().enumerate().step_by(4).map(function).collect();
        assert_eq!(compare(name, machine, &functions), functions.len(), "{name}");
    }
}

#[test]
fn what_is_offered_depends_on_neither_names_nor_order() {
    for name in ["tic_tac_toe", "connect_four", "checkers", "gold_rush", "sokoban"] {
        let text = text_of(name);
        let told = |text: &str| {
            let game = load_text(text);
            let machine = &*game.machine;
            let mut evaluator = StateEvaluator::new(machine);
            let mut counted: BTreeMap<[u64; 2], usize> = BTreeMap::new();
            for feature in offered(machine) {
                let value =
                    feature.spec.bind(machine).unwrap().value(&evaluator.at(machine.initial()).unwrap());
                // The sign of a difference is a matter of names.
                let widest = feature.range[0].abs().max(feature.range[1].abs());
                *counted.entry([value.abs().to_bits(), widest.to_bits()]).or_default() += 1;
            }
            counted
        };
        assert_eq!(told(&text), told(&scrambled(&text)), "{name}");
    }
}
