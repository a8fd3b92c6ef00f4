//! The relational machine: evaluates the rules in every state without grounding them.
//!
//! A state is the set of its fluents. Entering a state derives bottom-up, stratum by stratum, all atoms that depend on it
//! and that legality, goals or the end need; a joint move derives `next`. It is slower than the network, but its cost grows
//! with the size of one state instead of the number of all atoms that can ever hold.

mod applied_rules;
mod cursor;
mod replica;
mod rule_observer;
mod walk;

use std::sync::{Arc, OnceLock, RwLock};

use super::{Cursor, FluentId, Machine, MachineError, MoveId, State, StateView};
use crate::datalog::{Component, Interrupt, components};
use crate::gdl::Source;
use crate::gdl::diagnostic::Diagnostics;
use crate::gdl::domain::{Domain, Domains};
use crate::gdl::rule::{Dependence, RelationId, RelationKind};
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{TermId, Terms};
use crate::gdl::tree::{self, Kind, NodeId, Tree};
use crate::ground::EvaluatedRules;
use crate::ground::program::{GameProgram, LargeRelations};
pub use applied_rules::{AppliedRules, RandomPlayBudget};
use cursor::RelationalCursor;
pub use rule_observer::RuleObserver;

/// Maximum number of atoms that a state may derive.
const ATOM_LIMIT: usize = 3_000_000;

/// Memory per atom of a state, in bytes: a row with its indexes, on all threads of an ordinary computer.
const ATOM_BYTES: usize = 700;

/// If the initial state or a state of a short walk derives more atoms, derivation on demand is tried.
const LARGE_STATE: usize = 30_000;

/// Maximum number of attempts, each with more relations derived on demand.
const ATTEMPTS: usize = 8;

/// A relation with more atoms is derived on demand in the next attempt.
const LARGE_RELATION: u32 = 2_000;

/// Number of terms from play, beyond those of the rules, that are copied for every cursor. Ordinary games have fewer.
const MIRRORED_TERMS: usize = 1 << 18;

/// A term with more symbols has grown in play: even a board written as one fluent has fewer.
const MAX_ORDINARY_SIZE: u32 = 500;

/// A game that runs on its rules.
pub struct RelationalMachine {
    rules: Arc<EvaluatedRules>,
    /// Rules that derive large relations on demand, if they are used.
    demanding: Option<GameProgram>,
    terms: RwLock<Terms>,
    /// The number of first terms that every cursor copies, and the copy that cursors share after it is complete.
    mirrored: usize,
    mirror: OnceLock<Arc<Terms>>,
    /// For each of the first terms, its rank in structural order.
    ranks: RwLock<Arc<Vec<u32>>>,
    /// The possible terms of each argument, computed on first use.
    domains: OnceLock<Domains>,
    state_components: Vec<Component>,
    move_components: Vec<Component>,
    terminal: Option<RelationId>,
    goal: Option<RelationId>,
    initial: State,
    /// Maximum number of atoms in a state, including the static ones.
    limit: usize,
}

/// A machine, and the size of the largest state seen.
struct Attempt {
    machine: RelationalMachine,
    /// Number of atoms derived.
    derived: usize,
    /// Number of rows of each relation, including static ones.
    rows: Vec<u32>,
}

impl RelationalMachine {
    /// A machine for rules whose static part is evaluated. `bytes` is the approximate memory for the atoms of a state.
    ///
    /// # Errors
    /// [`MachineError`]: the initial state can't be evaluated.
    pub fn new(rules: Arc<EvaluatedRules>, bytes: usize) -> Result<RelationalMachine, MachineError> {
        let most = ATOM_LIMIT.min(bytes / ATOM_BYTES);
        let mut rows = match RelationalMachine::with_walk(rules.clone(), None, LARGE_STATE.min(most)) {
            Ok(attempt) => return Ok(attempt.machine.with_limit(most)),
            Err((_, rows)) => rows,
        };
        let mut large = LargeRelations::new(&rules.program, LARGE_RELATION);
        let mut least: Option<Attempt> = None;
        for _ in 0..ATTEMPTS {
            let Some(demanding) = large.avoided(&rows) else { break };
            let few = least.as_ref().map_or(most, |attempt| attempt.derived);
            match RelationalMachine::with_walk(rules.clone(), Some(demanding), few) {
                Ok(attempt) => {
                    rows.clone_from(&attempt.rows);
                    least = Some(attempt);
                }
                Err((_, passed)) => rows = passed,
            }
        }
        let Some(least) = least else {
            // Later states are checked when they are reached.
            let plain = RelationalMachine::of(rules, None, most).map_err(|(error, _)| error)?;
            return Ok(plain.machine.with_limit(most));
        };
        // If all of a relation is used, deriving it on demand does not help.
        let machine = match RelationalMachine::with_walk(rules, None, least.derived) {
            Ok(plain) => plain.machine,
            Err(_) => least.machine,
        };
        Ok(machine.with_limit(most))
    }

