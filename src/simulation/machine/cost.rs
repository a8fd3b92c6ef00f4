//! What random playouts cost on each machine, counted beforehand, so that the one is chosen that is done first.
//!
//! The figures were measured on one thread of a processor with vectors of 512 bits (November 2026), on public games with
//! 0.1 to 18 million gates. They count work, never time, so that a game is played on the same machine everywhere.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Machine, RelationalMachine};
use crate::ground::Network;

/// Playouts that a machine is chosen for.
const PLAYOUTS: f64 = 10_000.0;

/// Playouts, steps of one, and rows in all, that are looked at at most.
const TRIED: u32 = 32;
const STEPS: u32 = 1000;
const ROWS: u64 = 1_000_000;

/// Nanoseconds that the relational machine takes for a row, all that it does besides in the states counted in: 35 to 130.
const ROW: f64 = 110.0;

/// Nanoseconds that making the lanes takes for a two-input gate, and a step in them, for each state.
const GATE_MADE: f64 = 2000.0;
const GATE_PASSED: f64 = 0.0035;

/// The part of the rows of all playouts that may be looked at for a network that is given up; a row of grounding takes
/// about as long.
const LOST: f64 = 1.0 / 6.0;

/// Bytes that making the lanes takes for a two-input gate, and the lanes of an ordinary computer's threads after that: 155
/// to 160 were measured with one thread.
const GATE_BYTES: usize = 250;

/// Two-input gates of which lanes are made in so many bytes.
pub(super) fn gates_made_in(bytes: usize) -> usize {
    bytes / GATE_BYTES
}

/// Seconds that making lanes may take by the figures above, where nobody names fewer for loading a game.
const MAKING: f64 = 15.0;

/// Two-input gates of which lanes are made where a game is loaded in so many seconds: in half of them at most.
pub(super) fn gates_made_within(seconds: f64) -> usize {
    (MAKING.min(seconds / 2.0) * 1e9 / GATE_MADE) as usize
}

/// What random playouts cost on the relational machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Playouts {
    /// Rows that joins look at.
    rows: f64,
    /// States in all.
    states: f64,
}

/// Plays a little; nothing where that fails.
pub(super) fn playouts(machine: &RelationalMachine) -> Option<Playouts> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let roles = machine.description().roles.len();
    let mut cursor = machine.cursor();
    let before = cursor.work();
    let (mut played, mut states) = (0, 0u64);
    while played < TRIED && cursor.work() - before < ROWS {
        cursor.set(machine.initial()).ok()?;
        for _ in 0..STEPS {
            states += 1;
            if cursor.terminal() || cursor.work() - before >= ROWS {
                break;
            }
            let choose = |role: usize| {
                let legal = cursor.legal(role);
                (!legal.is_empty()).then(|| legal[random.random_range(0..legal.len())])
            };
            let Some(joint) = (0..roles).map(choose).collect::<Option<Vec<_>>>() else { break };
            cursor.advance(&joint).ok()?;
        }
        played += 1;
    }
    let all = PLAYOUTS / f64::from(played);
    Some(Playouts { rows: (cursor.work() - before) as f64 * all, states: states as f64 * all })
}

impl Playouts {
    /// Rows that grounding may look at before it takes a considerable part of the time of the playouts.
    pub(super) fn rows_worth_grounding(self) -> u64 {
        (self.rows * LOST) as u64
    }

    /// Whether it is less than that of compiling the network and playing it in lanes.
    pub(super) fn is_less_than_with(self, network: &Network) -> bool {
        let lanes = network.two_input_gates() as f64 * (GATE_MADE + self.states * GATE_PASSED);
        self.rows * ROW < lanes
    }
}
