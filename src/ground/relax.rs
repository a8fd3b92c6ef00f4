//! Instantiating the rules over the atoms that can be reached when negation is ignored.
//!
//! `true` holds of whatever `init` or `next` give, `does` of whatever `legal` gives a role; negative literals
//! are checked on static relations only. One semi-naive fixpoint derives the atoms, and every way to satisfy a
//! body is met exactly once, so it also yields the instances of the rules.

use super::program::GameProgram;
use super::statics::StaticFacts;
use crate::datalog::{
    Data, Exceeded, Guard, Marks, Plan, Prepared, Purpose, Scratch, Table, build, magnitude,
};
use crate::gdl::rule::{Literal, RelationId};
use crate::gdl::term::{TermId, Terms};
use rustc_hash::FxHashMap;

/// A literal of an instance: an atom's number, or that of a negated mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroundLiteral {
    /// The atom holds.
    Positive(u32),
    /// The atom does not hold.
    Negative(u32),
}

/// Reachable atoms and instances of rules over them.
pub(super) struct Instances {
    /// The ground terms.
    pub(super) terms: Terms,
    /// All rows of every relation: facts of static ones, reachable atoms of the others.
    pub(super) tables: Vec<Table>,
    /// For every relation that is not static, the atom number of each row.
    pub(super) atom_of_row: Vec<Vec<u32>>,
    /// Relation and row of every atom.
    pub(super) atoms: Vec<(RelationId, u32)>,
    heads: Vec<u32>,
    starts: Vec<u32>,
    body: Vec<u32>,
    /// Relation and arguments of every negated mention that is not static.
    negated: Vec<(RelationId, u32)>,
    negated_tables: Vec<Table>,
}

impl Instances {
    /// Number of instances.
    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    /// The head atom of an instance.
    pub(super) fn head(&self, instance: usize) -> u32 {
        self.heads[instance]
    }

    /// The body of an instance; a negated atom that can't be reached is left out, for it never holds.
    pub(super) fn body(&self, instance: usize) -> impl Iterator<Item = GroundLiteral> + '_ {
        let end = self.starts.get(instance + 1).map_or(self.body.len(), |&start| start as usize);
        self.body[self.starts[instance] as usize..end].iter().filter_map(|&code| {
            if code & 1 == 0 {
                return Some(GroundLiteral::Positive(code >> 1));
            }
            let (relation, row) = self.negated[code as usize >> 1];
            let arguments = self.negated_tables[relation.index()].row(row);
            let found = self.tables[relation.index()].find(arguments)?;
            Some(GroundLiteral::Negative(self.atom_of_row[relation.index()][found as usize]))
        })
    }
}

struct Grounding<'a> {
    program: &'a GameProgram,
    roles: &'a [TermId],
    guard: &'a Guard,
    marks: Vec<Marks>,
    plans: FxHashMap<(usize, Option<usize>), (u32, Prepared)>,
    scratch: Scratch,
    negated_numbers: Vec<Vec<u32>>,
    result: Instances,
    bytes: usize,
}

/// Derives the reachable atoms and all instances.
///
/// # Errors
/// A budget is passed.
pub(super) fn instantiate(
    program: &GameProgram,
    statics: StaticFacts,
    roles: &[TermId],
    guard: &Guard,
) -> Result<Instances, Exceeded> {
    let relations = program.relations.len();
    let tables = statics.tables;
    let marks = tables.iter().map(|table| Marks { old: table.len(), now: table.len() }).collect();
    let mut grounding = Grounding {
        program,
        roles,
        guard,
        marks,
        plans: FxHashMap::default(),
        scratch: Scratch::default(),
        negated_numbers: vec![Vec::new(); relations],
        result: Instances {
            terms: statics.terms,
            atom_of_row: vec![Vec::new(); relations],
            atoms: Vec::new(),
            heads: Vec::new(),
            starts: Vec::new(),
            body: Vec::new(),
            negated: Vec::new(),
            negated_tables: program.relations.iter().map(|relation| Table::new(relation.arity)).collect(),
            tables,
        },
        bytes: 0,
    };
    grounding.run()?;
    Ok(grounding.result)
}

