//! A short random walk, because some later states derive far more atoms than the initial one. Relations that grow in them
//! are derived on demand as well. The walk depends only on counted work, so all playouts use the same machine on every
//! computer.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Attempt;
use super::cursor::RelationalCursor;
use crate::machine::{Cursor, MachineError, MoveId, StateView};

/// Number of playouts, and of states in all.
const PLAYOUTS: u64 = 8;
const STATES: usize = 512;

/// Maximum number of rows that joins read, in one state and in all.
const ROWS: u64 = 1_000_000;

/// Records the size of the largest state of a few random playouts.
///
/// # Errors
/// [`MachineError`] and the number of rows of each relation: a state exceeds the limit on atoms or rows.
pub(super) fn measure_largest_state(attempt: &mut Attempt) -> Result<(), (MachineError, Vec<u32>)> {
    let Attempt { machine, derived, rows } = attempt;
    let roles = machine.rules.description.roles.len();
    let initial = machine.initial.clone();
    let mut cursor = RelationalCursor::new(machine).with_work(ROWS);
    let mut states = 0;
    for playout in 0..PLAYOUTS {
        let mut random = ChaCha8Rng::seed_from_u64(playout);
        if let Err(error) = cursor.set(&initial) {
            return Err((error, cursor.rows()));
        }
        while !cursor.terminal() && states < STATES && cursor.work() < ROWS {
            let choose = |role: usize| {
                let legal = cursor.legal(role);
                (!legal.is_empty()).then(|| legal[random.random_range(0..legal.len())])
            };
            let Some(joint) = (0..roles).map(choose).collect::<Option<Vec<MoveId>>>() else { break };
            if let Err(error) = cursor.advance(&joint) {
                return Err((error, cursor.rows()));
            }
            states += 1;
            if cursor.derived() > *derived {
                (*derived, *rows) = (cursor.derived(), cursor.rows());
            }
        }
    }
    Ok(())
}
