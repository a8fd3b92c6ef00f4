//! How a round of learning fits: one function for each role, or for two of which one gets what the other does not.

use std::sync::Arc;

use super::classes::Classes;
use super::conjunctions::Conjunctions;
use super::error::LearningError;
use super::fit::{Fit, Fitting, fit, least_loss};
use super::group::Image;
use super::learn::Learner;
use super::levels::Levels;
use super::policy::Policy;
use super::ties::Ties;

/// Weights differ by whose turn it is where the loss on games kept back falls below this share of what it is else.
const WITH_TURNS: f64 = 0.995;

/// They are the same from either side where it stays below this one. That is true of all states; but those that play comes to may be
/// told better by weights that take for granted who began.
const FROM_BOTH_SIDES: f64 = 1.005;

/// Rounds, counted from 0, in which either is tried, as long as it is not so.
const TRIED: [usize; 3] = [1, 3, 5];

/// Sums stand for levels of a goal where this much is left, at most, of what the loss on games kept back is above the least there can
/// be: where most games are drawn, that least one is nearly all of it.
const WITH_LEVELS: f64 = 0.98;

/// Rounds, counted from 0, in which levels are tried as long as there are none, and by which factor their curve has to be wider than the
/// sigmoid for that: an eighth of all games drawn makes it so.
const LEVELS_TRIED: [usize; 2] = [2, 4];
const WIDER: f64 = 1.01;

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
                let other = self.fit(role, Policy { changes_sides: true, ..start.clone() }, &ties)?;
                fit = better(fit, other, FROM_BOTH_SIDES, 0.0);
            }
            if is_tried
                && fit.policy.turn.is_none()
                && let Some(&fact) = self.turns.facts(role).first()
            {
                let by_turn = self.fit(role, fit.policy.clone().by_turn(fact), &ties)?;
                fit = better(fit, by_turn, WITH_TURNS, 0.0);
            }
            if let Some(levels) = self.levels(role, &start) {
                // From where the other began, so that neither has gone through states more often.
                let by_levels = self.fit(role, start.with_levels(levels), &ties)?;
                fit = better(fit, by_levels, WITH_LEVELS, least_loss(&self.samples, role));
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

    /// The levels to be tried for a role that begins with a policy, as ends of games tell of them; none where it has some, where they
    /// would hardly change anything, or where nobody wants any.
    fn levels(&self, role: usize, start: &Policy) -> Option<Levels> {
        if !self.parameters.levels || !LEVELS_TRIED.contains(&self.rounds.len()) || !start.levels.is_none() {
            return None;
        }
        let images = self.images(role, start, start.changes_sides);
        let levels = Levels::of(self.samples.ends(role), images.iter().any(|image| image.is_opposite));
        (levels.width() >= WIDER).then_some(levels)
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

/// The second of two fits where its loss on states kept back, beyond the least there can be, is below a share of the other's, else the
/// first.
fn better(one: Fit, other: Fit, share: f64, least: f64) -> Fit {
    if other.loss - least < (one.loss - least) * share { other } else { one }
}
