//! Bounds of a state's value in goal points of the role.

/// The least and the greatest value that is still possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) low: i32,
    pub(super) high: i32,
}

impl Bounds {
    /// A known value.
    pub(super) fn exact(value: i32) -> Bounds {
        Bounds { low: value, high: value }
    }

    /// The bounds that follow from both.
    pub(super) fn and(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// The answer to the question whether the value is at least `threshold`, if the bounds have it.
    pub(super) fn answer(self, threshold: i32) -> Option<bool> {
        if self.low >= threshold {
            Some(true)
        } else if self.high < threshold {
            Some(false)
        } else {
            None
        }
    }
}

/// The bounds of a state from those of its children.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChildBounds {
    /// Whether the role's side chooses.
    pub(super) own: bool,
    bounds: Option<Bounds>,
}

impl ChildBounds {
    /// A choice without children yet.
    pub(super) fn new(own: bool) -> ChildBounds {
        ChildBounds { own, bounds: None }
    }

    /// Adds a child.
    pub(super) fn add(&mut self, child: Bounds) {
        self.bounds = Some(match self.bounds {
            None => child,
            Some(bounds) if self.own => {
                Bounds { low: bounds.low.max(child.low), high: bounds.high.max(child.high) }
            }
            Some(bounds) => Bounds { low: bounds.low.min(child.low), high: bounds.high.min(child.high) },
        });
    }

    /// The bounds; none without children.
    pub(super) fn bounds(self) -> Option<Bounds> {
        self.bounds
    }
}
