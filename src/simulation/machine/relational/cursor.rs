//! The cursor of the relational machine: derives the atoms of a state, and plays joint moves.

use std::cell::OnceCell;
use std::mem;

use super::RelationalMachine;
use super::replica::Replica;
use crate::datalog::{Component, Engine, Exceeded, Guard, Interner, Interrupt};
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;
use crate::ground::program::FluentFamily;
use crate::machine::{Cursor, MachineError, MoveId, State, StateView};

/// Maximum number of rows that joins read in one state: about ten seconds.
const WORK_LIMIT: u64 = 200_000_000;

/// Size of a term, in symbols, that costs no extra work. Each further symbol counts as a row: the code that prints or stores
/// states reads whole terms, so a step costs more as terms grow.
const FREE_TERM_SIZE: u32 = 64;

/// Cost of reading a legal move, in rows: its term is looked up and the moves are sorted.
const MOVE_WORK: u64 = 4;

/// A cursor of the relational machine.
pub(super) struct RelationalCursor<'a> {
    machine: &'a RelationalMachine,
    pub(super) engine: Engine<Replica<'a>>,
    /// The state; its terms may be the cursor's own.
    state: State,
    /// The same state with term ids of the machine, computed on first use.
    machine_state: OnceCell<State>,
    /// Whether some of the state's terms are the cursor's own.
    own: bool,
    legal: Vec<Vec<MoveId>>,
    /// For each role, the legal moves that are the same in every state, in order; none before they are read.
    always_legal: Option<Vec<Vec<MoveId>>>,
    /// Whether the state has no other legal moves.
    only_always_legal: bool,
    goals: Vec<Vec<i32>>,
    terminal: bool,
    /// Whether all atoms that depend on the state are derived.
    entered: bool,
    guard: Guard,
}

impl<'a> RelationalCursor<'a> {
    pub(super) fn new(machine: &'a RelationalMachine) -> RelationalCursor<'a> {
        let replica = Replica::of(&machine.terms, &machine.ranks, machine.mirrored, &machine.mirror);
        let mut engine = Engine::new(&machine.program().rules, replica);
        for (relation, table) in
            machine.program().rules.relations().zip(machine.rules.statics.tables_of(machine.program()))
        {
            engine.database.replace(relation, table);
        }
        let roles = machine.rules.description.roles.len();
        RelationalCursor {
            machine,
            engine,
            state: State(Box::new([])),
            machine_state: OnceCell::new(),
            own: false,
            legal: vec![Vec::new(); roles],
            always_legal: None,
            only_always_legal: false,
            goals: vec![Vec::new(); roles],
            terminal: false,
            entered: false,
            guard: Guard::atoms(machine.limit).with_work(WORK_LIMIT),
        }
    }

    /// Sets the maximum number of rows per state.
    pub(super) fn with_work(self, rows: u64) -> RelationalCursor<'a> {
        RelationalCursor { guard: self.guard.with_work(rows), ..self }
    }

