//! Argument domains of fluents, as text.

use crate::gdl::domain::Domains;
use crate::gdl::rule::RelationKind;
use crate::machine::Machine;

use super::fluent_relations::FluentRelation;

/// Writes argument domains.
pub struct Texts<'m> {
    machine: &'m dyn Machine,
    domains: Domains,
}

impl<'m> Texts<'m> {
    /// The domains of a game's rules.
    pub fn new(machine: &'m dyn Machine) -> Texts<'m> {
        Texts { machine, domains: Domains::of(machine.description()) }
    }

    /// For each argument of a fluent the terms that can stand there by the dependency graph: those of the text,
    /// and functions whose arguments come together only in play as `name/arity`.
    pub fn of(&self, fluent: FluentRelation) -> Vec<Vec<String>> {
        let description = self.machine.description();
        let kinds = [RelationKind::True, RelationKind::Next, RelationKind::Init];
        let found = kinds.into_iter().find_map(|kind| description.relation(kind, fluent.name, fluent.arity));
        let Some(relation) = found else { return vec![Vec::new(); fluent.arity] };
        let texts = (0..fluent.arity).map(|argument| {
            let domain = self.domains.argument(relation, argument);
            let terms = domain.terms.iter().map(|&term| description.term(term));
            let functors = domain
                .functors
                .iter()
                .map(|&(functor, arity)| format!("{}/{arity}", description.symbols.name(functor)));
            terms.chain(functors).collect()
        });
        texts.collect()
    }
}
