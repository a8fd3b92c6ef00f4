//! Windows of alpha-beta: the range in which a state's value matters.

use super::score::{INFINITE, Scale};
use super::table::Bound;

/// A lower and an upper bound, from the role's point of view.
pub(super) type Window = (i32, i32);

/// The window that contains all values.
pub(super) const FULL: Window = (-INFINITE, INFINITE);

/// A window from the point of view of the side that chooses: more is better for it.
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
    /// The window of a state in which these sides have a choice; without cutoffs it has no upper bound.
    #[inline]
    pub(super) fn new(choose: [bool; 2], window: Window, cutoffs: bool) -> SideWindow {
        let side = usize::from(choose == [false, true]);
        let sign = if side == 0 { 1 } else { -1 };
        let (low, high) = flip(sign, window);
        SideWindow { side, sign, low, high: if cutoffs { high } else { INFINITE } }
    }

    /// A window of this side from the role's point of view.
    pub(super) fn for_role(self, low: i32, high: i32) -> Window {
        flip(self.sign, (low, high))
    }

    /// Whether a leaf of this value cuts off its siblings.
    #[inline]
    pub(super) fn is_cut_by(self, scale: Scale, score: i32, terminal: bool) -> bool {
        score >= self.high || terminal && self.high < INFINITE && scale.is_win(score)
    }

    /// How a value of this side, found in this window, bounds the exact one, from the role's point of view.
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

/// Changes the point of view if the sign is negative.
#[inline]
fn flip(sign: i32, (low, high): Window) -> Window {
    if sign > 0 { (low, high) } else { (-high, -low) }
}
