//! Children and leaf values computed one by one, on any machine and by any function.

use crate::machine::{ChildFields, Children, Expander, JointMoves, Machine, MachineError, State};

use super::leaf::Leaf;
use super::limits::{Halt, Meter};

/// A source that computes one state at a time.
pub(super) struct ScalarSource<'m> {
    /// The estimates by each function.
    pub(super) leaves: Vec<Leaf<'m>>,
    pub(super) expander: Box<dyn Expander + 'm>,
}

impl<'m> ScalarSource<'m> {
    pub(super) fn new(machine: &'m dyn Machine, leaves: Vec<Leaf<'m>>) -> ScalarSource<'m> {
        ScalarSource { leaves, expander: machine.expander() }
    }

    /// Begins a search from a state. Returns whether estimates may differ from those of the last search.
    pub(super) fn begin(&mut self, state: &State) -> bool {
        let mut differ = false;
        for leaf in &mut self.leaves {
            differ |= leaf.begin(state);
        }
        differ
    }

    /// Evaluates a state itself; the result has it as its only child.
    ///
    /// # Errors
    /// The state can't be evaluated.
    pub(super) fn evaluate(&mut self, state: &State) -> Result<Children, MachineError> {
        let mut seen = Children::default();
        self.expander.evaluate(&[state], ChildFields::ALL, &mut seen)?;
        Ok(seen)
    }

    /// Computes all children of a state.
    ///
    /// # Errors
    /// A limit is reached, or a state can't be evaluated.
    pub(super) fn expand(
        &mut self,
        state: &State,
        fields: ChildFields,
        meter: &mut Meter<'_>,
        children: &mut Children,
    ) -> Result<(), Halt> {
        self.expander.expand_within(meter.expansion_limits(), state, JointMoves::All, fields, children)?;
        meter.made(children.len());
        Ok(())
    }
}
