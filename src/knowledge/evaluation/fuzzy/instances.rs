//! Instances of the rewritten rules over the fluents that can hold.
//!
//! Unlike grounding, this has a budget for every relation. A relation that exceeds its budget keeps its atoms, but its
//! instances are discarded.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::datalog::{
    Clause, Component, Consequences, Database, Exceeded, Guard, PlansKept, Purpose, Table, build, components,
    is_bound, saturate,
};
use crate::gdl::rule::{Literal, RelationId, RelationKind};
use crate::gdl::term::{TermId, Terms};

use super::limits::UnrollLimits;
use super::rewrite::{Part, Rules};

/// A literal of an instance: the number of an atom, and whether it is negated.
pub(super) type AtomLiteral = (u32, bool);

/// The part of a relation that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RelationStatus {
    /// Atoms and instances.
    Unrolled,
    /// Only atoms.
    Lifted,
    /// Nothing.
    Opaque,
}

/// Atoms and instances.
pub(super) struct Instances {
    pub(super) terms: Terms,
    pub(super) database: Database,
    /// Relation and row of every atom.
    pub(super) atoms: Vec<(RelationId, u32)>,
    /// The status of every relation.
    pub(super) states: Vec<RelationStatus>,
    /// Rows read.
    pub(super) work: u64,
    /// Whether the limit of bytes was reached.
    pub(super) out_of_memory: bool,
    /// The relations that exceeded the limit of a single relation.
    pub(super) too_large: FxHashSet<RelationId>,
    numbers: Vec<Vec<u32>>,
    /// For every relation its instances: head, end of its literals in `bodies`, and clause.
    heads: Vec<Vec<(u32, u32, u32)>>,
    bodies: Vec<Vec<AtomLiteral>>,
    /// For every atom its instances, by position in `heads`.
    of_atom: FxHashMap<u32, Vec<u32>>,
}

impl Instances {
    /// The number of an atom that can hold.
    pub(super) fn atom(&self, relation: RelationId, row: &[TermId]) -> Option<u32> {
        let row = self.database.table(relation).find(row)?;
        self.numbers[relation.index()].get(row as usize).copied()
    }

    /// Adds an atom, if it is new. Returns its number.
    pub(super) fn insert(&mut self, relation: RelationId, row: &[TermId]) -> u32 {
        let (row, new) = self.database.insert(relation, row);
        if new {
            self.numbers[relation.index()].push(self.atoms.len() as u32);
            self.atoms.push((relation, row));
        }
        self.numbers[relation.index()][row as usize]
    }

    pub(super) fn arguments(&self, atom: u32) -> &[TermId] {
        let (relation, row) = self.atoms[atom as usize];
        self.database.table(relation).row(row)
    }

    /// Approximate bytes, without `of_atom`.
    pub(super) fn bytes(&self) -> usize {
        let instances: usize =
            self.heads.iter().zip(&self.bodies).map(|(h, b)| h.capacity() + b.capacity()).sum();
        self.database.bytes() + 8 * instances + 16 * self.atoms.capacity() + 96 * self.terms.len()
    }

    /// The bodies of an atom's instances.
    pub(super) fn of(&self, atom: u32) -> impl Iterator<Item = &[AtomLiteral]> {
        self.with_clauses(atom).map(|(_, body)| body)
    }

    /// The bodies of an atom's instances, each with the number of its clause.
    pub(super) fn with_clauses(&self, atom: u32) -> impl Iterator<Item = (u32, &[AtomLiteral])> {
        let relation = self.atoms[atom as usize].0.index();
        let list = self.of_atom.get(&atom).map_or(&[][..], Vec::as_slice);
        list.iter().map(move |&instance| {
            let start = if instance == 0 { 0 } else { self.heads[relation][instance as usize - 1].1 };
            let (_, end, clause) = self.heads[relation][instance as usize];
            (clause, &self.bodies[relation][start as usize..end as usize])
        })
    }
}

