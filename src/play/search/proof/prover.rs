//! Proves the values of all roles, in steps that a caller can mix with other methods.

use std::sync::Arc;

use crate::machine::{Machine, MachineError, MoveId, State};
use crate::search::context::SearchContext;
use crate::search::limits::{Halt, Limits, Meter, Stop};
use crate::search::symmetry::Symmetries;

use super::bounds::Bounds;
use super::search::{Abort, ProofSearch};

/// How a step of a prover ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) enum Progress {
    /// The values of all roles are proved.
    Proved,
    /// A limit is reached.
    Stopped(Stop),
    /// Play can repeat a state, both sides have a choice at the same time, or games are too long.
    Unsuitable,
}

/// The proofs of a state's values, as far as they are complete.
pub(in crate::search) struct Prover<'a, 'm> {
    machine: &'m dyn Machine,
    teams: &'a [Vec<usize>],
    state: &'a State,
    symmetries: Option<Arc<Symmetries>>,
    memory: usize,
    /// The search for the role whose value is proved next.
    search: Option<ProofSearch<'m>>,
    bounds: Bounds,
    /// For each role its value, if proved.
    pub(in crate::search) values: Vec<Option<i32>>,
    /// The joint moves of best play by the first role's search.
    pub(in crate::search) line: Vec<Vec<MoveId>>,
    /// States visited.
    pub(in crate::search) nodes: u64,
}

impl<'a, 'm> Prover<'a, 'm> {
    /// A prover that has not begun.
    pub(in crate::search) fn new(
        (machine, teams): (&'m dyn Machine, &'a [Vec<usize>]),
        state: &'a State,
        symmetries: Option<&Arc<Symmetries>>,
        memory: usize,
    ) -> Prover<'a, 'm> {
        let roles = machine.description().roles.len();
        Prover {
            machine,
            teams,
            state,
            symmetries: symmetries.cloned(),
            memory,
            search: None,
            bounds: Bounds::exact(0),
            values: vec![None; roles],
            line: Vec::new(),
            nodes: 0,
        }
    }

    /// Continues within limits; the limit of nodes applies to this step.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub(in crate::search) fn advance(&mut self, limits: &Limits<'_>) -> Result<Progress, MachineError> {
        let before = self.nodes;
        let stop = loop {
            let left = limits.nodes.map(|most| most.saturating_sub(self.nodes - before));
            match self.step(&Limits { nodes: left, ..*limits }) {
                Ok(true) => return Ok(Progress::Proved),
                Ok(false) => {}
                Err(Abort::Unsuitable) => return Ok(Progress::Unsuitable),
                Err(Abort::Halt(Halt::Stop(stop))) => break stop,
                Err(Abort::Halt(Halt::Error(error))) => return Err(error),
            }
        };
        Ok(Progress::Stopped(stop))
    }

    /// The proved values.
    pub(in crate::search) fn values(&self) -> impl Iterator<Item = i32> {
        self.values.iter().flatten().copied()
    }

    /// Frees the memory of the search; proved values remain.
    pub(in crate::search) fn free(&mut self) {
        self.search = None;
    }

    /// Searches for one proof, or begins with another role. Returns whether all values are proved.
    fn step(&mut self, limits: &Limits<'_>) -> Result<bool, Abort> {
        let Some(role) = self.values.iter().position(Option::is_none) else { return Ok(true) };
        let search = self.search.get_or_insert_with(|| {
            let context = SearchContext::in_team(self.machine, role, self.teams);
            let search = ProofSearch::new(context, self.symmetries.as_ref(), self.memory);
            self.bounds = search.widest();
            search
        });
        let threshold = search.threshold(self.bounds);
        if self.bounds.answer(threshold).is_none() {
            let mut meter = Meter::new(*limits);
            let found = search.prove((self.state, 0), threshold, &mut meter);
            self.nodes += meter.nodes;
            self.bounds = self.bounds.and(found?);
        }
        if self.bounds.low == self.bounds.high {
            let mut search = self.search.take().expect("it was made above");
            self.values[role] = Some(self.bounds.low);
            for other in role + 1..self.values.len() {
                let context = SearchContext::in_team(self.machine, other, self.teams);
                self.values[other] = self.values[other].or(search.implied(&context, self.bounds.low));
            }
            if role == 0 {
                let mut meter = Meter::new(*limits);
                let line = search.line(self.state, self.bounds.low, &mut meter, &mut self.line);
                self.nodes += meter.nodes;
                line?;
            }
        }
        Ok(self.values.iter().all(Option::is_some))
    }
}
