//! Relations too large to write out, derived only where they are asked for.
//!
//! `(direction ?x1 ?y1 ?x2 ?y2 ?d)` over fifty coordinates has six million facts, of which a program may ask a few
//! thousand. Such a relation is replaced by a version for each set of arguments that are bound where it is used, together
//! with a relation of the calls: `p` holds where it was asked and follows. The magic-set transformation (Bancilhon,
//! Maier, Sagiv and Ullman 1986; Beeri and Ramakrishnan 1991).
//!
//! A version with fewer bound arguments serves calls that bind more, so a relation has only versions of which none
//! would do for another; one that is asked with nothing bound is written out. Negated literals ask as well. What may
//! stand in the conditions of a call, so that nothing comes to depend on its own negation, is decided by
//! [`CallGraph`].

use std::collections::BTreeSet;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::call_graph::CallGraph;
use super::plan::is_bound;
use super::program::{Clause, Program};
use crate::gdl::rule::{Atom, Literal, RelationId};
use crate::gdl::term::Term;

/// What a caller says of the relations of a program that is to be rewritten.
pub struct Demand<'a, L> {
    /// Whether a relation that is defined through one derived on demand is derived on demand itself; others are not
    /// and only make calls.
    pub follows: &'a dyn Fn(RelationId) -> bool,
    /// Whether a relation is read from outside the program, so that all its rows must be there.
    pub read: &'a dyn Fn(RelationId) -> bool,
    /// The layer a clause for a relation is evaluated in. Calls from different layers go to different versions, so
    /// that no layer waits for the calls of a later one.
    pub layer: &'a dyn Fn(RelationId) -> L,
}

/// What a relation that the rewriting added holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The rows of a relation that were asked for and follow.
    Answers,
    /// The arguments with which it was asked.
    Calls,
}

/// A relation that the rewriting added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added<L> {
    /// The relation it is a version of, or has the calls of.
    pub of: RelationId,
    /// Which of the two.
    pub part: Part,
    /// The layer that asks.
    pub layer: L,
}

/// A rewritten program: its first relations are those of the original, the others are described in `added`.
pub struct Rewritten<L> {
    /// The rules.
    pub program: Program,
    /// For each clause the one that it is a version of; none for a clause that makes calls.
    pub origins: Vec<Option<usize>>,
    /// What each new relation is, in order.
    pub added: Vec<Added<L>>,
    /// For each of them which arguments of its relation a call binds.
    pub bound: Vec<Vec<bool>>,
}

/// A program in which these relations are derived on demand, or nothing where all of them are asked for in full.
pub fn on_demand<L: Copy + Eq + Hash>(
    program: &Program,
    large: &[RelationId],
    demand: &Demand<'_, L>,
) -> Option<Rewritten<L>> {
    let mut full = BTreeSet::new();
    loop {
        let set = closure(program, large, demand, &full);
        if !large.iter().any(|relation| set.contains(relation)) {
            return None;
        }
        let mut planner = Planner {
            program,
            demand,
            graph: CallGraph::new(program, &|relation| set.contains(&relation)),
            set,
            versions: Vec::new(),
        };
        match planner.find_versions() {
            Ok(()) => return Some(planner.rewritten()),
            Err(AskedInFull(relation)) => full.insert(relation),
        };
    }
}

/// The large relations and all defined through them that follow, but for those that are asked for in full.
fn closure<L>(
    program: &Program,
    large: &[RelationId],
    demand: &Demand<'_, L>,
    full: &BTreeSet<RelationId>,
) -> BTreeSet<RelationId> {
    let may = |relation: &RelationId| !full.contains(relation) && !(demand.read)(*relation);
    let mut set: BTreeSet<RelationId> = large.iter().copied().filter(may).collect();
    loop {
        let before = set.len();
        for clause in &program.clauses {
            let head = clause.head.relation;
            if clause.atoms().any(|atom| set.contains(&atom.relation)) && (demand.follows)(head) && may(&head)
            {
                set.insert(head);
            }
        }
        if set.len() == before {
            return set;
        }
    }
}

/// A relation is asked for with nothing bound.
struct AskedInFull(RelationId);

/// The arguments of a relation that are bound where it is called.
type Bound = Vec<bool>;

/// A version of a relation: its calls bind these arguments, and come from a layer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Version<L> {
    relation: RelationId,
    layer: L,
    bound: Bound,
}

/// A call in a clause.
struct Call {
    /// Where its literal stands in the clause's new order.
    place: usize,
    relation: RelationId,
    bound: Bound,
    /// The places of the literals that may stand in its conditions.
    conditions: Vec<usize>,
}

