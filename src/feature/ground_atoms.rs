//! All atoms that conjunctions are solved over: fluents, facts, and what rules derive from the state, each with the literal
//! of the network that says whether it holds.

use std::cell::Cell;
use std::collections::BTreeMap;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::gdl::rule::{Dependence, RelationKind};
use crate::ground::{Lit, Network};
use crate::machine::Machine;

use super::error::FeatureError;

/// Rows of a relation at most.
const ROWS: usize = 20_000;

/// Rows looked at for a conjunction at most, and for all together.
const WORK: usize = 200_000;
const ALL_WORK: usize = 5_000_000;

/// Solutions of a conjunction at most.
const SOLUTIONS: usize = 1_000;

/// An argument of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Slot {
    /// A variable, by its number in the conjunction.
    Variable(usize),
    /// A term, by its number among the texts.
    Term(u32),
}

/// A literal of a conjunction: a table and its arguments.
pub(super) type TableLiteral = (usize, Vec<Slot>);

/// What a conjunction comes to: for each solution the term of every variable, and the literals of the network that have
/// to hold together.
#[derive(Clone, Debug, Default)]
pub(super) struct Solved {
    pub(super) solutions: Vec<(Box<[u32]>, Vec<Lit>)>,
}

struct Table {
    rows: Vec<(Box<[u32]>, Lit)>,
    /// For each argument the rows by their term there.
    by: Vec<FxHashMap<u32, Vec<u32>>>,
}

/// The atoms of a network's game, by relation as they are asked for.
pub(super) struct GroundAtoms<'m> {
    machine: &'m dyn Machine,
    network: &'m Network,
    texts: IndexSet<Box<str>, FxBuildHasher>,
    tables: Vec<Table>,
    /// Tables by whether they are of fluents, with name and number of arguments.
    known: BTreeMap<(bool, String, usize), usize>,
    /// Rows that may still be looked at.
    left: Cell<usize>,
}

impl<'m> GroundAtoms<'m> {
    /// Those of a machine; none where it has no network.
    pub(super) fn new(machine: &'m dyn Machine) -> Option<GroundAtoms<'m>> {
        let network = machine.network()?;
        let texts = IndexSet::default();
        let left = Cell::new(ALL_WORK);
        Some(GroundAtoms { machine, network, texts, tables: Vec::new(), known: BTreeMap::new(), left })
    }

    /// Takes work from what is left, in rows looked at.
    pub(super) fn spend(&self, work: usize) {
        self.left.set(self.left.get().saturating_sub(work));
    }

    /// Whether no more rows may be looked at.
    pub(super) fn is_over(&self) -> bool {
        self.left.get() == 0
    }

    /// The network.
    pub(super) fn network(&self) -> &'m Network {
        self.network
    }

    /// A term by its text.
    pub(super) fn term(&mut self, text: &str) -> u32 {
        self.texts.insert_full(text.into()).0 as u32
    }

    /// The text of a term.
    pub(super) fn text(&self, term: u32) -> &str {
        &self.texts[term as usize]
    }

    /// The table of a relation of fluents, or of one that rules derive, or of facts.
    ///
    /// # Errors
    /// The game has none, or too much of it.
    pub(super) fn table(&mut self, fluent: bool, name: &str, arity: usize) -> Result<usize, FeatureError> {
        let key = (fluent, name.to_owned(), arity);
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let description = self.machine.description();
        let unknown = || FeatureError::UnknownRelation { relation: format!("{name}/{arity}") };
        let symbol = description.symbols.find(name).ok_or_else(unknown)?;
        let mut rows: Vec<(Vec<crate::gdl::term::TermId>, Lit)> = Vec::new();
        if fluent {
            let of_name = self.network.fluents.iter();
            let of_name =
                of_name.filter(|fluent| fluent.functor == symbol && fluent.arguments.len() == arity);
            rows.extend(of_name.map(|fluent| {
                let holds = fluent.bit.map_or(Lit::TRUE, |bit| Lit::of(1 + bit));
                (fluent.arguments.clone(), holds)
            }));
        } else {
            let of_name = self.network.derived.iter();
            let of_name = of_name.filter(|atom| atom.name == symbol && atom.arguments.len() == arity);
            rows.extend(of_name.map(|atom| (atom.arguments.clone(), atom.value)));
            let is_static = |relation: &&crate::gdl::rule::Relation| {
                (relation.name, relation.arity) == (symbol, arity)
                    && relation.dependence == Dependence::Static
                    && relation.kind == RelationKind::View
            };
            let mut relations = description.relation_ids();
            if let Some((id, _)) = relations.find(|(_, relation)| is_static(relation)) {
                let facts = self.machine.rules().statics.tuples(id).take(ROWS + 1);
                rows.extend(facts.map(|terms| (terms.to_vec(), Lit::TRUE)));
            }
        }
        if rows.is_empty() {
            return Err(unknown());
        }
        if rows.len() > ROWS {
            return Err(FeatureError::TooManySolutions { limit: ROWS });
        }
        let machine = self.machine;
        let mut table = Table { rows: Vec::with_capacity(rows.len()), by: vec![FxHashMap::default(); arity] };
        for (number, (terms, holds)) in rows.into_iter().enumerate() {
            let terms: Box<[u32]> =
                terms.into_iter().map(|term| self.term(&machine.term_text(term))).collect();
            for (by, &term) in table.by.iter_mut().zip(&terms) {
                by.entry(term).or_default().push(number as u32);
            }
            table.rows.push((terms, holds));
        }
        self.tables.push(table);
        self.known.insert(key, self.tables.len() - 1);
        Ok(self.tables.len() - 1)
    }

