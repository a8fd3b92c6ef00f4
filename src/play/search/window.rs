//! Windows of alpha-beta: the values between which a state's value matters.

use super::score::{INFINITE, Scale};
use super::table::Bound;

/// A lower and an upper bound, from the role's point of view.
pub(super) type Window = (i32, i32);

/// The window that leaves nothing out.
pub(super) const FULL: Window = (-INFINITE, INFINITE);

/// A window from the point of view of the side that chooses in a state: more is better for it.
#[derive(Clone, Copy)]
pub(super) struct SideWindow {
    /// 0 if the role's side chooses, else 1.
    pub(super) side: usize,
    /// 1 if the role's side chooses, else -1.
    pub(super) sign: i32,
    pub(super) low: i32,
    pub(super) high: i32,
}

impl SideWindow {
    /// The window in a state in which these sides have a choice; without cutoffs it has no upper bound.
    #[inline]
    pub(super) fn new(choose: [bool; 2], window: Window, cutoffs: bool) -> SideWindow {
        let side = usize::from(choose == [false, true]);
        let sign = if side == 0 { 1 } else { -1 };
        let (low, high) = flip(sign, window);
        SideWindow { side, sign, low, high: if cutoffs { high } else { INFINITE } }
    }

    /// A window of this side as the role sees it.
    pub(super) fn for_role(self, low: i32, high: i32) -> Window {
        flip(self.sign, (low, high))
    }

    /// Whether a leaf of this value ends the search of its siblings.
    #[inline]
    pub(super) fn is_cut_by(self, scale: Scale, score: i32, terminal: bool) -> bool {
        score >= self.high || terminal && self.high < INFINITE && scale.is_win(score)
    }

    /// What a search in this window says of a value that this side sees, from the role's point of view.
    #[inline]
    pub(super) fn bound(self, score: i32) -> Bound {
        let bound = match score {
            score if score >= self.high => Bound::AtLeast,
            score if score <= self.low => Bound::AtMost,
            _ => Bound::Exact,
        };
        if self.sign < 0 { bound.reversed() } else { bound }
    }
}

/// A window from the other side's point of view, if the sign is negative.
#[inline]
fn flip(sign: i32, (low, high): Window) -> Window {
    if sign > 0 { (low, high) } else { (-high, -low) }
}
