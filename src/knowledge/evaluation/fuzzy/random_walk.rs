//! States of a few random playouts, always the same, for what has to be known before a function is made.

use crate::datalog::Interrupt;
use crate::machine::{Cursor, Machine, MoveId};
use crate::simulate::Choices;

/// Seed of the playouts.
const SEED: u64 = 1;
/// Steps of a playout.
const STEPS: usize = 200;
/// Work after which it ends, on a network and by the rules, where a unit takes some ten times as long.
const WORK: [u64; 2] = [30_000_000, 3_000_000];

/// Shows the states of so many random playouts, one by one, each with whether a playout begins with it; ends when the
/// visitor has seen enough, or something interrupts it.
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
        // Going back takes work as well.
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
