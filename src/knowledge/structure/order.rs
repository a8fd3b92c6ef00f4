//! Order relations.
//!
//! # What it finds
//! Static binary relations that are antisymmetric and transitive and compare the elements of a successor
//! relation: `smaller`, `at_most`, in either direction, with or without equality. Several elements at one
//! end may be incomparable, such as the pillars below all discs, or the numbers beyond the last one from
//! which a rule counts down.
//!
//! # How
//! All facts are enumerated. The relation is the closure of a chain if it relates every two of its elements
//! in exactly one direction: all pairs go along the chain, or all against it. Either no element or every
//! element is related to itself. If elements at one end are incomparable, there are two cases. All others
//! are on one chain, and those at the end come after them on the chain if they are on it. Or the facts of a
//! binary relation lead from each element to the next and branch at that end. If several chains fit, a
//! chain with all elements comes first, then the shortest. Further ties are broken by the chain that the
//! relation's own rules use, the direction that other chains share, and the number of uses in the rules.
//!
//! # Guarantee
//! Sound and complete: all facts of a static relation are enumerated.
//!
//! # Cost
//! Linear in the number of facts, for each chain. Relations with more than 2,000 elements are left out if
//! some elements can't be compared.
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
use super::finding::{End, Method, Order, Uncompared};
use super::findings::Findings;
use super::partial_order::{BranchingOrder, Comparisons};
use super::reason::Reason;
use super::static_relations::{BinaryFacts, DetectedChain, DetectedOrder};
use crate::catalog_entry;

catalog_entry!(OrderDetector, "order", "Order relations", "Schiffel and Thielscher 2007");

impl Detector for OrderDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["successor"]
    }

    fn read_rules<'g>(&self, _game: &Game<'g>, findings: &mut Findings<'g>) {
        let derived_from = |relation, successor| findings.usage.distance(relation, successor);
        findings.orders = detect(&findings.binary, &findings.chains, derived_from);
        findings.read_usage();
    }
}

/// How pairs compare the elements of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Closure {
    strict: bool,
    ascending: bool,
    uncompared: Option<Uncompared>,
}

/// How pairs (without repetitions) compare elements of a chain, if they are its closure on the elements that they mention.
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
    let closure = Closure { strict: equal == 0, ascending: up > 0, uncompared: None };
    (count >= SHORTEST && total && reflexive).then_some(closure)
}

/// Finds the order relations over the successor relations, in the order of the rules. `derived_from` gives
/// the distance of a successor relation in the rules of a relation, if these use it.
pub fn detect(
    binary: &[BinaryFacts],
    successors: &[DetectedChain],
    derived_from: impl Fn(RelationId, usize) -> Option<u32>,
) -> Vec<DetectedOrder> {
    let found = binary.iter().filter_map(|facts| {
        let branching_order =
            Comparisons::of(&facts.pairs).and_then(|comparisons| comparisons.branching_order());
        if let Some(found) =
            branching_order.as_ref().and_then(|branching_order| branching(facts, branching_order, binary))
        {
            return Some(found);
        }
        let fits = successors.iter().enumerate().filter_map(|(index, base)| {
            let closure = match &branching_order {
                Some(branching_order) => over_chain(branching_order, &base.chain)?,
                None => closure(&facts.pairs, &base.chain)?,
            };
            let agreement: i64 = successors.iter().map(|other| base.chain.agreement(&other.chain)).sum();
            let near = derived_from(facts.relation, index).unwrap_or(u32::MAX);
            let preference = (near, Reverse(agreement), Reverse(base.preference));
            let uncompared = branching_order.iter().flat_map(|branching_order| &branching_order.uncompared);
            let missing = uncompared.filter(|&&element| base.chain.rank(element).is_none()).count();
            Some(((missing, base.chain.elements().len(), preference, index), closure))
        });
        let ((.., over), closure) = fits.min_by_key(|&(preference, _)| preference)?;
        Some(order(facts, successors[over].relation, Some(over), closure))
    });
    found.collect()
}

fn order(facts: &BinaryFacts, base: RelationId, over: Option<usize>, closure: Closure) -> DetectedOrder {
    let Closure { strict, ascending, uncompared } = closure;
    let reason = Reason::Closure { base, facts: facts.pairs.len(), ascending, strict, uncompared };
    let evidence = without_samples(&[Method::Enumeration], reason);
    let finding = Order { relation: facts.relation, over: base, strict, ascending, uncompared, evidence };
    DetectedOrder { relation: facts.relation, over, finding }
}

/// The end in the direction of a base relation, for an order along it or against it.
fn end(last: bool, ascending: bool) -> End {
    if last == ascending { End::Last } else { End::First }
}

/// How an order that branches at one end compares the elements of a chain.
fn over_chain(order: &BranchingOrder, chain: &Chain) -> Option<Closure> {
    let ranks: Option<Vec<usize>> = order.compared.iter().map(|&element| chain.rank(element)).collect();
    let ranks = ranks?;
    let ascending = ranks[0] < ranks[1];
    let along = |one: usize, other: usize| (one < other) == ascending;
    let beyond =
        order.uncompared.iter().filter_map(|&element| chain.rank(element)).all(|rank| match order.last {
            true => along(ranks[ranks.len() - 1], rank),
            false => along(rank, ranks[0]),
        });
    let uncompared = Uncompared { elements: order.uncompared.len(), end: end(order.last, ascending) };
    let fits = beyond && ranks.windows(2).all(|pair| along(pair[0], pair[1]));
    fits.then_some(Closure { strict: order.strict, ascending, uncompared: Some(uncompared) })
}

