//! Whether facts of a relation appeared, disappeared and returned.

use super::finding::Latch;

/// The changes of a relation's facts from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FactChanges {
    /// Some fact appeared.
    pub came: bool,
    /// Some fact disappeared.
    pub went: bool,
    /// Some fact returned after it had disappeared.
    pub returned: bool,
}

impl FactChanges {
    /// Adds the changes of another sample.
    pub fn add(&mut self, more: FactChanges) {
        self.came |= more.came;
        self.went |= more.went;
        self.returned |= more.returned;
    }

    /// Whether both latches are refuted.
    pub(super) fn is_settled(self) -> bool {
        self.went && self.returned
    }

    /// The latch that is not refuted.
    pub(super) fn latch(self) -> Option<Latch> {
        match self {
            FactChanges { came: true, went: false, .. } => Some(Latch::Stays),
            FactChanges { went: true, returned: false, .. } => Some(Latch::NeverReturns),
            _ => None,
        }
    }
}
