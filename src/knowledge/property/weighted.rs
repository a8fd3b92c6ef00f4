//! Weighted sums of facts that grow in every step, or in every few steps: if there is one, every play ends.
//!
//! A linear program computes weights from the changes in plays. The solver looks for steps in which the sum
//! does not grow; these are further changes for the next round (counterexample-guided inductive synthesis,
//! Solar-Lezama 2008).

use rustc_hash::FxHashSet;

use super::induction::{Invariants, MOST_STEPS};
use super::lemma::{Lemma, of_bit};
use super::solver::Answer;
use super::sum_clauses::{WeightedSum, not_grown};
use super::unrolling::{LEAST, Unrolling, solve_any};
use super::weights::{Change, WeightParameters, WeightTemplate};
use crate::ground::{Lit, Network};
use crate::machine::State;

/// The search for a sum may use the remaining work divided by this number.
const SEARCH_DIVISOR: u64 = 2;

/// A question may use the remaining work divided by this number.
const QUESTION_DIVISOR: u64 = 4;

/// The most changes of play.
const MAX_CHANGES: usize = 20_000;

/// The most facts that change, summed over all changes.
const MAX_ENTRIES: usize = 4_000_000;

/// The most rounds of weights.
const MAX_ROUNDS: usize = 40;

/// The most counterexamples of a round.
const MAX_COUNTEREXAMPLES: usize = 16;

/// Most facts with weights, and the largest cap of a sum.
const FACTS: usize = 2_000;
const CAP: u64 = 64;

/// A weighted sum that provably grows.
pub(super) struct GrowingSum {
    /// Upper bound on the steps of a play.
    pub(super) longest: u64,
    /// Number of steps within which it grows.
    pub(super) steps: usize,
    /// Number of facts with weights.
    pub(super) facts: usize,
}

/// Looks for a weighted sum of facts that grows in every step, or every two or three.
pub(super) fn find_growing_sum(
    invariants: &Invariants<'_>,
    network: &Network,
    plays: &[Vec<State>],
) -> Option<GrowingSum> {
    let changing: Vec<bool> = (0..network.bits.len() as u32).map(|bit| is_open(invariants, bit)).collect();
    let allowance = invariants.allowance();
    let held = allowance.left() - allowance.left() / SEARCH_DIVISOR;
    allowance.reserve(held);
    let search = SumSearch { invariants, network, changing, groups: groups(invariants, network) };
    let sum = (1..=MOST_STEPS).find_map(|steps| search.over(plays, steps));
    // The clauses of sums would slow down later questions.
    invariants.drop_frames();
    allowance.reserve(0);
    // A bound below the length of a known play would be an error.
    sum.filter(|growing| plays.iter().all(|play| play.len() as u64 <= growing.longest.saturating_add(1)))
}

/// Whether a bit may change: no lemma says that it always or never holds.
fn is_open(invariants: &Invariants<'_>, bit: u32) -> bool {
    let known = |literal: Lit| invariants.depth(&Lemma::Clause(vec![literal])).is_some();
    !known(of_bit(bit)) && !known(!of_bit(bit))
}

/// Disjoint groups of facts, as bits: at most one fact of a group holds. For each group also whether one of its facts
/// always holds.
fn groups(invariants: &Invariants<'_>, network: &Network) -> Vec<(Vec<u32>, bool)> {
    let bits = network.bits.len() as u32;
    let is_fact = |literal: &Lit| (1..=bits).contains(&literal.node()) && !literal.negated();
    let lemmas = invariants.proved.iter().filter_map(|proved| match &proved.lemma {
        Lemma::AtMostOne(group) if group.iter().all(is_fact) => Some(group),
        _ => None,
    });
    let mut lemmas: Vec<&Vec<Lit>> = lemmas.collect();
    lemmas.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mut used = vec![false; bits as usize];
    let mut groups = Vec::new();
    for lemma in lemmas {
        let group: Vec<u32> = lemma.iter().map(|literal| literal.node() - 1).collect();
        if group.iter().all(|&bit| !used[bit as usize]) {
            group.iter().for_each(|&bit| used[bit as usize] = true);
            groups.push((group, invariants.depth(&Lemma::Clause(lemma.clone())).is_some()));
        }
    }
    groups.extend((0..bits).filter(|&bit| !used[bit as usize]).map(|bit| (vec![bit], false)));
    groups
}

struct SumSearch<'s, 'n> {
    invariants: &'s Invariants<'n>,
    network: &'s Network,
    changing: Vec<bool>,
    groups: Vec<(Vec<u32>, bool)>,
}

impl SumSearch<'_, '_> {
    /// A sum that grows within `steps` steps.
    fn over(&self, plays: &[Vec<State>], steps: usize) -> Option<GrowingSum> {
        let mut changes = self.changes(plays, steps);
        WeightTemplate::ALL.into_iter().find_map(|shape| {
            let numbers = WeightParameters::of(self.network, shape, &self.changing)?;
            let mut cap = 0;
            for _ in 0..MAX_ROUNDS {
                let weights = numbers.weights(&changes, self.invariants.allowance())?;
                let most = changes.iter().map(|change| {
                    let of = |sign: i64| -> u64 {
                        let parts = change
                            .iter()
                            .map(|&(bit, direction)| weights[bit as usize] * i64::from(direction) * sign);
                        parts.map(|part| part.max(0).unsigned_abs()).sum()
                    };
                    of(1).max(of(-1))
                });
                cap = (2 * most.max().unwrap_or(1)).clamp(4, CAP).max(cap);
                let sum = self.sum(&weights, cap)?;
                let found =
                    self.invariants.with_frames(steps, |frames| self.counterexamples(frames, &sum, steps))?;
                if found.is_empty() {
                    #[cfg(test)]
                    self.invariants.claims.borrow_mut().sums.push((steps, sum));
                    return Some(self.proved(&weights, steps));
                }
                let still = found.iter().all(|change| {
                    change
                        .iter()
                        .map(|&(bit, direction)| weights[bit as usize] * i64::from(direction))
                        .sum::<i64>()
                        > 0
                });
                if still {
                    // The amounts exceed the cap.
                    if cap >= CAP {
                        return None;
                    }
                    cap = CAP.min(cap * 2);
                }
                changes.extend(found);
            }
            None
        })
    }

