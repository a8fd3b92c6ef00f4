//! The observer of playouts in lanes.

use crate::machine::lanes::block::Block;
use crate::machine::lanes::word::Word;

/// One step of a block: a position in every lane with a running playout.
pub struct LaneStep<'a> {
    /// The states of the lanes, their legal moves and their joint moves.
    pub block: &'a Block<'a>,
    /// Lanes with a running playout.
    pub active: Word,
    /// Lanes of `active` in a terminal state.
    pub terminal: Word,
    /// Lanes of `active` whose playout begins here.
    pub first: Word,
    /// For each role, the lanes of `active` that are not terminal and where the role has one legal move.
    pub one: &'a [Word],
    /// For each role, the lanes of `active` that are not terminal and where the role has several legal moves.
    pub several: &'a [Word],
}

/// Observes playouts in lanes. One observer sees the playouts of some blocks; the observers of a run are merged in the order
/// of the blocks.
pub trait LaneObserver: Send + Sized {
    /// Called for every step of a block.
    fn step(&mut self, step: &LaneStep<'_>);

    /// Called for each outcome of a finished block: the goal values of every role, and the number of playouts that ended
    /// with them in a terminal state.
    fn outcome(&mut self, goals: &[Vec<i32>], playouts: u64);

    /// Called for a finished block, with its numbers of playouts and positions.
    fn over(&mut self, playouts: u64, states: u64);

    /// Merges an observer of later blocks.
    fn merge(&mut self, later: Self);
}

/// Observes nothing.
impl LaneObserver for () {
    fn step(&mut self, _step: &LaneStep<'_>) {}
    fn outcome(&mut self, _goals: &[Vec<i32>], _playouts: u64) {}
    fn over(&mut self, _playouts: u64, _states: u64) {}
    fn merge(&mut self, _later: ()) {}
}
