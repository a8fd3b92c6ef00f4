//! Children with their values, without their states.

use std::ops::Range;

use super::children::read_ends;
use super::states::LaneStates;
use super::value::LaneValuer;
use super::word::Word;
use crate::machine::MachineError;
use crate::machine::children::Children;

/// Children of one or more states, with their values.
#[derive(Clone, Debug, Default)]
pub struct ValuedChildren {
    /// The children of all states, state after state: joint moves, ends, and goal values of terminal ones.
    pub children: Children,
    /// For each function, the values of all children; undefined for terminal children.
    pub values: Vec<Vec<f64>>,
    /// For each state, the end of its children.
    pub(super) ends: Vec<usize>,
    pass: Vec<Vec<f64>>,
    goals: Vec<u64>,
}

impl ValuedChildren {
    /// The children of a state, by its index among the expanded states.
    pub fn of(&self, state: usize) -> Range<usize> {
        let start = state.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[state]
    }

    /// Evaluates the children of one state, which are given with their states.
    ///
    /// # Errors
    /// [`MachineError`]: a state can't be evaluated.
    pub fn one_state(
        &mut self,
        mut value: impl FnMut(&[u64]) -> Result<f64, MachineError>,
    ) -> Result<(), MachineError> {
        let ValuedChildren { children, values, ends, .. } = self;
        values.resize(1, Vec::new());
        values[0].clear();
        for child in 0..children.len() {
            values[0].push(if children.terminal(child) { 0.0 } else { value(children.state(child))? });
        }
        ends.clear();
        ends.push(children.len());
        Ok(())
    }

    pub(super) fn clear(&mut self, roles: usize, functions: usize) {
        self.children.clear(roles);
        self.values.resize(functions, Vec::new());
        self.pass.resize(functions, Vec::new());
        self.values.iter_mut().for_each(Vec::clear);
        self.ends.clear();
    }

    /// Adds `children` undefined entries.
    pub(super) fn skip(&mut self, children: usize) {
        self.children.push_all(children, std::iter::empty());
        self.children.push_no_goals_for(children);
        self.values.iter_mut().for_each(|values| values.resize(values.len() + children, 0.0));
    }

    /// Adds the states in lanes. Values outside the lanes of `wanted` are undefined.
    pub(super) fn read(&mut self, states: &mut LaneStates<'_>, wanted: Word, valuer: &mut LaneValuer) {
        let lanes = states.lanes();
        let terminal = states.terminal();
        self.children.push_all(lanes, terminal.lanes());
        read_ends(states, terminal, &mut self.goals, &mut self.children);
        valuer.values_where(states, wanted & !terminal, &mut self.pass);
        self.values.iter_mut().zip(&self.pass).for_each(|(values, pass)| values.extend_from_slice(pass));
    }
}
