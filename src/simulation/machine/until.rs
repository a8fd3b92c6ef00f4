//! When somebody who makes many children at once has to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::{Children, MachineError};

/// What the children of one state may take: their joint moves, states, moves and goal values. A state of some hundred
/// thousand moves and as many fluents passes it.
const CHILDREN_BYTES: usize = 1 << 30;

/// When to stop, whatever is not done by then.
#[derive(Clone, Copy, Debug, Default)]
pub struct Until<'a> {
    /// Children that may be made.
    pub children: Option<usize>,
    /// The time to stop at.
    pub deadline: Option<Instant>,
    /// Once true, it is time.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Until<'_> {
    /// Never.
    pub const DONE: Until<'static> = Until { children: None, deadline: None, interrupt: None };

    /// Whether it is time, or there are too many children; looked at between two of them.
    ///
    /// # Errors
    /// It is.
    pub(super) fn look(&self, children: &Children) -> Result<(), MachineError> {
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(MachineError::Stopped { interrupted: true });
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(MachineError::Stopped { interrupted: false });
        }
        if let Some(most) = self.children.filter(|&most| children.len() > most) {
            return Err(MachineError::TooManyChildren { most });
        }
        if children.bytes() > CHILDREN_BYTES {
            return Err(MachineError::ChildrenTooLarge { mebibytes: CHILDREN_BYTES >> 20 });
        }
        Ok(())
    }
}
