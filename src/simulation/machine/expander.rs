//! The trait for computing the children of states.

use super::children::{ChildFields, Children, JointMoves};
use super::{ExpansionLimits, MachineError, MoveId, State};

/// Plays many joint moves and evaluates all successors. It belongs to one thread, as a [`Cursor`](super::Cursor) does.
pub trait Expander: Send {
    /// Plays joint moves in a state. `children` are the successors, in the order of the moves.
    ///
    /// # Errors
    /// [`MachineError`]: a state can't be evaluated, or there are more than [`MAX_JOINT_MOVES`](super::MAX_JOINT_MOVES)
    /// joint moves.
    fn expand(
        &mut self,
        state: &State,
        joints: JointMoves<'_>,
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        self.expand_within(ExpansionLimits::UNLIMITED, state, joints, fields, children)
    }

    /// Like [`Expander::expand`], within `limits`.
    ///
    /// # Errors
    /// [`MachineError`]: a limit was reached, a state can't be evaluated, there are more than
    /// [`MAX_JOINT_MOVES`](super::MAX_JOINT_MOVES) joint moves, or the children take too much memory.
    fn expand_within(
        &mut self,
        limits: ExpansionLimits<'_>,
        state: &State,
        joints: JointMoves<'_>,
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError>;

    /// Evaluates these states themselves; they become the `children`.
    ///
    /// # Errors
    /// [`MachineError`]: a state can't be evaluated.
    fn evaluate(
        &mut self,
        states: &[&State],
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError>;

    /// Plays one joint move in each state. `joints` has a move for every role, state after state.
    ///
    /// # Errors
    /// [`MachineError`]: a state can't be evaluated.
    fn advance(
        &mut self,
        states: &[&State],
        joints: &[MoveId],
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError>;
}