struct Planner<'a, L> {
    program: &'a Program,
    demand: &'a Demand<'a, L>,
    graph: CallGraph,
    set: BTreeSet<RelationId>,
    /// In the order in which they were found.
    versions: Vec<Version<L>>,
}

impl<L: Copy + Eq + Hash> Planner<'_, L> {
    fn find_versions(&mut self) -> Result<(), AskedInFull> {
        loop {
            let before = self.versions.clone();
            for (clause, version) in self.jobs() {
                let (_, calls) = self.calls(clause, version.as_ref().map(|version| &version.bound));
                let layer = self.layer(clause, version.as_ref());
                for Call { relation, bound, .. } in calls {
                    if !bound.contains(&true) {
                        return Err(AskedInFull(relation));
                    }
                    if self.serving(relation, layer, &bound).is_none() {
                        self.versions.retain(|other| {
                            (other.relation, other.layer) != (relation, layer)
                                || !serves(&bound, &other.bound)
                        });
                        self.versions.push(Version { relation, layer, bound });
                    }
                }
            }
            if self.versions == before {
                return Ok(());
            }
        }
    }

    /// Every clause, and where it defines a relation that is called, once for each version.
    fn jobs(&self) -> Vec<(usize, Option<Version<L>>)> {
        let mut jobs = Vec::new();
        for (number, clause) in self.program.clauses.iter().enumerate() {
            let head = clause.head.relation;
            if !self.set.contains(&head) {
                jobs.push((number, None));
            }
            let of_head = self.versions.iter().filter(|version| version.relation == head);
            jobs.extend(of_head.map(|version| (number, Some(version.clone()))));
        }
        jobs
    }

    fn layer(&self, clause: usize, version: Option<&Version<L>>) -> L {
        version.map_or_else(
            || (self.demand.layer)(self.program.clauses[clause].head.relation),
            |version| version.layer,
        )
    }

    /// The version that answers a call, the one that is asked most closely.
    fn serving(&self, relation: RelationId, layer: L, bound: &[bool]) -> Option<usize> {
        let fit = |version: &Version<L>| {
            (version.relation, version.layer) == (relation, layer) && serves(&version.bound, bound)
        };
        let places = (0..self.versions.len()).filter(|&place| fit(&self.versions[place]));
        places.max_by_key(|&place| {
            let bound = self.versions[place].bound.iter().filter(|bound| **bound).count();
            (bound, std::cmp::Reverse(place))
        })
    }

    /// The literals of a clause's body in the order in which they are asked, and the calls among them, where these
    /// arguments of the head are bound.
    fn calls(&mut self, clause: usize, head: Option<&Bound>) -> (Vec<Literal>, Vec<Call>) {
        let clause = &self.program.clauses[clause];
        let mut of_head = vec![false; clause.variables];
        for (term, _) in
            clause.head.arguments.iter().zip(head.into_iter().flatten()).filter(|(_, bound)| **bound)
        {
            term.for_each_variable(&mut |variable| of_head[variable.index()] = true);
        }
        let mut known = of_head.clone();
        let mut waiting = clause.body.clone();
        let mut ordered: Vec<Literal> = Vec::with_capacity(waiting.len());
        let mut calls = Vec::new();
        while let Some(next) = next_literal(&waiting, &known, &self.set) {
            let literal = waiting.remove(next);
            if let Some(atom) = literal.atom().filter(|atom| self.set.contains(&atom.relation)) {
                let mut bound_there = of_head.clone();
                let mut conditions = Vec::new();
                for (place, before) in ordered.iter().enumerate() {
                    if let Literal::Positive(other) = before
                        && self.graph.may_depend(atom.relation, other.relation, false)
                    {
                        other.for_each_variable(&mut |variable| bound_there[variable.index()] = true);
                        conditions.push(place);
                    }
                }
                for (place, before) in ordered.iter().enumerate() {
                    let mut all = true;
                    before.for_each_variable(&mut |variable| all &= bound_there[variable.index()]);
                    let may = match before {
                        Literal::Positive(_) => false,
                        Literal::Distinct(..) => true,
                        Literal::Negative(other) => {
                            all && !self.set.contains(&other.relation)
                                && self.graph.may_depend(atom.relation, other.relation, true)
                        }
                    };
                    if may && all {
                        conditions.push(place);
                    }
                }
                conditions.sort_unstable();
                let bound = atom.arguments.iter().map(|term| is_bound(term, &bound_there)).collect();
                calls.push(Call { place: ordered.len(), relation: atom.relation, bound, conditions });
            }
            if let Literal::Positive(atom) = &literal {
                atom.for_each_variable(&mut |variable| known[variable.index()] = true);
            }
            ordered.push(literal);
        }
        (ordered, calls)
    }

    /// The program with every version in the place of its relation.
    fn rewritten(mut self) -> Rewritten<L> {
        let mut program = Program::over(self.program.arities.clone());
        let mut origins = Vec::new();
        let (mut added, mut bindings) = (Vec::new(), Vec::new());
        let mut relations: FxHashMap<Version<L>, [RelationId; 2]> = FxHashMap::default();
        for version in &self.versions {
            let Version { relation, layer, bound } = version;
            let arities = [bound.len(), bound.iter().filter(|bound| **bound).count()];
            let ids = arities.map(|arity| program.add_relation(arity));
            added.extend([Part::Answers, Part::Calls].map(|part| Added {
                of: *relation,
                part,
                layer: *layer,
            }));
            bindings.extend([bound.clone(), bound.clone()]);
            relations.insert(version.clone(), ids);
        }
        for (number, version) in self.jobs() {
            let (mut literals, calls) = self.calls(number, version.as_ref().map(|version| &version.bound));
            let layer = self.layer(number, version.as_ref());
            let Clause { mut head, variables, .. } = self.program.clauses[number].clone();
            let asked = version.as_ref().map(|version| {
                let arguments = keep(&head.arguments, &version.bound);
                head.relation = relations[version][0];
                Atom { relation: relations[version][1], arguments }
            });
            for Call { place, relation, bound, conditions } in calls {
                let serving = self.serving(relation, layer, &bound).expect("every call was looked at");
                let version = &self.versions[serving];
                let [answers, called] = relations[version];
                let (Literal::Positive(atom) | Literal::Negative(atom)) = &mut literals[place] else {
                    continue;
                };
                let call = Atom { relation: called, arguments: keep(&atom.arguments, &version.bound) };
                atom.relation = answers;
                let body = conditions_of(&call, asked.as_ref(), &literals, &conditions, variables);
                if asked.as_ref() != Some(&call) {
                    program.clauses.push(Clause { head: call, body, variables });
                    origins.push(None);
                }
            }
            literals.splice(0..0, asked.map(Literal::Positive));
            program.clauses.push(Clause { head, body: literals, variables });
            origins.push(Some(number));
        }
        Rewritten { program, origins, added, bound: bindings }
    }
}

