//! The rules that apply in given states and games, one by one. The causes of ends (`play/verdict/endings/`) use it.

use crate::datalog::Interrupt;
use crate::machine::{Cursor, MachineError, MoveId, State, StateView};

use super::RelationalMachine;
use super::applied_rules::counted;
use super::cursor::RelationalCursor;

/// Evaluates the rules in one state after another, and lists those that apply.
pub struct RuleObserver<'a> {
    machine: &'a RelationalMachine,
    cursor: RelationalCursor<'a>,
    /// For each rule of the description whether its application is recorded.
    counted: Vec<bool>,
}

impl<'a> RuleObserver<'a> {
    /// An observer with the maximum number of rows that joins may read in one state.
    pub fn new(machine: &'a RelationalMachine, rows: u64, interrupt: &Interrupt) -> RuleObserver<'a> {
        let cursor = RelationalCursor::new(machine).with_work(rows).with_interrupt(interrupt);
        let counted = counted(machine).iter().map(Option::is_some).collect();
        RuleObserver { machine, cursor, counted }
    }

    /// Evaluates the rules of a state, but none for its successors.
    ///
    /// # Errors
    /// The state exceeds a limit, or the interrupt came.
    pub fn enter(&mut self, state: &State) -> Result<(), MachineError> {
        self.cursor.engine.satisfied.fill(false);
        self.cursor.invalidate();
        self.cursor.set(state)
    }

    /// Evaluates the rules for a successor, and those of the successor.
    ///
    /// # Errors
    /// The successor exceeds a limit, or the interrupt came.
    pub fn advance(&mut self, joint: &[MoveId]) -> Result<(), MachineError> {
        self.cursor.engine.satisfied.fill(false);
        self.cursor.advance(joint)
    }

    /// The rules that the latest call applied, by their index in the description, ascending and without repetition. Rules
    /// that hold in every state are missing, and those that moves, ends, goals and the next state do not need.
    pub fn applied(&self) -> Vec<usize> {
        let clauses = self.machine.program().rule_of.iter().zip(&self.cursor.engine.satisfied);
        let rules = clauses.filter(|(_, satisfied)| **satisfied).filter_map(|(rule, _)| *rule);
        let mut rules: Vec<usize> =
            rules.map(|rule| rule as usize).filter(|&rule| self.counted[rule]).collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    }

    /// The current state.
    pub fn view(&self) -> &dyn StateView {
        &self.cursor
    }

    /// Number of rows that joins read so far.
    pub fn rows(&self) -> u64 {
        self.cursor.work()
    }
}
