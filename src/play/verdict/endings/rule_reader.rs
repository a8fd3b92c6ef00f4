//! Lists the rules that apply in the states of games that another machine played.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::analysis::Game;
use crate::datalog::Interrupt;
use crate::gdl::rule::RelationKind;
use crate::machine::{FluentId, Machine, MoveId, RelationalMachine, RuleObserver, State};
use crate::simulate::WorkLimit;
use crate::structure::finding::Structures;

use super::super::played_game::PlayedGame;

/// The most bytes of a state.
const MAX_STATE_BYTES: usize = 256 << 20;

/// The most rows that joins read in one state: about a second.
const MAX_ROWS: u64 = 10_000_000;

/// The relational machine of a game that runs on a network; none if it can't evaluate the initial state.
pub(super) fn relational_machine(game: &Game<'_>) -> Option<RelationalMachine> {
    RelationalMachine::new(Arc::clone(game.machine.rules()), MAX_STATE_BYTES).ok()
}

/// Evaluates rules in states of the game's machine.
pub(super) struct RuleReader<'a> {
    machine: &'a dyn Machine,
    relational: &'a RelationalMachine,
    observer: RuleObserver<'a>,
    limit: &'a WorkLimit<'a>,
    /// The fluents and moves of the relational machine, by those of the game's machine.
    fluents: FxHashMap<FluentId, Option<FluentId>>,
    moves: FxHashMap<MoveId, Option<MoveId>>,
}

impl<'a> RuleReader<'a> {
    pub(super) fn new(
        game: &Game<'a>,
        relational: &'a RelationalMachine,
        limit: &'a WorkLimit<'a>,
    ) -> RuleReader<'a> {
        let observer = RuleObserver::new(relational, MAX_ROWS, &Interrupt::of(limit.interrupt()));
        let (fluents, moves) = (FxHashMap::default(), FxHashMap::default());
        RuleReader { machine: game.machine, relational, observer, limit, fluents, moves }
    }

    /// Whether both machines are the same.
    fn is_same(&self) -> bool {
        self.machine.relational().is_some()
    }

    fn state(&mut self, state: &State) -> Option<State> {
        if self.is_same() {
            return Some(state.clone());
        }
        let mut fluents = Vec::new();
        self.machine.fluents(state, &mut fluents);
        let (machine, relational) = (self.machine, self.relational);
        let named = |fluent: FluentId| relational.fluent_named(&machine.fluent_text(fluent));
        let known = &mut self.fluents;
        let fluents: Option<Vec<FluentId>> =
            fluents.into_iter().map(|fluent| *known.entry(fluent).or_insert_with(|| named(fluent))).collect();
        Some(relational.state_of(&fluents?))
    }

    fn joint(&mut self, joint: &[MoveId]) -> Option<Vec<MoveId>> {
        joint.iter().map(|&action| self.action(action)).collect()
    }

    fn action(&mut self, action: MoveId) -> Option<MoveId> {
        if self.is_same() {
            return Some(action);
        }
        let (machine, relational) = (self.machine, self.relational);
        let named = || relational.move_named(&machine.move_text(action));
        *self.moves.entry(action).or_insert_with(named)
    }

    /// Counts the rows read since the observer had read `before`; none if a limit is reached.
    fn spend(&self, before: u64) -> Option<()> {
        self.limit.spend(self.observer.rows() - before).ok()
    }

    /// The rules of `terminal` that hold in a state, by their index in the description; none if a limit is reached.
    pub(super) fn terminal_rules(&mut self, state: &State) -> Option<Vec<usize>> {
        self.limit.check().ok()?;
        let before = self.observer.rows();
        let state = self.state(state)?;
        self.observer.enter(&state).ok()?;
        self.limit.spend(self.observer.rows() - before).ok();
        let description = self.machine.description();
        let is_terminal = |rule: &usize| {
            let head = description.rules[*rule].head.relation;
            description.relations[head.index()].kind == RelationKind::Terminal
        };
        Some(self.observer.applied().into_iter().filter(is_terminal).collect())
    }

    /// Whether no role has a legal move except noops in the state that was read last.
    pub(super) fn is_idle(&mut self, structures: &Structures) -> bool {
        let roles = self.machine.description().roles.len();
        (0..roles).all(|role| {
            let noops: Vec<Option<MoveId>> =
                structures.noops.get(&role).into_iter().flatten().map(|&noop| self.action(noop)).collect();
            self.observer.view().legal(role).iter().all(|&action| noops.contains(&Some(action)))
        })
    }

    /// Calls `see` with the rules that apply in each state of a game and in the joint moves between them; none if a limit is
    /// reached.
    pub(super) fn replay(&mut self, played: &PlayedGame, see: &mut impl FnMut(Vec<usize>)) -> Option<()> {
        let mut before = self.observer.rows();
        let initial = self.relational.initial().clone();
        self.observer.enter(&initial).ok()?;
        see(self.observer.applied());
        for joint in &played.moves {
            let joint = self.joint(joint)?;
            self.observer.advance(&joint).ok()?;
            see(self.observer.applied());
            self.spend(before)?;
            before = self.observer.rows();
        }
        Some(())
    }
}
