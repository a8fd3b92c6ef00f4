//! Demand transformation (magic sets): large relations are derived only for the arguments with which they are called.
//!
//! `(direction ?x1 ?y1 ?x2 ?y2 ?d)` over fifty coordinates has six million facts, but a program may need only a few
//! thousand. Such a relation is replaced by a version for each set of arguments that are bound at a use, and by a relation
//! of the calls. The version of `p` holds the facts of `p` that were called for. This is the magic-set transformation
//! (Bancilhon, Maier, Sagiv and Ullman 1986; Beeri and Ramakrishnan 1991).
//!
//! A version with fewer bound arguments also answers calls that bind more, so a version is made only if no version with fewer
//! bound arguments answers its calls. A relation that is called with no bound argument is evaluated completely. Negated literals also make calls.
//! [`CallGraph`] decides which literals may be conditions of a call, so that no relation depends on its own negation.

use std::collections::BTreeSet;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::call_graph::CallGraph;
use super::plan::is_bound;
use super::program::{Clause, Program};
use crate::gdl::rule::{Atom, Literal, RelationId};
use crate::gdl::term::Term;

/// Properties of the relations of a program that is to be rewritten.
pub struct Demand<'a, L> {
    /// Whether a relation whose rules use an on-demand relation becomes on-demand itself. If not, its rules only make calls.
    pub propagates: &'a dyn Fn(RelationId) -> bool,
    /// Whether the caller reads a relation, so that it must be complete.
    pub read: &'a dyn Fn(RelationId) -> bool,
    /// The layer in which the clauses of a relation are evaluated. Calls from different layers use different versions, so
    /// that no layer depends on the calls of a later one.
    pub layer: &'a dyn Fn(RelationId) -> L,
}

/// The contents of a relation that the rewriting added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The rows of a relation that were called for and derived.
    Answers,
    /// The arguments of calls of a relation.
    Calls,
}

/// A relation that the rewriting added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added<L> {
    /// The original relation.
    pub of: RelationId,
    /// Whether it has answers or calls.
    pub part: Part,
    /// The layer of the calls.
    pub layer: L,
}

/// A rewritten program. Its first relations are those of the original program; `added` describes the others.
pub struct Rewritten<L> {
    /// The rewritten clauses.
    pub program: Program,
    /// For each clause the original clause, or `None` if it makes calls.
    pub origins: Vec<Option<usize>>,
    /// The new relations, in order.
    pub added: Vec<Added<L>>,
    /// For each added relation, which arguments of the original relation a call binds.
    pub bound: Vec<Vec<bool>>,
}

/// Rewrites a program so that these relations are derived on demand. `None` if all of them must be complete.
pub fn on_demand<L: Copy + Eq + Hash>(
    program: &Program,
    large: &[RelationId],
    demand: &Demand<'_, L>,
) -> Option<Rewritten<L>> {
    let mut complete = BTreeSet::new();
    loop {
        let set = closure(program, large, demand, &complete);
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
            Err(CalledWithoutBoundArgument(relation)) => complete.insert(relation),
        };
    }
}

/// The large relations, and those defined through them for which `propagates` holds, except for relations that must be
/// complete.
fn closure<L>(
    program: &Program,
    large: &[RelationId],
    demand: &Demand<'_, L>,
    complete: &BTreeSet<RelationId>,
) -> BTreeSet<RelationId> {
    let may = |relation: &RelationId| !complete.contains(relation) && !(demand.read)(*relation);
    let mut set: BTreeSet<RelationId> = large.iter().copied().filter(may).collect();
    loop {
        let before = set.len();
        for clause in &program.clauses {
            let head = clause.head.relation;
            if clause.atoms().any(|atom| set.contains(&atom.relation))
                && (demand.propagates)(head)
                && may(&head)
            {
                set.insert(head);
            }
        }
        if set.len() == before {
            return set;
        }
    }
}

struct CalledWithoutBoundArgument(RelationId);

/// The arguments of a relation that a call binds.
type Bound = Vec<bool>;

/// A version of a relation: the arguments that its calls bind, and the layer of the calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Version<L> {
    relation: RelationId,
    layer: L,
    bound: Bound,
}

