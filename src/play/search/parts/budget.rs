//! The limit of the work to prove a property of a game, and why there is no proof.

use crate::machine::MachineError;
use crate::search::limits::{Halt, Meter, Stop};

/// The limit of all work, in operands of gates; two or three seconds. A search with a limit of nodes has less.
const WORK: u64 = 1_000_000_000;
const WORK_PER_NODE: u64 = 1_000;

/// An operand that an evaluation reads out of order takes as long as this number of operands that are read in order.
const WORK_OUT_OF_ORDER: usize = 4;

/// The work after which the clock is read.
const CLOCK_WORK: u64 = 1_000_000;

/// Why there is no proof.
pub(super) enum Failure {
    /// The game is not such a sum, or the work to prove it is too much.
    NotProved,
    /// A limit of the search, or an error.
    Halt(Halt),
}

impl From<MachineError> for Failure {
    fn from(error: MachineError) -> Failure {
        Failure::Halt(error.into())
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Halt(stop.into())
    }
}

/// Counts the work.
pub(super) struct Budget<'a, 'm> {
    left: u64,
    since_clock: u64,
    pub(super) meter: &'a mut Meter<'m>,
}

impl<'a, 'm> Budget<'a, 'm> {
    pub(super) fn new(meter: &'a mut Meter<'m>) -> Budget<'a, 'm> {
        let left = meter.most_nodes().map_or(WORK, |most| most.saturating_mul(WORK_PER_NODE).min(WORK));
        Budget { left, since_clock: 0, meter }
    }

    /// Counts the work of an evaluation, which goes through a heap.
    pub(super) fn spend_on_evaluation(&mut self, work: usize) -> Result<(), Failure> {
        self.spend(work.saturating_mul(WORK_OUT_OF_ORDER))
    }

    pub(super) fn spend(&mut self, work: usize) -> Result<(), Failure> {
        self.left = self.left.checked_sub(work as u64).ok_or(Failure::NotProved)?;
        self.since_clock += work as u64;
        if self.since_clock >= CLOCK_WORK {
            self.since_clock = 0;
            self.meter.glance()?;
        }
        Ok(())
    }
}

/// # Errors
/// The condition does not hold.
pub(super) fn ensure(condition: bool) -> Result<(), Failure> {
    condition.then_some(()).ok_or(Failure::NotProved)
}
