//! A look at later states: some derive far more than the initial one, and the relations that grow in them are then
//! derived on demand as well. The walk is the same for every machine of a game, by counted work, so that all playouts have
//! one machine on any computer.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Attempt;
use super::cursor::RelationalCursor;
use crate::machine::{Cursor, MachineError, MoveId, StateView};

/// Playouts and states that are looked at.
const PLAYOUTS: u64 = 8;
const STATES: usize = 512;

/// Rows that joins may look at, in one state and in all.
const ROWS: u64 = 1_000_000;

/// Notes what the largest state of a few random playouts derives.
///
/// # Errors
/// One derives more than the machine's states may, or looks at too many rows; with the rows that each relation had.
pub(super) fn look(attempt: &mut Attempt) -> Result<(), (MachineError, Vec<u32>)> {
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
