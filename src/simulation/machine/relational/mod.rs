//! The relational machine: the rules evaluated in every state without instantiation.
//!
//! A state is the set of its fluents. Entering a state derives, bottom-up and stratum by stratum, all atoms
//! that depend on it and that legality, goals or the end need; a joint move derives `next`. Slower than the
//! network, but its needs grow with one state, not with all that could ever hold.

mod cursor;
mod fired;
mod replica;
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
use cursor::RelationalCursor;
pub use fired::{RulePlay, RulesApplied};

/// Atoms that one state may derive at most.
const ATOM_LIMIT: usize = 3_000_000;

/// Bytes of an atom of a state: a row with its indexes, on every thread of an ordinary computer.
const ATOM_BYTES: usize = 700;

/// Atoms that a state may derive, the initial one or one of a short walk, before it is tried whether fewer do.
const LARGE_STATE: usize = 30_000;

/// How often it is tried at most, with more relations derived on demand each time.
const ATTEMPTS: usize = 8;

/// Atoms of a relation that is then derived on demand.
const LARGE_RELATION: u32 = 2_000;

/// Terms that come up in play and are copied for every cursor, with those of the rules: more than ordinary games have.
const MIRRORED: usize = 1 << 18;

/// Symbols of a term that has grown in play: a board written as one fluent has fewer.
const GROWN: u32 = 500;

/// A game that runs on its rules.
pub struct RelationalMachine {
    rules: Arc<EvaluatedRules>,
    /// Rules by which large relations are derived only where they are asked for, if they are used.
    demanding: Option<GameProgram>,
    terms: RwLock<Terms>,
    /// Number of first terms that every cursor copies, and the copy that cursors share once it is complete.
    mirrored: usize,
    mirror: OnceLock<Arc<Terms>>,
    /// For each of the first terms its place among them in structural order.
    ranks: RwLock<Arc<Vec<u32>>>,
    /// What can stand where, once it is asked for.
    domains: OnceLock<Domains>,
    state_components: Vec<Component>,
    move_components: Vec<Component>,
    terminal: Option<RelationId>,
    goal: Option<RelationId>,
    initial: State,
    /// Atoms that a state may derive, with the static ones.
    limit: usize,
}

/// A machine, and what the largest state derives that was looked at.
struct Attempt {
    machine: RelationalMachine,
    /// Atoms in all.
    derived: usize,
    /// Rows of each relation, static ones too.
    rows: Vec<u32>,
}

impl RelationalMachine {
    /// A machine over rules whose static part is evaluated. What a state derives may take so many bytes, roughly.
    ///
    /// # Errors
    /// The initial state can't be evaluated.
    pub fn new(rules: Arc<EvaluatedRules>, bytes: usize) -> Result<RelationalMachine, MachineError> {
        let most = ATOM_LIMIT.min(bytes / ATOM_BYTES);
        let mut rows = match RelationalMachine::walked(rules.clone(), None, LARGE_STATE.min(most)) {
            Ok(attempt) => return Ok(attempt.machine.with_limit(most)),
            Err((_, rows)) => rows,
        };
        let mut large = LargeRelations::new(&rules.program, LARGE_RELATION);
        let mut least: Option<Attempt> = None;
        for _ in 0..ATTEMPTS {
            let Some(demanding) = large.avoided(&rows) else { break };
            let few = least.as_ref().map_or(most, |attempt| attempt.derived);
            match RelationalMachine::walked(rules.clone(), Some(demanding), few) {
                Ok(attempt) => {
                    rows.clone_from(&attempt.rows);
                    least = Some(attempt);
                }
                Err((_, passed)) => rows = passed,
            }
        }
        let Some(least) = least else {
            // What a later state derives, that state will tell.
            let plain = RelationalMachine::of(rules, None, most).map_err(|(error, _)| error)?;
            return Ok(plain.machine.with_limit(most));
        };
        // Where all of it is asked for, calls are no help.
        let machine = match RelationalMachine::walked(rules, None, least.derived) {
            Ok(plain) => plain.machine,
            Err(_) => least.machine,
        };
        Ok(machine.with_limit(most))
    }

    /// A view with a limit on the rows that joins look at in a state, and a flag that interrupts its derivations.
    pub(crate) fn limited_cursor(&self, rows: u64, interrupt: &Interrupt) -> Box<dyn Cursor + '_> {
        Box::new(RelationalCursor::new(self).with_work(rows).with_interrupt(interrupt))
    }

    /// The same machine, whose states may derive so many atoms.
    fn with_limit(self, limit: usize) -> RelationalMachine {
        RelationalMachine { limit: self.static_rows() + limit, ..self }
    }

    /// The same as [`RelationalMachine::of`], where no state of a short walk derives more either.
    fn walked(
        rules: Arc<EvaluatedRules>,
        demanding: Option<GameProgram>,
        limit: usize,
    ) -> Result<Attempt, (MachineError, Vec<u32>)> {
        let mut attempt = RelationalMachine::of(rules, demanding, limit)?;
        walk::look(&mut attempt)?;
        Ok(attempt)
    }

    /// A machine by its own rules, or by those that derive large relations on demand, whose initial state derives no more
    /// than so many atoms; else also how many rows each relation had.
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
            mirrored: rules.statics.terms.len() + MIRRORED,
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

    /// Facts that hold in every state.
    fn static_rows(&self) -> usize {
        self.rules.program.rules.relations().map(|relation| self.rules.statics.count(relation)).sum()
    }

    /// Number of symbols of a state's fluents.
    pub fn symbols(&self, state: &State) -> u64 {
        let terms = self.terms.read().expect("no thread panics while it holds the lock");
        state.0.iter().map(|&word| u64::from(terms.size(TermId(word as u32)))).sum()
    }

    /// Whether play made a term so large that terms must grow from state to state.
    pub fn terms_grow(&self) -> bool {
        self.terms.read().expect("no thread panics while it holds the lock").largest() > GROWN
    }

    /// A ground term of words that the description has.
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

/// Whether a term can stand where a domain says what can.
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
        cursor.go_to(&self.initial);
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
        let source = Source::from_text("fluent", text);
        let mut faults = Diagnostics::default();
        let tree = tree::parse(&source, &mut faults);
        let [root] = tree.roots[..] else { return None };
        let mut terms = self.terms.write().expect("no thread panics while it holds the lock");
        let term = self.ground(&tree, root, &mut terms)?;
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
        let known = !faults.has_errors() && kinds.into_iter().any(fits);
        known.then_some(FluentId(term.0))
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
