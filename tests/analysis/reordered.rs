//! A game with its legal moves in another order.

use std::sync::Arc;

use ggp::gdl::symbol::Symbol;
use ggp::gdl::term::TermId;
use ggp::ground::EvaluatedRules;
use ggp::machine::{Cursor, FluentId, Machine, MachineError, MoveId, State, StateView};

/// A machine with its legal moves in another order, so that the same random numbers choose other moves. It has no network,
/// so it is played one state at a time.
pub(crate) struct Reordered<'m> {
    pub(crate) inner: &'m dyn Machine,
    /// The position of each move in the new order.
    pub(crate) ranks: Vec<usize>,
}

struct ReorderedCursor<'m> {
    inner: Box<dyn Cursor + 'm>,
    ranks: &'m [usize],
    legal: Vec<Vec<MoveId>>,
}

impl ReorderedCursor<'_> {
    fn reorder(&mut self) {
        for (role, legal) in self.legal.iter_mut().enumerate() {
            legal.clear();
            legal.extend_from_slice(self.inner.legal(role));
            legal.sort_by_key(|action| self.ranks[action.0 as usize]);
        }
    }
}

impl Machine for Reordered<'_> {
    fn rules(&self) -> &Arc<EvaluatedRules> {
        self.inner.rules()
    }
    fn backend(&self) -> &'static str {
        self.inner.backend()
    }
    fn initial(&self) -> &State {
        self.inner.initial()
    }
    fn cursor(&self) -> Box<dyn Cursor + '_> {
        let legal = vec![Vec::new(); self.description().roles.len()];
        let mut cursor = ReorderedCursor { inner: self.inner.cursor(), ranks: &self.ranks, legal };
        cursor.reorder();
        Box::new(cursor)
    }
    fn fluents(&self, state: &State, out: &mut Vec<FluentId>) {
        self.inner.fluents(state, out);
    }
    fn fluent(&self, fluent: FluentId) -> (Symbol, Vec<TermId>) {
        self.inner.fluent(fluent)
    }
    fn action(&self, action: MoveId) -> (Symbol, Vec<TermId>) {
        self.inner.action(action)
    }
    fn fluent_named(&self, text: &str) -> Option<FluentId> {
        self.inner.fluent_named(text)
    }
    fn state_of(&self, fluents: &[FluentId]) -> State {
        self.inner.state_of(fluents)
    }
    fn fluent_text(&self, fluent: FluentId) -> String {
        self.inner.fluent_text(fluent)
    }
    fn move_text(&self, action: MoveId) -> String {
        self.inner.move_text(action)
    }
    fn term_text(&self, term: TermId) -> String {
        self.inner.term_text(term)
    }
}

impl StateView for ReorderedCursor<'_> {
    fn state(&self) -> &State {
        self.inner.state()
    }
    fn legal(&self, role: usize) -> &[MoveId] {
        &self.legal[role]
    }
    fn terminal(&self) -> bool {
        self.inner.terminal()
    }
    fn goals(&self, role: usize) -> &[i32] {
        self.inner.goals(role)
    }
}

impl Cursor for ReorderedCursor<'_> {
    fn set(&mut self, state: &State) -> Result<(), MachineError> {
        self.inner.set(state)?;
        self.reorder();
        Ok(())
    }
    fn advance(&mut self, joint: &[MoveId]) -> Result<(), MachineError> {
        self.inner.advance(joint)?;
        self.reorder();
        Ok(())
    }
    fn work(&self) -> u64 {
        self.inner.work()
    }
}
