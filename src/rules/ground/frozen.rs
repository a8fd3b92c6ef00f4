//! Frozen fluents, which no move changes, such as walls of a maze. Their facts are those of `init` in every state, so they
//! are treated as static relations.
//!
//! The fluents of a family are frozen if its only rules for `next` copy the current value: `(<= (next (wall ?x ?y)) (true
//! (wall ?x ?y)))`. Relations that depend only on frozen fluents are static too.

use super::program::{FluentFamily, GameProgram};
use crate::gdl::Description;
use crate::gdl::rule::{Dependence, Literal, RelationKind, Rule};
use crate::gdl::term::Term;

/// Whether a rule only copies the value of a fluent to the next state.
fn copies_value(rule: &Rule, family: &FluentFamily) -> bool {
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

/// For each fluent family of a program whether it is frozen.
pub(super) fn frozen(program: &GameProgram, description: &Description) -> Vec<bool> {
    let is_frozen = |family: &FluentFamily| {
        let rules = family.next.map(|next| &description.rules_of[next.index()]);
        rules.is_some_and(|rules| {
            !rules.is_empty()
                && rules.iter().all(|&rule| copies_value(&description.rules[rule as usize], family))
        })
    };
    program.fluents.iter().map(is_frozen).collect()
}

/// The dependence of every relation if frozen fluents count as static.
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