/// A call in a clause.
struct Call {
    /// The index of its literal in the new order of the clause.
    place: usize,
    relation: RelationId,
    bound: Bound,
    /// The indices of the literals that may be conditions of the call.
    conditions: Vec<usize>,
}

struct Planner<'a, L> {
    program: &'a Program,
    demand: &'a Demand<'a, L>,
    graph: CallGraph,
    set: BTreeSet<RelationId>,
    /// In the order of discovery.
    versions: Vec<Version<L>>,
}

impl<L: Copy + Eq + Hash> Planner<'_, L> {
    fn find_versions(&mut self) -> Result<(), CalledWithoutBoundArgument> {
        loop {
            let before = self.versions.clone();
            for (clause, version) in self.jobs() {
                let (_, calls) = self.calls(clause, version.as_ref().map(|version| &version.bound));
                let layer = self.layer(clause, version.as_ref());
                for Call { relation, bound, .. } in calls {
                    if !bound.contains(&true) {
                        return Err(CalledWithoutBoundArgument(relation));
                    }
                    if self.version_for(relation, layer, &bound).is_none() {
                        self.versions.retain(|other| {
                            (other.relation, other.layer) != (relation, layer)
                                || !answers_call(&bound, &other.bound)
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

    /// Lists the clauses to rewrite: once without a version if the head is not derived on demand, otherwise once per version
    /// of the head.
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

    /// The version that answers a call: the one with the most bound arguments.
    fn version_for(&self, relation: RelationId, layer: L, bound: &[bool]) -> Option<usize> {
        let fit = |version: &Version<L>| {
            (version.relation, version.layer) == (relation, layer) && answers_call(&version.bound, bound)
        };
        let places = (0..self.versions.len()).filter(|&index| fit(&self.versions[index]));
        places.max_by_key(|&index| {
            let bound = self.versions[index].bound.iter().filter(|bound| **bound).count();
            (bound, std::cmp::Reverse(index))
        })
    }

    /// The literals of a body in evaluation order, and the calls among them, if these arguments of the head are bound.
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
                        Literal::Distinct(..) => all,
                        Literal::Negative(other) => {
                            all && !self.set.contains(&other.relation)
                                && self.graph.may_depend(atom.relation, other.relation, true)
                        }
                    };
                    if may {
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

    /// Builds the program with versions in the place of relations.
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
                let version_for = self
                    .version_for(relation, layer, &bound)
                    .expect("`find_versions` made a version for every call");
                let version = &self.versions[version_for];
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

/// The body of the clause that makes a call: `asked`, and those of `conditions` that share a variable with the call, directly
/// or through others, or have none.
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
        for &index in conditions {
            let (mut any, mut none) = (false, true);
            literals[index].for_each_variable(&mut |variable| {
                any |= wanted[variable.index()];
                none = false;
            });
            if any || none {
                kept.insert(index);
                literals[index].for_each_variable(&mut |variable| wanted[variable.index()] = true);
            }
        }
        if kept.len() == before {
            break;
        }
    }
    let asked = asked.cloned().map(Literal::Positive);
    asked.into_iter().chain(kept.into_iter().map(|index| literals[index].clone())).collect()
}

/// Whether a version answers calls that bind these arguments.
fn answers_call(version: &[bool], call: &[bool]) -> bool {
    version.iter().zip(call).all(|(version, call)| !version || *call)
}

fn keep(arguments: &[Term], bound: &[bool]) -> Box<[Term]> {
    arguments.iter().zip(bound).filter(|(_, bound)| **bound).map(|(term, _)| term.clone()).collect()
}

/// The next literal for these bound variables. In order of preference: a check with all variables bound; a complete relation
/// with a bound variable or without unbound ones; a call with a bound variable; any complete relation; any call; any check.
fn next_literal(waiting: &[Literal], known: &[bool], on_demand: &BTreeSet<RelationId>) -> Option<usize> {
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
            Literal::Positive(atom) if on_demand.contains(&atom.relation) => 2 + 2 * u8::from(!any),
            Literal::Positive(_) => 1 + 2 * u8::from(!any && !all),
        }
    };
    (0..waiting.len()).min_by_key(|&index| (rank(&waiting[index]), index))
}
