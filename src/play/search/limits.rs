//! Limits of a search, and why it ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use crate::ground::Interrupted;
use crate::machine::{ExpansionLimits, MachineError};

/// Limits of a search; it ends at the first one that is reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// Search depth in plies.
    pub depth: Option<u32>,
    /// States visited.
    pub nodes: Option<u64>,
    /// Children computed, visited or not: a state of four roles with 30 moves each has 810,000.
    pub children: Option<u64>,
    /// The time at which the answer is due.
    pub deadline: Option<Instant>,
    /// Once true, the search ends with its best result.
    pub interrupt: Option<&'a AtomicBool>,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The value is proved.
    Solved,
    /// The requested or the greatest possible depth is complete.
    Depth,
    /// The time is over.
    Time,
    /// The nodes are used up.
    Nodes,
    /// The memory is used up.
    Memory,
    /// The caller interrupted it.
    Interrupted,
}

/// The reason for which a search is interrupted.
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
            // The result of smaller depths is valid, or at least a legal move.
            MachineError::TooManyJointMoves { .. }
            | MachineError::TermTooLarge { .. }
            | MachineError::TooManyTerms { .. } => Halt::Stop(Stop::Memory),
            error => Halt::Error(error),
        }
    }
}

/// The time between two readings of the clock, a small part of the 50 ms that a move may be late.
const CLOCK_INTERVAL: Duration = Duration::from_millis(1);

/// The clock is read after at most this many steps. Thousands of cheap steps (states from the table) may be followed by
/// steps of a millisecond each. Reading it takes some tens of nanoseconds.
const MAX_STEPS_BETWEEN: u64 = 64;

/// Counts nodes and decides when to stop.
pub(super) struct Meter<'a> {
    limits: Limits<'a>,
    /// Nodes visited.
    pub(super) nodes: u64,
    /// Extra nodes charged for expensive ones.
    surcharge: u64,
    /// Children computed.
    made: u64,
    /// Nodes visited and children computed: a child costs time even if it is not visited.
    steps: u64,
    /// The step at which the clock is read next, and the number of steps between two readings.
    next: u64,
    every: u64,
    last: Instant,
}

impl<'a> Meter<'a> {
    pub(super) fn new(limits: Limits<'a>) -> Meter<'a> {
        Meter { limits, nodes: 0, surcharge: 0, made: 0, steps: 0, next: 1, every: 1, last: Instant::now() }
    }

    /// The limits for computing children.
    pub(super) fn expansion_limits(&self) -> ExpansionLimits<'a> {
        let Limits { children, deadline, interrupt, .. } = self.limits;
        let children = children.map(|most| most.saturating_sub(self.made) as usize);
        ExpansionLimits { children, deadline, interrupt }
    }

    /// The limits for computing the children of several states together: only time, as they are counted only when they
    /// are visited.
    pub(super) fn time_limits(&self) -> ExpansionLimits<'a> {
        ExpansionLimits { children: None, ..self.expansion_limits() }
    }

    /// The time left if only the clock limits the search. None with a limit of nodes, which must give the same search
    /// each time.
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
        // A node may cost a millisecond, and reading the flag is cheaper than reading the clock.
        if self.interrupted() {
            return Err(Stop::Interrupted);
        }
        if self.steps >= self.next { self.glance() } else { Ok(()) }
    }

    /// Charges the limit of nodes for nodes that cost more than one; they are not reported as nodes.
    pub(super) fn charge(&mut self, nodes: u64) {
        self.surcharge = self.surcharge.saturating_add(nodes);
    }

    /// Counts computed children, so that the clock is read in time.
    pub(super) fn made(&mut self, children: usize) {
        self.made += children as u64;
        self.steps += children as u64;
    }

    /// The limit of nodes.
    pub(super) fn most_nodes(&self) -> Option<u64> {
        self.limits.nodes
    }

    pub(super) fn interrupted(&self) -> bool {
        self.limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Reads the clock at once.
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
            // The cost of a step depends on the game, so the interval between readings adapts.
            self.every = match now - self.last {
                elapsed if elapsed < CLOCK_INTERVAL / 2 => (self.every * 2).min(MAX_STEPS_BETWEEN),
                elapsed if elapsed > CLOCK_INTERVAL => (self.every / 2).max(1),
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
    fn an_interrupt_stops_the_search_at_the_next_node() {
        let flag = AtomicBool::new(false);
        let mut meter = Meter::new(Limits { interrupt: Some(&flag), ..Limits::default() });
        assert_eq!(meter.count(1), Ok(()));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(meter.count(1), Err(Stop::Interrupted));
    }
}
