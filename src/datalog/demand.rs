//! Relations too large to write out, derived only where they are asked for.
//!
//! `(direction ?x1 ?y1 ?x2 ?y2 ?d)` over fifty coordinates has six million facts, of which a program may ask a few
//! thousand. Such a relation is replaced by one version for each set of arguments that are bound where it is
//! used, together with a relation of the calls: `p` holds where it was asked and follows. The magic-set
//! transformation (Bancilhon, Maier, Sagiv and Ullman 1986; Beeri and Ramakrishnan 1991), for relations that are not
//! negated.

use std::collections::BTreeSet;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::plan::is_bound;
use super::program::{Clause, Program};
use crate::gdl::rule::{Atom, Literal, RelationId};
use crate::gdl::term::Term;

/// What a caller says of the relations of a program that is to be rewritten.
pub(crate) struct Demand<'a, L> {
    /// Whether a relation that is defined through one derived on demand is derived on demand itself; others are not
    /// and only make calls.
    pub(crate) follows: &'a dyn Fn(RelationId) -> bool,
    /// Whether a relation is read from outside the program, so that all its rows must be there.
    pub(crate) read: &'a dyn Fn(RelationId) -> bool,
    /// The layer a clause for a relation is evaluated in. Calls from different layers go to different versions, so
    /// that no layer waits for the calls of a later one.
    pub(crate) layer: &'a dyn Fn(RelationId) -> L,
}

/// A relation that the rewriting added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Added<L> {
    /// The relation it is a version of, or has the calls of.
    pub(crate) of: RelationId,
    /// The layer that asks.
    pub(crate) layer: L,
}

/// A rewritten program: its first relations are those of the original, the others are described in `added`.
pub(crate) struct Rewritten<L> {
    /// The program.
    pub(crate) program: Program,
    /// What each new relation is, in order.
    pub(crate) added: Vec<Added<L>>,
}

/// The version of a relation for calls with some arguments bound, and the relation of these calls.
#[derive(Clone, Copy)]
struct Version {
    answers: RelationId,
    calls: RelationId,
}

/// What a version is for: the relation, which arguments are bound, and the layer that asks.
type Use<L> = (RelationId, Vec<bool>, L);

struct Rewriter<'a, L> {
    large: &'a BTreeSet<RelationId>,
    demand: &'a Demand<'a, L>,
    versions: FxHashMap<Use<L>, Version>,
    pending: Vec<Use<L>>,
    /// Relations of the original program.
    original: usize,
    result: Rewritten<L>,
}

/// The large relations and all defined through them that follow, unless one is negated somewhere or read from
/// outside: then it must be known in full, and there is no demand-driven program.
fn closure<L>(
    program: &Program,
    large: &[RelationId],
    demand: &Demand<'_, L>,
) -> Option<BTreeSet<RelationId>> {
    let mut set: BTreeSet<RelationId> = large.iter().copied().collect();
    loop {
        let before = set.len();
        for clause in &program.clauses {
            let head = clause.head.relation;
            if clause.atoms().any(|atom| set.contains(&atom.relation)) && (demand.follows)(head) {
                set.insert(head);
            }
        }
        if set.len() == before {
            break;
        }
    }
    let negated =
        |literal: &Literal| matches!(literal, Literal::Negative(atom) if set.contains(&atom.relation));
    let known_in_full = program.clauses.iter().any(|clause| clause.body.iter().any(negated));
    (!known_in_full && !set.iter().any(|&relation| (demand.read)(relation))).then_some(set)
}

