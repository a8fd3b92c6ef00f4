//! Children of the last ply, valued in lanes for several functions at once: for searches that need the value of each of them
//! and not the best alone.

use crate::machine::lanes::frontier::{LaneFrontier, ValuedChildren};
use crate::machine::lanes::value::LaneValue;
use crate::machine::{Children, Machine, MachineError, State, Until};

use super::leaf::{Leaf, MOST_GATES};

/// What values the children of states one ply before the depth, if lanes tell all functions.
pub(super) struct ValuedLeaves<'m> {
    functions: Option<Vec<LaneValue>>,
    lanes: Option<LaneFrontier<'m>>,
    valued: ValuedChildren,
}

impl<'m> ValuedLeaves<'m> {
    /// Takes the functions of leaves as lanes compute them.
    pub(super) fn new(leaves: &mut [Leaf<'m>]) -> ValuedLeaves<'m> {
        let functions: Vec<Option<LaneValue>> = leaves.iter_mut().map(Leaf::take_lanes).collect();
        let functions: Option<Vec<LaneValue>> = functions.into_iter().collect();
        // All of them are compiled at once.
        let small = |all: &Vec<LaneValue>| all.iter().map(LaneValue::size).sum::<usize>() <= MOST_GATES;
        ValuedLeaves { functions: functions.filter(small), lanes: None, valued: ValuedChildren::default() }
    }

    /// Makes all children of a state, their ends without their states, and the values of those that are none: for each
    /// function a list. False where lanes can't, or nobody had them compiled yet; then nothing is made.
    ///
    /// # Errors
    /// Those of [`LaneFrontier::expand`].
    pub(super) fn expand(
        &mut self,
        machine: &'m dyn Machine,
        until: Until<'_>,
        state: &State,
        children: &mut Children,
        values: &mut Vec<Vec<f64>>,
    ) -> Result<bool, MachineError> {
        if self.lanes.is_none()
            && let Some(functions) = &self.functions
            && let Some(program) = machine.lanes_for_moves()
        {
            // Whoever interrupts it wants no children in lanes either.
            self.lanes = LaneFrontier::new(program, functions.clone()).ok();
        }
        let Some(lanes) = &mut self.lanes else { return Ok(false) };
        lanes.expand(until, state, &mut self.valued)?;
        std::mem::swap(children, &mut self.valued.children);
        std::mem::swap(values, &mut self.valued.values);
        Ok(true)
    }
}
