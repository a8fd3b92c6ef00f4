//! Instantiates the rules over the atoms that are reachable if negation is ignored.
//!
//! Atoms of `init` and `next` are added to `true`, and atoms of `legal` to `does`. Negative literals are checked only on static
//! relations. One semi-naive fixpoint derives the atoms. It finds each way to satisfy a body exactly once, so it also gives
//! the rule instances.

use super::program::GameProgram;
use super::statics::StaticFacts;
use crate::datalog::{
    Component, Consequences, Database, Exceeded, Guard, MOST_SYMBOLS, PlansKept, Purpose, Table, build,
    saturate,
};
use crate::gdl::rule::{Literal, RelationId};
use crate::gdl::term::{TermId, Terms};

/// A literal of an instance: the index of an atom, and whether the atom holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroundLiteral {
    /// The atom holds.
    Positive(u32),
    /// The atom does not hold.
    Negative(u32),
}

/// Reachable atoms, and instances of rules over them.
pub(super) struct Instances {
    /// The ground terms.
    pub(super) terms: Terms,
    /// All rows of every relation: facts of static relations, reachable atoms of the others.
    pub(super) database: Database,
    /// For each relation that is not static, the atom index of each row.
    pub(super) atom_of_row: Vec<Vec<u32>>,
    /// Relation and row of each atom.
    pub(super) atoms: Vec<(RelationId, u32)>,
    heads: Vec<u32>,
    starts: Vec<u32>,
    body: Vec<u32>,
    /// Relation and row of each negated atom that is not static.
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

    /// The body of an instance. Negative literals whose atom is unreachable are omitted: they always hold.
    pub(super) fn body(&self, instance: usize) -> impl Iterator<Item = GroundLiteral> + '_ {
        let end = self.starts.get(instance + 1).map_or(self.body.len(), |&start| start as usize);
        self.body[self.starts[instance] as usize..end].iter().filter_map(|&code| {
            if code & 1 == 0 {
                return Some(GroundLiteral::Positive(code >> 1));
            }
            let (relation, row) = self.negated[code as usize >> 1];
            let arguments = self.negated_tables[relation.index()].row(row);
            let found = self.database.table(relation).find(arguments)?;
            Some(GroundLiteral::Negative(self.atom_of_row[relation.index()][found as usize]))
        })
    }
}

struct Instantiation<'a> {
    program: &'a GameProgram,
    roles: &'a [TermId],
    guard: &'a Guard,
    negated_numbers: Vec<Vec<u32>>,
    /// For each relation, the number of its rows that [`Instantiation::copy_inputs`] has looked at.
    copied: Vec<u32>,
    result: Instances,
    bytes: usize,
    /// Number of rows of on-demand relations; these rows get no atom index.
    on_demand_rows: usize,
    /// If a limit was exceeded inside a join: the head relation, and the number of heads not yet added.
    overflow: Option<(RelationId, usize)>,
}

/// A limit was exceeded.
pub(super) struct LimitExceeded {
    /// The limit.
    pub(super) exceeded: Exceeded,
    /// The number of rows of each relation at that time.
    pub(super) rows: Vec<u32>,
}

/// Derives the reachable atoms and all instances.
///
/// # Errors
/// A limit is exceeded.
pub(super) fn instantiate(
    program: &GameProgram,
    statics: &StaticFacts,
    roles: &[TermId],
    guard: &Guard,
) -> Result<Instances, LimitExceeded> {
    let relations = program.relations.len();
    let mut grounding = Instantiation {
        program,
        roles,
        guard,
        negated_numbers: vec![Vec::new(); relations],
        copied: vec![0; relations],
        result: Instances {
            terms: statics.terms.clone(),
            atom_of_row: vec![Vec::new(); relations],
            atoms: Vec::new(),
            heads: Vec::new(),
            starts: Vec::new(),
            body: Vec::new(),
            negated: Vec::new(),
            negated_tables: program.relations.iter().map(|relation| Table::new(relation.arity)).collect(),
            database: Database::new(statics.tables_of(program), PlansKept::Latest),
        },
        bytes: 0,
        on_demand_rows: 0,
        overflow: None,
    };
    // All relations that depend on the state are one component: `true` depends on `next`, `does` on `legal`.
    let dynamic = |relation: &RelationId| !program.is_static(*relation);
    let component = Component {
        clauses: (0..program.rules.clauses.len())
            .filter(|&clause| dynamic(&program.rules.clauses[clause].head.relation))
            .collect(),
        relations: program.rules.relations().filter(dynamic).collect(),
        recursive: true,
    };
    grounding.copy_inputs();
    match saturate(&program.rules, &component, &mut grounding) {
        Ok(()) => Ok(grounding.result),
        Err(exceeded) => {
            let database = &grounding.result.database;
            let mut rows: Vec<u32> =
                program.rules.relations().map(|relation| database.table(relation).len()).collect();
            if let Some((relation, more)) = grounding.overflow {
                rows[relation.index()] = rows[relation.index()].saturating_add(more as u32);
            }
            Err(LimitExceeded { exceeded, rows })
        }
    }
}

