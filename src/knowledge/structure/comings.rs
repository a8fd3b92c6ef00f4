//! How facts come and go, as far as no playout refuted it.

use super::finding::Latch;

/// How facts of a relation came and went from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comings {
    /// A fact came up.
    pub came: bool,
    /// A fact went.
    pub went: bool,
    /// A fact came up that had gone.
    pub returned: bool,
}

impl Comings {
    /// Adds what was seen elsewhere.
    pub fn add(&mut self, more: Comings) {
        self.came |= more.came;
        self.went |= more.went;
        self.returned |= more.returned;
    }

    /// Whether nothing more can be learned.
    pub(super) fn is_settled(self) -> bool {
        self.went && self.returned
    }

    /// The latch that was not refuted.
    pub(super) fn latch(self) -> Option<Latch> {
        match self {
            Comings { came: true, went: false, .. } => Some(Latch::Stays),
            Comings { went: true, returned: false, .. } => Some(Latch::NeverReturns),
            _ => None,
        }
    }
}
