//! How a round of learning fits: one function for each role, or for two of which one gets what the other does not.

use std::sync::Arc;

use super::classes::Classes;
use super::conjunctions::Conjunctions;
use super::error::LearningError;
use super::fit::{Fit, Fitting, fit};
use super::group::Image;
use super::learn::Learner;
use super::policy::Policy;
use super::ties::Ties;

/// Weights differ by whose turn it is where the loss on games kept back falls below this share of what it is else.
const WITH_TURNS: f64 = 0.995;

/// They are the same from either side where it stays below this one. That is true of all states; but those that play comes to may be
/// told better by weights that take for granted who began.
const FROM_BOTH_SIDES: f64 = 1.005;

/// Rounds, counted from 0, in which either is tried, as long as it is not so.
const TRIED: [usize; 3] = [1, 3, 5];

impl Learner<'_> {
    /// New weights for every role, for more conjunctions than before, and what they explain.
    pub(super) fn fitted(&self) -> Result<(Vec<Policy>, Option<f64>), LearningError> {
        let opposed = self.opposed();
        let roles = if opposed { 1 } else { self.rewards.len() };
        let mut policies = Vec::with_capacity(self.rewards.len());
        let mut explained = Vec::new();
        for role in 0..roles {
            if !self.players.contains(&role) {
                let conjunctions = Arc::new(Conjunctions::new(Vec::new(), &self.samples.support()));
                let none_of = Arc::clone(&self.samples.none_of);
                policies.push(Policy { none_of, conjunctions, ..Policy::default() });
                continue;
            }
            let start = self.start(role)?;
            let ties = self.ties(&start.conjunctions);
            let mut fit = self.fit(role, start.clone(), &ties)?;
            let is_tried = TRIED.contains(&self.rounds.len());
            if is_tried
                && !start.changes_sides
                && self.images(role, &start, true).iter().any(|i| i.is_opposite)
            {
                let other = self.fit(role, Policy { changes_sides: true, ..start }, &ties)?;
                fit = better(fit, other, FROM_BOTH_SIDES);
            }
            if is_tried
                && fit.policy.turn.is_none()
                && let Some(&fact) = self.turns.facts(role).first()
            {
                let by_turn = self.fit(role, fit.policy.clone().by_turn(fact), &ties)?;
                fit = better(fit, by_turn, WITH_TURNS);
            }
            explained.extend(fit.explained);
            policies.push(fit.policy);
            self.tell();
        }
        if opposed {
            policies.push(policies[0].opposite());
        }
        let mean = (!explained.is_empty()).then(|| explained.iter().sum::<f64>() / explained.len() as f64);
        Ok((policies, mean))
    }

    /// What weights of single facts have in common.
    fn ties(&self, conjunctions: &Conjunctions) -> Ties {
        match self.machine.network() {
            Some(network) if self.parameters.ties => {
                Ties::new(self.machine, network, conjunctions, &self.samples)
            }
            _ => Ties::default(),
        }
    }

    /// New weights for a role, from those that it begins with.
    fn fit(&self, role: usize, start: Policy, ties: &Ties) -> Result<Fit, LearningError> {
        let images = self.images(role, &start, start.changes_sides);
        let fitting = Fitting {
            ridge: self.parameters.ridge,
            seed: self.parameters.seed ^ (self.rounds.len() as u64 + 1),
            states_a_unit: self.states_a_unit,
            classes: &Classes::new(start.conjunctions.list(), &images),
            is_even: images.iter().any(|image| image.is_opposite),
            ties,
        };
        Ok(fit(&self.samples, role, start, &fitting, self.watch)?)
    }

    /// What symmetries make of a state's bits, as a role sees it that has a policy; those that change sides only where they count.
    pub(super) fn images(&self, role: usize, policy: &Policy, change_sides: bool) -> Vec<Image> {
        let told_by = self.turns.facts(role);
        let turn = policy.turn.as_ref().map(|turn| (turn, &told_by[..]));
        self.group.images(role, change_sides && self.opposed(), &self.samples.none_of, turn)
    }
}

/// The second of two fits where its loss on states kept back is below a share of the other's, else the first.
fn better(one: Fit, other: Fit, share: f64) -> Fit {
    if other.loss < one.loss * share { other } else { one }
}
