//! The goal values of all roles at the ends that proofs met, and what they imply for other roles.

use std::ops::RangeInclusive;

/// Limit of the number of different combinations of goal values.
const MOST: usize = 256;

/// The combinations of goal values of the ends seen.
#[derive(Default)]
pub(super) struct SeenEnds {
    /// None once they are too many.
    seen: Vec<Box<[i32]>>,
    too_many: bool,
}

impl SeenEnds {
    /// Records an end.
    pub(super) fn note(&mut self, goals: &[i32]) {
        if !self.too_many && !self.seen.iter().any(|known| **known == *goals) {
            self.seen.push(goals.into());
            self.too_many = self.seen.len() > MOST;
        }
    }

    /// The least and the greatest goal value of a role at those ends where another role's value lies in a range; none if
    /// there is no such end.
    pub(super) fn range(&self, of: usize, (role, within): (usize, RangeInclusive<i32>)) -> Option<[i32; 2]> {
        if self.too_many {
            return None;
        }
        let values = || self.seen.iter().filter(|goals| within.contains(&goals[role])).map(|goals| goals[of]);
        Some([values().min()?, values().max()?])
    }
}
