//! Translates the rules of a description to a Datalog program: groups fluents and moves in families, makes frozen fluents
//! static, and splits off sub-joins as auxiliary relations.

use super::frozen::{dependences, frozen};
use super::program::{FluentFamily, GameProgram, MoveFamily};
use super::project::Splitter;
use crate::datalog::{Clause, Program};
use crate::gdl::Description;
use crate::gdl::rule::{Atom, Dependence, Literal, Relation, RelationKind};
use crate::gdl::term::{Term, Variable};

/// Translates the rules of a description, each with its sub-joins split off.
pub(super) fn translate(description: &Description) -> GameProgram {
    let mut program = GameProgram {
        rules: Program::over(description.relations.iter().map(|relation| relation.arity).collect()),
        rule_of: Vec::new(),
        relations: description.relations.clone(),
        demanded: Vec::new(),
        bound: Vec::new(),
        fluents: Vec::new(),
        moves: Vec::new(),
    };
    gather_families(&mut program, description);
    freeze(&mut program, description);
    let mut splitter = Splitter::default();
    for (number, rule) in description.rules.iter().enumerate() {
        let head = rule.head.relation;
        if program.fluents.iter().any(|family| family.frozen && family.next == Some(head)) {
            continue;
        }
        let clause =
            Clause { head: rule.head.clone(), body: rule.body.clone(), variables: rule.variables.len() };
        splitter.split(clause, &mut program);
        // Split-off clauses come before the clause of the rule.
        program.rule_of.resize(program.rules.clauses.len(), None);
        program.rule_of.pop();
        program.rule_of.push(Some(number as u32));
    }
    program.demanded = vec![false; program.relations.len()];
    program
}

/// Finds the fluent and move families, and adds a `true` or `does` relation if no rule mentions it.
fn gather_families(program: &mut GameProgram, description: &Description) {
    for (id, relation) in description.relation_ids() {
        let Relation { name: functor, arity, .. } = *relation;
        let find = |kind| description.relation(kind, functor, arity);
        match relation.kind {
            RelationKind::Init | RelationKind::True | RelationKind::Next => {
                if program.fluents.iter().any(|family| (family.functor, family.arity) == (functor, arity)) {
                    continue;
                }
                let holds = find(RelationKind::True).unwrap_or_else(|| {
                    let (kind, dependence) = (RelationKind::True, Dependence::State);
                    program.add(Relation { kind, name: functor, arity, dependence, stratum: 0 })
                });
                let (init, next) = (find(RelationKind::Init), find(RelationKind::Next));
                program.fluents.push(FluentFamily { functor, arity, init, holds, next, frozen: false });
            }
            RelationKind::Legal => {
                let does = find(RelationKind::Does).unwrap_or_else(|| {
                    let (kind, dependence) = (RelationKind::Does, Dependence::Moves);
                    program.add(Relation { kind, name: functor, arity, dependence, stratum: 0 })
                });
                program.moves.push(MoveFamily { functor, arity: arity - 1, legal: id, does });
            }
            _ => {}
        }
    }
}

/// Makes frozen fluents static.
fn freeze(program: &mut GameProgram, description: &Description) {
    let frozen = frozen(program, description);
    let dependences = dependences(program, description, &frozen);
    for (relation, dependence) in program.relations.iter_mut().zip(dependences) {
        relation.dependence = dependence;
    }
    for (family, frozen) in program.fluents.iter_mut().zip(frozen) {
        family.frozen = frozen;
        if let (true, Some(init)) = (frozen, family.init) {
            let terms: Box<[Term]> = (0..family.arity as u32).map(|i| Term::Variable(Variable(i))).collect();
            let body = vec![Literal::Positive(Atom { relation: init, arguments: terms.clone() })];
            let head = Atom { relation: family.holds, arguments: terms };
            program.rules.clauses.push(Clause { head, body, variables: family.arity });
        }
    }
}
