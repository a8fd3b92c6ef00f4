//! A race game as a handwritten machine, for the tests of this room. Two roles take turns and move one or two fields; the
//! first on the last field wins. [`Flaw`] adds a fault to it.

use std::sync::Arc;

use crate::datalog::Growth;
use crate::gdl::Description;
use crate::gdl::symbol::Symbol;
use crate::gdl::term::TermId;
use crate::ground::{EvaluatedRules, Limits};
use crate::machine::{Cursor, FluentId, Machine, MachineError, MoveId, State, StateView};

/// A deliberate fault of the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    /// The loser has no goal value.
    NoGoal,
    /// The winner has two goal values.
    SeveralGoals,
    /// A role on field 3 has no legal move.
    NoMove,
    /// The first role on field 0 has no legal move.
    Stuck,
    /// No state after a role reached field 3 can be evaluated.
    Fails,
    /// No role reaches the last field.
    Endless,
    /// The first role's goal value is 10 minus its field until the end.
    Falls,
    /// On field 2 the first role may move only one field.
    Shorter,
    /// Moves are listed in reverse order.
    Reversed,
    /// If the second role is on field 4, its fluent says field 5.
    Blurred,
}

pub(super) struct Race {
    pub(super) last: u64,
    pub(super) flaw: Flaw,
    rules: Arc<EvaluatedRules>,
    initial: State,
    words: Words,
}

/// Ids of the words in fluents and moves.
struct Words {
    at: Symbol,
    control: Symbol,
    step: Symbol,
    noop: Symbol,
    numbers: Vec<TermId>,
}

/// Fluent ids: `(at a n)` is n, `(at b n)` is 100 + n, `(control a)` is 200, `(control b)` is 201.
const CONTROL: u32 = 200;

impl Race {
    pub(super) fn new(last: u64, flaw: Flaw) -> Self {
        let mut description = Description::default();
        description.name = "race".to_owned();
        let symbols = &mut description.symbols;
        let [a, b, at, control, step, noop] =
            ["a", "b", "at", "control", "step", "noop"].map(|w| symbols.intern(w));
        let numbers = (0..100).map(|n| description.symbols.intern(&n.to_string())).collect::<Vec<_>>();
        let numbers = numbers.into_iter().map(|n| description.terms.constant(n)).collect();
        description.roles = vec![description.terms.constant(a), description.terms.constant(b)];
        let words = Words { at, control, step, noop, numbers };
        let rules = EvaluatedRules::new(Arc::new(description), &Limits::default());
        let rules = rules.expect("a description without rules can be evaluated");
        Race { last, flaw, rules, initial: State([0, 0, 0].into()), words }
    }

    fn text(&self, (functor, arguments): (Symbol, Vec<TermId>)) -> String {
        let name = self.rules.description.symbols.name(functor);
        let arguments: Vec<String> =
            arguments.iter().map(|&term| self.rules.description.term(term)).collect();
        if arguments.is_empty() { name.to_owned() } else { format!("({name} {})", arguments.join(" ")) }
    }
}

impl Machine for Race {
    fn rules(&self) -> &Arc<EvaluatedRules> {
        &self.rules
    }

