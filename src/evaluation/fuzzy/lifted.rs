//! Atoms that are not unrolled: the rules derive in every state which of them hold.

use rustc_hash::FxHashMap;

use crate::datalog::{Component, Engine, Exceeded, Guard, components};
use crate::gdl::rule::{Dependence, RelationId, RelationKind};
use crate::gdl::term::{TermId, Terms};
use crate::ground::program::{FluentFamily, GameProgram};
use crate::machine::{FluentId, Machine};

use super::bind_error::BindError;
use super::kif::{ground, split};

/// Rows that joins may look at in one state, and atoms that it may derive, the static ones with them; past it no atom is
/// taken to hold.
const WORK_LIMIT: u64 = 20_000_000;
const ATOM_LIMIT: usize = 10_000_000;

/// The rules below some atoms, ready to run on a state.
pub(super) struct Deriver<'m> {
    machine: &'m dyn Machine,
    program: &'m GameProgram,
    engine: Engine<Terms>,
    components: Vec<Component>,
    atoms: Vec<(RelationId, Vec<TermId>)>,
    rows: FxHashMap<FluentId, Option<(RelationId, Vec<TermId>)>>,
    guard: Guard,
    /// Rows of derivations that were broken off.
    lost: u64,
}

impl<'m> Deriver<'m> {
    /// The rules below these atoms, given as KIF.
    pub(super) fn new(machine: &'m dyn Machine, atoms: &[&str]) -> Result<Deriver<'m>, BindError> {
        let description = machine.description();
        let (program, statics) = (&machine.rules().program, &machine.rules().statics);
        let mut terms = statics.terms.clone();
        let mut found = Vec::new();
        for &text in atoms {
            let unknown = || BindError::UnknownAtom { atom: text.to_owned() };
            let (name, arguments) = split(text).ok_or_else(unknown)?;
            let symbol = description.symbols.find(&name).ok_or_else(unknown)?;
            let kinds = [RelationKind::View, RelationKind::Goal, RelationKind::Terminal];
            let relation = kinds
                .into_iter()
                .find_map(|kind| description.relation(kind, symbol, arguments.len()))
                .ok_or_else(unknown)?;
            let row: Option<Vec<TermId>> =
                arguments.iter().map(|text| ground(text, &description.symbols, &mut terms)).collect();
            found.push((relation, row.ok_or_else(unknown)?));
        }
        let needed = program.rules.needed(found.iter().map(|(relation, _)| *relation));
        let wanted = |relation: RelationId| {
            needed[relation.index()] && program.dependence(relation) == Dependence::State
        };
        let components = components(&program.rules, &wanted);
        let mut engine = Engine::new(&program.rules, terms);
        for relation in program.rules.relations() {
            engine.database.replace(relation, statics.table(relation).clone());
        }
        let guard = Guard::atoms(ATOM_LIMIT).with_work(WORK_LIMIT);
        Ok(Deriver {
            machine,
            program,
            engine,
            components,
            atoms: found,
            rows: FxHashMap::default(),
            guard,
            lost: 0,
        })
    }

    /// Rows that joins looked at so far.
    pub(super) fn work(&self) -> u64 {
        self.engine.work + self.lost
    }

    /// Says of every atom whether it holds where these fluents do.
    pub(super) fn derive(
        &mut self,
        fluents: impl Iterator<Item = FluentId>,
        out: &mut Vec<bool>,
    ) -> Result<(), Exceeded> {
        self.guard.renew();
        self.engine.database.forget_untold();
        self.engine.clear(&self.components);
        let holds: Vec<RelationId> =
            self.program.fluents.iter().filter(|family| !family.frozen).map(|family| family.holds).collect();
        holds.iter().for_each(|&relation| self.engine.database.clear(relation));
        for fluent in fluents {
            let (machine, program, terms) = (self.machine, self.program, &mut self.engine.terms);
            let row = self.rows.entry(fluent).or_insert_with(|| {
                let (functor, arguments) = machine.fluent(fluent);
                let same = |family: &&FluentFamily| {
                    family.functor == functor && family.arity == arguments.len() && !family.frozen
                };
                let family = program.fluents.iter().find(same)?;
                let symbols = &machine.description().symbols;
                let row: Option<Vec<TermId>> =
                    arguments.iter().map(|&term| ground(&machine.term_text(term), symbols, terms)).collect();
                Some((family.holds, row?))
            });
            if let Some((relation, row)) = row {
                self.engine.insert(*relation, row);
            }
        }
        holds.iter().for_each(|&relation| self.engine.seal(relation));
        for component in &self.components {
            let evaluated = self.engine.evaluate(&self.program.rules, component, &self.guard);
            evaluated.inspect_err(|_| self.lost += WORK_LIMIT)?;
        }
        out.clear();
        let database = &self.engine.database;
        out.extend(self.atoms.iter().map(|(relation, row)| database.table(*relation).find(row).is_some()));
        Ok(())
    }
}
