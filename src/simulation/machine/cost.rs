//! Estimates the cost of random playouts on each machine, to choose the faster one.
//!
//! The constants were measured on one thread of a processor with 512-bit vectors (November 2026), on public games with 0.1
//! to 18 million gates. The estimate uses counted work, not measured time, so a game uses the same machine on every
//! computer.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Machine, RelationalMachine};
use crate::ground::Network;

/// Number of playouts for which the machine is chosen.
const PLAYOUTS: f64 = 10_000.0;

/// Maximum number of sample playouts, of steps in each, and of rows in all.
const SAMPLE_PLAYOUTS: u32 = 32;
const SAMPLE_STEPS: u32 = 1000;
const SAMPLE_ROWS: u64 = 1_000_000;

/// Nanoseconds per row on the relational machine, including all other work in a state: 35 to 130 were measured.
const ROW_NANOSECONDS: f64 = 110.0;

/// Nanoseconds per two-input gate: to compile the lanes, and to evaluate one state in them.
const GATE_COMPILE_NANOSECONDS: f64 = 2000.0;
const GATE_STATE_NANOSECONDS: f64 = 0.0035;

/// Share of the rows of all playouts that an abandoned attempt at grounding may cost. A row of grounding costs about as much
/// as a row of playouts.
const ABANDONED_SHARE: f64 = 1.0 / 6.0;

/// Bytes per two-input gate for compiling the lanes, including the lanes of all threads of an ordinary computer. With one
/// thread, 155 to 160 were measured.
const GATE_BYTES: usize = 250;

/// Number of two-input gates for which compiling the lanes fits into `bytes`.
pub(super) fn max_gates_for_memory(bytes: usize) -> usize {
    bytes / GATE_BYTES
}

/// Default limit for compiling the lanes, in seconds by the constants above.
const MAX_COMPILE_SECONDS: f64 = 15.0;

/// Number of two-input gates for which compiling the lanes fits into half of the time for loading a game, in seconds.
pub(super) fn max_gates_for_time(seconds: f64) -> usize {
    (MAX_COMPILE_SECONDS.min(seconds / 2.0) * 1e9 / GATE_COMPILE_NANOSECONDS) as usize
}

/// The estimated cost of random playouts on the relational machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlayoutCost {
    /// Rows that joins read.
    rows: f64,
    /// States visited.
    states: f64,
}

/// Estimates the cost from sample playouts; none if one fails.
pub(super) fn estimate(machine: &RelationalMachine) -> Option<PlayoutCost> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let roles = machine.description().roles.len();
    let mut cursor = machine.cursor();
    let before = cursor.work();
    let (mut played, mut states) = (0, 0u64);
    while played < SAMPLE_PLAYOUTS && cursor.work() - before < SAMPLE_ROWS {
        cursor.set(machine.initial()).ok()?;
        for _ in 0..SAMPLE_STEPS {
            states += 1;
            if cursor.terminal() || cursor.work() - before >= SAMPLE_ROWS {
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
    Some(PlayoutCost { rows: (cursor.work() - before) as f64 * all, states: states as f64 * all })
}

impl PlayoutCost {
    /// Maximum number of rows for grounding, so that a failed attempt costs little compared with the playouts.
    pub(super) fn max_grounding_rows(self) -> u64 {
        (self.rows * ABANDONED_SHARE) as u64
    }

    /// Whether the playouts cost less on the relational machine than compiling the network and playing in lanes.
    pub(super) fn is_less_than_with(self, network: &Network) -> bool {
        let lanes = network.two_input_gates() as f64
            * (GATE_COMPILE_NANOSECONDS + self.states * GATE_STATE_NANOSECONDS);
        self.rows * ROW_NANOSECONDS < lanes
    }
}
