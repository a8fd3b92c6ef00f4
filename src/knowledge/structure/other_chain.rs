//! Chains of relations that are not successor relations.
//!
//! # What it finds
//! Four kinds. *Slices*: a static relation with three or more arguments that the rules use with all but two
//! fixed, such as `(plus 1 ?x ?y)`. *Saturating chains*: a path whose first or last element also follows
//! itself, such as a speed that stays at its limit. *Paths*: a static binary relation whose facts form
//! several paths, such as the rows and columns of a board. *Total orders*: a static binary relation that
//! compares every two of its elements in one direction, if no successor relation gives this order.
//!
//! # How
//! All facts are enumerated. Those of a slice or of a saturating chain must form one path of three or more
//! elements. If there are several paths, each must have three or more. In a total order, the elements are
//! sorted by the number of elements after them; these numbers must be distinct.
//!
//! # Guarantee
//! Sound: the facts of a static relation are the same in every state, and all are enumerated. At most 64
//! slices are tried, and none of relations with more than 200,000 facts.
//!
//! # Cost
//! Linear in the number of facts, for each slice.
//!
//! # Example
//! `(plus 1 1 2) (plus 1 2 3) (plus 2 1 3)`, used as `(plus 1 ?x ?y)`: the chain 1, 2, 3.
//!
//! # Source
//! Ordered boards: Kuhlmann, Dresner and Stone 2006, extended to more relations.

use rustc_hash::FxHashSet;

use super::argument::ArgumentPosition;
use super::chain::{Chain, SHORTEST, paths, saturating};
use super::detector::{Detector, Game};
use super::evidence::without_samples;
use super::finding::{ChainShape, Method, OtherChain};
use super::findings::Findings;
use super::partial_order::Comparisons;
use super::reason::Reason;
use super::shape;
use super::static_relations::{ChainFinding, DetectedChain};
use super::successor::preference;
use super::vocabulary::ChainPattern;
use crate::catalog_entry;
use crate::gdl::Description;
use crate::gdl::rule::{Dependence, Literal, RelationId, RelationKind};
use crate::gdl::term::{Term, TermId};

/// Most slices that are tried.
const SLICES: usize = 64;

/// Most facts of a relation with slices.
const FACTS: usize = 200_000;

catalog_entry!(
    ChainDetector,
    "chain" in "other_chain.rs",
    "Other chains",
    "Kuhlmann, Dresner and Stone 2006"
);

impl Detector for ChainDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["successor", "order"]
    }

    fn read_rules<'g>(&self, game: &Game<'g>, findings: &mut Findings<'g>) {
        let description = game.description();
        let mut chains = slices(game);
        let ordered: FxHashSet<RelationId> = findings.orders.iter().map(|order| order.relation).collect();
        for facts in &findings.binary {
            let relation = facts.relation;
            chains.extend(saturating_chain(relation, &facts.pairs));
            chains.extend(path_chains(relation, &facts.pairs));
            if !ordered.contains(&relation) {
                chains.extend(total_order(relation, &facts.pairs));
            }
        }
        if chains.is_empty() {
            return;
        }
        let shapes = shape::relations(description);
        for (place, finding) in chains.into_iter().enumerate() {
            findings.chains.push(DetectedChain {
                relation: finding.relation,
                chain: Chain::of_elements(finding.elements.clone()),
                preference: preference(description, &shapes, finding.relation),
                finding: ChainFinding::Other(place, finding),
            });
        }
        findings.read_usage();
    }
}

/// A use of a relation in the rules: the relation, the fixed arguments with their values, and the two free
/// arguments.
pub(super) type SliceQuery = (RelationId, Vec<(ArgumentPosition, TermId)>, [ArgumentPosition; 2]);

