//! A graph while its nodes are made.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;

use super::beneficiaries::Beneficiaries;
use super::graph::{ALWAYS, Graph, NEVER, negate};
use super::kinds::{Compare, Node};
use super::mention::Mention;
use super::rewrite::Part;
use super::shape::Sides;
use super::unroll_context::UnrollContext;

/// A graph with the nodes of its atoms.
#[derive(Default)]
pub(super) struct GraphDraft {
    pub(super) graph: Graph,
    pub(super) mentions: FxHashMap<u32, Mention>,
    /// The relations with a `Node::Derived`.
    pub(super) lifted: BTreeSet<RelationId>,
    /// The relation with the most mentions of those that can still be lifted.
    pub(super) heaviest: Option<(RelationId, usize)>,
    pub(super) memo: RegressionMemo,
    /// Nodes of atoms of the description's own relations.
    pub(super) labels: Vec<(u32, u32)>,
}

/// Results of the passes that look back through the rules.
#[derive(Default)]
pub(super) struct RegressionMemo {
    /// Nodes by atom and number of steps.
    pub(super) nodes: FxHashMap<(u32, u32), Mention>,
    /// Keys of `nodes` under construction. A path that returns to one of them is ignored.
    pub(super) stack: FxHashSet<(u32, u32)>,
    /// For each negated atom that means the absence of a piece, the node of the piece's capture.
    pub(super) captured: FxHashMap<u32, Option<Mention>>,
    pub(super) beneficiaries: FxHashMap<u32, Beneficiaries>,
    /// For each role, the node of "it has no move".
    pub(super) no_move: FxHashMap<TermId, Option<Mention>>,
    /// Whether the graph exceeded its budget of mentions.
    pub(super) cut: bool,
}

impl GraphDraft {
    /// The known node of an atom.
    pub(super) fn mention(&self, atom: u32, negated: bool) -> Mention {
        let mention = self.mentions[&atom];
        if negated { negate(mention) } else { mention }
    }

    /// The leaf of a fluent that nothing measures.
    pub(super) fn fact(&mut self, context: &UnrollContext<'_>, fluent: u32) -> Mention {
        self.graph.node(Node::Fact(context.text(fluent)))
    }

    /// The disjunction of such leaves.
    pub(super) fn any_fact(&mut self, context: &UnrollContext<'_>, fluents: &[u32]) -> Mention {
        let facts = fluents.iter().map(|&fluent| self.fact(context, fluent)).collect();
        self.graph.or(facts)
    }

    /// A measured leaf, with its family.
    pub(super) fn measured(&mut self, context: &UnrollContext<'_>, atom: u32, node: Node) -> Mention {
        let relation = context.relation(atom);
        let fluent = match context.rules.parts[relation.index()] {
            Part::Own => Some(relation),
            _ => {
                let clause =
                    context.rules.program.clauses.iter().find(|clause| clause.head.relation == relation);
                clause.and_then(|clause| clause.body[0].atom()).map(|atom| atom.relation)
            }
        };
        if let Some(measured) = fluent.and_then(|fluent| context.leaves.measured.get(&fluent)) {
            self.graph.family(&measured.family);
        }
        self.graph.node(node)
    }

    /// The node of a comparison; `node_of` returns the node of an atom that gives one of its values.
    pub(super) fn comparison(
        &mut self,
        sides: &Sides,
        node_of: &mut dyn FnMut(&mut GraphDraft, u32) -> Mention,
    ) -> Mention {
        let mut find = |list: &[(u32, Option<u32>)]| -> Vec<(u32, Mention)> {
            let mentions =
                list.iter().map(|&(rank, atom)| (rank, atom.map_or(ALWAYS, |atom| node_of(self, atom))));
            mentions.filter(|&(_, mention)| mention != NEVER).collect()
        };
        let (left, right) = (find(&sides.left), find(&sides.right));
        if left.is_empty() || right.is_empty() {
            return NEVER;
        }
        let (text, relation, length) = (sides.text.clone(), sides.relation, sides.length);
        self.graph.node(Node::Compare(Compare { text, relation, left, right, length }))
    }
}
