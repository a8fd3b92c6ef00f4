//! Static relations too large to write out, derived only where they are asked for.
//!
//! `(direction ?x1 ?y1 ?x2 ?y2 ?d)` over fifty coordinates has six million facts, of which play asks a few
//! thousand. Such a relation is replaced by one version for each set of arguments that are bound where it is
//! used, together with a relation of the calls: `p` holds where it was asked and follows. The magic-set
//! transformation (Bancilhon, Maier, Sagiv and Ullman 1986), for static relations that are not negated.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::program::{Clause, Program, atom_of};
use crate::gdl::rule::{Atom, Dependence, Literal, Relation, RelationId, RelationKind};
use crate::gdl::term::Term;

/// The version of a relation for calls with some arguments bound, and the relation of these calls.
#[derive(Clone, Copy)]
struct Version {
    answers: RelationId,
    calls: RelationId,
}

/// What a version is for: the relation, which arguments are bound, and what the heads that ask depend on (so
/// that what the state decides never waits for moves).
type Use = (RelationId, Vec<bool>, Dependence);

struct Rewriter<'a> {
    large: &'a BTreeSet<RelationId>,
    versions: FxHashMap<Use, Version>,
    pending: Vec<Use>,
}

/// The large relations and all static ones defined through them, unless one is negated somewhere: then it must
/// be known in full, and there is no demand-driven program.
fn closure(program: &Program, large: &[RelationId]) -> Option<BTreeSet<RelationId>> {
    let mut set: BTreeSet<RelationId> = large.iter().copied().collect();
    loop {
        let before = set.len();
        for clause in &program.clauses {
            let head = clause.head.relation;
            let uses = clause.body.iter().filter_map(atom_of).any(|atom| set.contains(&atom.relation));
            if uses && program.is_static(head) {
                set.insert(head);
            }
        }
        if set.len() == before {
            break;
        }
    }
    let negated =
        |literal: &Literal| matches!(literal, Literal::Negative(atom) if set.contains(&atom.relation));
    let described = |relation: &RelationId| {
        let kind = program.relations[relation.index()].kind;
        !matches!(kind, RelationKind::View | RelationKind::Auxiliary)
    };
    let known_in_full = program.clauses.iter().any(|clause| clause.body.iter().any(negated));
    (!known_in_full && !set.iter().any(described)).then_some(set)
}

/// A program in which these relations are derived on demand, or nothing where that can't be.
pub(super) fn on_demand(program: &Program, large: &[RelationId]) -> Option<Program> {
    let large = closure(program, large)?;
    let mut result = program.clone();
    result.clauses.clear();
    let mut rewriter = Rewriter { large: &large, versions: FxHashMap::default(), pending: Vec::new() };
    for clause in program.clauses.iter().filter(|clause| !large.contains(&clause.head.relation)) {
        let clause = rewriter.rewrite(clause.clone(), &mut result);
        result.clauses.push(clause);
    }
    while let Some(purpose) = rewriter.pending.pop() {
        let version = rewriter.versions[&purpose];
        let (relation, bound, _) = purpose;
        for clause in program.clauses.iter().filter(|clause| clause.head.relation == relation) {
            let mut clause = clause.clone();
            let call = Atom { relation: version.calls, arguments: keep(&clause.head.arguments, &bound) };
            clause.head.relation = version.answers;
            clause.body.insert(0, Literal::Positive(call));
            let clause = rewriter.rewrite(clause, &mut result);
            result.clauses.push(clause);
        }
    }
    Some(result)
}

fn keep(arguments: &[Term], bound: &[bool]) -> Box<[Term]> {
    arguments.iter().zip(bound).filter(|(_, bound)| **bound).map(|(term, _)| term.clone()).collect()
}

/// The literal to take next when some variables are known: a check that is ready, a small relation that shares a
/// known variable, a call that does, any small relation, any call.
fn next_literal(waiting: &[Literal], known: &[bool], is_large: &dyn Fn(&Literal) -> bool) -> Option<usize> {
    let rank = |literal: &Literal| {
        let (mut all, mut any) = (true, false);
        super::program::literal_variables(literal, &mut |variable| {
            all &= known[variable];
            any |= known[variable];
        });
        match literal {
            Literal::Negative(_) | Literal::Distinct(..) => {
                if all {
                    0
                } else {
                    5
                }
            }
            Literal::Positive(_) if is_large(literal) => 2 + 2 * u8::from(!any),
            Literal::Positive(_) => 1 + 2 * u8::from(!any && !all),
        }
    };
    (0..waiting.len()).min_by_key(|&index| (rank(&waiting[index]), index))
}

impl Rewriter<'_> {
    /// A clause with its large relations replaced by versions, after the literals that bind their arguments;
    /// adds the clauses that make the calls.
    fn rewrite(&mut self, mut clause: Clause, program: &mut Program) -> Clause {
        let large = self.large;
        let is_large =
            |literal: &Literal| matches!(literal, Literal::Positive(atom) if large.contains(&atom.relation));
        if !clause.body.iter().any(is_large) {
            return clause;
        }
        let mut waiting = std::mem::take(&mut clause.body);
        let mut body: Vec<Literal> = Vec::with_capacity(waiting.len());
        let mut known = vec![false; clause.variables];
        while let Some(next) = next_literal(&waiting, &known, &is_large) {
            let mut literal = waiting.remove(next);
            if is_large(&literal)
                && let Literal::Positive(atom) = &mut literal
            {
                let bound: Vec<bool> =
                    atom.arguments.iter().map(|term| super::plan::is_bound(term, &known)).collect();
                let dependence = program.dependence(clause.head.relation);
                let version = self.version((atom.relation, bound.clone(), dependence), program);
                let call = Atom { relation: version.calls, arguments: keep(&atom.arguments, &bound) };
                let conditions = body.clone();
                program.clauses.push(Clause { head: call, body: conditions, variables: clause.variables });
                atom.relation = version.answers;
            }
            if let Literal::Positive(atom) = &literal {
                atom.for_each_variable(&mut |variable| known[variable.index()] = true);
            }
            body.push(literal);
        }
        clause.body = body;
        clause
    }

    fn version(&mut self, purpose: Use, program: &mut Program) -> Version {
        if let Some(&version) = self.versions.get(&purpose) {
            return version;
        }
        let (relation, bound, dependence) = &purpose;
        let Relation { name, arity, .. } = program.relations[relation.index()];
        let mut add = |arity| {
            let kind = RelationKind::Auxiliary;
            program.relations.push(Relation { kind, name, arity, dependence: *dependence, stratum: 0 });
            program.demanded.push(true);
            RelationId(program.relations.len() as u32 - 1)
        };
        let version = Version { answers: add(arity), calls: add(bound.iter().filter(|b| **b).count()) };
        self.versions.insert(purpose.clone(), version);
        self.pending.push(purpose);
        version
    }
}