    /// Sets the interrupt of derivations.
    pub(super) fn with_interrupt(self, interrupt: &Interrupt) -> RelationalCursor<'a> {
        RelationalCursor { guard: self.guard.with_interrupt(interrupt), ..self }
    }

    /// Number of rows of each relation, including static ones.
    pub(super) fn rows(&self) -> Vec<u32> {
        let database = &self.engine.database;
        self.machine.program().rules.relations().map(|relation| database.table(relation).len()).collect()
    }

    /// Number of atoms derived from the state and from the moves that led to it.
    pub(super) fn derived(&self) -> usize {
        self.engine.rows().saturating_sub(self.machine.static_rows())
    }

    /// Begins a new budget; each state has its own.
    fn begin_count(&mut self) {
        self.guard.renew();
        self.engine.database.discard_uncounted();
    }

    /// Makes [`Cursor::set`] derive the state again, even if the cursor is already there.
    pub(super) fn invalidate(&mut self) {
        self.entered = false;
    }

    fn evaluate(&mut self, components: &[Component]) -> Result<(), MachineError> {
        for component in components {
            let program = &self.machine.program().rules;
            if let Err(exceeded) = self.engine.evaluate(program, component, &self.guard) {
                return Err(self.too_large(component, &exceeded));
            }
        }
        Ok(())
    }

    /// The error of a component that exceeded a limit, with the relation that has grown most. The limit on atoms is for all
    /// components together.
    fn too_large(&self, component: &Component, exceeded: &Exceeded) -> MachineError {
        let (machine, program) = (self.machine, self.machine.program());
        let rows = |relation: RelationId| u64::from(self.engine.database.table(relation).len());
        let symbols = &machine.rules.description.symbols;
        let (own, all) = (component.relations.iter().copied(), program.rules.relations());
        let named = "a program has relations";
        match exceeded {
            Exceeded::Work(limit) => {
                let growth = program.growth(own, rows, symbols).expect(named);
                MachineError::TooMuchWork { limit: *limit, growth }
            }
            Exceeded::Symbols(limit) => {
                let growth = program.growth(own, rows, symbols).expect(named);
                MachineError::TermTooLarge { limit: *limit, relation: growth.relation }
            }
            Exceeded::Interrupted => MachineError::Stopped { interrupted: true },
            _ => {
                let derived = all.filter(|&relation| !program.is_static(relation));
                let growth = program.growth(derived, rows, symbols).expect(named);
                MachineError::TooManyAtoms { limit: machine.limit - machine.static_rows(), growth }
            }
        }
    }

    /// Sets the state to the rows of one relation of each fluent family; `from` chooses the relation.
    pub(super) fn read_fluents(&mut self, from: impl Fn(&FluentFamily) -> Option<RelationId>) {
        let mut fluents = Vec::new();
        for family in &self.machine.program().fluents {
            if let Some(relation) = from(family) {
                let Engine { database, terms, .. } = &mut self.engine;
                for row in database.table(relation).iter() {
                    fluents.push(terms.intern(family.functor, row));
                }
            }
        }
        let Engine { terms, work, .. } = &mut self.engine;
        fluents.sort_unstable_by(|&a, &b| terms.compare(a, b));
        fluents.dedup();
        *work += beyond_small(terms, &fluents);
        self.set_own_state(State(fluents.iter().map(|term| u64::from(term.0)).collect()));
    }

    /// Sets the state, with term ids of the cursor.
    fn set_own_state(&mut self, state: State) {
        self.own = state.0.iter().any(|&word| Replica::is_own(TermId(word as u32)));
        self.machine_state = OnceCell::new();
        self.state = state;
    }

    /// Sets the state, with term ids of the machine.
    pub(super) fn set_machine_state(&mut self, state: &State) {
        let terms = &mut self.engine.terms;
        if state.0.iter().all(|&word| terms.import(TermId(word as u32)).0 == word as u32) {
            (self.own, self.machine_state) = (false, OnceCell::new());
            self.state.clone_from(state);
            return;
        }
        let word = |&word: &u64| u64::from(terms.import(TermId(word as u32)).0);
        let state = State(state.0.iter().map(word).collect());
        self.set_own_state(state);
    }

    /// Removes the moves that led to the state, and the atoms derived from them.
    fn clear_moves(&mut self) {
        self.engine.clear(&self.machine.move_components);
        for family in &self.machine.program().moves {
            self.engine.database.clear(family.does);
        }
    }

    /// Derives all atoms that depend only on the state.
    pub(super) fn enter(&mut self) -> Result<(), MachineError> {
        let machine = self.machine;
        self.entered = false;
        self.engine.clear(&machine.state_components);
        for family in machine.program().fluents.iter().filter(|family| !family.frozen) {
            self.engine.database.clear(family.holds);
        }
        for &word in &self.state.0 {
            let term = TermId(word as u32);
            let Engine { database, terms, .. } = &mut self.engine;
            let (functor, arguments) = terms.entry(term);
            let family = machine
                .program()
                .fluents
                .iter()
                .find(|family| family.functor == functor && family.arity == arguments.len());
            if let Some(family) = family.filter(|family| !family.frozen) {
                database.insert(family.holds, arguments);
            }
        }
        machine.program().fluents.iter().for_each(|family| self.engine.seal(family.holds));
        self.evaluate(&machine.state_components)?;
        self.read_legal();
        self.read_goals();
        self.terminal =
            machine.terminal.is_some_and(|relation| !self.engine.database.table(relation).is_empty());
        self.entered = true;
        Ok(())
    }

    fn read_legal(&mut self) {
        let roles = self.legal.len();
        let program = self.machine.program();
        let always = self.always_legal.take().unwrap_or_else(|| {
            let mut moves = vec![Vec::new(); roles];
            self.read_moves(|relation| program.is_static(relation), &mut moves);
            self.sort_moves(&mut moves);
            moves
        });
        let mut changing = vec![Vec::new(); roles];
        self.read_moves(|relation| !program.is_static(relation), &mut changing);
        let alone = changing.iter().all(Vec::is_empty);
        // They are not derived again but copied, which costs about an eighth of a row each.
        self.engine.work += always.iter().map(Vec::len).sum::<usize>() as u64 / 8;
        if !(alone && self.only_always_legal) {
            self.legal.clone_from(&always);
            self.legal.iter_mut().zip(changing).for_each(|(legal, changing)| legal.extend(changing));
        }
        if !alone {
            let mut legal = mem::take(&mut self.legal);
            self.sort_moves(&mut legal);
            self.legal = legal;
        }
        let terms = &self.engine.terms;
        let mut keeps = true;
        if terms.has_own() {
            // `Replica::forget` invalidates the numbers of own terms.
            keeps = !always.iter().flatten().any(|action| Replica::is_own(TermId(action.0)));
            for action in self.legal.iter_mut().flatten() {
                *action = MoveId(terms.publish(TermId(action.0)).0);
            }
        }
        (self.always_legal, self.only_always_legal) = (keeps.then_some(always), alone && keeps);
    }

    /// Adds the moves of the `legal` relations of some families.
    fn read_moves(&mut self, is_read: impl Fn(RelationId) -> bool, moves: &mut [Vec<MoveId>]) {
        let machine = self.machine;
        let Engine { database, terms, work, .. } = &mut self.engine;
        for family in machine.program().moves.iter().filter(|family| is_read(family.legal)) {
            let table = database.table(family.legal);
            *work += u64::from(table.len()) * MOVE_WORK;
            for row in table.iter() {
                if let Some(role) = machine.rules.description.roles.iter().position(|&role| role == row[0]) {
                    let action = terms.intern(family.functor, &row[1..]);
                    moves[role].push(MoveId(action.0));
                }
            }
        }
        if terms.largest() > FREE_TERM_SIZE {
            let found = moves.iter().flatten().map(|action| TermId(action.0));
            *work += found.map(|action| beyond_small(terms, &[action])).sum::<u64>();
        }
    }

    /// Sorts moves into structural order; fast if they are already in order.
    fn sort_moves(&self, moves: &mut [Vec<MoveId>]) {
        let terms = &self.engine.terms;
        let order = |a: &MoveId, b: &MoveId| terms.compare(TermId(a.0), TermId(b.0));
        moves.iter_mut().for_each(|moves| moves.sort_by(order));
    }

    fn read_goals(&mut self) {
        let machine = self.machine;
        self.goals.iter_mut().for_each(Vec::clear);
        let Some(goal) = machine.goal else { return };
        for row in self.engine.facts(goal) {
            let role = machine.rules.description.roles.iter().position(|&role| role == row[0]);
            let name = machine.rules.description.symbols.name(self.engine.terms.functor(row[1]));
            if let (Some(role), Ok(value)) = (role, name.parse()) {
                self.goals[role].push(value);
            }
        }
        for goals in &mut self.goals {
            goals.sort_unstable();
            goals.dedup();
        }
    }
}

