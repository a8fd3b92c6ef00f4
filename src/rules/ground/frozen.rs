//! Fluents that no move changes: walls of a maze, say. Their facts are those of `init` in every state, so rules
//! over them are joined as over static relations.
//!
//! A kind of fluent is frozen when the only rules for its `next` hand on what holds: `(<= (next (wall ?x ?y))
//! (true (wall ?x ?y)))`. What depends on frozen fluents alone is static then, too.

use super::program::{FluentFamily, GameProgram};
use crate::gdl::Description;
use crate::gdl::rule::{Dependence, Literal, RelationKind, Rule};
use crate::gdl::term::Term;

/// Whether a rule says just that a fluent of a kind that holds goes on to hold.
fn hands_on(rule: &Rule, family: &FluentFamily) -> bool {
    let [Literal::Positive(body)] = rule.body.as_slice() else { return false };
    let variables = rule.head.arguments.iter().map(|term| match term {
        Term::Variable(variable) => Some(*variable),
        _ => None,
    });
    let Some(mut variables) = variables.collect::<Option<Vec<_>>>() else { return false };
    variables.sort_unstable();
    variables.dedup();
    body.relation == family.holds && body.arguments == rule.head.arguments && variables.len() == family.arity
}

/// Whether each of a program's kinds of fluent is frozen.
pub(super) fn frozen(program: &GameProgram, description: &Description) -> Vec<bool> {
    let is_frozen = |family: &FluentFamily| {
        let rules = family.next.map(|next| &description.rules_of[next.index()]);
        rules.is_some_and(|rules| {
            !rules.is_empty() && rules.iter().all(|&rule| hands_on(&description.rules[rule as usize], family))
        })
    };
    program.fluents.iter().map(is_frozen).collect()
}

/// What every relation depends on when frozen fluents count as static.
pub(super) fn dependences(
    program: &GameProgram,
    description: &Description,
    frozen: &[bool],
) -> Vec<Dependence> {
    let base = |kind| match kind {
        RelationKind::True => Dependence::State,
        RelationKind::Does => Dependence::Moves,
        _ => Dependence::Static,
    };
    let mut dependence: Vec<Dependence> =
        program.relations.iter().map(|relation| base(relation.kind)).collect();
    for (family, _) in program.fluents.iter().zip(frozen).filter(|(_, frozen)| **frozen) {
        dependence[family.holds.index()] = Dependence::Static;
    }
    loop {
        let mut changed = false;
        for rule in &description.rules {
            let body = rule
                .body
                .iter()
                .filter_map(Literal::atom)
                .map(|atom| dependence[atom.relation.index()])
                .max();
            let head = &mut dependence[rule.head.relation.index()];
            let wider = (*head).max(body.unwrap_or(Dependence::Static));
            changed |= *head != wider;
            *head = wider;
        }
        if !changed {
            return dependence;
        }
    }
}
