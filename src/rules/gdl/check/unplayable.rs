//! Games that can't begin. `simulate::run_trial` finds these faults, because they show only in play.

use super::misspelling::resembles;
use super::{Entry, Group};
use crate::gdl::Description;
use crate::gdl::diagnostic::{Code, Severity};
use crate::gdl::keyword::Keyword;
use crate::gdl::rule::RelationKind;
use crate::gdl::source::Span;

/// A role without a legal move in the initial state.
pub const NO_FIRST_MOVE: Code = Code(61);

pub(super) const GROUP: Group =
    Group { name: "unplayable", entries: ENTRIES, check: super::found_while_reading };

const ENTRIES: &[Entry] = &[Entry {
    code: NO_FIRST_MOVE,
    severity: Severity::Error,
    title: "role without a legal move in the initial state",
    cause: "All roles move in every step. This role has no legal move in the initial state, which is not terminal, so the \
            game can't begin. A condition of its rules for `legal` may be misspelt or may not hold yet. A role whose turn \
            it is not needs a move such as `noop`.",
    example: "(role a)\n(init (step 1))\n(<= (legal a go) (true (step 2)))\n(<= (next (step 2)) (true (step 1)))\n\
              (<= terminal (true (step 2)))\n(goal a 100)",
    corrected: "(role a)\n(init (step 1))\n(<= (legal a go) (true (step 1)))\n(<= (next (step 2)) (true (step 1)))\n\
                (<= terminal (true (step 2)))\n(goal a 100)",
    remedy: "add a rule for `legal` that holds in the initial state; a role that waits needs a move such as `noop`",
}];

/// The first unused relation that is probably `legal` misspelt, with the place of its first rule.
pub fn misspelt_legal(description: &Description) -> Option<(&str, Span)> {
    let alike = |name: &str, arity: usize| {
        Keyword::Legal.arity() == Some(arity) && resembles(name, Keyword::Legal.name())
    };
    description.relation_ids().find_map(|(id, relation)| {
        let name = description.symbols.name(relation.name);
        let &first = description.rules_of[id.index()].first()?;
        if relation.kind != RelationKind::View || !alike(name, relation.arity) {
            return None;
        }
        let mut bodies = description.rules.iter().flat_map(|rule| &rule.body);
        let is_used = bodies.any(|literal| literal.atom().is_some_and(|atom| atom.relation == id));
        (!is_used).then_some((name, description.rules[first as usize].span))
    })
}
