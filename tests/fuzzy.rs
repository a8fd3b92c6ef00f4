//! Promise: unrolled goal and terminal conditions say what the rules say. In every state the value of a condition
//! that holds is at least the threshold, of one that does not at most one less; for every norm, on every game.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use std::path::{Path, PathBuf};

use ggp::evaluation::fuzzy::{
    Evaluator, FuzzyFunction, FuzzyParameters, Mention, Norm, UnrollLimits, unroll,
};
use ggp::feature::{Measure, Position, Seat};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Cursor, Loaded, Machine, MoveId, State, load};
use ggp::simulate::{Budget, Choices, Context};
use ggp::structure::detect;
use ggp::structure::finding::Structures;

const ROUNDING: f64 = 1e-12;

fn path(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(game).with_extension("kif")
}

fn game(path: &Path, backend: Backend) -> (Loaded, Structures) {
    let description = read(&Source::load(path).unwrap()).description.unwrap();
    let loaded = load(description, backend, &Limits::default()).unwrap();
    let budget = Budget { playouts: 100, work: Some(20_000_000), ..Budget::default() };
    let structures = detect(&*loaded.machine, &loaded.statics, &budget, &Context::default()).unwrap().0;
    (loaded, structures)
}

fn all_games() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let mut games: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "kif"))
        .collect();
    games.sort();
    games
}

/// States of random playouts, the last one of each included.
fn states(machine: &dyn Machine, playouts: u64, steps: usize) -> Vec<State> {
    let mut found = Vec::new();
    for playout in 0..playouts {
        let mut choices = Choices::new(7, playout);
        let mut cursor = machine.cursor();
        for _ in 0..steps {
            found.push(cursor.state().clone());
            if cursor.terminal() {
                break;
            }
            let roles = machine.description().roles.len();
            let joint: Vec<MoveId> = (0..roles)
                .map(|role| {
                    let legal = cursor.legal(role);
                    legal[choices.below(legal.len())]
                })
                .collect();
            cursor.advance(&joint).unwrap();
        }
        found.push(cursor.state().clone());
    }
    found
}

fn check(value: f64, holds: bool, threshold: f64, what: &str) {
    let within = if holds {
        (threshold - ROUNDING..=1.0 + ROUNDING).contains(&value)
    } else {
        (-ROUNDING..=1.0 - threshold + ROUNDING).contains(&value)
    };
    assert!(within, "{what}: {value} where the machine says {holds}");
}

fn check_game(path: &Path, backend: Backend, limits: &UnrollLimits) -> String {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let (loaded, structures) = game(path, backend);
    let machine = &*loaded.machine;
    let states = states(machine, 6, 120);
    let norms = [Norm::Product, Norm::Yager { q: 2.0 }, Norm::Minimum, Norm::Lukasiewicz];
    let mut report = format!("{name}:");
    for role in 0..machine.description().roles.len() {
        let parameters = FuzzyParameters::default();
        let started = std::time::Instant::now();
        let made = unroll(machine, &structures, role, &|_| true, &parameters, limits).unwrap();
        let seconds = started.elapsed().as_secs_f64();
        let mentions: usize = made.formula.nodes.iter().map(|node| node.mentions().count()).sum();
        report += &format!(
            " [{} nodes, {mentions} mentions, {} loops, {seconds:.2} s{}]",
            made.formula.nodes.len(),
            made.formula.loops.len(),
            made.lifted.iter().map(|lifted| format!(", lifted {}", lifted.relation)).collect::<String>()
        );
        let mut roots: Vec<Mention> = made.goals.iter().map(|(_, mention)| *mention).collect();
        roots.push(made.terminal);
        for norm in norms {
            let parameters = FuzzyParameters { norm, ..parameters };
            let mut evaluator = Evaluator::new(machine, &made.formula, &roots, parameters).unwrap();
            let mut seat = Seat::new(machine);
            for state in &states {
                let position = seat.at(state).unwrap();
                evaluator.update(position.facts);
                let what = |part: &str| format!("{name}, role {role}, {part}, {norm:?}");
                let threshold = parameters.threshold;
                check(
                    evaluator.value(made.terminal),
                    position.cursor.terminal(),
                    threshold,
                    &what("terminal"),
                );
                let goals = position.cursor.goals(role);
                for (value, mention) in &made.goals {
                    let holds = goals.contains(value);
                    check(evaluator.value(*mention), holds, threshold, &what(&format!("goal {value}")));
                }
                assert!(goals.iter().all(|value| made.goals.iter().any(|(other, _)| other == value)));
            }
        }
    }
    report
}

#[test]
fn values_agree_with_the_machine_on_every_game() {
    for path in all_games() {
        let report = check_game(&path, Backend::Auto, &UnrollLimits::default());
        println!("{report}");
    }
}
