//! Limits of computing many children at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::{Children, MachineError};

/// Maximum memory of the children of one state: joint moves, states, moves and goal values. A state with some hundred
/// thousand moves and as many fluents exceeds it.
const MAX_CHILDREN_BYTES: usize = 1 << 30;

/// The limits of computing children.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExpansionLimits<'a> {
    /// Maximum number of children.
    pub children: Option<usize>,
    /// The deadline.
    pub deadline: Option<Instant>,
    /// When it becomes true, the computation stops.
    pub interrupt: Option<&'a AtomicBool>,
}

impl ExpansionLimits<'_> {
    /// No limits.
    pub const UNLIMITED: ExpansionLimits<'static> =
        ExpansionLimits { children: None, deadline: None, interrupt: None };

    /// Checks the limits; called between children.
    ///
    /// # Errors
    /// [`MachineError`]: a limit is exceeded.
    pub(super) fn check(&self, children: &Children) -> Result<(), MachineError> {
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(MachineError::Stopped { interrupted: true });
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(MachineError::Stopped { interrupted: false });
        }
        if let Some(most) = self.children.filter(|&most| children.len() > most) {
            return Err(MachineError::TooManyChildren { most });
        }
        if children.bytes() > MAX_CHILDREN_BYTES {
            return Err(MachineError::ChildrenTooLarge { mebibytes: MAX_CHILDREN_BYTES >> 20 });
        }
        Ok(())
    }
}
