//! The data that features are made from.

use std::collections::BTreeSet;

use crate::gdl::term::TermId;
use crate::machine::Machine;
use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::{FluentFinding, FluentKind, OrderedBy, Structures};

use super::fluent_index::FluentIndex;
use super::ownership::Ownership;
use super::pattern::Pattern;

/// The data that features are made from: the findings about a game, and its fluents.
pub struct Sources<'a> {
    /// The fluents of the machine.
    pub fluent_index: &'a FluentIndex<'a>,
    /// The findings.
    pub structures: &'a Structures,
    /// The facts that each role added in random play.
    pub ownership: &'a Ownership,
}

impl Sources<'_> {
    pub(super) fn machine(&self) -> &dyn Machine {
        self.fluent_index.machine()
    }

    /// The names of the roles, in the order of the rules.
    pub(super) fn roles(&self) -> Vec<String> {
        self.machine().description().roles.iter().map(|&role| self.machine().term_text(role)).collect()
    }

    /// The numbers of the roles except `random`.
    pub(super) fn players(&self) -> Vec<usize> {
        self.machine().description().players().collect()
    }

    /// The players of other teams.
    pub(super) fn opponents(&self, role: usize) -> Vec<usize> {
        let team = self.structures.team_of(role).unwrap_or_default();
        let others = self.machine().description().players();
        others.filter(|other| *other != role && !team.contains(other)).collect()
    }

    /// The players that an argument of a fluent names, by number and name; none if it also holds other names.
    pub(super) fn roles_at(
        &self,
        finding: &FluentFinding,
        argument: ArgumentPosition,
    ) -> Vec<(usize, String)> {
        if !finding.role_arguments.contains(&argument) {
            return Vec::new();
        }
        let terms = self.terms(finding, argument);
        let description = self.machine().description();
        let players = description.players().map(|number| (number, description.roles[number]));
        let named = players.filter(|(_, role)| terms.contains(role));
        named.map(|(number, role)| (number, self.machine().term_text(role))).collect()
    }

    /// The name of a fluent without its arity.
    pub(super) fn name_of(&self, finding: &FluentFinding) -> &str {
        self.machine().description().symbols.name(finding.fluent.name)
    }

    /// The finding about the fluent of a pattern.
    pub(super) fn finding(&self, pattern: &Pattern) -> Option<&FluentFinding> {
        self.structures.fluent(self.fluent_index.fluent_of(pattern)?)
    }

    /// Boards, and fluents that give objects their places.
    pub(super) fn located_fluents(&self) -> impl Iterator<Item = &FluentFinding> {
        self.structures.fluents.iter().filter(|finding| finding.kind.has_cells())
    }

    /// The fluents of some kinds.
    pub(super) fn of_kind<'s>(&'s self, kinds: &'s [FluentKind]) -> impl Iterator<Item = &'s FluentFinding> {
        self.structures.fluents.iter().filter(move |finding| kinds.contains(&finding.kind))
    }

    /// The elements of an order from first to last, as texts, from the first to the last of the given terms. None if
    /// the order has fewer than two of these terms.
    pub(super) fn order(&self, order: OrderedBy, terms: &BTreeSet<TermId>) -> Option<Vec<String>> {
        let elements = self.structures.elements(order)?;
        let first = elements.iter().position(|element| terms.contains(element))?;
        let last = elements.iter().rposition(|element| terms.contains(element))?;
        let text = |&element: &TermId| self.machine().term_text(element);
        (last > first).then(|| elements[first..=last].iter().map(text).collect())
    }

    /// The terms that can occur at an argument of a fluent: in the network, otherwise by the domains of the rules.
    pub(super) fn terms(&self, finding: &FluentFinding, argument: ArgumentPosition) -> BTreeSet<TermId> {
        if !self.fluent_index.is_complete() {
            return finding.domains[argument.index()].terms.iter().copied().collect();
        }
        let pattern = self.fluent_index.pattern(finding.fluent, &[]);
        let Ok(relation) = self.fluent_index.relation(&pattern) else { return BTreeSet::new() };
        let members = self.fluent_index.members(relation);
        members.map(|(fluent, _)| self.machine().fluent(fluent).1[argument.index()]).collect()
    }
}
