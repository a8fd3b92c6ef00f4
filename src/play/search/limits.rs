//! How long a search may go on, and why it ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use crate::ground::Interrupted;
use crate::machine::{MachineError, Until};

/// Where a search ends: at the first of these.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// Search depth in plies; a search that has a value for every one of them is done.
    pub depth: Option<u32>,
    /// States visited.
    pub nodes: Option<u64>,
    /// Children made, visited or not: a state of four roles with 30 moves each has 810,000.
    pub children: Option<u64>,
    /// When the answer has to be there.
    pub deadline: Option<Instant>,
    /// Once true, the search ends with what it has.
    pub interrupt: Option<&'a AtomicBool>,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The value is proved.
    Solved,
    /// The depth asked for is done, or the greatest there is.
    Depth,
    /// The time is over.
    Time,
    /// The nodes are used up.
    Nodes,
    /// The memory is used up.
    Memory,
    /// The caller asked for it.
    Interrupted,
}

/// Why a search did not come to its end.
#[derive(Debug)]
pub(super) enum Halt {
    /// A limit.
    Stop(Stop),
    /// A state can't be evaluated.
    Error(MachineError),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

impl From<Interrupted> for Halt {
    fn from(_: Interrupted) -> Halt {
        Halt::Stop(Stop::Interrupted)
    }
}

impl From<MachineError> for Halt {
    fn from(error: MachineError) -> Halt {
        match error {
            MachineError::Stopped { interrupted: true } => Halt::Stop(Stop::Interrupted),
            MachineError::Stopped { interrupted: false } => Halt::Stop(Stop::Time),
            MachineError::TooManyChildren { .. } => Halt::Stop(Stop::Nodes),
            // What was found at smaller depths stands, or at least a legal move.
            MachineError::TooManyJointMoves { .. }
            | MachineError::TermTooLarge { .. }
            | MachineError::TooManyTerms { .. } => Halt::Stop(Stop::Memory),
            error => Halt::Error(error),
        }
    }
}

/// The clock is looked at about this often: a small part of the 50 ms that a move may be late.
const GLANCE: Duration = Duration::from_millis(1);

/// But never after more steps than these: after thousands that cost next to nothing, as states that are remembered, others
/// may come of a millisecond each. A look costs some tens of nanoseconds.
const MOST_BETWEEN: u64 = 64;

/// Counts nodes and says when to stop.
pub(super) struct Meter<'a> {
    limits: Limits<'a>,
    /// Nodes visited.
    pub(super) nodes: u64,
    /// Nodes that others cost more than a node does.
    surcharge: u64,
    /// Children made.
    made: u64,
    /// Nodes visited and children made: a child made and not visited yet has cost time, too.
    steps: u64,
    /// Steps at which to look at the clock again, and how many lie between two looks.
    next: u64,
    every: u64,
    last: Instant,
}

impl<'a> Meter<'a> {
    pub(super) fn new(limits: Limits<'a>) -> Meter<'a> {
        Meter { limits, nodes: 0, surcharge: 0, made: 0, steps: 0, next: 1, every: 1, last: Instant::now() }
    }

    /// When to stop making children.
    pub(super) fn until(&self) -> Until<'a> {
        let Limits { children, deadline, interrupt, .. } = self.limits;
        let children = children.map(|most| most.saturating_sub(self.made) as usize);
        Until { children, deadline, interrupt }
    }

    /// When to stop making children of several states together, which are counted when they are made: by time alone.
    pub(super) fn until_late(&self) -> Until<'a> {
        Until { children: None, ..self.until() }
    }

    /// The time that is left where the clock alone ends the search; none where a number of nodes does, too, and has to give the
    /// same search each time.
    pub(super) fn time_by_clock(&self) -> Option<Duration> {
        let Limits { nodes, children, deadline, .. } = self.limits;
        let deadline = deadline.filter(|_| nodes.is_none() && children.is_none())?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Counts nodes.
    ///
    /// # Errors
    /// The reason to stop.
    pub(super) fn count(&mut self, nodes: u64) -> Result<(), Stop> {
        self.nodes += nodes;
        self.steps += nodes;
        let Limits { nodes: most_nodes, children: most_children, .. } = self.limits;
        if most_nodes.is_some_and(|most| self.nodes.saturating_add(self.surcharge) > most)
            || most_children.is_some_and(|most| self.made > most)
        {
            return Err(Stop::Nodes);
        }
        // A node may cost a millisecond, and reading the flag costs less than reading the clock.
        if self.interrupted() {
            return Err(Stop::Interrupted);
        }
        if self.steps >= self.next { self.glance() } else { Ok(()) }
    }

    /// Counts against the limit of nodes what some cost beyond one node each; they are not reported as nodes.
    pub(super) fn charge(&mut self, nodes: u64) {
        self.surcharge = self.surcharge.saturating_add(nodes);
    }

    /// Notes that children were made, so that the clock is looked at in time.
    pub(super) fn made(&mut self, children: usize) {
        self.made += children as u64;
        self.steps += children as u64;
    }

    fn interrupted(&self) -> bool {
        self.limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Looks at the clock, however few nodes there were since it was last looked at.
    ///
    /// # Errors
    /// The reason to stop.
    pub(super) fn glance(&mut self) -> Result<(), Stop> {
        if self.interrupted() {
            return Err(Stop::Interrupted);
        }
        if let Some(deadline) = self.limits.deadline {
            let now = Instant::now();
            if now >= deadline {
                return Err(Stop::Time);
            }
            // Steps take very different times from game to game; how many lie between two looks follows them.
            self.every = match now - self.last {
                since if since < GLANCE / 2 => (self.every * 2).min(MOST_BETWEEN),
                since if since > GLANCE => (self.every / 2).max(1),
                _ => self.every,
            };
            self.last = now;
        } else {
            self.every = 1 << 10;
        }
        self.next = self.steps + self.every;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surcharge_counts_against_the_limit_of_nodes() {
        let mut meter = Meter::new(Limits { nodes: Some(10), ..Limits::default() });
        assert_eq!(meter.count(5), Ok(()));
        meter.charge(5);
        assert_eq!((meter.count(1), meter.nodes), (Err(Stop::Nodes), 6));
    }

    #[test]
    fn an_interrupt_ends_it_at_the_next_node() {
        let flag = AtomicBool::new(false);
        let mut meter = Meter::new(Limits { interrupt: Some(&flag), ..Limits::default() });
        assert_eq!(meter.count(1), Ok(()));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(meter.count(1), Err(Stop::Interrupted));
    }
}
