//! Max^n by depths.

use crate::machine::{MachineError, State};
use crate::search::iterative_deepening::DepthLimited;
use crate::search::limits::{Halt, Meter};
use crate::search::result::SearchResult;
use crate::search::row_table::RowTable;

use super::{At, Maxn, POINT, Value};

impl Maxn<'_> {
    /// The value at a depth, without cutoffs that were refuted on the way: after one it is searched anew.
    fn sound(&mut self, depth: u32, meter: &mut Meter<'_>) -> Result<Value, Halt> {
        loop {
            self.best = None;
            let searched = self.search_node(At { ply: 0, depth }, None, meter);
            let refuted = std::mem::take(&mut self.refuted);
            if refuted {
                self.sum = None;
                self.table = RowTable::new(self.options.table, self.teams.len() + 1);
            }
            let value = searched?;
            if !refuted {
                return Ok(value);
            }
        }
    }

    /// What a state may be worth to every team, by shares of its goal values: between the least one + 1 and the greatest - 1,
    /// and with the sum that goal values have, where they have one.
    pub(super) fn estimates(&self, shares: &[f64]) -> Vec<i64> {
        let mut goals = Vec::with_capacity(shares.len());
        let (mut sum, mut above) = (0, 0);
        for (team, &share) in shares.iter().enumerate() {
            let [least, most] = self.teams.rewards(team).map(i64::from);
            let width = ((most - least - 2).max(0) * POINT) as f64;
            let base = if most - least < 2 { (least + most) * POINT / 2 } else { (least + 1) * POINT };
            let more = (share * width) as i64;
            (sum, above) = (sum + base, above + more);
            goals.push((base, more, width as i64));
        }
        let factor = match self.sum {
            Some(all) if above > 0 => ((all - sum) as f64 / above as f64).max(0.0),
            _ => 1.0,
        };
        let goal = |&(base, more, width): &(i64, i64, i64)| base + ((more as f64 * factor) as i64).min(width);
        goals.iter().map(goal).collect()
    }
}

impl DepthLimited for Maxn<'_> {
    fn begin(&mut self, state: &State, result: &mut SearchResult) -> Result<Option<i32>, MachineError> {
        let (seen, goal) = self.start(state)?;
        if goal.is_none() {
            result.action = seen.legal(0, self.role).first().copied();
        }
        Ok(goal)
    }

    fn search_to_depth(
        &mut self,
        depth: u32,
        meter: &mut Meter<'_>,
        result: &mut SearchResult,
    ) -> Result<(), Halt> {
        let own = self.teams.of(self.role);
        let least = i64::from(self.teams.rewards(own)[0]) * POINT;
        let searched = self.sound(depth, meter);
        // A depth cut short counts where it began with what was best before.
        if let Some((joint, found)) = self.best.take().filter(|_| searched.is_ok() || self.options.ordering) {
            let lost = found.goals[own] <= least && depth > 1;
            if !lost {
                result.action = Some(joint[self.role]);
                result.principal_variation = vec![joint];
            }
            result.value = Some(found.goals[own] as f64 / POINT as f64);
        }
        let value = searched?;
        if result.principal_variation.first() == self.lines[0].last() {
            result.principal_variation = self.lines[0].iter().rev().cloned().collect();
        }
        result.proved = value.proved;
        result.value = Some(value.goals[own] as f64 / POINT as f64);
        Ok(())
    }
}
