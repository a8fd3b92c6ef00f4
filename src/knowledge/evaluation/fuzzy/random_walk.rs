//! The states of a few random playouts, which are the same in each call.

use crate::datalog::Interrupt;
use crate::machine::{Cursor, Machine, MoveId};
use crate::simulate::Choices;

/// Seed of the playouts.
const SEED: u64 = 1;
/// Steps of a playout.
const STEPS: usize = 200;
/// Limit of work: on a network, and on the relational machine, where a unit takes about ten times longer.
const WORK: [u64; 2] = [30_000_000, 3_000_000];

/// Visits the states of random playouts; the second argument of `visit` is true for initial states. Ends if `visit`
/// returns false or an interrupt is set.
pub(super) fn walk(
    machine: &dyn Machine,
    playouts: u64,
    interrupt: &Interrupt,
    visit: &mut dyn FnMut(&dyn Cursor, bool) -> bool,
) {
    let most = WORK[usize::from(machine.network().is_none())];
    let mut cursor = machine.cursor();
    let roles = machine.description().roles.len();
    for playout in 0..playouts {
        // Returning to the initial state costs work as well.
        if cursor.work() > most && playout > 0 {
            return;
        }
        if cursor.set(machine.initial()).is_err() || !visit(&*cursor, true) {
            return;
        }
        let mut choices = Choices::new(SEED, playout);
        for _ in 0..STEPS {
            if cursor.work() > most || interrupt.is_set() {
                return;
            }
            if cursor.terminal() || (0..roles).any(|role| cursor.legal(role).is_empty()) {
                break;
            }
            let joint: Vec<MoveId> = (0..roles)
                .map(|role| {
                    let legal = cursor.legal(role);
                    legal[choices.below(legal.len())]
                })
                .collect();
            if cursor.advance(&joint).is_err() {
                break;
            }
            if !visit(&*cursor, false) {
                return;
            }
        }
    }
}