    /// The distinct changes over `steps` steps in plays, in order.
    fn changes(&self, plays: &[Vec<State>], steps: usize) -> Vec<Change> {
        let mut known = FxHashSet::default();
        let (mut changes, mut entries) = (Vec::new(), 0);
        let allowance = self.invariants.allowance();
        for play in plays {
            for window in play.windows(steps + 1) {
                let change = self.change(&window[0], &window[steps]);
                allowance.spend(1 + window[0].0.len() as u64 / 16 + change.len() as u64 / 4);
                if !known.contains(&change) {
                    entries += change.len();
                    known.insert(change.clone());
                    changes.push(change);
                }
                if changes.len() >= MAX_CHANGES || entries >= MAX_ENTRIES || allowance.is_over() {
                    return changes;
                }
            }
        }
        changes
    }

    fn change(&self, before: &State, after: &State) -> Change {
        let mut change = Vec::new();
        for (word, (&was, &is)) in before.0.iter().zip(after.0.iter()).enumerate() {
            let mut differs = was ^ is;
            while differs != 0 {
                let index = differs.trailing_zeros();
                differs &= differs - 1;
                let bit = word as u32 * 64 + index;
                if (bit as usize) < self.changing.len() {
                    change.push((bit, if is >> index & 1 == 1 { 1 } else { -1 }));
                }
            }
        }
        change
    }

    fn sum(&self, weights: &[i64], cap: u64) -> Option<WeightedSum> {
        let counts = |&bit: &u32| weights[bit as usize] != 0;
        let of_group = |(group, _): &(Vec<u32>, bool)| -> Vec<(u32, i64)> {
            group.iter().copied().filter(counts).map(|bit| (bit, weights[bit as usize])).collect()
        };
        let groups: Vec<Vec<(u32, i64)>> =
            self.groups.iter().map(of_group).filter(|group| !group.is_empty()).collect();
        (groups.iter().map(Vec::len).sum::<usize>() <= FACTS).then_some(WeightedSum { groups, cap })
    }

    /// Changes that the solver finds in which a sum does not grow; empty if there are none. None if the
    /// solver has no answer.
    fn counterexamples(
        &self,
        frames: &mut Unrolling<'_>,
        sum: &WeightedSum,
        steps: usize,
    ) -> Option<Vec<Change>> {
        let most = (self.invariants.allowance().left() / QUESTION_DIVISOR).max(LEAST);
        for bit in (0..self.changing.len()).filter(|&bit| self.changing[bit]) {
            frames.literal(0, of_bit(bit as u32));
            frames.literal(steps, of_bit(bit as u32));
        }
        let comes = frames.solver.variable();
        let mut losses = not_grown(frames, sum, steps, comes);
        // Groups that never subtract are found first, all at once.
        loop {
            match solve_any(frames, losses.iter().copied(), &[], most) {
                Answer::Satisfiable => losses.retain(|&loss| !frames.solver.holds(loss)),
                Answer::Unsatisfiable => {
                    losses.iter().for_each(|&loss| frames.solver.clause(&[!loss]));
                    break;
                }
                Answer::Unknown => break,
            }
        }
        let mut changes = Vec::new();
        while changes.len() < MAX_COUNTEREXAMPLES {
            match frames.solver.solve(&[comes], most) {
                Answer::Satisfiable => {
                    changes.push(self.change_of_model(frames, steps));
                    let mut other = vec![!comes];
                    other.extend(frames.chosen_moves(steps).iter().map(|&makes| !makes));
                    frames.solver.clause(&other);
                }
                Answer::Unsatisfiable => break,
                Answer::Unknown if changes.is_empty() => return None,
                Answer::Unknown => break,
            }
        }
        frames.solver.clause(&[!comes]);
        Some(changes)
    }

    fn change_of_model(&self, frames: &Unrolling<'_>, steps: usize) -> Change {
        let bits = (0..self.changing.len() as u32).filter(|&bit| self.changing[bit as usize]);
        let change = bits.filter_map(|bit| {
            let [was, is] = [0, steps].map(|frame| frames.holds_in_model(frame, of_bit(bit)));
            (was != is).then_some((bit, if is { 1 } else { -1 }))
        });
        change.collect()
    }

    fn proved(&self, weights: &[i64], steps: usize) -> GrowingSum {
        let initially: i64 = weights
            .iter()
            .zip(&self.network.initial)
            .filter(|(_, holds)| **holds)
            .map(|(weight, _)| weight)
            .sum();
        let most = |(group, always): &(Vec<u32>, bool)| -> i64 {
            let greatest = group.iter().map(|&bit| weights[bit as usize]).max().unwrap_or(0);
            if *always { greatest } else { greatest.max(0) }
        };
        let greatest: i64 = self.groups.iter().map(most).sum();
        let growth = (greatest - initially).max(0).unsigned_abs();
        GrowingSum {
            longest: (growth + 1).saturating_mul(steps as u64) - 1,
            steps,
            facts: weights.iter().filter(|&&weight| weight != 0).count(),
        }
    }
}
