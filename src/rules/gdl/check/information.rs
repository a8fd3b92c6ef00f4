//! Descriptions that are GDL-II: with a role that draws its moves, or rules that say what players see.

use super::subject::Subject;
use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::information::Information;
use crate::gdl::rule::RelationKind;

/// The description is GDL-II.
pub const GDL_II: Code = Code(45);

pub(super) const GROUP: Group = Group { name: "chance and information", entries: ENTRIES, check };

const ENTRIES: &[Entry] = &[Entry {
    code: GDL_II,
    severity: Severity::Warning,
    title: "GDL-II",
    cause: "The description has the role `random`, which draws its moves, or rules for `sees`, which say what players see \
            of the moves (Thielscher 2010). Everything is read, simulated and analysed. Where nothing is hidden, as every \
            player sees all moves, `solve` and the players alphabeta, uct, greedy and random take the random role's \
            moves for equally likely. Games in which something is hidden are not solved, and played at random alone.",
    example: "(role a)\n(role random)",
    mended: "(role a)",
    remedy: "leave it, where it is meant; else give the role another name",
}];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let description = subject.description;
    let information = Information::of(description);
    if !information.sees && information.random_role.is_none() {
        return;
    }
    let first = |wanted: &dyn Fn(RelationKind, &str) -> bool| {
        let mut relations = description.relation_ids();
        let found = relations.find(|(id, relation)| {
            wanted(relation.kind, description.symbols.name(relation.name))
                && !description.rules_of[id.index()].is_empty()
        });
        found.map(|(id, _)| description.rules_of[id.index()].clone())
    };
    let place = match information.random_role {
        Some(role) => first(&|kind, _| kind == RelationKind::Role).and_then(|rules| rules.get(role).copied()),
        None => first(&|kind, name| kind == RelationKind::View && name == "sees")
            .and_then(|rules| rules.first().copied()),
    };
    let Some(rule) = place else { return };
    let says = match (information.random_role.is_some(), information.sees, information.hidden) {
        (_, _, true) => "this is GDL-II with moves that some player does not see: it can't be searched",
        (true, true, false) => "this is GDL-II: `random` draws its moves, and every player sees all moves",
        (true, false, false) => "this is GDL-II: `random` draws its moves",
        (false, _, false) => "this is GDL-II: rules say what players see, which is all moves",
    };
    let span = subject.statement(rule).head.span;
    diagnostics.add(GDL_II, span, says).note("here").expected("to be read as GDL-II");
}
