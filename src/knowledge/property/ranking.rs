//! What changes in one direction alone: facts that stay or never come back, and groups of which one fact holds that take
//! their facts in an order. Where one of these changes in every step, every play ends.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::claim::{Condition, Contradiction};
use super::induction::{Invariants, MOST_STEPS};
use super::lemma::{Lemma, bit_holds, of_bit};
use crate::ground::{Lit, Network};
use crate::machine::State;

/// Facts of a group, at most.
const LARGEST: usize = 200;

/// A measure that never falls in a step: what would let it fall, the bits that it is made of, and how often it can grow.
struct Measure {
    falls: Vec<Contradiction>,
    bits: Vec<u32>,
    growth: u64,
    /// Whether it is a fact that stays once it has come.
    comes: bool,
}

/// What was proved to change in one direction alone.
pub(super) struct MonotoneMeasures {
    measures: Vec<Measure>,
}

impl MonotoneMeasures {
    /// Proves what it can of what no play refuted.
    pub(super) fn of(
        invariants: &Invariants<'_>,
        network: &Network,
        plays: &[Vec<State>],
    ) -> MonotoneMeasures {
        let mut measures = of_groups(invariants, network, plays);
        measures.extend(of_bits(network, plays));
        let falls: Vec<Contradiction> =
            measures.iter().flat_map(|measure| measure.falls.iter().cloned()).collect();
        let mut excluded = invariants.exclude(&falls).into_iter();
        measures.retain(|measure| {
            let never = excluded.by_ref().take(measure.falls.len()).filter(|never| *never).count();
            never == measure.falls.len()
        });
        MonotoneMeasures { measures }
    }

    /// Whether none of these bits holds again after it went.
    pub(super) fn never_return(&self, bits: &[u32]) -> bool {
        let covered: FxHashSet<u32> =
            self.measures.iter().flat_map(|measure| measure.bits.iter().copied()).collect();
        bits.iter().all(|bit| covered.contains(bit))
    }

    /// A number of steps that no play exceeds, as something changes in every step, as far as that can be proved.
    pub(super) fn longest_play(&self, invariants: &Invariants<'_>, network: &Network) -> Option<u64> {
        let measures = &self.measures;
        // A bit that is in two measures is counted in the one that came first; of facts of which at most one holds, and that
        // stay, one comes up.
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
        // Some games have steps that only pass the turn.
        (1..=MOST_STEPS).find_map(|steps| {
            let still = [Contradiction(vec![Condition::Unchanged(steps, bits.clone())])];
            let most = (longest + 1).saturating_mul(steps as u64) - 1;
            (invariants.exclude(&still) == [true]).then_some(if steps == 1 { longest } else { most })
        })
    }
}

/// Facts that no play saw go, or come.
fn of_bits(network: &Network, plays: &[Vec<State>]) -> Vec<Measure> {
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
            // One that no play saw change is taken to stay.
            let stays = if goes == comes { initially } else { comes };
            let before = if stays { literal } else { !literal };
            let growth = u64::from(initially != stays);
            let falls = vec![Contradiction(vec![Condition::Holds(0, before), Condition::Holds(1, !before)])];
            measures.push(Measure { falls, bits: vec![bit], growth, comes: comes && !initially });
        }
    }
    measures
}

/// Groups of facts of which at most one holds.
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

/// Groups of which at most one fact holds, whose facts, or none of them, no play saw in a circle.
fn of_groups(invariants: &Invariants<'_>, network: &Network, plays: &[Vec<State>]) -> Vec<Measure> {
    let groups = groups_of_facts(invariants, network)
        .filter(|group| group.len() <= LARGEST && !group.contains(&Lit::TRUE));
    groups.filter_map(|group| of_group(network, group, plays)).collect()
}

/// The facts of a group as stations that it comes by, the last of which is that none holds.
fn of_group(network: &Network, group: &[Lit], plays: &[Vec<State>]) -> Option<Measure> {
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
    // Ranks by how many steps lead there at most; none where they go round in a circle.
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
    // What no play saw is taken to come last, in the order of its terms.
    let mut top = rank.iter().max().copied().unwrap_or(0);
    for place in (0..group.len()).filter(|&place| !seen[place]) {
        top += 1;
        rank[place] = top;
    }
    let holds = |place: usize| network.initial[group[place].node() as usize - 1];
    let first = (0..group.len()).find(|&place| holds(place)).unwrap_or(group.len());
    let most = rank.iter().max().copied().unwrap_or(0);
    let at = |place: usize| match group.get(place) {
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
