//! Atoms that are not unrolled: the rules derive in every state which of them hold.
//!
//! The rules below them are evaluated as they are, or so that they derive no more than what these atoms ask for
//! (magic sets, see [`crate::datalog`]). Neither is always cheaper, so both are run on the first state, and the one that
//! looked at fewer rows stays.

use rustc_hash::FxHashMap;

use crate::datalog::{Clause, Component, Demand, Engine, Exceeded, Guard, Program, components, on_demand};
use crate::gdl::rule::{Atom, Dependence, Literal, RelationId, RelationKind};
use crate::gdl::term::{Term, TermId, Terms, Variable};
use crate::ground::program::{FluentFamily, GameProgram};
use crate::machine::{FluentId, Machine};

use super::bind_error::BindError;
use super::kif::{ground, split};

/// Rows that joins may look at in one state, and atoms that it may derive, the static ones with them; past it no atom is
/// taken to hold.
const WORK_LIMIT: u64 = 20_000_000;
const ATOM_LIMIT: usize = 10_000_000;

/// Atoms whose truth the rules below them tell, state by state.
pub(super) struct Deriver<'m> {
    machine: &'m dyn Machine,
    /// Ways to evaluate the rules: both until the first state, then the cheaper one.
    ways: Vec<Way<'m>>,
    /// Rows that the way which went looked at.
    spent: u64,
    guard: Guard,
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
        let whole = Below::of(program, &found);
        let mut ways: Vec<Way<'m>> = whole
            .on_request(program, &found)
            .map(|asked| Way::new(machine, asked, terms.clone()))
            .into_iter()
            .collect();
        ways.push(Way::new(machine, whole, terms));
        Ok(Deriver { machine, ways, spent: 0, guard: Guard::atoms(ATOM_LIMIT).with_work(WORK_LIMIT) })
    }

    /// Rows that joins looked at so far.
    pub(super) fn work(&self) -> u64 {
        self.spent + self.ways.iter().map(Way::work).sum::<u64>()
    }

    /// Says of every atom whether it holds where these fluents do.
    pub(super) fn derive(&mut self, fluents: &[FluentId], out: &mut Vec<bool>) -> Result<(), Exceeded> {
        if self.ways.len() > 1 {
            let tried = |way: &mut Way<'m>| {
                let ended = way.derive(self.machine, fluents, &mut self.guard, out);
                (ended.is_err(), way.work())
            };
            let costs: Vec<(bool, u64)> = self.ways.iter_mut().map(tried).collect();
            let best = (0..costs.len()).min_by_key(|&way| costs[way]).expect("there are ways");
            self.spent = (0..costs.len()).filter(|&way| way != best).map(|way| costs[way].1).sum();
            self.ways = vec![self.ways.swap_remove(best)];
        }
        self.ways[0].derive(self.machine, fluents, &mut self.guard, out)
    }
}

/// Rules below some atoms.
struct Below {
    program: Program,
    components: Vec<Component>,
    /// For every atom the relation that has it where it holds, and its arguments.
    atoms: Vec<(RelationId, Vec<TermId>)>,
    /// Facts that are there in every state, beside the static ones.
    facts: Vec<(RelationId, Vec<TermId>)>,
}

impl Below {
    /// The rules as they are.
    fn of(program: &GameProgram, atoms: &[(RelationId, Vec<TermId>)]) -> Below {
        let needed = program.rules.needed(atoms.iter().map(|(relation, _)| *relation));
        let wanted = |relation: RelationId| {
            needed[relation.index()] && program.dependence(relation) == Dependence::State
        };
        let mut rules = Program::over(program.rules.arities.clone());
        rules.clauses =
            program.rules.clauses.iter().filter(|clause| wanted(clause.head.relation)).cloned().collect();
        Below {
            components: components(&rules, &wanted),
            program: rules,
            atoms: atoms.to_vec(),
            facts: Vec::new(),
        }
    }