    /// A cursor with a limit on the rows that joins read in a state, and an interrupt of its derivations.
    pub(crate) fn limited_cursor(&self, rows: u64, interrupt: &Interrupt) -> Box<dyn Cursor + '_> {
        Box::new(RelationalCursor::new(self).with_work(rows).with_interrupt(interrupt))
    }

    /// Sets the maximum number of atoms that a state may derive.
    fn with_limit(self, limit: usize) -> RelationalMachine {
        RelationalMachine { limit: self.static_rows() + limit, ..self }
    }

    /// Like [`RelationalMachine::of`], and no state of a short walk may exceed the limit either.
    fn with_walk(
        rules: Arc<EvaluatedRules>,
        demanding: Option<GameProgram>,
        limit: usize,
    ) -> Result<Attempt, (MachineError, Vec<u32>)> {
        let mut attempt = RelationalMachine::of(rules, demanding, limit)?;
        walk::measure_largest_state(&mut attempt)?;
        Ok(attempt)
    }

    /// A machine for its rules, or for rules that derive large relations on demand. If the initial state exceeds `limit`
    /// atoms, the error has the number of rows of each relation.
    fn of(
        rules: Arc<EvaluatedRules>,
        demanding: Option<GameProgram>,
        limit: usize,
    ) -> Result<Attempt, (MachineError, Vec<u32>)> {
        let program = demanding.as_ref().unwrap_or(&rules.program);
        let needed = needed(program);
        let depends = |relation: RelationId, on: Dependence| {
            needed[relation.index()] && program.dependence(relation) == on
        };
        let find = |kind: RelationKind, arity: usize| {
            let of_kind = |r: &crate::gdl::rule::Relation| r.kind == kind && r.arity == arity;
            program.relations.iter().position(of_kind).map(|index| RelationId(index as u32))
        };
        let mut machine = RelationalMachine {
            state_components: components(&program.rules, &|relation| depends(relation, Dependence::State)),
            move_components: components(&program.rules, &|relation| depends(relation, Dependence::Moves)),
            terminal: find(RelationKind::Terminal, 0),
            goal: find(RelationKind::Goal, 2),
            terms: RwLock::new(rules.statics.terms.clone()),
            mirrored: rules.statics.terms.len() + MIRRORED_TERMS,
            mirror: OnceLock::new(),
            ranks: RwLock::default(),
            domains: OnceLock::new(),
            initial: State(Box::new([])),
            limit: 0,
            demanding,
            rules,
        };
        machine.limit = machine.static_rows() + limit;
        let mut cursor = RelationalCursor::new(&machine);
        cursor.read_fluents(|family| family.init);
        let initial = cursor.state().clone();
        let entered = cursor.enter();
        let rows = cursor.rows();
        if let Err(error) = entered {
            return Err((error, rows));
        }
        let derived = cursor.derived();
        machine.initial = initial;
        Ok(Attempt { machine, derived, rows })
    }

    /// The rules that are evaluated.
    fn program(&self) -> &GameProgram {
        self.demanding.as_ref().unwrap_or(&self.rules.program)
    }

    /// Number of facts that hold in every state.
    fn static_rows(&self) -> usize {
        self.rules.program.rules.relations().map(|relation| self.rules.statics.count(relation)).sum()
    }

    /// Number of symbols of a state's fluents.
    pub fn symbols(&self, state: &State) -> u64 {
        let terms = self.terms.read().expect("no thread panics while it holds the lock");
        state.0.iter().map(|&word| u64::from(terms.size(TermId(word as u32)))).sum()
    }

    /// Whether play made such a large term that terms must grow from state to state.
    pub fn terms_grow(&self) -> bool {
        self.terms.read().expect("no thread panics while it holds the lock").largest() > MAX_ORDINARY_SIZE
    }

    /// The move with this text, as written by [`Machine::move_text`]; none if its words are not in the description.
    pub fn move_named(&self, text: &str) -> Option<MoveId> {
        let mut terms = self.terms.write().expect("no thread panics while it holds the lock");
        self.parse(text, &mut terms).map(|term| MoveId(term.0))
    }

    /// The ground term with this text.
    fn parse(&self, text: &str, terms: &mut Terms) -> Option<TermId> {
        let mut faults = Diagnostics::default();
        let tree = tree::parse(&Source::from_text("term", text), &mut faults);
        let [root] = tree.roots[..] else { return None };
        if faults.has_errors() { None } else { self.ground(&tree, root, terms) }
    }

    /// A ground term whose words are in the description.
    fn ground(&self, tree: &Tree, node: NodeId, terms: &mut Terms) -> Option<TermId> {
        let symbol = |word: Symbol| self.rules.description.symbols.find(tree.symbols.name(word));
        match tree.nodes[node as usize].kind {
            Kind::Word(word) => Some(terms.constant(symbol(word)?)),
            Kind::Variable(_) => None,
            Kind::List { first, count } => {
                let (&head, rest) = tree.children(first, count).split_first()?;
                let Kind::Word(head) = tree.nodes[head as usize].kind else { return None };
                let arguments: Option<Vec<TermId>> =
                    rest.iter().map(|&child| self.ground(tree, child, terms)).collect();
                Some(terms.intern(symbol(head)?, &arguments?))
            }
        }
    }

    fn term(&self, id: u32) -> (Symbol, Vec<TermId>) {
        let terms = self.terms.read().expect("no thread panics while it holds the lock");
        (terms.functor(TermId(id)), terms.arguments(TermId(id)).to_vec())
    }
}

