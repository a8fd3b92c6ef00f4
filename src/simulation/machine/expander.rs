//! What makes the children of states.

use super::children::{ChildFields, Children, JointMoves};
use super::{MachineError, MoveId, State, Until};

/// Expands states: plays many joint moves and looks at all successors. One thread's own, as a
/// [`Cursor`](super::Cursor) is.
pub trait Expander: Send {
    /// Plays joint moves in a state; `children` are the successors, in the order of the moves.
    ///
    /// # Errors
    /// A state can't be evaluated, or there are more than [`MOST_JOINT_MOVES`](super::MOST_JOINT_MOVES) joint moves.
    fn expand(
        &mut self,
        state: &State,
        joints: JointMoves<'_>,
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        self.expand_until(Until::DONE, state, joints, fields, children)
    }

    /// The same, but it stops when it is time.
    ///
    /// # Errors
    /// It was time, a state can't be evaluated, there are more than [`MOST_JOINT_MOVES`](super::MOST_JOINT_MOVES) joint moves, or the children take
    /// too much memory.
    fn expand_until(
        &mut self,
        until: Until<'_>,
        state: &State,
        joints: JointMoves<'_>,
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError>;

    /// Looks at states: the `children` are these themselves.
    ///
    /// # Errors
    /// A state can't be evaluated.
    fn evaluate(
        &mut self,
        states: &[&State],
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError>;

    /// Plays one joint move in each of many states: `joints` has a move for every role, state after state.
    ///
    /// # Errors
    /// A state can't be evaluated.
    fn advance(
        &mut self,
        states: &[&State],
        joints: &[MoveId],
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError>;
}
