//! Monotone measures: facts that stay or never return, and groups of exclusive facts that follow an order. If every
//! step changes at least one of them, every play ends.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::claim::{Condition, Contradiction};
use super::induction::{Invariants, MOST_STEPS};
use super::lemma::{Lemma, bit_holds, of_bit};
use crate::ground::{Lit, Network};
use crate::machine::State;

/// Maximum number of facts of a group.
const MAX_GROUP: usize = 200;

/// A measure that never falls in a step.
struct Measure {
    /// It does not fall if these contradictions are impossible.
    falls: Vec<Contradiction>,
    /// The bits that it depends on.
    bits: Vec<u32>,
    /// How often it can grow.
    growth: u64,
    /// Whether it is a fact that stays once it holds.
    comes: bool,
}

/// The proved monotone measures.
pub(super) struct MonotoneMeasures {
    measures: Vec<Measure>,
}

impl MonotoneMeasures {
    /// Proves the measures that no play refuted.
    pub(super) fn of(
        invariants: &Invariants<'_>,
        network: &Network,
        plays: &[Vec<State>],
    ) -> MonotoneMeasures {
        let mut measures = group_measures(invariants, network, plays);
        measures.extend(bit_measures(network, plays));
        let falls: Vec<Contradiction> =
            measures.iter().flat_map(|measure| measure.falls.iter().cloned()).collect();
        let mut excluded = invariants.exclude(&falls).into_iter();
        measures.retain(|measure| {
            let never = excluded.by_ref().take(measure.falls.len()).filter(|never| *never).count();
            never == measure.falls.len()
        });
        MonotoneMeasures { measures }
    }

    /// Whether none of these bits holds again after it was lost.
    pub(super) fn never_return(&self, bits: &[u32]) -> bool {
        let covered: FxHashSet<u32> =
            self.measures.iter().flat_map(|measure| measure.bits.iter().copied()).collect();
        bits.iter().all(|bit| covered.contains(bit))
    }

    /// A proved bound on the number of steps of a play, if some measure changes in every step.
    pub(super) fn longest_play(&self, invariants: &Invariants<'_>, network: &Network) -> Option<u64> {
        let measures = &self.measures;
        // A bit in two measures is counted in the first one. Of mutually exclusive facts that stay once they hold, only
        // one can appear.
        let mut counted = vec![false; network.bits.len()];
        let (mut bits, mut longest) = (Vec::new(), 0_u64);
        let mut comes = vec![false; network.bits.len()];
        for bit in measures.iter().filter(|measure| measure.comes).flat_map(|measure| &measure.bits) {
            comes[*bit as usize] = true;
        }
        for group in groups_of_facts(invariants, network) {
            let places = || group.iter().map(|literal| literal.node() as usize).filter(|&node| node > 0);
            if group.len() > 1 && places().all(|node| comes[node - 1] && !counted[node - 1]) {
                places().for_each(|node| counted[node - 1] = true);
                bits.extend(places().map(|node| node as u32 - 1));
                longest += 1;
            }
        }
        for measure in measures {
            if measure.bits.iter().all(|&bit| counted[bit as usize]) {
                continue;
            }
            measure.bits.iter().for_each(|&bit| counted[bit as usize] = true);
            bits.extend_from_slice(&measure.bits);
            longest += measure.growth;
        }
        bits.sort_unstable();
        bits.dedup();
        if bits.is_empty() {
            return None;
        }
        // Some games have steps that only pass the turn, so more than one step is tried.
        (1..=MOST_STEPS).find_map(|steps| {
            let still = [Contradiction(vec![Condition::Unchanged(steps, bits.clone())])];
            let most = (longest + 1).saturating_mul(steps as u64) - 1;
            (invariants.exclude(&still) == [true]).then_some(if steps == 1 { longest } else { most })
        })
    }
}