/// Whether the domain allows the term.
fn possible(domains: &Domains, domain: &Domain, term: TermId, terms: &Terms) -> bool {
    let (functor, arguments) = (terms.functor(term), terms.arguments(term));
    domain.terms.contains(&term)
        || domain.functors.contains(&(functor, arguments.len()))
            && arguments.iter().enumerate().all(|(argument, &inner)| {
                let of_inner = domains.inner(functor, arguments.len(), argument);
                of_inner.is_some_and(|domain| possible(domains, domain, inner, terms))
            })
}

/// The relations that legality, goals, the end or the successor need.
fn needed(program: &GameProgram) -> Vec<bool> {
    let wanted = |relation: &RelationId| {
        matches!(
            program.relations[relation.index()].kind,
            RelationKind::Legal | RelationKind::Goal | RelationKind::Terminal | RelationKind::Next
        )
    };
    program.rules.needed(program.rules.relations().filter(wanted))
}

impl Machine for RelationalMachine {
    fn rules(&self) -> &Arc<EvaluatedRules> {
        &self.rules
    }

    fn backend(&self) -> &'static str {
        "relational"
    }

    fn relational(&self) -> Option<&RelationalMachine> {
        Some(self)
    }

    fn initial(&self) -> &State {
        &self.initial
    }

    fn cursor(&self) -> Box<dyn Cursor + '_> {
        let mut cursor = RelationalCursor::new(self);
        cursor.set_machine_state(&self.initial);
        cursor.enter().expect("the initial state was evaluated when the machine was made");
        Box::new(cursor)
    }

    fn fluents(&self, state: &State, out: &mut Vec<FluentId>) {
        out.extend(state.0.iter().map(|&word| FluentId(word as u32)));
    }

    fn fluent(&self, fluent: FluentId) -> (Symbol, Vec<TermId>) {
        self.term(fluent.0)
    }

    fn action(&self, action: MoveId) -> (Symbol, Vec<TermId>) {
        self.term(action.0)
    }

    fn fluent_named(&self, text: &str) -> Option<FluentId> {
        let mut terms = self.terms.write().expect("no thread panics while it holds the lock");
        let term = self.parse(text, &mut terms)?;
        let (functor, arguments) = (terms.functor(term), terms.arguments(term));
        let domains = self.domains.get_or_init(|| Domains::of(&self.rules.description));
        let fits = |kind| {
            let relation = self.rules.description.relation(kind, functor, arguments.len());
            relation.is_some_and(|relation| {
                arguments.iter().enumerate().all(|(argument, &term)| {
                    possible(domains, domains.argument(relation, argument), term, &terms)
                })
            })
        };
        let kinds = [RelationKind::True, RelationKind::Next, RelationKind::Init];
        kinds.into_iter().any(fits).then_some(FluentId(term.0))
    }

    fn state_of(&self, fluents: &[FluentId]) -> State {
        let terms = self.terms.read().expect("no thread panics while it holds the lock");
        let mut list: Vec<TermId> = fluents.iter().map(|fluent| TermId(fluent.0)).collect();
        list.sort_unstable_by(|&a, &b| terms.compare(a, b));
        list.dedup();
        State(list.iter().map(|term| u64::from(term.0)).collect())
    }

    fn fluent_text(&self, fluent: FluentId) -> String {
        self.term_text(TermId(fluent.0))
    }

    fn move_text(&self, action: MoveId) -> String {
        self.term_text(TermId(action.0))
    }

    fn term_text(&self, term: TermId) -> String {
        self.terms
            .read()
            .expect("no thread panics while it holds the lock")
            .display(term, &self.rules.description.symbols)
    }
}
