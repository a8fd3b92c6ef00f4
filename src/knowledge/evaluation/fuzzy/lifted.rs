//! Atoms that are not unrolled: the rules derive in every state which of them hold.
//!
//! The rules below them are evaluated as they are, or so that they derive no more than what these atoms ask for
//! (magic sets, see [`crate::datalog`]). Neither is always cheaper, so both are run on the first state, with few rows at first and then
//! with four times as many, until one of them ends: the one that looked at fewer rows stays, and a way that is far dearer costs little.

use rustc_hash::FxHashMap;

use crate::datalog::{Clause, Component, Demand, Engine, Exceeded, Guard, Program, components, on_demand};
use crate::gdl::rule::{Atom, Dependence, Literal, RelationId, RelationKind};
use crate::gdl::term::{Term, TermId, Terms, Variable};
use crate::ground::program::{FluentFamily, GameProgram};
use crate::machine::{FluentId, Machine};

use super::bind_error::BindError;
use super::kif::{ground, split};

/// Rows that joins may look at in one state, some 50 ms of them as nothing looks at a clock meanwhile, and atoms that it may derive,
/// the static ones with them; past it no atom is taken to hold.
const WORK_LIMIT: u64 = 1_000_000;
/// Rows that each way may look at when they are tried first.
const FIRST_TRIED: u64 = 100_000;
const ATOM_LIMIT: usize = 10_000_000;

/// Atoms whose truth the rules below them tell, state by state.
pub(super) struct Deriver<'m> {
    machine: &'m dyn Machine,
    /// Ways to evaluate the rules: both until the first state, then the cheaper one.
    ways: Vec<Way<'m>>,
    /// Rows that the way which went looked at.
    spent: u64,
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
            let kinds =
                [RelationKind::View, RelationKind::Auxiliary, RelationKind::Goal, RelationKind::Terminal];
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
        Ok(Deriver { machine, ways, spent: 0 })
    }

    /// Rows that joins looked at so far.
    pub(super) fn work(&self) -> u64 {
        self.spent + self.ways.iter().map(Way::work).sum::<u64>()
    }

    /// Says of every atom whether it holds where these fluents do.
    pub(super) fn derive(&mut self, fluents: &[FluentId], out: &mut Vec<bool>) -> Result<(), Exceeded> {
        if self.ways.len() > 1 {
            let (best, ended) = self.cheapest(fluents, out);
            let kept = self.ways.swap_remove(best);
            self.spent = self.ways.iter().map(Way::work).sum();
            self.ways = vec![kept];
            // What has just looked at too many rows would do so again.
            ended?;
        }
        self.ways[0].derive(self.machine, fluents, WORK_LIMIT, out)
    }

    /// The number of the way that looks at the fewest rows where these fluents hold; any, and why, where each looks at too many.
    fn cheapest(&mut self, fluents: &[FluentId], out: &mut Vec<bool>) -> (usize, Result<(), Exceeded>) {
        let mut rows = FIRST_TRIED;
        loop {
            let (mut best, mut ended) = (None, Ok(()));
            for (number, way) in self.ways.iter_mut().enumerate() {
                // It has to be better than one that has ended.
                let before = way.work();
                let tried = way.derive(self.machine, fluents, rows, out);
                if tried.is_ok() {
                    let looked_at = way.work() - before;
                    if best.is_none_or(|(_, fewest)| looked_at < fewest) {
                        best = Some((number, looked_at));
                    }
                    rows = rows.min(looked_at.max(1));
                } else {
                    ended = tried;
                }
            }
            match best {
                Some((number, _)) => return (number, Ok(())),
                None if rows >= WORK_LIMIT => return (0, ended),
                None => rows = (4 * rows).min(WORK_LIMIT),
            }
        }
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
        let demand = Demand { propagates: &follows, read: &|relation| !follows(relation), layer: &|_| () };
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
        rows: u64,
        out: &mut Vec<bool>,
    ) -> Result<(), Exceeded> {
        let guard = Guard::atoms(ATOM_LIMIT).with_work(rows);
        self.engine.database.discard_uncounted();
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
            let evaluated = self.engine.evaluate(&self.rules.program, component, &guard);
            evaluated.inspect_err(|_| self.lost += rows)?;
        }
        out.clear();
        let database = &self.engine.database;
        out.extend(
            self.rules.atoms.iter().map(|(relation, row)| database.table(*relation).find(row).is_some()),
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground;
    use crate::machine::{Backend, load};

    /// A path of so many steps, of which rules tell between which places one can go.
    fn path(steps: usize) -> String {
        let mut text = String::from(
            "(role walker) (init (at p0)) (legal walker stay) (next (at p0)) (<= terminal (way p0 p1))
             (goal walker 100)
             (<= (way ?x ?y) (true (step ?x ?y)))
             (<= (way ?x ?z) (way ?x ?y) (true (step ?y ?z)))\n",
        );
        (0..steps).for_each(|step| text.push_str(&format!("(init (step p{step} p{}))", step + 1)));
        text
    }

    #[test]
    fn a_far_dearer_way_is_given_up_early() {
        let rules = read(&Source::from_text("path", path(3000))).description.unwrap();
        let game = load(rules, Backend::Relational, &ground::Limits::default()).unwrap();
        let machine = &*game.machine;
        let mut deriver = Deriver::new(machine, &["(way p0 p3000)", "(way p0 p0)"]).unwrap();
        let (mut fluents, mut told) = (Vec::new(), Vec::new());
        machine.fluents(machine.initial(), &mut fluents);
        deriver.derive(&fluents, &mut told).unwrap();
        assert_eq!(told, [true, false]);
        // There are four million and a half ways between two places.
        assert!(deriver.work() < 3 * FIRST_TRIED, "{} rows", deriver.work());
    }
}
