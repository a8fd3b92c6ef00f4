//! Changes of fluents from step to step, and their dependence on play.

use crate::machine::FluentId;

use super::fluents::FactTable;

/// The course of every fluent relation in sampled playouts.
#[derive(Clone, Debug)]
pub struct Trajectories {
    list: Vec<Trajectory>,
    /// For each relation, a hash sum over its facts in the current state.
    sums: Vec<u64>,
}

/// The course of one fluent relation.
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    /// For each step, the hash sum over the facts of the first state seen there; 0 if it had none.
    by_step: Vec<Option<u64>>,
    /// Whether two states at the same step had different facts: the relation depends on play.
    pub varies: bool,
    /// For each fact, the fact that followed when each was the only one.
    after: Vec<Option<usize>>,
    /// Whether some fact was followed by two different ones.
    pub branches: bool,
    /// The only fact of the initial state.
    pub start: Option<usize>,
    only: Option<usize>,
}

/// A hash whose sum distinguishes sets of fluents with high probability (the finalizer of MurmurHash3, by
/// Appleby).
pub(super) fn fluent_hash(fluent: FluentId) -> u64 {
    let mut mixed = u64::from(fluent.0).wrapping_add(0x9e37_79b9_7f4a_7c15);
    for (shift, factor) in [(33, 0xff51_afd7_ed55_8ccd_u64), (33, 0xc4ce_b9fe_1a85_ec53)] {
        mixed = (mixed ^ (mixed >> shift)).wrapping_mul(factor);
    }
    mixed ^ (mixed >> 33)
}

impl Trajectories {
    /// No playouts yet.
    pub fn new(relations: usize) -> Trajectories {
        Trajectories { list: vec![Trajectory::default(); relations], sums: vec![0; relations] }
    }

    /// The course of a relation.
    pub fn of(&self, relation: usize) -> &Trajectory {
        &self.list[relation]
    }

    /// The course of a relation, for adding samples.
    pub(super) fn of_mut(&mut self, relation: usize) -> &mut Trajectory {
        &mut self.list[relation]
    }

    /// Removes all facts from the current state.
    pub fn clear(&mut self) {
        self.sums.fill(0);
    }

    /// Adds a fact that the previous state did not have.
    pub fn insert(&mut self, relation: usize, fluent: FluentId) {
        self.sums[relation] = self.sums[relation].wrapping_add(fluent_hash(fluent));
    }

    /// Removes a fact that the current state no longer has.
    pub fn remove(&mut self, relation: usize, fluent: FluentId) {
        self.sums[relation] = self.sums[relation].wrapping_sub(fluent_hash(fluent));
    }

    /// Ends a state that is `step` steps after the initial one. The states of a playout come in order.
    pub fn end(&mut self, step: u32, facts: &[FactTable]) {
        for ((trajectory, &sum), table) in self.list.iter_mut().zip(&self.sums).zip(facts) {
            trajectory.sum(step as usize, sum);
            let only = table.only_fact();
            if step == 0 {
                trajectory.start = only;
            } else if let (Some(before), Some(after)) = (trajectory.only, only) {
                trajectory.follow(before, after);
            }
            trajectory.only = only;
        }
    }

    /// Adds the samples of later playouts; `places` maps the facts of each relation to their indices here.
    pub fn merge(&mut self, later: Trajectories, places: &[Vec<usize>]) {
        for ((trajectory, later), places) in self.list.iter_mut().zip(later.list).zip(places) {
            trajectory.varies |= later.varies;
            trajectory.branches |= later.branches;
            for (step, sum) in later.by_step.iter().enumerate() {
                if let &Some(sum) = sum {
                    trajectory.sum(step, sum);
                }
            }
            for (before, after) in later.after.iter().enumerate() {
                if let &Some(after) = after {
                    trajectory.follow(places[before], places[after]);
                }
            }
            if trajectory.start.is_none() {
                trajectory.start = later.start.map(|index| places[index]);
            }
            trajectory.only = None;
        }
    }
}

impl Trajectory {
    /// Records the hash sum over the facts of a state.
    pub(super) fn sum(&mut self, step: usize, sum: u64) {
        if self.varies {
            return;
        }
        if self.by_step.len() <= step {
            self.by_step.resize(step + 1, None);
        }
        match self.by_step[step] {
            Some(known) => self.varies |= known != sum,
            None => self.by_step[step] = Some(sum),
        }
    }

    /// Records that one fact followed another, each the only one.
    pub(super) fn follow(&mut self, before: usize, after: usize) {
        if self.after.len() <= before {
            self.after.resize(before + 1, None);
        }
        match self.after[before] {
            Some(known) => self.branches |= known != after,
            None => self.after[before] = Some(after),
        }
    }

    /// Whether there was no fact up to some step, and always one from then on, at the same step in all
    /// playouts.
    pub fn starts_late(&self) -> bool {
        let mut known = self.by_step.iter().flatten().skip_while(|&&sum| sum == 0).peekable();
        let initial = self.by_step.first().copied().flatten();
        !self.varies && initial == Some(0) && known.peek().is_some() && known.all(|&sum| sum != 0)
    }

    /// Pairs of a fact that was the only one, and the only fact of the next step.
    pub fn steps(&self) -> impl Iterator<Item = (usize, usize)> {
        self.after.iter().enumerate().filter_map(|(before, &after)| Some((before, after?)))
    }
}