/// Makes the instances. `tables` has the static facts and the fluents that can hold, except for relations that are
/// `unknown`.
pub(super) fn instantiate(
    rules: &Rules,
    terms: Terms,
    tables: Vec<Table>,
    unknown: &[bool],
    limits: &UnrollLimits,
) -> Instances {
    let relations = rules.relations.len();
    let mut states = vec![RelationStatus::Unrolled; relations];
    for (state, _) in states.iter_mut().zip(unknown).filter(|(_, unknown)| **unknown) {
        *state = RelationStatus::Opaque;
    }
    let mut maker = InstanceMaker {
        rules,
        limits,
        guard: Guard::atoms(usize::MAX).with_interrupt(&limits.interrupt).with_work(limits.rows[0]),
        part: Guard::atoms(usize::MAX),
        made: Instances {
            terms,
            atoms: Vec::new(),
            states,
            work: 0,
            out_of_memory: false,
            too_large: FxHashSet::default(),
            numbers: vec![Vec::new(); relations],
            heads: vec![Vec::new(); relations],
            bodies: vec![Vec::new(); relations],
            of_atom: FxHashMap::default(),
            database: Database::new(tables, PlansKept::Latest),
        },
    };
    maker.number_fluents();
    for component in components(&rules.program, &|relation| rules.is_derived(relation)) {
        maker.component(&component);
    }
    let mut made = maker.made;
    for heads in &made.heads {
        for (instance, &(head, ..)) in heads.iter().enumerate() {
            made.of_atom.entry(head).or_default().push(instance as u32);
        }
    }
    made
}

/// The result of a join: instances of a clause.
struct JoinResult<'r> {
    /// The number of the clause.
    number: usize,
    count: usize,
    /// The rows of heads.
    rows: Vec<TermId>,
    /// Row numbers of positive literals and arguments of negative ones and of unknown ones, in the clause's order.
    mentions: Vec<u32>,
    mentioned: Vec<TermId>,
    /// The literals that depend on the state, by their positions, and their places in the join, if they are part of it.
    varying: Vec<(usize, &'r crate::gdl::rule::Atom)>,
    places: Vec<Option<usize>>,
}

struct InstanceMaker<'a> {
    rules: &'a Rules,
    limits: &'a UnrollLimits,
    guard: Guard,
    /// The guard of the current component.
    part: Guard,
    made: Instances,
}

