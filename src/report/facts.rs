//! Splits the facts of states into name and arguments; pictures of states are drawn from them.

use rustc_hash::FxHashMap;

use crate::gdl::term::TermId;
use crate::machine::{FluentId, Machine, State};
use crate::structure::finding::Structures;
use crate::structure::fluent_relations::FluentRelation;

/// A fact of a state, split into name and arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The fluent's name.
    pub name: String,
    /// Its arguments as KIF.
    pub arguments: Vec<String>,
    /// The index of its fluent in `Structures::fluents`; `None` if there is no finding about it.
    pub(super) fluent: Option<usize>,
    /// For each argument its position in the argument's domain; `None` for a term that is not in the domain.
    pub(super) positions: Vec<Option<usize>>,
}

impl std::fmt::Display for Fact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.arguments.is_empty() {
            true => f.write_str(&self.name),
            false => write!(f, "({} {})", self.name, self.arguments.join(" ")),
        }
    }
}

/// Reads the facts of a machine's states.
pub(super) struct FactReader<'m> {
    machine: &'m dyn Machine,
    fluents: FxHashMap<FluentRelation, usize>,
    /// For each fluent in `Structures::fluents` and each argument, the positions of terms in the domain.
    domains: Vec<Vec<FxHashMap<TermId, usize>>>,
}

impl<'m> FactReader<'m> {
    /// Prepares the domains of all fluents.
    pub(super) fn new(machine: &'m dyn Machine, structures: &Structures) -> FactReader<'m> {
        let positions = |terms: &[TermId]| terms.iter().copied().zip(0..).collect();
        let domains = structures
            .fluents
            .iter()
            .map(|finding| finding.domains.iter().map(|domain| positions(&domain.terms)).collect());
        let fluents = structures.fluents.iter().map(|fluent| fluent.fluent).zip(0..);
        FactReader { machine, fluents: fluents.collect(), domains: domains.collect() }
    }

    /// The fact of a fluent of the machine.
    pub(super) fn fact(&self, fluent: FluentId) -> Fact {
        let (name, arguments) = self.machine.fluent(fluent);
        let fluent = self.fluents.get(&FluentRelation { name, arity: arguments.len() }).copied();
        let position = |(argument, &term)| self.position(fluent?, argument, term);
        Fact {
            fluent,
            positions: arguments.iter().enumerate().map(position).collect(),
            name: self.machine.description().symbols.name(name).to_owned(),
            arguments: arguments.into_iter().map(|argument| self.machine.term_text(argument)).collect(),
        }
    }

    /// The facts of a state, in structural order of their terms.
    pub(super) fn facts(&self, state: &State) -> Vec<Fact> {
        let mut fluents: Vec<FluentId> = Vec::new();
        self.machine.fluents(state, &mut fluents);
        fluents.into_iter().map(|fluent| self.fact(fluent)).collect()
    }

    /// The position of a term in the domain of a fluent's argument.
    pub(super) fn position(&self, fluent: usize, argument: usize, term: TermId) -> Option<usize> {
        self.domains[fluent][argument].get(&term).copied()
    }
}

/// The facts of a state as text, in structural order of their terms.
pub fn facts(machine: &dyn Machine, state: &State) -> Vec<Fact> {
    FactReader { machine, fluents: FxHashMap::default(), domains: Vec::new() }.facts(state)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::structure::vocabulary::Kif;

    /// Facts such as `cell a b x`.
    pub(in super::super) fn facts(structures: &Structures<Kif>, texts: &[&str]) -> Vec<Fact> {
        let fact = |text: &&str| {
            let mut words = text.split(' ').map(str::to_owned);
            let (name, arguments) = (words.next().unwrap(), Vec::from_iter(words));
            let signature = format!("{name}/{}", arguments.len());
            let fluent = structures.fluents.iter().position(|fluent| fluent.fluent == signature);
            let position = |(argument, word): (usize, &String)| {
                structures.fluents[fluent?].domains.get(argument)?.iter().position(|known| known == word)
            };
            let positions = arguments.iter().enumerate().map(position).collect();
            Fact { name, arguments, fluent, positions }
        };
        texts.iter().map(fact).collect()
    }
}
