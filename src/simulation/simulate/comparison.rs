//! What a comparison of two ways to play the same playouts found.

use serde::Serialize;

/// Differences kept; more are only counted.
const KEPT: usize = 100;

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aspect {
    /// The roles of the game.
    Roles,
    /// The fluents that hold.
    State,
    /// A role's legal moves.
    Legal,
    /// The order of a role's legal moves, or of the fluents.
    Order,
    /// A move that was played but is not legal.
    Move,
    /// Whether the state is terminal.
    Terminal,
    /// A role's goal values.
    Goals,
    /// A machine that could not go on.
    Failure,
}

/// A difference: what was expected and is missing, what was not expected and is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The recording, or the back ends compared.
    pub source: String,
    /// Number of the playout.
    pub playout: u64,
    /// Joint moves before the position.
    pub step: u32,
    /// What differs.
    pub aspect: Aspect,
    /// For which role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Expected, and not there.
    pub missing: Vec<String>,
    /// There, and not expected.
    pub extra: Vec<String>,
}

/// What a comparison went through, and what it found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Playouts compared, the unfinished ones included.
    pub playouts: u64,
    /// Playouts left before their end because time was over.
    pub unfinished: u64,
    /// Joint moves played.
    pub steps: u64,
    /// Positions compared.
    pub positions: u64,
    /// Differences found. A playout is left at the first position whose state differs, for all that follows
    /// would differ too.
    pub differences: u64,
    /// The first of them.
    pub first: Vec<Difference>,
}

impl Comparison {
    pub(super) fn add(&mut self, difference: Difference) {
        self.differences += 1;
        if self.first.len() < KEPT {
            self.first.push(difference);
        }
    }

    /// Adds what another comparison found, after this one.
    pub fn merge(&mut self, later: Comparison) {
        self.playouts += later.playouts;
        self.unfinished += later.unfinished;
        self.steps += later.steps;
        self.positions += later.positions;
        self.differences += later.differences;
        self.first.extend(later.first);
        self.first.truncate(KEPT);
    }
}

/// What two sorted lists without repetitions don't share: items of `expected` alone, items of `found` alone.
pub(super) fn differing<A: AsRef<str>, B: AsRef<str>>(
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