impl InstanceMaker<'_> {
    fn number_fluents(&mut self) {
        let made = &mut self.made;
        for (index, relation) in self.rules.relations.iter().enumerate() {
            let id = RelationId(index as u32);
            if relation.kind == RelationKind::True && self.rules.varies(id) {
                for row in 0..made.database.table(id).len() {
                    made.numbers[index].push(made.atoms.len() as u32);
                    made.atoms.push((id, row));
                }
            }
        }
    }

    fn component(&mut self, component: &Component) {
        let mut state = RelationStatus::Unrolled;
        for &clause in &component.clauses {
            state = worse(state, self.outlook(clause, component));
        }
        self.set(component, state);
        if state == RelationStatus::Opaque {
            return;
        }
        self.part = self.guard.with_more_work(self.limits.rows[1]);
        let own_limit = self.part.work_limit() < self.guard.work_limit();
        if saturate(&self.rules.program, component, &mut Unrolling { maker: self, component }).is_err() {
            if own_limit && !self.made.out_of_memory {
                self.made.too_large.extend(&component.relations);
            }
            self.set(component, RelationStatus::Opaque);
        }
    }

    /// The best possible status of a clause's relation, given the statuses of the relations in the body.
    fn outlook(&self, number: usize, component: &Component) -> RelationStatus {
        let clause = &self.rules.program.clauses[number];
        let state = |relation: RelationId| self.made.states[relation.index()];
        let auxiliary = |relation: RelationId| self.rules.parts[relation.index()] != Part::Own;
        let mut bound = vec![false; clause.variables];
        let mut outlook = RelationStatus::Unrolled;
        for atom in clause.atoms() {
            if component.relations.contains(&atom.relation) {
                continue;
            }
            let of = state(atom.relation);
            // The rules can't be queried for an auxiliary relation, and a static one has no atom.
            if of != RelationStatus::Unrolled
                && (auxiliary(atom.relation) || !self.rules.varies(atom.relation))
            {
                outlook = RelationStatus::Lifted;
            }
        }
        for literal in &clause.body {
            if let Literal::Positive(atom) = literal
                && state(atom.relation) != RelationStatus::Opaque
            {
                atom.for_each_variable(&mut |variable| bound[variable.index()] = true);
            }
        }
        let needs = |atom: &crate::gdl::rule::Atom| {
            let mut all = true;
            atom.for_each_variable(&mut |variable| all &= bound[variable.index()]);
            all
        };
        let loose = |literal: &Literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => !needs(atom),
            Literal::Distinct(a, b) => !is_bound(a, &bound) || !is_bound(b, &bound),
        };
        if !needs(&clause.head) {
            return RelationStatus::Opaque;
        }
        if clause.body.iter().any(loose) { RelationStatus::Lifted } else { outlook }
    }

    /// Sets the status of a component, and discards its instances if it is not unrolled.
    fn set(&mut self, component: &Component, state: RelationStatus) {
        for &relation in &component.relations {
            let index = relation.index();
            self.made.states[index] = worse(self.made.states[index], state);
            if self.made.states[index] != RelationStatus::Unrolled {
                self.made.heads[index] = Vec::new();
                self.made.bodies[index] = Vec::new();
            }
        }
    }

    /// A clause without its `open` literals, which are on relations with unknown atoms, and without the literals that
    /// need the variables of these.
    fn closed(original: &Clause, open: &[bool]) -> Clause {
        let mut bound = vec![false; original.variables];
        for (literal, _) in original.body.iter().zip(open).filter(|(_, open)| !**open) {
            if let Literal::Positive(atom) = literal {
                atom.for_each_variable(&mut |variable| bound[variable.index()] = true);
            }
        }
        let ready = |literal: &Literal| match literal {
            Literal::Positive(_) => true,
            Literal::Negative(atom) => atom.arguments.iter().all(|term| is_bound(term, &bound)),
            Literal::Distinct(a, b) => is_bound(a, &bound) && is_bound(b, &bound),
        };
        let body = original.body.iter().zip(open).filter(|(literal, open)| !**open && ready(literal));
        Clause {
            head: original.head.clone(),
            body: body.map(|(literal, _)| literal.clone()).collect(),
            variables: original.variables,
        }
    }

    /// Adds the instances of a clause; only their heads if its relation is lifted.
    fn apply(
        &mut self,
        number: usize,
        new_literal: Option<usize>,
        component: &Component,
    ) -> Result<(), Exceeded> {
        let rules = self.rules;
        let original = &rules.program.clauses[number];
        let head = original.head.relation;
        let states = &self.made.states;
        let known = |relation: RelationId| states[relation.index()] != RelationStatus::Opaque;
        let is_open = |literal: &Literal| literal.atom().is_some_and(|atom| !known(atom.relation));
        let open: Vec<bool> = original.body.iter().map(is_open).collect();
        let clause =
            if open.contains(&true) { InstanceMaker::closed(original, &open) } else { original.clone() };
        let position_of = |position: usize| {
            let literal = &original.body[position];
            clause.body.iter().position(|other| std::ptr::eq(other, literal) || other == literal)
        };
        let asked = new_literal;
        let new_literal = new_literal.and_then(position_of);
        let made = &mut self.made;
        let grows = |relation: RelationId| component.recursive && component.relations.contains(&relation);
        let purpose = Purpose {
            clause: &clause,
            number,
            new_literal,
            grows: &grows,
            checked: &|relation| !rules.varies(relation),
        };
        let arity = clause.head.arguments.len();
        let most = self.limits.instances;
        let (mut rows, mut count): (Vec<TermId>, usize) = (Vec::new(), 0);
        let mut mentions: Vec<u32> = Vec::new();
        let mut mentioned: Vec<TermId> = Vec::new();
        let lifted = made.states[head.index()] == RelationStatus::Lifted;
        let mut full = false;
        let atoms = original.body.iter().enumerate();
        let atoms = atoms.filter_map(|(position, literal)| Some((position, literal.atom()?)));
        let varying: Vec<_> = atoms.filter(|(_, atom)| rules.varies(atom.relation)).collect();
        let place = |&(position, _): &(usize, _)| {
            let joined = matches!(original.body[position], Literal::Positive(_)) && !open[position];
            position_of(position).filter(|_| joined)
        };
        let places: Vec<Option<usize>> = varying.iter().map(place).collect();
        let mut heads = Table::new(arity);
        let Instances { database, terms, work, .. } = &mut *made;
        *work += database.join(&purpose, terms, &self.part, |bindings, found, terms| {
            count += 1;
            if lifted {
                let row: Vec<TermId> =
                    clause.head.arguments.iter().map(|term| build(term, bindings, terms)).collect();
                heads.insert(&row);
                full = heads.len() as usize > self.limits.atoms || count > self.limits.derivations;
                return !full && arity > 0;
            }
            for term in &clause.head.arguments {
                rows.push(build(term, bindings, terms));
            }
            for ((_, atom), place) in varying.iter().zip(&places) {
                match place {
                    Some(place) => mentions.push(found[*place]),
                    None => {
                        for term in &atom.arguments {
                            mentioned.push(build(term, bindings, terms));
                        }
                    }
                }
            }
            full = count > most;
            !full
        })?;
        if lifted {
            for row in heads.iter() {
                made.insert(head, row);
            }
            return if full { Err(Exceeded::Atoms(self.limits.atoms)) } else { Ok(()) };
        }
        if full {
            self.made.too_large.extend(&component.relations);
            self.set(component, RelationStatus::Lifted);
            return self.apply(number, asked, component);
        }
        let joined = JoinResult { number, count, rows, mentions, mentioned, varying, places };
        self.record(component, head, joined)
    }

    /// Adds instances that a join found.
    fn record(
        &mut self,
        component: &Component,
        head: RelationId,
        joined: JoinResult<'_>,
    ) -> Result<(), Exceeded> {
        let JoinResult { number, count, rows, mentions, mentioned, varying, places } = joined;
        let body = &self.rules.program.clauses[number].body;
        let arity = self.rules.program.clauses[number].head.arguments.len();
        let made = &mut self.made;
        let (mut next_mention, mut next_argument) = (0, 0);
        for instance in 0..count {
            let atom = made.insert(head, &rows[instance * arity..(instance + 1) * arity]);
            for ((position, atom), place) in varying.iter().zip(&places) {
                let relation = atom.relation.index();
                let negated = matches!(body[*position], Literal::Negative(_));
                let found = match place {
                    Some(_) => {
                        next_mention += 1;
                        Some(made.numbers[relation][mentions[next_mention - 1] as usize])
                    }
                    None => {
                        let row = &mentioned[next_argument..next_argument + atom.arguments.len()];
                        next_argument += atom.arguments.len();
                        if made.states[relation] == RelationStatus::Opaque {
                            Some(made.insert(atom.relation, row))
                        } else {
                            made.atom(atom.relation, row)
                        }
                    }
                };
                if let Some(found) = found {
                    made.bodies[head.index()].push((found, negated));
                }
            }
            let end = made.bodies[head.index()].len() as u32;
            made.heads[head.index()].push((atom, end, number as u32));
        }
        if made.bytes() > self.limits.bytes {
            made.out_of_memory = true;
            return Err(Exceeded::Bytes(self.limits.bytes >> 20));
        }
        let atoms = made.database.table(head).len() as usize;
        if atoms > self.limits.atoms
            || made.heads[head.index()].len() > self.limits.instances
            || made.bodies[head.index()].len() > 4 * self.limits.instances
        {
            made.too_large.extend(&component.relations);
            self.set(component, RelationStatus::Lifted);
        }
        Ok(())
    }
}

/// The consequences of a component.
struct Unrolling<'m, 'a> {
    maker: &'m mut InstanceMaker<'a>,
    component: &'m Component,
}

impl Consequences for Unrolling<'_, '_> {
    type Stop = Exceeded;

    fn database(&mut self) -> &mut Database {
        &mut self.maker.made.database
    }

    fn apply(&mut self, clause: usize, new_literal: Option<usize>) -> Result<(), Exceeded> {
        self.maker.apply(clause, new_literal, self.component)
    }
}

fn worse(a: RelationStatus, b: RelationStatus) -> RelationStatus {
    let rank = |state| match state {
        RelationStatus::Unrolled => 0,
        RelationStatus::Lifted => 1,
        RelationStatus::Opaque => 2,
    };
    if rank(a) >= rank(b) { a } else { b }
}
