//! Goal values in sampled terminal states.

use std::collections::BTreeSet;

/// Most different outcomes that are stored.
const OUTCOMES: usize = 1_000;

/// Which roles ever had different goal values, and whether the values always had the same sum.
#[derive(Clone, Debug)]
pub struct GoalSamples {
    roles: usize,
    /// The role of chance: its goal values don't count in sums.
    chance: Option<usize>,
    /// For each pair of roles, whether their values differed in some terminal state.
    differ: Vec<bool>,
    /// Each role's values in the first terminal state, and whether it had other values later.
    first: Option<Vec<Vec<i32>>>,
    varies: Vec<bool>,
    /// The sum in the first terminal state, and whether it was the same in all others.
    sum: Option<i64>,
    one_sum: bool,
    /// The different outcomes, each the goal values of every role.
    outcomes: BTreeSet<Vec<Vec<i32>>>,
    /// Terminal states seen.
    pub terminal: u64,
}

impl GoalSamples {
    /// Empty samples for a number of roles; one of these may be chance.
    pub fn new(roles: usize, chance: Option<usize>) -> GoalSamples {
        GoalSamples {
            roles,
            chance,
            differ: vec![false; roles * roles],
            first: None,
            varies: vec![false; roles],
            sum: None,
            one_sum: true,
            outcomes: BTreeSet::new(),
            terminal: 0,
        }
    }

    /// Adds the goal values of every role, as seen in `states` terminal states.
    pub fn end(&mut self, goals: &[Vec<i32>], states: u64) {
        self.terminal += states;
        self.add_outcome(goals);
        self.add_values(goals);
        for (a, left) in goals.iter().enumerate() {
            for (b, right) in goals.iter().enumerate().skip(a + 1) {
                self.differ[a * self.roles + b] |= left != right;
            }
        }
        let players = goals.iter().enumerate().filter(|(role, _)| Some(*role) != self.chance);
        let sum = players.map(|(_, values)| match values.as_slice() {
            [value] => Some(i64::from(*value)),
            _ => None,
        });
        self.add_sum(sum.sum());
    }

    fn add_outcome(&mut self, goals: &[Vec<i32>]) {
        if self.outcomes.len() < OUTCOMES && !self.outcomes.contains(goals) {
            self.outcomes.insert(goals.to_vec());
        }
    }

    fn add_values(&mut self, goals: &[Vec<i32>]) {
        let first = self.first.get_or_insert_with(|| goals.to_vec());
        let values = self.varies.iter_mut().zip(first.iter().zip(goals));
        values.for_each(|(varies, (first, now))| *varies |= first != now);
    }

    fn add_sum(&mut self, sum: Option<i64>) {
        match (sum, self.sum) {
            (None, _) => self.one_sum = false,
            (Some(sum), Some(known)) => self.one_sum &= sum == known,
            (Some(sum), None) => self.sum = Some(sum),
        }
    }

    /// Adds the samples of later playouts.
    pub fn merge(&mut self, later: GoalSamples) {
        self.terminal += later.terminal;
        self.differ.iter_mut().zip(later.differ).for_each(|(differ, more)| *differ |= more);
        self.one_sum &= later.one_sum;
        self.varies.iter_mut().zip(&later.varies).for_each(|(varies, more)| *varies |= more);
        if let Some(first) = &later.first {
            self.add_values(first);
        }
        later.outcomes.iter().for_each(|goals| self.add_outcome(goals));
        if let Some(sum) = later.sum {
            self.add_sum(Some(sum));
        }
    }

    /// Number of different outcomes seen, at most 1,000.
    pub fn outcomes(&self) -> usize {
        self.outcomes.len()
    }

    /// Whether a role had different values in different terminal states.
    pub fn varies(&self, role: usize) -> bool {
        self.varies[role]
    }

    /// Whether two roles had the same values in every terminal state.
    pub fn equal(&self, a: usize, b: usize) -> bool {
        a == b || !self.differ[a.min(b) * self.roles + a.max(b)]
    }

    /// The sum of these roles' values, if it was the same in every terminal state and each of them had one value. None if
    /// there were more outcomes than are stored.
    pub fn constant_sum_of(&self, roles: &[usize]) -> Option<i64> {
        let sum = |goals: &Vec<Vec<i32>>| {
            let value = |&role: &usize| match goals[role].as_slice() {
                [value] => Some(i64::from(*value)),
                _ => None,
            };
            roles.iter().map(value).sum::<Option<i64>>()
        };
        let first = sum(self.outcomes.first()?)?;
        let same =
            self.outcomes.len() < OUTCOMES && self.outcomes.iter().all(|goals| sum(goals) == Some(first));
        same.then_some(first)
    }

    /// The sum of all players' values, if it was the same in every terminal state and every player had one value.
    pub fn constant_sum(&self) -> Option<i64> {
        if self.one_sum { self.sum } else { None }
    }
}