/// Total number of symbols of these terms beyond [`FREE_TERM_SIZE`] each.
fn beyond_small(terms: &Replica<'_>, list: &[TermId]) -> u64 {
    if terms.largest() <= FREE_TERM_SIZE {
        return 0;
    }
    list.iter().map(|&term| u64::from(terms.size(term).saturating_sub(FREE_TERM_SIZE))).sum()
}

impl StateView for RelationalCursor<'_> {
    fn state(&self) -> &State {
        if !self.own {
            return &self.state;
        }
        let terms = &self.engine.terms;
        let machine_state = |&word: &u64| u64::from(terms.publish(TermId(word as u32)).0);
        self.machine_state.get_or_init(|| State(self.state.0.iter().map(machine_state).collect()))
    }

    fn legal(&self, role: usize) -> &[MoveId] {
        &self.legal[role]
    }

    fn terminal(&self) -> bool {
        self.terminal
    }

    fn goals(&self, role: usize) -> &[i32] {
        &self.goals[role]
    }
}

impl Cursor for RelationalCursor<'_> {
    fn set(&mut self, state: &State) -> Result<(), MachineError> {
        // If the cursor is already at this state, it need not derive it again, which may take a second.
        if self.entered && self.machine_state.get().unwrap_or(&self.state) == state {
            return Ok(());
        }
        self.engine.terms.check_room()?;
        if self.engine.terms.forget() {
            self.clear_moves();
            self.engine.clear(&self.machine.state_components);
        }
        self.engine.terms.rank();
        self.begin_count();
        self.set_machine_state(state);
        self.enter()
    }

    fn advance(&mut self, joint: &[MoveId]) -> Result<(), MachineError> {
        let machine = self.machine;
        // `entered` is true only after the successor's state is derived.
        self.entered = false;
        self.begin_count();
        self.clear_moves();
        let mut row = Vec::new();
        for (role, action) in joint.iter().enumerate() {
            let term = TermId(action.0);
            let Engine { database, terms, .. } = &mut self.engine;
            let term = terms.import(term);
            let (functor, arguments) = terms.entry(term);
            row.clear();
            row.push(machine.rules.description.roles[role]);
            row.extend_from_slice(arguments);
            let family = machine
                .program()
                .moves
                .iter()
                .find(|family| family.functor == functor && family.arity == arguments.len());
            if let Some(family) = family {
                database.insert(family.does, &row);
            }
        }
        machine.program().moves.iter().for_each(|family| self.engine.seal(family.does));
        self.evaluate(&machine.move_components)?;
        self.read_fluents(|family| if family.frozen { Some(family.holds) } else { family.next });
        self.enter()
    }

    fn work(&self) -> u64 {
        self.engine.work
    }
}