    fn backend(&self) -> &'static str {
        "race"
    }

    fn initial(&self) -> &State {
        &self.initial
    }

    fn cursor(&self) -> Box<dyn Cursor + '_> {
        let mut runner = RaceCursor {
            race: self,
            state: self.initial.clone(),
            legal: Default::default(),
            goals: Default::default(),
            work: 0,
        };
        runner.refresh();
        Box::new(runner)
    }

    fn fluents(&self, state: &State, out: &mut Vec<FluentId>) {
        let second = if self.flaw == Flaw::Blurred && state.0[1] == 4 { 5 } else { state.0[1] };
        out.extend([state.0[0] as u32, 100 + second as u32, CONTROL + state.0[2] as u32].map(FluentId));
    }

    fn fluent(&self, fluent: FluentId) -> (Symbol, Vec<TermId>) {
        let roles = &self.rules.description.roles;
        match fluent.0 {
            control @ CONTROL.. => (self.words.control, vec![roles[(control - CONTROL) as usize]]),
            at => (self.words.at, vec![roles[(at / 100) as usize], self.words.numbers[(at % 100) as usize]]),
        }
    }

    fn action(&self, action: MoveId) -> (Symbol, Vec<TermId>) {
        match action.0 {
            0 => (self.words.noop, vec![]),
            fields => (self.words.step, vec![self.words.numbers[fields as usize]]),
        }
    }

    fn fluent_named(&self, text: &str) -> Option<FluentId> {
        (0..CONTROL + 2).map(FluentId).find(|&fluent| self.fluent_text(fluent) == text)
    }

    fn state_of(&self, fluents: &[FluentId]) -> State {
        let of = |from: u32| {
            let found = fluents.iter().find(|fluent| fluent.0 >= from && fluent.0 < from + 100);
            found.map_or(0, |fluent| u64::from(fluent.0 - from))
        };
        State([of(0), of(100), of(CONTROL)].into())
    }

    fn fluent_text(&self, fluent: FluentId) -> String {
        self.text(self.fluent(fluent))
    }

    fn move_text(&self, action: MoveId) -> String {
        self.text(self.action(action))
    }

    fn term_text(&self, term: TermId) -> String {
        self.rules.description.term(term)
    }
}

struct RaceCursor<'m> {
    race: &'m Race,
    state: State,
    legal: [Vec<MoveId>; 2],
    goals: [Vec<i32>; 2],
    work: u64,
}

impl RaceCursor<'_> {
    fn refresh(&mut self) {
        let (flaw, last) = (self.race.flaw, self.race.last);
        let over = self.terminal();
        for role in 0..2 {
            let field = self.state.0[role];
            let mine = self.state.0[2] == role as u64;
            let mut moves = match (mine, flaw) {
                (false, _) => vec![MoveId(0)],
                (true, Flaw::NoMove) if field == 3 => vec![],
                (true, Flaw::Stuck) if field == 0 && role == 0 => vec![],
                (true, Flaw::Shorter) if field == 2 && role == 0 => vec![MoveId(1)],
                (true, _) => vec![MoveId(1), MoveId(2)],
            };
            if flaw == Flaw::Reversed {
                moves.reverse();
            }
            self.legal[role] = moves;
            let won = field >= last;
            self.goals[role] = match (over, won, flaw) {
                (false, _, Flaw::Falls) if role == 0 => vec![10 - field.min(10) as i32],
                (_, false, Flaw::NoGoal) => vec![],
                (_, true, Flaw::SeveralGoals) => vec![0, 100],
                (_, true, _) => vec![100],
                (_, false, _) => vec![0],
            };
        }
        self.work += 1 + self.legal.iter().map(|moves| moves.len() as u64).sum::<u64>();
    }
}

impl StateView for RaceCursor<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn legal(&self, role: usize) -> &[MoveId] {
        &self.legal[role]
    }

    fn terminal(&self) -> bool {
        self.state.0[..2].iter().any(|&field| field >= self.race.last)
    }

    fn goals(&self, role: usize) -> &[i32] {
        &self.goals[role]
    }
}

impl Cursor for RaceCursor<'_> {
    fn set(&mut self, state: &State) -> Result<(), MachineError> {
        self.state.0.clone_from(&state.0);
        self.refresh();
        Ok(())
    }

    fn advance(&mut self, joint: &[MoveId]) -> Result<(), MachineError> {
        for (role, action) in joint.iter().enumerate() {
            let field = self.state.0[role] + u64::from(action.0);
            self.state.0[role] = if self.race.flaw == Flaw::Endless { field % self.race.last } else { field };
        }
        self.state.0[2] = 1 - self.state.0[2];
        if self.race.flaw == Flaw::Fails && self.state.0[..2].contains(&3) {
            let growth = Growth { relation: "count/1".to_owned(), rows: 1000, free: vec![1] };
            return Err(MachineError::TooManyAtoms { limit: 1000, growth });
        }
        self.refresh();
        Ok(())
    }

    fn work(&self) -> u64 {
        self.work
    }
}