/// A program in which these relations are derived on demand, or nothing where that can't be.
pub(crate) fn on_demand<L: Copy + Eq + Hash>(
    program: &Program,
    large: &[RelationId],
    demand: &Demand<'_, L>,
) -> Option<Rewritten<L>> {
    let large = closure(program, large, demand)?;
    let mut rewriter = Rewriter {
        large: &large,
        demand,
        versions: FxHashMap::default(),
        pending: Vec::new(),
        original: program.arities.len(),
        result: Rewritten { program: Program::over(program.arities.clone()), added: Vec::new() },
    };
    for clause in program.clauses.iter().filter(|clause| !large.contains(&clause.head.relation)) {
        rewriter.rewrite(clause.clone());
    }
    while let Some(purpose) = rewriter.pending.pop() {
        let version = rewriter.versions[&purpose];
        let (relation, bound, _) = purpose;
        for clause in program.clauses.iter().filter(|clause| clause.head.relation == relation) {
            let mut clause = clause.clone();
            let call = Atom { relation: version.calls, arguments: keep(&clause.head.arguments, &bound) };
            clause.head.relation = version.answers;
            clause.body.insert(0, Literal::Positive(call));
            rewriter.rewrite(clause);
        }
    }
    Some(rewriter.result)
}

fn keep(arguments: &[Term], bound: &[bool]) -> Box<[Term]> {
    arguments.iter().zip(bound).filter(|(_, bound)| **bound).map(|(term, _)| term.clone()).collect()
}

/// The literal to take next when some variables are known: a check that is ready, a small relation that shares a
/// known variable, a call that does, any small relation, any call.
fn next_literal(waiting: &[Literal], known: &[bool], is_large: &dyn Fn(&Literal) -> bool) -> Option<usize> {
    let rank = |literal: &Literal| {
        let (mut all, mut any) = (true, false);
        literal.for_each_variable(&mut |variable| {
            all &= known[variable.index()];
            any |= known[variable.index()];
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

impl<L: Copy + Eq + Hash> Rewriter<'_, L> {
    /// Adds a clause with its large relations replaced by versions, after the literals that bind their arguments;
    /// before it the clauses that make the calls.
    fn rewrite(&mut self, mut clause: Clause) {
        let large = self.large;
        let is_large =
            |literal: &Literal| matches!(literal, Literal::Positive(atom) if large.contains(&atom.relation));
        if clause.body.iter().any(is_large) {
            let layer = self.layer(clause.head.relation);
            let mut waiting = std::mem::take(&mut clause.body);
            let mut body: Vec<Literal> = Vec::with_capacity(waiting.len());
            let mut known = vec![false; clause.variables];
            while let Some(next) = next_literal(&waiting, &known, &is_large) {
                let mut literal = waiting.remove(next);
                if is_large(&literal)
                    && let Literal::Positive(atom) = &mut literal
                {
                    let bound: Vec<bool> = atom.arguments.iter().map(|term| is_bound(term, &known)).collect();
                    let version = self.version((atom.relation, bound.clone(), layer));
                    let call = Atom { relation: version.calls, arguments: keep(&atom.arguments, &bound) };
                    let conditions = body.clone();
                    let calls = Clause { head: call, body: conditions, variables: clause.variables };
                    self.result.program.clauses.push(calls);
                    atom.relation = version.answers;
                }
                if let Literal::Positive(atom) = &literal {
                    atom.for_each_variable(&mut |variable| known[variable.index()] = true);
                }
                body.push(literal);
            }
            clause.body = body;
        }
        self.result.program.clauses.push(clause);
    }

    fn layer(&self, relation: RelationId) -> L {
        match relation.index().checked_sub(self.original) {
            Some(added) => self.result.added[added].layer,
            None => (self.demand.layer)(relation),
        }
    }

    fn version(&mut self, purpose: Use<L>) -> Version {
        if let Some(&version) = self.versions.get(&purpose) {
            return version;
        }
        let (of, bound, layer) = &purpose;
        let Rewritten { program, added } = &mut self.result;
        let mut add = |arity| {
            added.push(Added { of: *of, layer: *layer });
            program.add_relation(arity)
        };
        let arity = bound.len();
        let version = Version { answers: add(arity), calls: add(bound.iter().filter(|b| **b).count()) };
        self.versions.insert(purpose.clone(), version);
        self.pending.push(purpose);
        version
    }
}
