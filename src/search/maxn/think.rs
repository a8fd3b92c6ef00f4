//! Max^n by depths.

use crate::machine::{MachineError, State};
use crate::search::by_depth::{ByDepth, ever_deeper};
use crate::search::kept::Kept;
use crate::search::limits::{Halt, Limits, Meter};
use crate::search::thought::{Search, SearchError, Thought};

use super::{At, Maxn, POINT, Value};

impl Maxn<'_> {
    /// The value at a depth, without cutoffs that were refuted on the way: after one it is searched anew.
    fn sound(&mut self, depth: u32, meter: &mut Meter<'_>) -> Result<Value, Halt> {
        loop {
            self.best = None;
            let result = self.search(At { ply: 0, depth }, None, meter);
            let refuted = std::mem::take(&mut self.refuted);
            if refuted {
                self.sum = None;
                self.table = Kept::new(self.options.table, self.teams.len() + 1);
            }
            let value = result?;
            if !refuted {
                return Ok(value);
            }
        }
    }
}

impl ByDepth for Maxn<'_> {
    fn begin(&mut self, state: &State, thought: &mut Thought) -> Result<Option<i32>, MachineError> {
        let (seen, goal) = self.start(state)?;
        if goal.is_none() {
            thought.action = seen.legal(0, self.role).first().copied();
        }
        Ok(goal)
    }

    fn look(&mut self, depth: u32, meter: &mut Meter<'_>, thought: &mut Thought) -> Result<(), Halt> {
        let own = self.teams.of(self.role);
        let least = i64::from(self.teams.rewards(own)[0]) * POINT;
        let result = self.sound(depth, meter);
        // A depth cut short counts where it began with what was best before.
        if let Some((joint, found)) = self.best.take().filter(|_| result.is_ok() || self.options.ordering) {
            let lost = found.goals[own] <= least && depth > 1;
            if !lost {
                thought.action = Some(joint[self.role]);
                thought.line = vec![joint];
            }
            thought.value = Some(found.goals[own] as f64 / POINT as f64);
        }
        let value = result?;
        if thought.line.first() == self.lines[0].last() {
            thought.line = self.lines[0].iter().rev().cloned().collect();
        }
        thought.proved = value.proved;
        thought.value = Some(value.goals[own] as f64 / POINT as f64);
        Ok(())
    }
}

impl Search for Maxn<'_> {
    fn think(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        tell: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, SearchError> {
        ever_deeper(self, state, limits, tell)
    }
}
