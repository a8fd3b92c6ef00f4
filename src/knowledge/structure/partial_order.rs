//! Partial orders.
//!
//! # What it finds
//! Static binary relations that are antisymmetric and transitive but leave some elements incomparable:
//! discs of two piles, dominance between several objects. An order is *weak* if its elements form levels,
//! each below or above every other. A relation with several incomparable elements only at one end is an
//! [order](super::order), if it is the closure of another relation.
//!
//! # How
//! All facts are enumerated. The longest chain must have at least three elements, and either no element or
//! every element is related to itself.
//!
//! # Guarantee
//! Sound: all facts of a static relation are enumerated. Relations with more than 2,000 elements are left
//! out.
//!
//! # Cost
//! One bit operation for each fact and 64 elements.
//!
//! # Example
//! `(smaller d1 d2) (smaller d1 p1) (smaller d1 p2) (smaller d2 p1) (smaller d2 p2)`: weak, of 4 elements and height 3.
//!
//! # Source
//! Order relations: Schiffel and Thielscher 2007, for total orders.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::chain::SHORTEST;
use super::detector::{Detector, Game};
use super::evidence::without_samples;
use super::finding::{Method, PartialOrder};
use super::findings::Findings;
use super::reason::Reason;
use crate::catalog_entry;
use crate::gdl::term::TermId;

/// Most elements of a relation.
const ELEMENTS: usize = 2_000;

catalog_entry!(PartialOrderDetector, "partial-order" in "partial_order.rs", "Partial orders", "Schiffel and Thielscher 2007");

impl Detector for PartialOrderDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["order", "chain"]
    }

    fn read_rules<'g>(&self, _game: &Game<'g>, findings: &mut Findings<'g>) {
        let ordered = |relation| {
            findings.orders.iter().any(|order| order.relation == relation)
                || findings.chains.iter().any(|chain| chain.relation == relation)
        };
        let orders = findings.binary.iter().filter(|facts| !ordered(facts.relation)).filter_map(|facts| {
            let comparisons = Comparisons::of(&facts.pairs)?;
            let height = comparisons.height()?;
            let reason = Reason::PartialOrder {
                relation: facts.relation,
                facts: facts.pairs.len(),
                elements: comparisons.elements.len(),
            };
            Some(PartialOrder {
                relation: facts.relation,
                strict: comparisons.strict,
                weak: comparisons.is_weak(),
                elements: comparisons.elements.len(),
                height,
                evidence: without_samples(&[Method::Enumeration], reason),
            })
        });
        findings.partial_orders = orders.collect();
    }
}

/// Antisymmetric pairs in which no element or every element is related to itself.
pub(super) struct Comparisons {
    /// The elements, in the order of their first pairs.
    elements: Vec<TermId>,
    /// For each element, the others to which it is related.
    after: Vec<FixedBitSet>,
    strict: bool,
}

/// An order that compares all elements except several at one end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BranchingOrder {
    /// The comparable elements, as the relation leads from each to the next.
    pub(super) compared: Vec<TermId>,
    /// The incomparable elements at one end.
    pub(super) uncompared: Vec<TermId>,
    /// Whether the relation leads to them; otherwise it leads from them.
    pub(super) last: bool,
    /// Whether no element is related to itself.
    pub(super) strict: bool,
}

impl Comparisons {
    /// Reads distinct pairs. None if they are not antisymmetric, have too few or too many elements, or are
    /// partly reflexive.
    pub(super) fn of(pairs: &[(TermId, TermId)]) -> Option<Comparisons> {
        let mut places: FxHashMap<TermId, usize> = FxHashMap::default();
        let mut elements = Vec::new();
        for element in pairs.iter().flat_map(|&(a, b)| [a, b]) {
            places.entry(element).or_insert_with(|| {
                elements.push(element);
                elements.len() - 1
            });
            if elements.len() > ELEMENTS {
                return None;
            }
        }
        let count = elements.len();
        let mut after = vec![FixedBitSet::with_capacity(count); count];
        let mut equal = 0;
        for (a, b) in pairs.iter().map(|(a, b)| (places[a], places[b])) {
            if a == b {
                equal += 1;
            } else if after[b].contains(a) {
                return None;
            } else {
                after[a].insert(b);
            }
        }
        let reflexive = equal == 0 || equal == count;
        (count >= SHORTEST && reflexive).then_some(Comparisons { elements, after, strict: equal == 0 })
    }