impl Instantiation<'_> {
    /// Adds instances of a clause: the arguments of their heads, their bodies, and the end of each body.
    fn add_instances(&mut self, relation: RelationId, heads: &[TermId], bodies: &[u32], ends: &[u32]) {
        let arity = self.program.relations[relation.index()].arity;
        let mut start = 0;
        for (index, &end) in ends.iter().enumerate() {
            let head = self.result.insert(relation, &heads[index * arity..(index + 1) * arity]);
            self.result.heads.push(head);
            self.result.starts.push(self.result.body.len() as u32);
            self.result.body.extend_from_slice(&bodies[start as usize..end as usize]);
            start = end;
        }
    }

    /// Copies the rows of `init` and `next` to `true`, and those of `legal` to `does`.
    fn copy_inputs(&mut self) {
        let fluents = self.program.fluents.iter().filter(|family| !family.frozen).flat_map(|family| {
            [family.init, family.next].into_iter().flatten().map(|source| (source, family.holds, false))
        });
        let moves = self.program.moves.iter().map(|family| (family.legal, family.does, true));
        for (source, target, needs_role) in fluents.chain(moves) {
            let rows = self.result.database.table(source).len();
            for row in self.copied[source.index()]..rows {
                let values = self.result.database.table(source).row(row).to_vec();
                if !needs_role || self.roles.contains(&values[0]) {
                    self.result.insert(target, &values);
                }
            }
            self.copied[source.index()] = rows;
        }
    }
}

impl Consequences for Instantiation<'_> {
    type Stop = Exceeded;

    fn database(&mut self) -> &mut Database {
        &mut self.result.database
    }

    fn end_round(&mut self) {
        self.copy_inputs();
    }

    /// Adds the instances of one clause and their heads.
    fn apply(&mut self, number: usize, new_literal: Option<usize>) -> Result<(), Exceeded> {
        let program = self.program;
        let clause = &program.rules.clauses[number];
        let purpose = Purpose {
            clause,
            number,
            new_literal,
            grows: &|relation| !program.is_static(relation),
            checked: &|relation| program.is_static(relation),
        };
        let arity = clause.head.arguments.len();
        let mut heads: Vec<TermId> = Vec::new();
        let mut bodies: Vec<u32> = Vec::new();
        let mut ends: Vec<u32> = Vec::new();
        let mut arguments: Vec<TermId> = Vec::new();
        let mut exceeded = None;
        let Instances { terms, database, atom_of_row, atoms, negated, negated_tables, heads: done, .. } =
            &mut self.result;
        let negated_numbers = &mut self.negated_numbers;
        let (guard, demanded) = (self.guard, program.demanded[clause.head.relation.index()]);
        let (held, on_demand_rows) = (self.bytes, self.on_demand_rows);
        database.join(&purpose, terms, guard, |bindings, rows, terms| {
            for term in &clause.head.arguments {
                heads.push(build(term, bindings, terms));
            }
            // Clauses whose head relation is derived on demand yield rows, but no instances.
            let body = if demanded { &[][..] } else { &clause.body[..] };
            for (position, literal) in body.iter().enumerate() {
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
                exceeded = guard.check(atoms.len() + on_demand_rows, done.len() + ends.len(), bytes).err();
            }
            exceeded.is_none()
        })?;
        if let Some(exceeded) = exceeded {
            self.overflow = Some((clause.head.relation, ends.len()));
            return Err(exceeded);
        }
        if demanded {
            for index in 0..ends.len() {
                let row = &heads[index * arity..(index + 1) * arity];
                self.on_demand_rows += usize::from(self.result.database.insert(clause.head.relation, row).1);
            }
        } else {
            self.add_instances(clause.head.relation, &heads, &bodies, &ends);
        }
        self.bytes = self.result.bytes();
        // `terms` belong to this run, so no other check limits the size of a term.
        if self.result.terms.largest() > MOST_SYMBOLS {
            return Err(Exceeded::Symbols(MOST_SYMBOLS));
        }
        guard.check(self.result.atoms.len() + self.on_demand_rows, self.result.heads.len(), self.bytes)
    }
}

impl Instances {
    /// Adds a row to a relation that is not static. Returns its atom index.
    fn insert(&mut self, relation: RelationId, row: &[TermId]) -> u32 {
        let (number, new) = self.database.insert(relation, row);
        let numbers = &mut self.atom_of_row[relation.index()];
        if new {
            numbers.push(self.atoms.len() as u32);
            self.atoms.push((relation, number));
        }
        numbers[number as usize]
    }

    /// Approximate memory in bytes.
    fn bytes(&self) -> usize {
        let words = self.body.capacity() + self.heads.capacity() + self.starts.capacity();
        self.database.bytes() + 4 * words + 12 * self.atoms.capacity() + 96 * self.terms.len()
    }
}
