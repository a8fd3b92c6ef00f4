//! Order relations.
//!
//! # What it finds
//! Static binary relations that are antisymmetric and transitive and compare the elements of a successor
//! relation: `smaller`, `at_most`, in either direction, with or without equality.
//!
//! # How
//! All facts are enumerated. The relation is the closure of a chain when every two of its elements are related
//! exactly one way round, always the way of the chain or always against it, and either none or every element is
//! related to itself. Of several chains that it fits the shortest is named, then the one the relation's own
//! rules are made of, then the one whose direction other chains share, then the one used more in the rules.
//!
//! # Guarantee
//! Sound and complete: all facts of a static relation are looked at.
//!
//! # Cost
//! Linear in the number of facts, for each chain.
//!
//! # Example
//! `(<= (less ?a ?b) (succ ?a ?b)) (<= (less ?a ?c) (succ ?a ?b) (less ?b ?c))` is strict and ascending over
//! `succ/2`.
//!
//! # Source
//! Schiffel and Thielscher 2007.

use std::cmp::Reverse;

use rustc_hash::FxHashSet;

use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;

use super::chain::{Chain, SHORTEST};
use super::detector::{Detector, Game};
use super::evidence::without_samples;
use super::finding::{Method, Order};
use super::found::Found;
use super::known::{BinaryFacts, Chained, Ordered};
use super::reason::Reason;
use crate::catalog_entry;

catalog_entry!(OrderDetector, "order", "Order relations", "Schiffel and Thielscher 2007");

impl Detector for OrderDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["successor"]
    }

    fn read<'g>(&self, _game: &Game<'g>, found: &mut Found<'g>) {
        let made_of = |relation, successor| found.usage.distance(relation, successor);
        found.orders = detect(&found.binary, &found.chains, made_of);
        found.read_usage();
    }
}

/// How pairs compare the elements of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Closure {
    strict: bool,
    ascending: bool,
}

/// Whether distinct pairs are the closure of a chain, restricted to their own elements.
fn closure(pairs: &[(TermId, TermId)], chain: &Chain) -> Option<Closure> {
    let (mut up, mut down, mut equal) = (0_usize, 0_usize, 0_usize);
    let mut elements = FxHashSet::default();
    for &(a, b) in pairs {
        let (left, right) = (chain.rank(a)?, chain.rank(b)?);
        match left.cmp(&right) {
            std::cmp::Ordering::Less => up += 1,
            std::cmp::Ordering::Greater => down += 1,
            std::cmp::Ordering::Equal => equal += 1,
        }
        if up > 0 && down > 0 {
            return None;
        }
        elements.extend([a, b]);
    }
    let count = elements.len();
    // A relation without facts has no elements.
    let total = up + down == count * count.saturating_sub(1) / 2;
    let reflexive = equal == 0 || equal == count;
    (count >= SHORTEST && total && reflexive).then_some(Closure { strict: equal == 0, ascending: up > 0 })
}

/// Finds the order relations over the successor relations found, in the order of the rules. `made_of` tells
/// how near a successor relation stands in the rules of a relation, if it does.
pub fn detect(
    binary: &[BinaryFacts],
    successors: &[Chained],
    made_of: impl Fn(RelationId, usize) -> Option<u32>,
) -> Vec<Ordered> {
    let found = binary.iter().filter_map(|facts| {
        let fits = successors.iter().enumerate().filter_map(|(index, base)| {
            let closure = closure(&facts.pairs, &base.chain)?;
            let agreement: i64 = successors.iter().map(|other| base.chain.agreement(&other.chain)).sum();
            let near = made_of(facts.relation, index).unwrap_or(u32::MAX);
            let preference = (near, Reverse(agreement), Reverse(base.preference));
            Some(((base.chain.elements().len(), preference, index), closure))
        });
        let ((.., over), Closure { strict, ascending }) = fits.min_by_key(|&(preference, _)| preference)?;
        let base = successors[over].relation;
        let reason = Reason::Closure { base, facts: facts.pairs.len(), ascending, strict };
        let evidence = without_samples(&[Method::Enumeration], reason);
        let finding = Order { relation: facts.relation, over: base, strict, ascending, evidence };
        Some(Ordered { relation: facts.relation, over, finding })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(count: u32) -> Chain {
        Chain::of_pairs((1..count).map(|n| (TermId(n), TermId(n + 1)))).unwrap()
    }

    #[test]
    fn a_relation_without_facts_is_no_order() {
        assert_eq!(closure(&[], &chain(4)), None);
    }

    fn pairs(count: u32, related: impl Fn(u32, u32) -> bool) -> Vec<(TermId, TermId)> {
        let all = (1..=count).flat_map(|a| (1..=count).map(move |b| (a, b)));
        all.filter(|&(a, b)| related(a, b)).map(|(a, b)| (TermId(a), TermId(b))).collect()
    }

    #[test]
    fn closures() {
        let of = |related: fn(u32, u32) -> bool| closure(&pairs(5, related), &chain(5));
        assert_eq!(of(|a, b| a < b), Some(Closure { strict: true, ascending: true }));
        assert_eq!(of(|a, b| a >= b), Some(Closure { strict: false, ascending: false }));
        assert_eq!(of(|a, b| a < b && a > 2), Some(Closure { strict: true, ascending: true }));
    }

    #[test]
    fn near_misses() {
        let of = |related: fn(u32, u32) -> bool| closure(&pairs(5, related), &chain(5));
        assert_eq!(of(|a, b| a + 1 == b), None, "a successor is not transitive");
        assert_eq!(of(|a, b| a != b), None, "not antisymmetric");
        assert_eq!(of(|a, b| a < b || a == 3 && b == 3), None, "neither strict nor reflexive");
        assert_eq!(of(|a, b| a < b && (a, b) != (1, 5)), None, "a pair is missing");
        assert_eq!(of(|a, b| a < b && a > 3), None, "two elements only");
        assert_eq!(closure(&pairs(6, |a, b| a < b), &chain(5)), None, "reaches beyond the chain");
    }
}
