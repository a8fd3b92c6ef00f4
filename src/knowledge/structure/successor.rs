//! Successor relations.
//!
//! # What it finds
//! Static binary relations whose facts form one chain of at least three elements: the order of a board's
//! rows, of a step counter's values, of counts and scores.
//!
//! # How
//! All facts of every static binary relation that the description defines are enumerated, including derived
//! ones, and joined into a path. A relation of ground facts only is an instance of the syntactic template
//! `(s e1 e2) (s e2 e3) ...`; the methods of its evidence show that. A relation and its reverse are two
//! findings. Of two chains with the same elements in opposite orders, one gives the direction. It is the
//! chain that agrees more with other chains. Ties are broken by the number of counters that count by it,
//! the number of uses in the rules, and the shape of the rules. The other chain is marked as reversed, and
//! its first and last element are named in that direction. If the rules are symmetric, neither is reversed.
//!
//! # Guarantee
//! Sound and complete: the facts of a static relation are the same in every state, and all are enumerated.
//!
//! # Cost
//! Linear in the number of facts of static binary relations.
//!
//! # Example
//! `(succ 1 2) (succ 2 3)` is a chain of 3 elements; with `(succ 3 1)` it is a cycle, not a successor
//! relation.
//!
//! # Source
//! The template: Kuhlmann, Dresner and Stone 2006. The definition (antisymmetric, functional, injective,
//! acyclic): Schiffel and Thielscher 2007.

use crate::gdl::Description;
use crate::gdl::rule::{Dependence, Literal, RelationId, RelationKind};
use crate::gdl::term::TermId;

use super::chain::Chain;
use super::counter::{self, CounterArgument};
use super::detector::{Detector, Game};
use super::evidence::without_samples;
use super::finding::{Method, Successor};
use super::findings::Findings;
use super::fluent_relations::FluentRelation;
use super::reason::Reason;
use super::shape;
use super::static_relations::{BinaryFacts, ChainFinding, DetectedChain, Preference};
use crate::catalog_entry;

catalog_entry!(SuccessorDetector, "successor", "Successor relations", "Kuhlmann, Dresner and Stone 2006");

impl Detector for SuccessorDetector {
    fn needs(&self) -> &'static [&'static str] {
        &[]
    }

    fn read_rules<'g>(&self, game: &Game<'g>, findings: &mut Findings<'g>) {
        let description = game.description();
        findings.binary = binary_facts(description, |relation| game.statics.tuples(relation));
        findings.chains = detect(description, &findings.binary);
        findings.read_usage();
    }
}

/// The rank of a chain of a relation.
pub(super) fn preference(description: &Description, shapes: &[u64], relation: RelationId) -> Preference {
    let atoms = description.rules.iter().flat_map(|rule| &rule.body).filter(|literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => atom.relation == relation,
        Literal::Distinct(..) => false,
    });
    let counters = description.relation_ids().filter(|(_, next)| {
        next.kind == RelationKind::Next
            && next.arity == 1
            && counter::counter_template(
                description,
                CounterArgument { fluent: FluentRelation { name: next.name, arity: 1 }, argument: 0 },
            )
            .is_some_and(|(by, from, to, _)| by == relation && from < to)
    });
    (counters.count(), atoms.count(), shapes[relation.index()])
}

/// Enumerates the static binary relations that the description defines.
pub fn binary_facts<'f, I: Iterator<Item = &'f [TermId]>>(
    description: &Description,
    tuples: impl Fn(RelationId) -> I,
) -> Vec<BinaryFacts> {
    let own = description.relation_ids().filter(|(_, relation)| {
        relation.kind == RelationKind::View
            && relation.arity == 2
            && relation.dependence == Dependence::Static
    });
    own.map(|(relation, _)| {
        let mut pairs: Vec<(TermId, TermId)> = tuples(relation).map(|tuple| (tuple[0], tuple[1])).collect();
        pairs.sort_unstable();
        pairs.dedup();
        BinaryFacts { relation, pairs }
    })
    .collect()
}

/// Finds the successor relations, in the order of the rules.
pub fn detect(description: &Description, binary: &[BinaryFacts]) -> Vec<DetectedChain> {
    let mut chains: Vec<(&BinaryFacts, Chain)> = Vec::new();
    for facts in binary {
        if let Ok(chain) = Chain::of_pairs(facts.pairs.iter().copied()) {
            chains.push((facts, chain));
        }
    }
    let shapes = shape::relations(description);
    let preferences: Vec<Preference> =
        chains.iter().map(|(facts, _)| preference(description, &shapes, facts.relation)).collect();
    let chained = chains.iter().enumerate().map(|(index, (facts, chain))| {
        let reversed = is_reversed(index, &chains, &preferences);
        let mut elements: Vec<TermId> = chain.elements().to_vec();
        if reversed {
            elements.reverse();
        }
        let ground = facts.is_ground(description);
        let methods: &[Method] =
            if ground { &[Method::Syntax, Method::Enumeration] } else { &[Method::Enumeration] };
        let reason = Reason::OneChain {
            relation: facts.relation,
            facts: facts.pairs.len(),
            ground,
            ends: [elements[0], elements[elements.len() - 1]],
        };
        let evidence = without_samples(methods, reason);
        let finding = ChainFinding::Successor(Successor {
            relation: facts.relation,
            length: elements.len(),
            reversed,
            first: elements[0],
            last: elements[elements.len() - 1],
            elements,
            evidence,
        });
        let preference = preferences[index];
        DetectedChain { relation: facts.relation, chain: chain.clone(), preference, finding }
    });
    chained.collect()
}

/// Whether another chain with the opposite order gives the direction.
fn is_reversed(index: usize, chains: &[(&BinaryFacts, Chain)], preferences: &[Preference]) -> bool {
    let strength = |index: usize| {
        let agreement: i64 = chains.iter().map(|(_, other)| chains[index].1.agreement(other)).sum();
        (agreement, preferences[index])
    };
    let opposing = (0..chains.len()).filter(|&other| chains[index].1.opposes(&chains[other].1));
    opposing.map(strength).max().is_some_and(|strongest| strongest > strength(index))
}