impl Grounding<'_> {
    fn run(&mut self) -> Result<(), Exceeded> {
        let dynamic: Vec<RelationId> = (0..self.program.relations.len() as u32)
            .map(RelationId)
            .filter(|&relation| !self.program.is_static(relation))
            .collect();
        let clauses: Vec<usize> = (0..self.program.rules.clauses.len())
            .filter(|&c| !self.program.is_static(self.program.rules.clauses[c].head.relation))
            .collect();
        let mut copied = vec![0u32; self.program.relations.len()];
        self.carry(&mut copied);
        let mut first = true;
        loop {
            let mut grew = false;
            for &relation in &dynamic {
                let rows = self.result.tables[relation.index()].len();
                let marks = &mut self.marks[relation.index()];
                *marks = Marks { old: marks.now, now: rows };
                grew |= marks.old < marks.now;
            }
            if !grew && !first {
                return Ok(());
            }
            for &clause in &clauses {
                if first {
                    self.apply(clause, None)?;
                    continue;
                }
                for (position, literal) in self.program.rules.clauses[clause].body.iter().enumerate() {
                    if let Literal::Positive(atom) = literal
                        && !self.program.is_static(atom.relation)
                        && self.marks[atom.relation.index()].old < self.marks[atom.relation.index()].now
                    {
                        self.apply(clause, Some(position))?;
                    }
                }
            }
            first = false;
            self.carry(&mut copied);
        }
    }

    /// What `init` and `next` give is `true`; what is `legal` a role can do.
    fn carry(&mut self, copied: &mut [u32]) {
        let fluents = self.program.fluents.iter().filter(|family| !family.frozen).flat_map(|family| {
            [family.init, family.next].into_iter().flatten().map(|source| (source, family.holds, false))
        });
        let moves = self.program.moves.iter().map(|family| (family.legal, family.does, true));
        for (source, target, needs_role) in fluents.chain(moves) {
            let rows = self.result.tables[source.index()].len();
            for row in copied[source.index()]..rows {
                let values = self.result.tables[source.index()].row(row).to_vec();
                if !needs_role || self.roles.contains(&values[0]) {
                    self.result.insert(target, &values);
                }
            }
            copied[source.index()] = rows;
        }
    }

    fn apply(&mut self, number: usize, new_literal: Option<usize>) -> Result<(), Exceeded> {
        let clause = &self.program.rules.clauses[number];
        let sizes = clause.atoms().map(|a| self.result.tables[a.relation.index()].len());
        let size = magnitude(sizes);
        if self.plans.get(&(number, new_literal)).is_none_or(|(planned, _)| *planned != size) {
            let program = self.program;
            let purpose = Purpose {
                new_literal,
                grows: &|relation| !program.is_static(relation),
                checked: &|relation| program.is_static(relation),
            };
            let plan = Plan::new(clause, &purpose, &mut self.result.tables);
            let prepared = Prepared::new(plan, clause.variables, clause.body.len());
            self.plans.insert((number, new_literal), (size, prepared));
        }
        let prepared = &self.plans[&(number, new_literal)].1;
        let arity = clause.head.arguments.len();
        let mut heads: Vec<TermId> = Vec::new();
        let mut bodies: Vec<u32> = Vec::new();
        let mut ends: Vec<u32> = Vec::new();
        let mut arguments: Vec<TermId> = Vec::new();
        let mut exceeded = None;
        let Instances { terms, tables, atom_of_row, atoms, negated, negated_tables, heads: done, .. } =
            &mut self.result;
        let negated_numbers = &mut self.negated_numbers;
        let program = self.program;
        let guard = self.guard;
        let held = self.bytes;
        let mut data = Data { tables, marks: &self.marks, terms };
        prepared.run(&mut data, &mut self.scratch, guard, |bindings, rows, terms| {
            for term in &clause.head.arguments {
                heads.push(build(term, bindings, terms));
            }
            for (position, literal) in clause.body.iter().enumerate() {
                match literal {
                    Literal::Positive(atom) if program.has_atoms(atom.relation) => {
                        bodies.push(atom_of_row[atom.relation.index()][rows[position] as usize] << 1);
                    }
                    Literal::Negative(atom) if !program.is_static(atom.relation) => {
                        arguments.clear();
                        for term in &atom.arguments {
                            arguments.push(build(term, bindings, terms));
                        }
                        let relation = atom.relation.index();
                        let (row, new) = negated_tables[relation].insert(&arguments);
                        if new {
                            negated_numbers[relation].push(negated.len() as u32);
                            negated.push((atom.relation, row));
                        }
                        bodies.push(negated_numbers[relation][row as usize] << 1 | 1);
                    }
                    _ => {}
                }
            }
            ends.push(bodies.len() as u32);
            if ends.len() & 0xfff == 0 {
                let bytes = held + 4 * (heads.len() + bodies.len() + ends.len());
                exceeded = guard.check(atoms.len(), done.len() + ends.len(), bytes).err();
            }
            exceeded.is_none()
        })?;
        if let Some(exceeded) = exceeded {
            return Err(exceeded);
        }
        if program.demanded[clause.head.relation.index()] {
            let table = &mut self.result.tables[clause.head.relation.index()];
            (0..ends.len()).for_each(|index| {
                table.insert(&heads[index * arity..(index + 1) * arity]);
            });
            return Ok(());
        }
        let mut start = 0;
        for (index, &end) in ends.iter().enumerate() {
            let head = self.result.insert(clause.head.relation, &heads[index * arity..(index + 1) * arity]);
            self.result.heads.push(head);
            self.result.starts.push(self.result.body.len() as u32);
            self.result.body.extend_from_slice(&bodies[start as usize..end as usize]);
            start = end;
        }
        self.bytes = self.result.bytes();
        guard.check(self.result.atoms.len(), self.result.heads.len(), self.bytes)
    }
}

impl Instances {
    /// Adds a row to a relation that is not static; gives its atom number.
    fn insert(&mut self, relation: RelationId, row: &[TermId]) -> u32 {
        let (number, new) = self.tables[relation.index()].insert(row);
        let numbers = &mut self.atom_of_row[relation.index()];
        if new {
            numbers.push(self.atoms.len() as u32);
            self.atoms.push((relation, number));
        }
        numbers[number as usize]
    }

    /// Bytes held, roughly.
    fn bytes(&self) -> usize {
        let tables: usize = self.tables.iter().map(Table::bytes).sum();
        let words = self.body.capacity() + self.heads.capacity() + self.starts.capacity();
        tables + 4 * words + 12 * self.atoms.capacity() + 96 * self.terms.len()
    }
}