    /// The order, if it compares all elements except several at one end, relates each of these to all
    /// others in the same direction, and compares at least two others.
    pub(super) fn branching_order(&self) -> Option<BranchingOrder> {
        let count = self.elements.len();
        let after: Vec<usize> = self.after.iter().map(|after| after.count_ones(..)).collect();
        let mut before = vec![0; count];
        self.after.iter().flat_map(FixedBitSet::ones).for_each(|next| before[next] += 1);
        let (last, beyond) =
            match (after.iter().filter(|&&n| n == 0).count(), before.iter().filter(|&&n| n == 0).count()) {
                (2.., 1) => (true, after),
                (1, 2..) => (false, before),
                _ => return None,
            };
        let end = |index: &usize| beyond[*index] == 0;
        let uncompared: Vec<TermId> = (0..count).filter(end).map(|index| self.elements[index]).collect();
        // From that end on, each element has one more element beyond it than the previous one.
        let mut compared: Vec<usize> = (0..count).filter(|index| !end(index)).collect();
        compared.sort_unstable_by_key(|&index| beyond[index]);
        let steps = compared.iter().enumerate();
        let steadily = steps.into_iter().all(|(step, &index)| beyond[index] == uncompared.len() + step);
        if compared.len() < 2 || !steadily {
            return None;
        }
        if last {
            compared.reverse();
        }
        let compared = compared.into_iter().map(|index| self.elements[index]).collect();
        Some(BranchingOrder { compared, uncompared, last, strict: self.strict })
    }

    fn is_transitive(&self) -> bool {
        self.after.iter().all(|after| after.ones().all(|next| self.after[next].is_subset(after)))
    }

    /// The elements from first to last, if the order is total.
    pub(super) fn total(&self) -> Option<Vec<TermId>> {
        let count = self.elements.len();
        let mut sorted: Vec<Option<TermId>> = vec![None; count];
        for (index, after) in self.after.iter().enumerate() {
            // In a total order exactly one element has each number of others after it.
            let from_last = after.count_ones(..);
            if sorted[count - 1 - from_last].replace(self.elements[index]).is_some() {
                return None;
            }
        }
        sorted.into_iter().collect()
    }

    /// The number of elements of the longest chain, if the order is transitive and the chain has at least
    /// three.
    fn height(&self) -> Option<usize> {
        if !self.is_transitive() {
            return None;
        }
        // An element that comes later has fewer elements after it.
        let mut order: Vec<usize> = (0..self.elements.len()).collect();
        order.sort_by_key(|&index| self.after[index].count_ones(..));
        let mut heights = vec![1; self.elements.len()];
        for index in order {
            let above = self.after[index].ones().map(|next| heights[next]).max();
            heights[index] = above.map_or(1, |height| height + 1);
        }
        heights.into_iter().max().filter(|&height| height >= SHORTEST)
    }

    /// Whether elements that can't be compared have the same others before and after them.
    fn is_weak(&self) -> bool {
        let count = self.elements.len();
        let mut before = vec![FixedBitSet::with_capacity(count); count];
        for (index, after) in self.after.iter().enumerate() {
            after.ones().for_each(|next| before[next].insert(index));
        }
        (0..count).all(|one| {
            (one + 1..count).all(|other| {
                let compared = self.after[one].contains(other) || self.after[other].contains(one);
                compared || (self.after[one] == self.after[other] && before[one] == before[other])
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(u32, u32)]) -> Option<Comparisons> {
        Comparisons::of(&pairs.iter().map(|&(a, b)| (TermId(a), TermId(b))).collect::<Vec<_>>())
    }

    #[test]
    fn orders_have_levels() {
        let found = of(&[(1, 2), (1, 8), (1, 9), (2, 8), (2, 9)]).unwrap();
        assert_eq!((found.height(), found.is_weak(), found.strict), (Some(3), true, true));
        assert_eq!(found.total(), None);
    }

    #[test]
    fn two_branches_are_not_levels() {
        let found = of(&[(1, 2), (1, 3), (2, 3), (1, 9)]).unwrap();
        assert_eq!((found.height(), found.is_weak()), (Some(3), false));
    }

    #[test]
    fn total_orders_are_listed_in_order() {
        let found = of(&[(7, 2), (7, 9), (2, 9)]).unwrap();
        assert_eq!(found.total(), Some(vec![TermId(7), TermId(2), TermId(9)]));
        let found = of(&[(7, 2), (7, 9), (2, 9), (7, 7), (2, 2), (9, 9)]).unwrap();
        assert!(!found.strict && found.total().is_some());
    }

    #[test]
    fn near_misses_are_rejected() {
        assert!(of(&[(1, 2), (2, 1), (2, 3)]).is_none(), "not antisymmetric");
        assert!(of(&[(1, 2), (2, 3), (1, 3), (1, 1)]).is_none(), "neither strict nor reflexive");
        let circle = of(&[(1, 2), (2, 3), (3, 1)]).unwrap();
        assert_eq!((circle.total(), circle.height()), (None, None));
        let pairs = of(&[(1, 2), (3, 4)]).unwrap();
        assert_eq!(pairs.height(), None, "nothing stands above two others");
        let step = of(&[(1, 2), (2, 3), (3, 4)]).unwrap();
        assert_eq!((step.total(), step.height()), (None, None), "a successor relation is not transitive");
    }
}
