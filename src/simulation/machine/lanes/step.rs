//! The code of one step of all lanes.

use super::draw::Draw;
use super::engine::Executable;
use super::lane_automata::AutomatonTable;
use super::move_table::MoveTable;

/// The code of the steps of one phase.
pub(super) struct Step {
    pub(super) observe: Executable,
    pub(super) select: Executable,
    pub(super) update: Executable,
    /// `update` fused with `observe` of the next phase. If it exists, only the first phase has its own `observe`.
    pub(super) fused_step: Option<Executable>,
    pub(super) draws: Vec<Draw>,
    pub(super) table: Option<MoveTable>,
    pub(super) walks: Vec<AutomatonTable>,
    pub(super) slots: u32,
}
