//! The result of comparing two machines, or a machine and a recording, on the same playouts.

use serde::Serialize;

/// Number of differences that are stored; further ones are only counted.
const MAX_STORED: usize = 100;

/// The aspect that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aspect {
    /// The roles of the game.
    Roles,
    /// The fluents that hold.
    State,
    /// A role's legal moves.
    Legal,
    /// The order of a role's legal moves or of the fluents; the sets are equal.
    Order,
    /// A recorded move that is not legal.
    Move,
    /// Whether the state is terminal.
    Terminal,
    /// A role's goal values.
    Goals,
    /// One machine failed.
    Failure,
}

/// A difference at a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The recording, or the two back ends.
    pub source: String,
    /// Number of the playout.
    pub playout: u64,
    /// Joint moves before the position.
    pub step: u32,
    /// The aspect that differs.
    pub aspect: Aspect,
    /// The role, if the difference concerns one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Expected items that are missing.
    pub missing: Vec<String>,
    /// Items that are not expected.
    pub extra: Vec<String>,
}

/// The extent and the differences of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Playouts compared, including unfinished ones.
    pub playouts: u64,
    /// Playouts that the time limit cut off.
    pub unfinished: u64,
    /// Joint moves played.
    pub steps: u64,
    /// Positions compared.
    pub positions: u64,
    /// Number of differences. The comparison of a playout ends at the first position whose state differs, because later
    /// positions would differ as well.
    pub differences: u64,
    /// The first differences.
    pub first: Vec<Difference>,
}

impl Comparison {
    pub(super) fn add(&mut self, difference: Difference) {
        self.differences += 1;
        if self.first.len() < MAX_STORED {
            self.first.push(difference);
        }
    }

    /// Adds the result of a later comparison.
    pub fn merge(&mut self, later: Comparison) {
        self.playouts += later.playouts;
        self.unfinished += later.unfinished;
        self.steps += later.steps;
        self.positions += later.positions;
        self.differences += later.differences;
        self.first.extend(later.first);
        self.first.truncate(MAX_STORED);
    }
}

/// The items of two sorted lists without duplicates that occur only in `expected`, and those that occur only in `found`.
pub(super) fn differences_of<A: AsRef<str>, B: AsRef<str>>(
    expected: &[A],
    found: &[B],
) -> Option<(Vec<String>, Vec<String>)> {
    if expected.len() == found.len() && expected.iter().zip(found).all(|(a, b)| a.as_ref() == b.as_ref()) {
        return None;
    }
    let lacks = |items: &[B], item: &str| items.binary_search_by(|other| other.as_ref().cmp(item)).is_err();
    let missing = expected.iter().map(AsRef::as_ref).filter(|item| lacks(found, item));
    let missing: Vec<String> = missing.map(str::to_owned).collect();
    let extra = found.iter().map(AsRef::as_ref);
    let extra = extra.filter(|item| expected.binary_search_by(|other| other.as_ref().cmp(item)).is_err());
    Some((missing, extra.map(str::to_owned).collect()))
}
