//! The inputs of graphs: the rules, their instances over the fluents that can hold, and the measured leaves.

use std::collections::BTreeSet;

use crate::datalog::Interrupt;
use crate::gdl::Description;
use crate::gdl::rule::{RelationId, RelationKind};
use crate::gdl::term::TermId;
use crate::ground::StaticFacts;

use super::instances::Instances;
use super::leaf::Leaves;
use super::pieces::Piece;
use super::rewrite::Rules;

/// Limit of the rules between an atom and the fluents that it represents.
pub(super) const MOST_RULES: usize = 6;

/// Number of atoms between two checks of the interrupt.
pub(super) const STRIDE: usize = 64;

/// The inputs of the passes that make a graph.
pub(super) struct UnrollContext<'a> {
    pub(super) description: &'a Description,
    pub(super) statics: &'a StaticFacts,
    pub(super) rules: &'a Rules,
    pub(super) instances: &'a Instances,
    pub(super) leaves: &'a Leaves,
    pub(super) interrupt: &'a Interrupt,
    pub(super) regression: RegressionLimits,
    /// Pieces that can be captured.
    pub(super) pieces: &'a [Piece],
    /// The roles of the team for which the function is made.
    pub(super) team: &'a [TermId],
}

/// Limits of looking back through the rules.
pub(super) struct RegressionLimits {
    /// Steps; 0 if leaves don't look back.
    pub(super) steps: u32,
    /// If the graph has more mentions of nodes, leaves don't look back.
    pub(super) mentions: usize,
    /// Relations that are not unrolled.
    pub(super) lifted: BTreeSet<RelationId>,
}

impl UnrollContext<'_> {
    pub(super) fn relation(&self, atom: u32) -> RelationId {
        self.instances.atoms[atom as usize].0
    }

    pub(super) fn kind(&self, atom: u32) -> RelationKind {
        self.rules.relations[self.relation(atom).index()].kind
    }

    pub(super) fn is_fluent(&self, atom: u32) -> bool {
        self.kind(atom) == RelationKind::True
    }

    /// Whether a fluent holds in the initial state.
    pub(super) fn is_initial(&self, fluent: u32) -> bool {
        let of = &self.rules.relations[self.relation(fluent).index()];
        let init = self.description.relation(RelationKind::Init, of.name, of.arity);
        init.is_some_and(|init| self.statics.holds(init, self.instances.arguments(fluent)))
    }

    /// The atom of `next` for a fluent.
    pub(super) fn next_of(&self, fluent: u32) -> Option<u32> {
        let of = &self.rules.relations[self.relation(fluent).index()];
        let next = self.description.relation(RelationKind::Next, of.name, of.arity)?;
        self.instances.atom(next, self.instances.arguments(fluent))
    }

    /// If an atom is a disjunction of at most `most` fluents, these fluents.
    pub(super) fn alternatives(&self, atom: u32, most: usize) -> Option<Vec<u32>> {
        let mut fluents = Vec::new();
        self.add_alternatives(atom, MOST_RULES, most, &mut fluents)?;
        fluents.sort_unstable();
        fluents.dedup();
        Some(fluents)
    }

    fn add_alternatives(&self, atom: u32, depth: usize, most: usize, fluents: &mut Vec<u32>) -> Option<()> {
        if self.is_fluent(atom) {
            fluents.push(atom);
            return (fluents.len() <= most).then_some(());
        }
        let depth =
            depth.checked_sub(1).filter(|_| !self.regression.lifted.contains(&self.relation(atom)))?;
        for body in self.instances.of(atom) {
            let &[(only, false)] = body else { return None };
            self.add_alternatives(only, depth, most, fluents)?;
        }
        Some(())
    }

    pub(super) fn term(&self, term: TermId) -> String {
        self.instances.terms.display(term, &self.description.symbols)
    }

    /// An atom as KIF; a fluent without `true` around it.
    pub(super) fn text(&self, atom: u32) -> String {
        let pattern: Vec<Option<TermId>> =
            self.instances.arguments(atom).iter().map(|&term| Some(term)).collect();
        self.pattern_text(self.relation(atom), &pattern)
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
