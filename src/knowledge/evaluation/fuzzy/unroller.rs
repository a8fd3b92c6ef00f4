//! What formulas are made from: the rules, their instances over the fluents that can hold, and what can be measured.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::datalog::Interrupt;
use crate::gdl::Description;
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;
use crate::ground::StaticFacts;

use super::graph::Graph;
use super::instances::Instances;
use super::leaf::Leaves;
use super::mention::Mention;
use super::pieces::Piece;
use super::rewrite::Rules;

/// The atoms that are unrolled.
pub(super) struct Roots {
    pub(super) terminal: Option<u32>,
    pub(super) goals: Vec<(i32, u32)>,
    /// Those of the opponents.
    pub(super) against: Vec<(i32, u32)>,
}

impl Roots {
    /// Their atoms, the end first.
    pub(super) fn atoms(&self) -> impl Iterator<Item = u32> + '_ {
        let goals = self.goals.iter().chain(&self.against).map(|&(_, atom)| atom);
        self.terminal.into_iter().chain(goals)
    }
}

/// What formulas are made from.
pub(super) struct Unroller<'a> {
    pub(super) description: &'a Description,
    pub(super) statics: &'a StaticFacts,
    pub(super) rules: &'a Rules,
    pub(super) instances: &'a mut Instances,
    pub(super) leaves: &'a Leaves,
    pub(super) interrupt: &'a Interrupt,
    pub(super) regression: Regression,
    /// Pieces that can be captured.
    pub(super) pieces: &'a [Piece],
    /// The roles of the team whose function it is.
    pub(super) own: &'a [TermId],
}

/// How leaves look back through the rules.
pub(super) struct Regression {
    /// Steps, none where leaves don't.
    pub(super) steps: u32,
    /// Mentions of nodes after which leaves stay plain.
    pub(super) mentions: usize,
    /// Relations that are not unrolled.
    pub(super) lifted: BTreeSet<RelationId>,
}

/// Atoms between two looks at the interrupt.
pub(super) const STRIDE: usize = 64;

/// A graph with the nodes of its atoms.
pub(super) struct GraphDraft {
    pub(super) graph: Graph,
    pub(super) mentions: FxHashMap<u32, Mention>,
    /// The relations with an atom that is a leaf decided by the rules.
    pub(super) lifted: BTreeSet<RelationId>,
    /// The relation with the most mentions, of those that can still be lifted.
    pub(super) heaviest: Option<(RelationId, usize)>,
    /// Nodes that look back through the rules.
    pub(super) regressed: Regressed,
    /// Nodes of atoms of the rules' own.
    pub(super) labels: Vec<(u32, u32)>,
}

/// Nodes of atoms, by how many steps they may look back.
#[derive(Default)]
pub(super) struct Regressed {
    pub(super) nodes: FxHashMap<(u32, u32), Mention>,
    /// Atoms whose nodes are being made, which a way must not lead back to.
    pub(super) under_way: FxHashSet<(u32, u32)>,
    /// For atoms whose negation is wanted the absence of the piece that they are about, if they are.
    pub(super) captured: FxHashMap<u32, Option<Mention>>,
    /// Who wants the atoms of goals, and for roles that they have no move.
    pub(super) wanted: FxHashMap<u32, Wanted>,
    pub(super) without_move: FxHashMap<TermId, Option<Mention>>,
    /// Whether there were more than the budget allows.
    pub(super) cut: bool,
}

impl Regressed {
    /// None yet, where these want the atoms of goals.
    pub(super) fn new(wanted: FxHashMap<u32, Wanted>) -> Regressed {
        Regressed { wanted, ..Regressed::default() }
    }
}

/// The sides that want an atom: the role's and its opponents'.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) own: bool,
    pub(super) others: bool,
}

impl Unroller<'_> {
    /// The relation of the description that an atom belongs to.
    pub(super) fn owner(&self, atom: u32) -> RelationId {
        self.rules.owners[self.instances.atoms[atom as usize].0.index()]
    }

    pub(super) fn term(&self, term: TermId) -> String {
        self.instances.terms.display(term, &self.description.symbols)
    }

    /// An atom as KIF; a fluent without `true` around it.
    pub(super) fn text(&self, atom: u32) -> String {
        let (relation, _) = self.instances.atoms[atom as usize];
        let pattern: Vec<Option<TermId>> =
            self.instances.arguments(atom).iter().map(|&term| Some(term)).collect();
        self.pattern_text(relation, &pattern)
    }

    pub(super) fn pattern_text(&self, relation: RelationId, pattern: &[Option<TermId>]) -> String {
        let name = self.description.symbols.name(self.rules.relations[relation.index()].name);
        if pattern.is_empty() {
            return name.to_owned();
        }
        let arguments: Vec<String> =
            pattern.iter().map(|term| term.map_or("?".to_owned(), |term| self.term(term))).collect();
        format!("({name} {})", arguments.join(" "))
    }
}