/// The order as the closure of a relation whose facts lead from element to element and branch at one end.
fn branching(
    facts: &BinaryFacts,
    branching: &BranchingOrder,
    binary: &[BinaryFacts],
) -> Option<DetectedOrder> {
    let mut steps: Vec<(TermId, TermId)> =
        branching.compared.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let (&first, &last) = (branching.compared.first()?, branching.compared.last()?);
    steps.extend(branching.uncompared.iter().map(|&element| match branching.last {
        true => (last, element),
        false => (element, first),
    }));
    let sorted = |mut pairs: Vec<(TermId, TermId)>| {
        pairs.sort_unstable();
        pairs
    };
    let against: Vec<_> = sorted(steps.iter().map(|&(one, other)| (other, one)).collect());
    let along = sorted(steps);
    // The pairs of `BinaryFacts` are sorted.
    let with = |pairs: &[(TermId, TermId)]| {
        binary.iter().find(|base| base.relation != facts.relation && base.pairs == pairs)
    };
    let (base, ascending) = match with(&along) {
        Some(base) => (base, true),
        None => (with(&against)?, false),
    };
    let uncompared =
        Some(Uncompared { elements: branching.uncompared.len(), end: end(branching.last, ascending) });
    Some(order(facts, base.relation, None, Closure { strict: branching.strict, ascending, uncompared }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(count: u32) -> Chain {
        Chain::of_pairs((1..count).map(|n| (TermId(n), TermId(n + 1)))).unwrap()
    }

    #[test]
    fn a_relation_without_facts_is_not_an_order() {
        assert_eq!(closure(&[], &chain(4)), None);
    }

    fn pairs(count: u32, related: impl Fn(u32, u32) -> bool) -> Vec<(TermId, TermId)> {
        let all = (1..=count).flat_map(|a| (1..=count).map(move |b| (a, b)));
        all.filter(|&(a, b)| related(a, b)).map(|(a, b)| (TermId(a), TermId(b))).collect()
    }

    #[test]
    fn closures_are_orders() {
        let of = |related: fn(u32, u32) -> bool| closure(&pairs(5, related), &chain(5));
        let order = |strict, ascending| Some(Closure { strict, ascending, uncompared: None });
        assert_eq!(of(|a, b| a < b), order(true, true));
        assert_eq!(of(|a, b| a >= b), order(false, false));
        assert_eq!(of(|a, b| a < b && a > 2), order(true, true));
    }

    #[test]
    fn orders_may_have_several_last_elements() {
        let of = |count: u32, related: fn(u32, u32) -> bool| {
            over_chain(&Comparisons::of(&pairs(count, related))?.branching_order()?, &chain(5))
        };
        let order = |ascending, elements, end| {
            Some(Closure { strict: true, ascending, uncompared: Some(Uncompared { elements, end }) })
        };
        assert_eq!(of(5, |a, b| a < b), None, "a total order");
        assert_eq!(of(5, |a, b| a < b && a < 4), order(true, 2, End::Last));
        assert_eq!(of(5, |a, b| a < b && a < 3), order(true, 3, End::Last));
        assert_eq!(of(5, |a, b| a > b && b < 3), order(false, 3, End::Last));
        assert_eq!(of(5, |a, b| a < b && b > 3), order(true, 3, End::First));
        assert_eq!(of(7, |a, b| a < b && a < 4), order(true, 4, End::Last), "6 and 7 are not on the chain");
        assert_eq!(of(5, |a, b| a < b && a != 3), None, "3 is before nothing");
        assert_eq!(of(5, |a, b| a < b && (a, b) != (2, 3)), None, "in the middle");
        let turned = [(1, 3), (1, 2), (3, 2), (1, 4), (3, 4)].map(|(a, b)| (TermId(a), TermId(b)));
        let turned = Comparisons::of(&turned).unwrap().branching_order().unwrap();
        assert_eq!(over_chain(&turned, &chain(5)), None, "2 comes before 3 on the chain");
    }

    #[test]
    fn near_misses_are_rejected() {
        let of = |related: fn(u32, u32) -> bool| closure(&pairs(5, related), &chain(5));
        assert_eq!(of(|a, b| a + 1 == b), None, "a successor is not transitive");
        assert_eq!(of(|a, b| a != b), None, "not antisymmetric");
        assert_eq!(of(|a, b| a < b || a == 3 && b == 3), None, "neither strict nor reflexive");
        assert_eq!(of(|a, b| a < b && (a, b) != (1, 5)), None, "a pair is missing");
        assert_eq!(of(|a, b| a < b && a > 3), None, "two elements only");
        assert_eq!(closure(&pairs(6, |a, b| a < b), &chain(5)), None, "reaches beyond the chain");
    }
}
