//! The code of one step of all lanes.

use super::draw::Draw;
use super::engine::Ready;
use super::move_table::MoveTable;
use super::walk::Walk;

/// The code of the steps of one phase, ready to run.
pub(super) struct Step {
    pub(super) observe: Ready,
    pub(super) select: Ready,
    pub(super) update: Ready,
    /// `update`, then `observe` of the next phase; where it is there, only the first phase has a `observe` of its own.
    pub(super) fused_step: Option<Ready>,
    pub(super) draws: Vec<Draw>,
    pub(super) table: Option<MoveTable>,
    pub(super) walks: Vec<Walk>,
    pub(super) slots: u32,
}
