//! GDL-II descriptions: those with the role `random`, or with rules for `sees`.

use super::subject::Subject;
use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::information::Information;
use crate::gdl::rule::RelationKind;

/// The description uses GDL-II.
pub const GDL_II: Code = Code(45);

pub(super) const GROUP: Group = Group { name: "chance and hidden information", entries: ENTRIES, check };

const ENTRIES: &[Entry] = &[Entry {
    code: GDL_II,
    severity: Severity::Warning,
    title: "chance or hidden information (GDL-II)",
    cause: "The description uses GDL-II (Thielscher 2010): it has the role `random`, which draws its moves, or rules \
            for `sees`, which say what players see. `ggp` reads, simulates and analyses such games. If every player \
            sees all moves, `solve` and the players alphabeta, uct, greedy and random treat the moves of `random` as \
            equally likely. Games with hidden moves are not solved; they are only played at random.",
    example: "(role a)\n(role random)",
    corrected: "(role a)",
    remedy: "ignore this if it is intended; otherwise rename the role `random` or the relation `sees`",
}];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let description = subject.description;
    let information = Information::of(description);
    if !information.sees && information.random_role.is_none() {
        return;
    }
    let first_rules = |matches: &dyn Fn(RelationKind, &str) -> bool| {
        let mut relations = description.relation_ids();
        let relation = relations.find(|(id, relation)| {
            matches(relation.kind, description.symbols.name(relation.name))
                && !description.rules_of[id.index()].is_empty()
        });
        relation.map(|(id, _)| description.rules_of[id.index()].clone())
    };
    let place = match information.random_role {
        Some(role) => {
            first_rules(&|kind, _| kind == RelationKind::Role).and_then(|rules| rules.get(role).copied())
        }
        None => first_rules(&|kind, name| kind == RelationKind::View && name == "sees")
            .and_then(|rules| rules.first().copied()),
    };
    let Some(rule) = place else { return };
    let message = match (information.random_role.is_some(), information.sees, information.hidden) {
        (_, _, true) => "this game hides moves from players (GDL-II): it can't be searched",
        (true, true, false) => {
            "this game has chance (GDL-II): `random` draws its moves; every player sees all moves"
        }
        (true, false, false) => "this game has chance (GDL-II): `random` draws its moves",
        (false, _, false) => "this game has rules for `sees` (GDL-II): every player sees all moves",
    };
    let span = subject.statement(rule).head.span;
    diagnostics.add(GDL_II, span, message);
}
