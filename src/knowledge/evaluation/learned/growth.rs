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

/// Rounds at the end, of so many in all, that fit anew what is left when the terms that say least are gone.
fn last_rounds(rounds: u32) -> u32 {
    (rounds / 3).min(3)
}

/// Terms whose weights games bear, where a share of what was to come is told. The weight of a term that says nothing adds noise: of `p`
/// such weights and `n` games it is `p / n` of what is not told, and more than is told where `p / n > told / (1 - told)`.
fn bearable_terms(games: usize, told: Option<f64>) -> f64 {
    /// Terms for a game, where as much is told as is not: more than one, as its states are not all alike.
    const A_GAME: f64 = 2.0;
    /// The least share that is taken to be told: the first fits are to states of random games.
    const LEAST_TOLD: f64 = 0.2;
    let told = told.unwrap_or(0.0).clamp(LEAST_TOLD, 0.99);
    games as f64 * A_GAME * told / (1.0 - told)
}

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
            && self.rounds.len() as u32 + last_rounds(self.schedule.rounds) >= self.schedule.rounds
        {
            return Ok(self.lightened(role, policy, &support));
        }
        let Some(policy) = policy else {
            let conjunctions = Arc::new(Conjunctions::new(singles.collect(), &support));
            let weights = vec![0.0; conjunctions.len()];
            let none_of = Arc::clone(&self.samples.none_of);
            return Ok(Policy { none_of, weights, conjunctions, ..Policy::default() });
        };
        let [pairs, triples, open_terms] = self.most_conjunctions();
        let images = self.images(role, policy, policy.changes_sides);
        let mut known: BTreeSet<Bits> = policy.conjunctions.list().iter().cloned().collect();
        known.retain(|bits| !bits.iter().any(|bit| turn.contains(bit)));
        known.extend(singles.clone());
        let mut open = BTreeSet::new();
        if let Some(network) = self.machine.network() {
            let wholes = self.wholes.get_or_init(|| wholes(network));
            self.watch.spend(wholes.len() as u64)?;
            let parts = open_parts(wholes, &self.free, &bits);
            open.extend(with_images(parts, &images, open_terms as usize));
            known.retain(|bits| !open.contains(bits));
            let parts = goal_parts(wholes, &facts);
            let most = [pairs, triples];
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
        let pairs = room(2, pairs);
        if pairs > 0 {
            let bases = singles.collect();
            added = extended(&self.samples, states, bases, (&bits, &images), &known, pairs, self.watch)?;
        }
        let triples = room(3, triples);
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

    /// Pairs, triples and conjunctions that ask for free places that there may be: as the parameters say, fewer where few games that
    /// tell little would leave most of their weights to chance.
    fn most_conjunctions(&self) -> [u32; 3] {
        let all = [self.parameters.pairs, self.parameters.triples, self.parameters.open];
        let wanted: f64 = all.iter().map(|&most| f64::from(most)).sum();
        let told = self.rounds.last().and_then(|round| round.explained);
        let bearable = bearable_terms(self.samples.games(), told);
        all.map(|most| (f64::from(most) * (bearable / wanted.max(1.0)).min(1.0)) as u32)
    }

    /// The policy of a role without the terms that say least.
    pub(super) fn lightened(&self, role: usize, policy: &Policy, support: &[u64]) -> Policy {
        let images = self.images(role, policy, policy.changes_sides);
        let classes = Classes::new(policy.conjunctions.list(), &images);
        let of_a_step = self.machine.network().map_or(0, |network| network.two_input_gates());
        lightened(policy, &self.samples, support, &classes, of_a_step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_games_that_tell_little_bear_few_terms() {
        assert_eq!(bearable_terms(500, Some(0.5)), 1000.0);
        assert_eq!(bearable_terms(500, Some(0.01)), 250.0, "no less than a fifth is taken to be told");
        assert_eq!(bearable_terms(500, None), 250.0);
        assert!(bearable_terms(500, Some(1.0)) < 100_001.0);
    }

    #[test]
    fn the_last_rounds_drop_terms() {
        assert_eq!([1, 2, 3, 4, 6, 12, 40].map(last_rounds), [0, 0, 1, 1, 2, 3, 3]);
    }
}
