//! Depth after depth, until the value is proved or a limit is reached.

use std::time::Instant;

use crate::machine::State;
use crate::search::kept::Kept;
use crate::search::limits::{Limits, Meter, Stop};
use crate::search::score::MOST_PLIES;
use crate::search::thought::{Search, SearchError, Thought};
use crate::search::tree::Halt;

use super::{At, Maxn, POINT};

impl Search for Maxn<'_> {
    fn think(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        tell: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, SearchError> {
        let begin = Instant::now();
        let mut meter = Meter::new(*limits);
        let mut thought = Thought::nothing();
        let (seen, goal) = self.begin(state)?;
        if let Some(goal) = goal {
            return Ok(Thought { value: Some(goal.into()), proved: true, stop: Stop::Solved, ..thought });
        }
        // Before anything is searched any legal move is better than none.
        thought.action = seen.legal(0, self.role).first().copied();
        let own = self.teams.of(self.role);
        let least = i64::from(self.teams.rewards(own)[0]) * POINT;
        let most_depth = limits.depth.unwrap_or(MOST_PLIES).min(MOST_PLIES);
        let mut depth = 1;
        while depth <= most_depth {
            self.best = None;
            let result = self.search(At { ply: 0, depth }, None, &mut meter);
            (thought.nodes, thought.took) = (meter.nodes, begin.elapsed());
            if std::mem::take(&mut self.refuted) {
                self.sum = None;
                self.table = Kept::new(self.options.table, self.teams.len() + 1);
                if result.is_ok() {
                    continue;
                }
            }
            let value = match result {
                Ok(value) => Some(value),
                Err(Halt::Error(error)) => return Err(error.into()),
                Err(Halt::Stop(stop)) => {
                    thought.stop = stop;
                    None
                }
            };
            // A depth cut short counts where it began with what was best before.
            if let Some((joint, found)) =
                self.best.take().filter(|_| value.is_some() || self.options.ordering)
            {
                let lost = found.goals[own] <= least && depth > 1;
                if !lost {
                    thought.action = Some(joint[self.role]);
                    thought.line = vec![joint];
                }
                thought.value = Some(found.goals[own] as f64 / POINT as f64);
            }
            let Some(value) = value else { break };
            if thought.line.first() == self.lines[0].last() {
                thought.line = self.lines[0].iter().rev().cloned().collect();
            }
            (thought.depth, thought.proved) = (depth, value.proved);
            thought.value = Some(value.goals[own] as f64 / POINT as f64);
            tell(&thought);
            if thought.proved {
                thought.stop = Stop::Solved;
                break;
            }
            depth += 1;
        }
        Ok(thought)
    }
}