    /// All solutions of a conjunction of literals in so many variables, some of which are bound, that can hold in some state.
    ///
    /// # Errors
    /// There are too many, or it takes too long to find them.
    pub(super) fn solve(
        &self,
        literals: &[TableLiteral],
        bound: &[Option<u32>],
    ) -> Result<Solved, FeatureError> {
        let most = WORK.min(self.left.get());
        let mut search = Join { atoms: self, literals, terms: bound.to_vec(), held: Vec::new(), work: most };
        let mut solved = Solved::default();
        let mut left: Vec<usize> = (0..literals.len()).collect();
        let done = search.go(&mut left, &mut solved);
        self.left.set(self.left.get() - (most - search.work));
        done?;
        Ok(solved)
    }
}

/// A join under way.
struct Join<'a, 'm> {
    atoms: &'a GroundAtoms<'m>,
    literals: &'a [TableLiteral],
    terms: Vec<Option<u32>>,
    held: Vec<Lit>,
    work: usize,
}

impl Join<'_, '_> {
    fn term(&self, slot: Slot) -> Option<u32> {
        match slot {
            Slot::Variable(number) => self.terms[number],
            Slot::Term(term) => Some(term),
        }
    }

    /// The rows that a literal may be, as far as one bound argument tells.
    fn rows(&self, literal: usize) -> Option<&[u32]> {
        let (table, slots) = &self.literals[literal];
        let table = &self.atoms.tables[*table];
        let bound = slots.iter().zip(&table.by).filter_map(|(&slot, by)| {
            let term = self.term(slot)?;
            Some(by.get(&term).map_or(&[][..], |rows| rows))
        });
        bound.min_by_key(|rows| rows.len())
    }

    /// Solves the literals that are left, the one with the fewest rows first.
    fn go(&mut self, left: &mut Vec<usize>, solved: &mut Solved) -> Result<(), FeatureError> {
        let size = |literal: usize| {
            let all = || self.atoms.tables[self.literals[literal].0].rows.len();
            self.rows(literal).map_or_else(all, <[u32]>::len)
        };
        let Some(place) = (0..left.len()).min_by_key(|&place| size(left[place])) else {
            if solved.solutions.len() == SOLUTIONS {
                return Err(FeatureError::TooManySolutions { limit: SOLUTIONS });
            }
            let terms = self.terms.iter().map(|term| term.unwrap_or(u32::MAX)).collect();
            let mut held = self.held.clone();
            held.sort_unstable();
            held.dedup();
            // What holds and doesn't hold at once is no solution.
            if !held.windows(2).any(|pair| pair[0] == !pair[1]) {
                solved.solutions.push((terms, held));
            }
            return Ok(());
        };
        let literal = left.remove(place);
        let (table, slots) = &self.literals[literal];
        let table = &self.atoms.tables[*table];
        let rows: Vec<u32> = match self.rows(literal) {
            Some(rows) => rows.to_vec(),
            None => (0..table.rows.len() as u32).collect(),
        };
        for row in rows {
            self.work = self.work.checked_sub(1).ok_or(FeatureError::TooManySolutions { limit: WORK })?;
            let (terms, holds) = &table.rows[row as usize];
            let mut now = Vec::new();
            let fits = slots.iter().zip(terms).all(|(&slot, &term)| match (self.term(slot), slot) {
                (Some(known), _) => known == term,
                (None, Slot::Variable(number)) => {
                    self.terms[number] = Some(term);
                    now.push(number);
                    true
                }
                (None, Slot::Term(_)) => false,
            });
            if fits {
                let told = *holds == Lit::TRUE;
                if !told {
                    self.held.push(*holds);
                }
                self.go(left, solved)?;
                if !told {
                    self.held.pop();
                }
            }
            now.into_iter().for_each(|number| self.terms[number] = None);
        }
        left.insert(place, literal);
        Ok(())
    }
}
