//! What a room that wants to look at playouts in lanes implements.

use crate::machine::lanes::block::Block;
use crate::machine::lanes::word::Word;

/// A step of a block: a position in every lane with a running playout.
pub struct LaneStep<'a> {
    /// The states of the lanes, their legal moves and the moves made.
    pub block: &'a Block<'a>,
    /// The lanes whose playout runs.
    pub active: Word,
    /// Those of them in a terminal state.
    pub terminal: Word,
    /// Those of them where the playout begins.
    pub first: Word,
    /// For each role the active lanes, not terminal, in which it has one legal move.
    pub one: &'a [Word],
    /// For each role the active lanes, not terminal, in which it has several legal moves.
    pub several: &'a [Word],
}

/// Looks at playouts in lanes. One observer sees the playouts of some blocks; the observers of a run are merged in
/// the order of the blocks.
pub trait LaneObserver: Send + Sized {
    /// Called for every step of a block.
    fn step(&mut self, step: &LaneStep<'_>);

    /// Called for the outcomes of a block once it is over: the goal values of every role, and how many playouts
    /// ended in a terminal state with them.
    fn outcome(&mut self, goals: &[Vec<i32>], playouts: u64);

    /// Called when a block is over: how many playouts it had, and how many positions.
    fn over(&mut self, playouts: u64, states: u64);

    /// Takes over what `later` saw; its blocks come after those of `self`.
    fn merge(&mut self, later: Self);
}

/// Looks at nothing.
impl LaneObserver for () {
    fn step(&mut self, _step: &LaneStep<'_>) {}
    fn outcome(&mut self, _goals: &[Vec<i32>], _playouts: u64) {}
    fn over(&mut self, _playouts: u64, _states: u64) {}
    fn merge(&mut self, _later: ()) {}
}
