//! Splits rules: variables that are local to a part of a body are projected out there, so that a rule with many variables
//! does not expand to the product of their domains.
//!
//! A connected set of local variables (not in the head) has a *part*, the literals with these variables, and a *boundary*,
//! the other variables of those literals. The part becomes a rule for a new auxiliary relation over the boundary. This is
//! done only if the relation can't become large: one literal of the part has all boundary variables, or there are at most
//! two of them. Equal parts of different rules share one relation.
//!
//! This follows rule splitting in Helmert, "Concise finite-domain representations for PDDL planning tasks", 2009, section 6,
//! but chooses by variables instead of estimated sizes.

use rustc_hash::FxHashMap;

use super::program::GameProgram;
use crate::datalog::Clause;
use crate::gdl::rule::{Atom, Dependence, Literal, Relation, RelationId, RelationKind};
use crate::gdl::term::{Term, Variable};

/// Maximum size of a boundary for which no literal needs to have all variables.
const SMALL_BOUNDARY: usize = 2;

/// Splits clauses, and reuses the relations of equal parts.
#[derive(Default)]
pub(super) struct Splitter {
    parts: FxHashMap<(Vec<Literal>, usize), RelationId>,
}

impl Splitter {
    /// Adds a clause to the program after splitting off the parts for which that pays.
    pub(super) fn split(&mut self, mut clause: Clause, program: &mut GameProgram) {
        while let Some(part) = find_part(&clause) {
            self.extract(&mut clause, &part, program);
        }
        program.rules.clauses.push(clause);
    }

    /// Moves the literals of a part into a rule of their own.
    fn extract(&mut self, clause: &mut Clause, part: &Part, program: &mut GameProgram) {
        let mut renamed = vec![None; clause.variables];
        let mut count = 0;
        for &variable in &part.boundary {
            renamed[variable] = Some(count);
            count += 1;
        }
        let body: Vec<Literal> = part
            .literals
            .iter()
            .map(|&index| {
                clause.body[index].renamed(&mut |variable| {
                    *renamed[variable].get_or_insert_with(|| {
                        count += 1;
                        count - 1
                    })
                })
            })
            .collect();
        let key = (body, part.boundary.len());
        let relation = match self.parts.get(&key) {
            Some(&relation) => relation,
            None => {
                let of = |literal: &Literal| {
                    literal.atom().map(|atom| program.relations[atom.relation.index()].clone())
                };
                let dependence =
                    key.0.iter().filter_map(of).map(|r| r.dependence).max().unwrap_or(Dependence::Static);
                let stratum = key
                    .0
                    .iter()
                    .filter_map(|literal| Some((of(literal)?, matches!(literal, Literal::Negative(_)))))
                    .map(|(relation, negated)| relation.stratum + u32::from(negated))
                    .max()
                    .unwrap_or(0);
                let relation = program.add(Relation {
                    kind: RelationKind::Auxiliary,
                    name: program.relations[clause.head.relation.index()].name,
                    arity: part.boundary.len(),
                    dependence,
                    stratum,
                });
                let arguments =
                    (0..part.boundary.len()).map(|i| Term::Variable(Variable(i as u32))).collect();
                let split =
                    Clause { head: Atom { relation, arguments }, body: key.0.clone(), variables: count };
                self.parts.insert(key, relation);
                self.split(split, program);
                relation
            }
        };
        let arguments = part.boundary.iter().map(|&v| Term::Variable(Variable(v as u32))).collect();
        let first = part.literals[0];
        let mut position = 0;
        clause.body.retain(|_| {
            position += 1;
            position - 1 == first || !part.literals.contains(&(position - 1))
        });
        clause.body[first] = Literal::Positive(Atom { relation, arguments });
    }
}

/// Literals to split off, and the variables they share with the rest.
struct Part {
    literals: Vec<usize>,
    boundary: Vec<usize>,
}

/// The best part to split off: the first one with the smallest boundary.
fn find_part(clause: &Clause) -> Option<Part> {
    let mut in_head = vec![false; clause.variables];
    clause.head.for_each_variable(&mut |variable| in_head[variable.index()] = true);
    let variables: Vec<Vec<usize>> = clause
        .body
        .iter()
        .map(|literal| {
            let mut list = Vec::new();
            literal.for_each_variable(&mut |variable| {
                if !list.contains(&variable.index()) {
                    list.push(variable.index());
                }
            });
            list
        })
        .collect();
    let mut best: Option<Part> = None;
    let mut consider = |locals: &[usize]| {
        let literals: Vec<usize> =
            (0..variables.len()).filter(|&l| variables[l].iter().any(|v| locals.contains(v))).collect();
        if let Some(part) = admit(clause, &variables, locals, literals)
            && best.as_ref().is_none_or(|other| part.boundary.len() < other.boundary.len())
        {
            best = Some(part);
        }
    };
    let locals: Vec<usize> = (0..clause.variables)
        .filter(|&v| !in_head[v] && variables.iter().any(|list| list.contains(&v)))
        .collect();
    for &local in &locals {
        consider(&[local]);
    }
    // Sets of local variables that are connected through literals.
    let mut left = locals;
    while let Some(seed) = left.pop() {
        let mut component = vec![seed];
        let mut next = 0;
        while next < component.len() {
            let variable = component[next];
            next += 1;
            for list in variables.iter().filter(|list| list.contains(&variable)) {
                left.retain(|other| {
                    let joined = list.contains(other);
                    if joined {
                        component.push(*other);
                    }
                    !joined
                });
            }
        }
        if component.len() > 1 {
            consider(&component);
        }
    }
    best
}

/// The part of some local variables, if splitting it off is allowed.
fn admit(clause: &Clause, variables: &[Vec<usize>], locals: &[usize], literals: Vec<usize>) -> Option<Part> {
    if literals.len() == clause.body.len() {
        return None;
    }
    let mut bound = Vec::new();
    for &index in &literals {
        if matches!(clause.body[index], Literal::Positive(_)) {
            bound.extend_from_slice(&variables[index]);
        }
    }
    let mut boundary: Vec<usize> = Vec::new();
    for &index in &literals {
        for &variable in &variables[index] {
            if !bound.contains(&variable) {
                return None; // a negative literal or a `distinct` would lose its binder
            }
            if !locals.contains(&variable) && !boundary.contains(&variable) {
                boundary.push(variable);
            }
        }
    }
    let covered = |&index: &usize| {
        matches!(clause.body[index], Literal::Positive(_))
            && boundary.iter().all(|v| variables[index].contains(v))
    };
    // A single literal is split off only if that drops a variable of an atom of the state or of a move; for static facts the
    // join is as good.
    (boundary.len() <= SMALL_BOUNDARY || literals.iter().any(covered)).then_some(Part { literals, boundary })
}