/// The uses that fix all but two arguments of a static relation, in the order of the rules.
pub(super) fn slice_queries(description: &Description) -> Vec<SliceQuery> {
    let mut queries: Vec<SliceQuery> = Vec::new();
    for atom in description.rules.iter().flat_map(|rule| &rule.body).filter_map(Literal::atom) {
        let relation = &description.relations[atom.relation.index()];
        let own = relation.kind == RelationKind::View && relation.dependence == Dependence::Static;
        if !own || relation.arity < 3 || queries.len() >= SLICES {
            continue;
        }
        let (mut fixed, mut open) = (Vec::new(), Vec::new());
        for (index, term) in atom.arguments.iter().enumerate() {
            match term {
                Term::Ground(value) => fixed.push((ArgumentPosition::at(index), *value)),
                Term::Variable(_) | Term::Compound(..) => open.push((ArgumentPosition::at(index), term)),
            }
        }
        let [(from, one), (to, other)] = open[..] else { continue };
        let question = (atom.relation, fixed, [from, to]);
        if one != other && !queries.contains(&question) {
            queries.push(question);
        }
    }
    queries
}

/// The facts that match a query, as pairs; none if the relation has too many facts.
pub(super) fn query_pairs(
    game: &Game<'_>,
    (relation, fixed, pair): &SliceQuery,
) -> Option<Vec<(TermId, TermId)>> {
    let fits = |tuple: &&[TermId]| fixed.iter().all(|(position, value)| tuple[position.index()] == *value);
    let mut facts = game.statics.tuples(*relation);
    if facts.by_ref().take(FACTS + 1).count() > FACTS {
        return None;
    }
    let tuples = game.statics.tuples(*relation).filter(fits);
    let mut pairs: Vec<_> = tuples.map(|tuple| (tuple[pair[0].index()], tuple[pair[1].index()])).collect();
    pairs.sort_unstable();
    pairs.dedup();
    Some(pairs)
}

fn slices(game: &Game<'_>) -> Vec<OtherChain> {
    let chain = |question: SliceQuery| {
        let pairs = query_pairs(game, &question)?;
        let (relation, fixed, pair) = question;
        let facts = pairs.len();
        let (chain, shape, reason) = match Chain::of_pairs(pairs.iter().copied()) {
            Ok(chain) => (chain, ChainShape::Slice, Reason::Slice { relation, facts }),
            Err(_) => (
                saturating(&pairs)?,
                ChainShape::Saturating,
                Reason::Saturating { relation, facts, slice: true },
            ),
        };
        Some(OtherChain {
            pattern: ChainPattern { fixed, pair },
            relation,
            shape,
            elements: chain.elements().to_vec(),
            evidence: without_samples(&[Method::Syntax, Method::Enumeration], reason),
        })
    };
    slice_queries(game.description()).into_iter().filter_map(chain).collect()
}

/// A path with a limit that follows itself.
fn saturating_chain(relation: RelationId, pairs: &[(TermId, TermId)]) -> Option<OtherChain> {
    let chain = saturating(pairs)?;
    let reason = Reason::Saturating { relation, facts: pairs.len(), slice: false };
    Some(binary_chain(relation, ChainShape::Saturating, chain.elements().to_vec(), reason))
}

pub(super) fn binary_chain(
    relation: RelationId,
    shape: ChainShape,
    elements: Vec<TermId>,
    reason: Reason,
) -> OtherChain {
    OtherChain {
        pattern: ChainPattern { fixed: Vec::new(), pair: [ArgumentPosition::at(0), ArgumentPosition::at(1)] },
        relation,
        shape,
        elements,
        evidence: without_samples(&[Method::Enumeration], reason),
    }
}

/// Several paths, each with at least [`SHORTEST`] elements.
fn path_chains(relation: RelationId, pairs: &[(TermId, TermId)]) -> Vec<OtherChain> {
    let Ok(paths) = paths(pairs.iter().copied()) else { return Vec::new() };
    let count = paths.len();
    if count < 2 || paths.iter().any(|path| path.len() < SHORTEST) {
        return Vec::new();
    }
    let chain = |elements| {
        let reason = Reason::OneOfPaths { relation, facts: pairs.len(), paths: count };
        binary_chain(relation, ChainShape::Path, elements, reason)
    };
    paths.into_iter().map(chain).collect()
}

fn total_order(relation: RelationId, pairs: &[(TermId, TermId)]) -> Option<OtherChain> {
    let elements = Comparisons::of(pairs)?.total()?;
    let reason = Reason::TotalOrder { relation, facts: pairs.len(), elements: elements.len() };
    Some(binary_chain(relation, ChainShape::TotalOrder, elements, reason))
}