/// Facts that never disappeared, or never appeared, in any play.
fn bit_measures(network: &Network, plays: &[Vec<State>]) -> Vec<Measure> {
    let words = plays.iter().flatten().next().map_or(0, |state| state.0.len());
    let (mut went, mut came) = (vec![0_u64; words], vec![0_u64; words]);
    for pair in plays.iter().flat_map(|play| play.windows(2)) {
        for word in 0..words {
            went[word] |= pair[0].0[word] & !pair[1].0[word];
            came[word] |= !pair[0].0[word] & pair[1].0[word];
        }
    }
    let of = |words: &[u64], bit: u32| {
        words.get(bit as usize / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    };
    let mut measures = Vec::new();
    for bit in 0..network.bits.len() as u32 {
        let (literal, initially) = (of_bit(bit), network.initial[bit as usize]);
        let (goes, comes) = (of(&went, bit), of(&came, bit));
        if !(goes && comes) {
            // A fact that never changed is assumed to keep its initial value.
            let stays = if goes == comes { initially } else { comes };
            let before = if stays { literal } else { !literal };
            let growth = u64::from(initially != stays);
            let falls = vec![Contradiction(vec![Condition::Holds(0, before), Condition::Holds(1, !before)])];
            measures.push(Measure { falls, bits: vec![bit], growth, comes: comes && !initially });
        }
    }
    measures
}

/// Groups of mutually exclusive facts: at most one fact of a group holds.
fn groups_of_facts<'i>(
    invariants: &'i Invariants<'_>,
    network: &Network,
) -> impl Iterator<Item = &'i Vec<Lit>> {
    let bits = network.bits.len() as u32;
    invariants.proved.iter().filter_map(move |proved| match &proved.lemma {
        Lemma::AtMostOne(group) if group.iter().all(|literal| literal.node() <= bits) => Some(group),
        _ => None,
    })
}

/// Groups of exclusive facts without a cycle in any play.
fn group_measures(invariants: &Invariants<'_>, network: &Network, plays: &[Vec<State>]) -> Vec<Measure> {
    let groups = groups_of_facts(invariants, network)
        .filter(|group| group.len() <= MAX_GROUP && !group.contains(&Lit::TRUE));
    groups.filter_map(|group| group_measure(network, group, plays)).collect()
}

/// A group of facts as the values of one variable, with a rank for each value. The last value means that no fact holds.
fn group_measure(network: &Network, group: &[Lit], plays: &[Vec<State>]) -> Option<Measure> {
    let size = group.len() + 1;
    let mut follows: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut seen = vec![false; size];
    for play in plays {
        let mut last = None;
        for state in play {
            let now = group.iter().position(|&literal| bit_holds(state, literal)).unwrap_or(group.len());
            seen[now] = true;
            if let Some(last) = last.filter(|&last| last != now) {
                follows.insert((last, now));
            }
            last = Some(now);
        }
    }
    // Rank is the length of the longest path to a value; none if there is a cycle.
    let mut rank = vec![0_usize; size];
    let mut rounds = 0;
    loop {
        let mut same = true;
        for &(from, to) in &follows {
            if rank[to] <= rank[from] {
                rank[to] = rank[from] + 1;
                same = false;
            }
        }
        rounds += 1;
        if same {
            break;
        }
        if rounds > size {
            return None;
        }
    }
    // Values that no play reached get the highest ranks, in the order of their terms.
    let mut top = rank.iter().max().copied().unwrap_or(0);
    for index in (0..group.len()).filter(|&index| !seen[index]) {
        top += 1;
        rank[index] = top;
    }
    let holds = |index: usize| network.initial[group[index].node() as usize - 1];
    let first = (0..group.len()).find(|&index| holds(index)).unwrap_or(group.len());
    let most = rank.iter().max().copied().unwrap_or(0);
    let at = |index: usize| match group.get(index) {
        Some(&literal) => Condition::Holds(0, literal),
        None => Condition::None(0, group.to_vec()),
    };
    let mut falls = Vec::new();
    for from in 0..size {
        let lower = |to: &usize| *to != from && rank[*to] <= rank[from];
        let facts: Vec<Lit> = (0..group.len()).filter(lower).map(|to| group[to]).collect();
        if !facts.is_empty() {
            falls.push(Contradiction(vec![at(from), Condition::Some(1, facts)]));
        }
        if lower(&group.len()) {
            falls.push(Contradiction(vec![at(from), Condition::None(1, group.to_vec())]));
        }
    }
    Some(Measure {
        falls,
        bits: group.iter().map(|literal| literal.node() - 1).collect(),
        growth: (most - rank[first]) as u64,
        comes: false,
    })
}
