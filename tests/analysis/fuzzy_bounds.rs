//! Shared code of the tests of fuzzy values: norms, sampled states, and the bounds of values.

use ggp::evaluation::fuzzy::Norm;
use ggp::machine::{Machine, MoveId, State};
use ggp::simulate::Choices;

/// The rounding error of values, which have single precision.
const ROUNDING: f64 = 1e-6;

/// All norms.
pub(crate) const NORMS: [Norm; 8] = [
    Norm::Product,
    Norm::Yager { q: 1.5 },
    Norm::Yager { q: 4.0 },
    Norm::Yager { q: 25.0 },
    Norm::Minimum,
    Norm::Lukasiewicz,
    Norm::Drastic,
    Norm::Strict,
];

/// The states of random playouts.
pub(crate) fn states(machine: &dyn Machine, playouts: u64, steps: usize) -> Vec<State> {
    let mut found = Vec::new();
    for playout in 0..playouts {
        let mut choices = Choices::new(7, playout);
        let mut cursor = machine.cursor();
        for _ in 0..steps {
            found.push(cursor.state().clone());
            let roles = machine.description().roles.len();
            let stuck = (0..roles).any(|role| cursor.legal(role).is_empty());
            if cursor.terminal() || stuck {
                break;
            }
            let joint: Vec<MoveId> =
                (0..roles).map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())]).collect();
            cursor.advance(&joint).unwrap();
        }
    }
    found
}

/// Checks the bounds of a value.
pub(crate) fn check(value: f64, holds: bool, threshold: f64, what: &str) {
    let range = if holds { threshold..=1.0 } else { 0.0..=1.0 - threshold };
    let within = (range.start() - ROUNDING..=range.end() + ROUNDING).contains(&value);
    assert!(within, "{what}: {value}, but the machine says {holds}");
}
