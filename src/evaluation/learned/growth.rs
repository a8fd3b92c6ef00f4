//! Which conjunctions a round of learning adds to those there are.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::classes::{Classes, with_images};
use super::conjunctions::{Bits, Conjunctions};
use super::error::LearningError;
use super::fit::{carried_over, residuals};
use super::goal_conjunctions::{goal_parts, open_parts, wholes};
use super::learn::Learner;
use super::lightened::lightened;
use super::policy::Policy;
use super::select::{extended, varying};

/// States that tell which conjunctions to add, at most.
const SELECTED_BY: usize = 30_000;

/// Conjunctions that a round adds, as a share of all that there may be.
const ADDED: f64 = 0.34;

/// Conjunctions that are parts of what a goal asks for, as a share of all that there may be.
const FROM_GOALS: f64 = 0.5;

/// Rounds at the end that fit anew what is left when the terms that say least are gone.
const LAST_ROUNDS: u32 = 3;

impl Learner<'_> {
    /// The weights that a fit begins from: those there are, with conjunctions added that say more, and at the end without
    /// those that say least.
    pub(super) fn start(&self, role: usize) -> Result<Policy, LearningError> {
        let support = self.samples.support();
        let mut bits = varying(&support, self.samples.len());
        let policy = self.policies.as_ref().map(|policies| &policies[role]);
        // Where weights differ by whose turn it is, facts that tell it say nothing more.
        let turn = match policy.and_then(|policy| policy.turn.as_ref()) {
            Some(_) => self.turns.facts(role),
            None => Vec::new(),
        };
        bits.retain(|bit| !turn.contains(bit));
        // That none of a group holds is known from its facts.
        let facts = self.samples.facts(&bits);
        let singles = facts.iter().map(|&bit| Bits::from([bit]));
        if let Some(policy) = policy
            && self.rounds.len() as u32 + LAST_ROUNDS >= self.parameters.rounds.max(2 * LAST_ROUNDS)
        {
            return Ok(self.lightened(role, policy, &support));
        }
        let Some(policy) = policy else {
            let conjunctions = Arc::new(Conjunctions::new(singles.collect(), &support));
            let weights = vec![0.0; conjunctions.len()];
            let none_of = Arc::clone(&self.samples.none_of);
            return Ok(Policy { none_of, weights, conjunctions, ..Policy::default() });
        };
        let images = self.images(role, policy.turn.as_ref());
        let mut known: BTreeSet<Bits> = policy.conjunctions.list().iter().cloned().collect();
        known.retain(|bits| !bits.iter().any(|bit| turn.contains(bit)));
        known.extend(singles.clone());
        let mut open = BTreeSet::new();
        if let Some(network) = self.machine.network() {
            let wholes = self.wholes.get_or_init(|| wholes(network));
            self.watch.spend(wholes.len() as u64)?;
            let parts = open_parts(wholes, &self.free, &bits);
            open.extend(with_images(parts, &images, self.parameters.open as usize));
            known.retain(|bits| !open.contains(bits));
            let parts = goal_parts(wholes, &facts);
            let most = [self.parameters.pairs, self.parameters.triples];
            for (size, (parts, most)) in (2..).zip(parts.into_iter().zip(most)) {
                let there = known.iter().filter(|bits| bits.len() == size).count();
                let first = with_images(parts, &images, (f64::from(most) * FROM_GOALS) as usize);
                let new: Vec<Bits> = first
                    .into_iter()
                    .filter(|part| !known.contains(part))
                    .take((most as usize).saturating_sub(there))
                    .collect();
                known.extend(new);
            }
        }
        let of_size = |size: usize| known.iter().filter(|bits| bits.len() == size).count();
        let room = |size: usize, most: u32| {
            (most as usize).saturating_sub(of_size(size)).min((f64::from(most) * ADDED).ceil() as usize)
        };
        // The last states are those of the play that is nearest.
        let numbers: Vec<u32> = self.samples.fitted.iter().rev().take(SELECTED_BY).copied().collect();
        let residuals = residuals(policy, &self.samples, role, &numbers, self.watch)?;
        let states = (&numbers[..], &residuals[..]);
        let mut added = Vec::new();
        let pairs = room(2, self.parameters.pairs);
        if pairs > 0 {
            let bases = singles.collect();
            added = extended(&self.samples, states, bases, (&bits, &images), &known, pairs, self.watch)?;
        }
        let triples = room(3, self.parameters.triples);
        if triples > 0 && of_size(2) > 0 {
            let bases: Vec<Bits> = known.iter().filter(|bits| bits.len() == 2).cloned().collect();
            added.extend(extended(
                &self.samples,
                states,
                bases,
                (&bits, &images),
                &known,
                triples,
                self.watch,
            )?);
        }
        known.extend(added);
        known.extend(open);
        Ok(carried_over(policy, Conjunctions::new(known.into_iter().collect(), &support)))
    }

    /// The policy of a role without the terms that say least.
    pub(super) fn lightened(&self, role: usize, policy: &Policy, support: &[u64]) -> Policy {
        let images = self.images(role, policy.turn.as_ref());
        let classes = Classes::new(policy.conjunctions.list(), &images);
        lightened(policy, &self.samples, support, &classes)
    }
}