    /// The rules such that they derive what these atoms ask for; nothing where they ask for all.
    fn on_request(&self, game: &GameProgram, atoms: &[(RelationId, Vec<TermId>)]) -> Option<Below> {
        let mut program = self.program.clone();
        let mut of_relation: FxHashMap<RelationId, [RelationId; 2]> = FxHashMap::default();
        let mut facts = Vec::new();
        let mut answers = Vec::new();
        for (relation, row) in atoms {
            let [asked, answer] = *of_relation.entry(*relation).or_insert_with(|| {
                let arity = game.rules.arities[relation.index()];
                let [asked, answer] = [(); 2].map(|()| program.add_relation(arity));
                let atom = |relation| {
                    let arguments =
                        (0..arity).map(|number| Term::Variable(Variable(number as u32))).collect();
                    Atom { relation, arguments }
                };
                let body = vec![Literal::Positive(atom(asked)), Literal::Positive(atom(*relation))];
                program.clauses.push(Clause { head: atom(answer), body, variables: arity });
                [asked, answer]
            });
            facts.push((asked, row.clone()));
            answers.push((answer, row.clone()));
        }
        let own = game.relations.len();
        let follows = |relation: RelationId| {
            relation.index() < own
                && game.dependence(relation) == Dependence::State
                && !matches!(game.relations[relation.index()].kind, RelationKind::True)
        };
        let large: Vec<RelationId> = game.rules.relations().filter(|&relation| follows(relation)).collect();
        let demand = Demand { follows: &follows, read: &|relation| !follows(relation), layer: &|_| () };
        let program = on_demand(&program, &large, &demand)?.program;
        let mut derived = vec![false; program.arities.len()];
        program.clauses.iter().for_each(|clause| derived[clause.head.relation.index()] = true);
        let components = components(&program, &|relation| derived[relation.index()]);
        Some(Below { program, components, atoms: answers, facts })
    }
}

/// Rules that are ready to run on a state.
struct Way<'m> {
    rules: Below,
    game: &'m GameProgram,
    engine: Engine<Terms>,
    rows: FxHashMap<FluentId, Option<(RelationId, Vec<TermId>)>>,
    /// Rows of derivations that were broken off.
    lost: u64,
}

impl<'m> Way<'m> {
    fn new(machine: &'m dyn Machine, rules: Below, terms: Terms) -> Way<'m> {
        let (game, statics) = (&machine.rules().program, &machine.rules().statics);
        let mut engine = Engine::new(&rules.program, terms);
        for relation in game.rules.relations() {
            engine.database.replace(relation, statics.table(relation).clone());
        }
        for (relation, row) in &rules.facts {
            engine.insert(*relation, row);
        }
        rules.facts.iter().for_each(|(relation, _)| engine.seal(*relation));
        Way { rules, game, engine, rows: FxHashMap::default(), lost: 0 }
    }

    fn work(&self) -> u64 {
        self.engine.work + self.lost
    }

    fn derive(
        &mut self,
        machine: &dyn Machine,
        fluents: &[FluentId],
        guard: &mut Guard,
        out: &mut Vec<bool>,
    ) -> Result<(), Exceeded> {
        guard.renew();
        self.engine.database.forget_untold();
        self.engine.clear(&self.rules.components);
        let holds: Vec<RelationId> =
            self.game.fluents.iter().filter(|family| !family.frozen).map(|family| family.holds).collect();
        holds.iter().for_each(|&relation| self.engine.database.clear(relation));
        for &fluent in fluents {
            let (program, terms) = (self.game, &mut self.engine.terms);
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
        for component in &self.rules.components {
            let evaluated = self.engine.evaluate(&self.rules.program, component, guard);
            evaluated.inspect_err(|_| self.lost += WORK_LIMIT)?;
        }
        out.clear();
        let database = &self.engine.database;
        out.extend(
            self.rules.atoms.iter().map(|(relation, row)| database.table(*relation).find(row).is_some()),
        );
        Ok(())
    }
}
