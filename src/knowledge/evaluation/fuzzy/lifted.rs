//! Derives atoms that are not unrolled, in every state.
//!
//! Their rules are evaluated bottom-up or on demand (magic sets, see [`crate::datalog`]). Neither method is always
//! cheaper, so both run on the first state: with a small limit of rows, then with four times the limit, until one of
//! them ends. The method that read fewer rows is used from then on.

use rustc_hash::FxHashMap;

use crate::datalog::{Clause, Component, Demand, Engine, Exceeded, Guard, Program, components, on_demand};
use crate::gdl::rule::{Atom, Dependence, Literal, RelationId, RelationKind};
use crate::gdl::term::{Term, TermId, Terms, Variable};
use crate::ground::program::{FluentFamily, GameProgram};
use crate::machine::{FluentId, Machine};

use super::bind_error::BindError;
use super::kif::{ground, split};

/// Limit of the rows that joins read in one state. This takes about 50 ms, during which the clock is not checked. If it
/// is exceeded, all atoms count as false.
const WORK_LIMIT: u64 = 1_000_000;
/// The first limit of rows when evaluators are compared.
const FIRST_LIMIT: u64 = 100_000;
/// Limit of the atoms of one state, including static ones.
const ATOM_LIMIT: usize = 10_000_000;

/// Derives whether given atoms hold in a state.
pub(super) struct Deriver<'m> {
    machine: &'m dyn Machine,
    /// Both methods until the first state, then the cheaper one.
    evaluators: Vec<RuleEvaluator<'m>>,
    /// Rows that the other method read.
    spent: u64,
}

impl<'m> Deriver<'m> {
    /// An evaluator for atoms given as KIF.
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
        let whole = RuleSet::of(program, &found);
        let mut evaluators: Vec<RuleEvaluator<'m>> = whole
            .on_demand_of(program, &found)
            .map(|asked| RuleEvaluator::new(machine, asked, terms.clone()))
            .into_iter()
            .collect();
        evaluators.push(RuleEvaluator::new(machine, whole, terms));
        Ok(Deriver { machine, evaluators, spent: 0 })
    }

    /// Rows that joins have read so far.
    pub(super) fn work(&self) -> u64 {
        self.spent + self.evaluators.iter().map(RuleEvaluator::work).sum::<u64>()
    }

    /// Computes for every atom whether it holds in the state with these fluents.
    pub(super) fn derive(&mut self, fluents: &[FluentId], out: &mut Vec<bool>) -> Result<(), Exceeded> {
        if self.evaluators.len() > 1 {
            let (best, ended) = self.cheapest(fluents, out);
            let kept = self.evaluators.swap_remove(best);
            self.spent = self.evaluators.iter().map(RuleEvaluator::work).sum();
            self.evaluators = vec![kept];
            // An evaluator that has just exceeded the limit would exceed it again.
            ended?;
        }
        self.evaluators[0].derive(self.machine, fluents, WORK_LIMIT, out)
    }

    /// The number of the evaluator that reads the fewest rows in the state; if all exceed the limit, any of them with
    /// the error.
    fn cheapest(&mut self, fluents: &[FluentId], out: &mut Vec<bool>) -> (usize, Result<(), Exceeded>) {
        let mut rows = FIRST_LIMIT;
        loop {
            let (mut best, mut ended) = (None, Ok(()));
            for (number, evaluator) in self.evaluators.iter_mut().enumerate() {
                let before = evaluator.work();
                let tried = evaluator.derive(self.machine, fluents, rows, out);
                if tried.is_ok() {
                    let looked_at = evaluator.work() - before;
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

/// The rules that some atoms depend on.
struct RuleSet {
    program: Program,
    components: Vec<Component>,
    /// For every atom its row, and the relation that contains it if it holds.
    atoms: Vec<(RelationId, Vec<TermId>)>,
    /// Facts of every state in addition to the static ones.
    facts: Vec<(RelationId, Vec<TermId>)>,
}

impl RuleSet {
    /// For bottom-up evaluation.
    fn of(program: &GameProgram, atoms: &[(RelationId, Vec<TermId>)]) -> RuleSet {
        let needed = program.rules.needed(atoms.iter().map(|(relation, _)| *relation));
        let wanted = |relation: RelationId| {
            needed[relation.index()] && program.dependence(relation) == Dependence::State
        };
        let mut rules = Program::over(program.rules.arities.clone());
        rules.clauses =
            program.rules.clauses.iter().filter(|clause| wanted(clause.head.relation)).cloned().collect();
        RuleSet {
            components: components(&rules, &wanted),
            program: rules,
            atoms: atoms.to_vec(),
            facts: Vec::new(),
        }
    }

    /// For evaluation on demand; `None` if the atoms demand everything.
    fn on_demand_of(&self, game: &GameProgram, atoms: &[(RelationId, Vec<TermId>)]) -> Option<RuleSet> {
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
        Some(RuleSet { program, components, atoms: answers, facts })
    }
}

/// Evaluates a rule set in a state.
struct RuleEvaluator<'m> {
    rules: RuleSet,
    game: &'m GameProgram,
    engine: Engine<Terms>,
    rows: FxHashMap<FluentId, Option<(RelationId, Vec<TermId>)>>,
    /// Rows of aborted derivations.
    lost: u64,
}

impl<'m> RuleEvaluator<'m> {
    fn new(machine: &'m dyn Machine, rules: RuleSet, terms: Terms) -> RuleEvaluator<'m> {
        let (game, statics) = (&machine.rules().program, &machine.rules().statics);
        let mut engine = Engine::new(&rules.program, terms);
        for relation in game.rules.relations() {
            engine.database.replace(relation, statics.table(relation).clone());
        }
        for (relation, row) in &rules.facts {
            engine.insert(*relation, row);
        }
        rules.facts.iter().for_each(|(relation, _)| engine.seal(*relation));
        RuleEvaluator { rules, game, engine, rows: FxHashMap::default(), lost: 0 }
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

    /// A game with a chain of places, and rules for the paths between them.
    fn chain(steps: usize) -> String {
        let mut text = String::from(
            "(role walker) (init (at p0)) (legal walker stay) (next (at p0)) (<= terminal (path p0 p1))
             (goal walker 100)
             (<= (path ?x ?y) (true (step ?x ?y)))
             (<= (path ?x ?z) (path ?x ?y) (true (step ?y ?z)))\n",
        );
        (0..steps).for_each(|step| text.push_str(&format!("(init (step p{step} p{}))", step + 1)));
        text
    }

    #[test]
    fn an_expensive_evaluator_is_aborted_early() {
        let rules = read(&Source::from_text("path", chain(3000))).description.unwrap();
        let game = load(rules, Backend::Relational, &ground::Limits::default()).unwrap();
        let machine = &*game.machine;
        let mut deriver = Deriver::new(machine, &["(path p0 p3000)", "(path p0 p0)"]).unwrap();
        let (mut fluents, mut holds) = (Vec::new(), Vec::new());
        machine.fluents(machine.initial(), &mut fluents);
        deriver.derive(&fluents, &mut holds).unwrap();
        assert_eq!(holds, [true, false]);
        // The chain has 4.5 million pairs of places with a path.
        assert!(deriver.work() < 3 * FIRST_LIMIT, "{} rows", deriver.work());
    }
}