/// The call that asked for the clause, and of the literals that may stand in the conditions of a call those that have to
/// do with its arguments.
fn conditions_of(
    call: &Atom,
    asked: Option<&Atom>,
    literals: &[Literal],
    conditions: &[usize],
    variables: usize,
) -> Vec<Literal> {
    let mut wanted = vec![false; variables];
    call.for_each_variable(&mut |variable| wanted[variable.index()] = true);
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    loop {
        let before = kept.len();
        for &place in conditions {
            let (mut any, mut none) = (false, true);
            literals[place].for_each_variable(&mut |variable| {
                any |= wanted[variable.index()];
                none = false;
            });
            if any || none {
                kept.insert(place);
                literals[place].for_each_variable(&mut |variable| wanted[variable.index()] = true);
            }
        }
        if kept.len() == before {
            break;
        }
    }
    let asked = asked.cloned().map(Literal::Positive);
    asked.into_iter().chain(kept.into_iter().map(|place| literals[place].clone())).collect()
}

/// Whether a version answers calls that bind these arguments.
fn serves(version: &[bool], call: &[bool]) -> bool {
    version.iter().zip(call).all(|(version, call)| !version || *call)
}

fn keep(arguments: &[Term], bound: &[bool]) -> Box<[Term]> {
    arguments.iter().zip(bound).filter(|(_, bound)| **bound).map(|(term, _)| term.clone()).collect()
}

/// The literal to take next when some variables are known: a check that is ready, a small relation that shares a
/// known variable, a call that does, any small relation, any call.
fn next_literal(waiting: &[Literal], known: &[bool], called: &BTreeSet<RelationId>) -> Option<usize> {
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
            Literal::Positive(atom) if called.contains(&atom.relation) => 2 + 2 * u8::from(!any),
            Literal::Positive(_) => 1 + 2 * u8::from(!any && !all),
        }
    };
    (0..waiting.len()).min_by_key(|&index| (rank(&waiting[index]), index))
}
