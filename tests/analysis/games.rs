//! Every game in `games/` can be played to its end, and the findings agree with its TOML file.

use std::collections::BTreeSet;
use std::path::Path;

use crate::listed::own_games;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{self, Backend, Cursor, Loaded, MoveId};
use ggp::report::labels::{GameLabels, compare_with_labels};
use ggp::simulate::{Budget, Choices, Context};
use ggp::structure::detect;
use ggp::structure::in_kif;

/// Playouts per game; each must end in a terminal state.
const PLAYOUTS: u64 = 20;

fn load(path: &Path) -> Loaded {
    let reading = read(&Source::load(path).unwrap());
    let description =
        reading.description.unwrap_or_else(|| panic!("{}: {:#?}", path.display(), reading.diagnostics));
    machine::load(description, Backend::Auto, &Limits::default()).unwrap()
}

/// Runs a check on every game and reports all games that fail.
fn every_game(check: impl Fn(&Loaded, &GameLabels) -> Vec<String>) {
    let mut wrong = Vec::new();
    for path in own_games() {
        let labels = path.with_extension("toml");
        let text = std::fs::read_to_string(&labels).unwrap_or_else(|e| panic!("{}: {e}", labels.display()));
        let label = GameLabels::read(&text).unwrap_or_else(|e| panic!("{}: {e}", labels.display()));
        let game = load(&path);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        wrong.extend(check(&game, &label).into_iter().map(|what| format!("{name}: {what}")));
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_game_ends_with_one_goal_value_per_role() {
    every_game(|game, label| {
        let machine = &*game.machine;
        let roles = machine.description().roles.len();
        let mut wrong = BTreeSet::new();
        let mut cursor = machine.cursor();
        for playout in 0..PLAYOUTS {
            let mut choices = Choices::new(1, playout);
            cursor.set(machine.initial()).unwrap();
            let mut steps = 0;
            while !cursor.terminal() && steps <= label.max_steps {
                let joint: Option<Vec<MoveId>> = (0..roles)
                    .map(|role| {
                        let legal = cursor.legal(role);
                        legal.get(choices.below(legal.len())).copied()
                    })
                    .collect();
                let Some(joint) = joint else {
                    wrong.insert(format!("no legal move after {steps} steps of playout {playout}"));
                    break;
                };
                cursor.advance(&joint).unwrap();
                steps += 1;
            }
            if !cursor.terminal() {
                wrong.insert(format!("playout {playout} has not ended after {} steps", label.max_steps));
                continue;
            }
            for role in 0..roles {
                if cursor.goals(role).len() != 1 {
                    wrong
                        .insert(format!("goals {:?} of role {role} after {steps} steps", cursor.goals(role)));
                }
            }
        }
        wrong.into_iter().collect()
    });
}

/// The number of sequences of `depth` joint moves from the state of the cursor.
fn perft(cursor: &mut dyn Cursor, roles: usize, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if cursor.terminal() {
        return 0;
    }
    let legal: Vec<Vec<MoveId>> = (0..roles).map(|role| cursor.legal(role).to_vec()).collect();
    let joints: usize = legal.iter().map(Vec::len).product();
    if depth == 1 {
        return joints as u64;
    }
    let here = cursor.state().clone();
    let mut total = 0;
    for number in 0..joints {
        let mut rest = number;
        let joint: Vec<MoveId> = (legal.iter())
            .map(|moves| {
                let choice = moves[rest % moves.len()];
                rest /= moves.len();
                choice
            })
            .collect();
        cursor.set(&here).unwrap();
        cursor.advance(&joint).unwrap();
        total += perft(cursor, roles, depth - 1);
    }
    total
}

#[test]
fn perft_counts_agree_with_the_labels() {
    every_game(|game, label| {
        let machine = &*game.machine;
        let roles = machine.description().roles.len();
        let mut wrong = Vec::new();
        for known in &label.perft {
            let mut cursor = machine.cursor();
            let found = perft(&mut *cursor, roles, known.depth);
            if found != known.count {
                wrong.push(format!(
                    "perft {} is {found} and not {} ({})",
                    known.depth, known.count, known.source
                ));
            }
        }
        wrong
    });
}

/// The default budget of `ggp analyze`: the number of playouts, and the work at which they stop earlier.
fn budget() -> Budget {
    Budget { playouts: 100_000, work: Some(1_000_000_000), ..Budget::default() }
}

#[test]
fn findings_agree_with_the_labels() {
    every_game(|game, label| {
        let machine = &*game.machine;
        let (found, _) = detect(machine, &game.statics, &budget(), &Context::default()).unwrap();
        let roles: Vec<String> =
            machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
        compare_with_labels(&in_kif(&found, machine), &roles, label).differences
    });
}
