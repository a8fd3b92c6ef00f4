//! What callers hand in: players, solvers and searchers, which stand above this room, with what they are asked and what they answer.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::evaluation::Function;
use crate::machine::{Machine, MoveId, State};
use crate::property::{Guarantee, OutcomeTally};
use crate::simulate::Sequence;
use crate::structure::finding::Structures;

use super::error::CallerError;

/// What is to be played: one role follows a function one move ahead, all others play at random.
#[derive(Clone, Copy)]
pub struct OnePlyTrial<'a> {
    /// The game.
    pub machine: &'a dyn Machine,
    /// What it is made of.
    pub structures: &'a Structures,
    /// The role, counted from 0.
    pub role: usize,
    /// The function; none for a player that sees ends alone.
    pub function: Option<&'a Function>,
    /// Playouts.
    pub playouts: u64,
    /// How many were played before: these are others.
    pub first: u64,
    /// Values that all playouts may ask for together.
    pub values: u64,
    /// Seed of all draws.
    pub seed: u64,
    /// Joint moves after which a playout is truncated.
    pub max_steps: u32,
    /// Threads; 0 for as many as the computer runs at once.
    pub threads: usize,
    /// Once true, no further move is played.
    pub interrupt: Option<&'a Arc<AtomicBool>>,
}

/// What a player made of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnePlyPlayed {
    /// For each playout the role's goal value at its end, none where it was not played to one.
    pub outcomes: Vec<Option<i32>>,
    /// The goal values of all roles, with the moves of a playout for each outcome.
    pub tally: OutcomeTally,
    /// Values that were asked for.
    pub values: u64,
}

/// Plays a trial.
pub type OnePlyPlayer<'p> = dyn Fn(&OnePlyTrial<'_>) -> Result<OnePlyPlayed, CallerError> + Sync + 'p;

/// Games in which every role follows a function: its team to raise it, the others to lower it.
#[derive(Clone, Copy)]
pub struct GuidedTrial<'a> {
    /// The game.
    pub machine: &'a dyn Machine,
    /// What it is made of.
    pub structures: &'a Structures,
    /// The function's role, counted from 0.
    pub role: usize,
    /// The function.
    pub function: &'a Function,
    /// Games.
    pub playouts: u64,
    /// Values that all games may ask for together.
    pub values: u64,
    /// Seed of all draws.
    pub seed: u64,
    /// Joint moves after which a game is truncated.
    pub max_steps: u32,
    /// Threads; 0 for as many as the computer runs at once.
    pub threads: usize,
    /// Once true, no further move is played.
    pub interrupt: Option<&'a Arc<AtomicBool>>,
}

/// What came of such games.
#[derive(Clone, Debug, PartialEq)]
pub struct GuidedPlayed {
    /// A sequence of states of each game that came to an end.
    pub sequences: Vec<Sequence>,
    /// The goal values of all roles, with the moves of a game for each outcome.
    pub tally: OutcomeTally,
    /// Values that were asked for.
    pub values: u64,
}

/// Plays such games.
pub type GuidedPlayer<'p> = dyn Fn(&GuidedTrial<'_>) -> Result<GuidedPlayed, CallerError> + Sync + 'p;

/// What is to be valued.
#[derive(Clone, Copy)]
pub struct ExactTrial<'a> {
    /// The game.
    pub machine: &'a dyn Machine,
    /// What it is made of.
    pub structures: &'a Structures,
    /// States, none of them terminal.
    pub states: &'a [&'a State],
    /// States that may be listed for one role, to find out what can follow.
    pub listed: usize,
    /// Once true, nothing is valued any more.
    pub interrupt: Option<&'a Arc<AtomicBool>>,
}

/// Values states: for each of them the goal value that every role can force; none where that can't be found out for all.
pub type ExactValuer<'v> = dyn Fn(&ExactTrial<'_>) -> Result<Option<Vec<Vec<i32>>>, CallerError> + Sync + 'v;

/// What is to be searched from its initial state.
#[derive(Clone, Copy)]
pub struct WayTrial<'a> {
    /// The game; for a way, of one role.
    pub machine: &'a dyn Machine,
    /// States that may be visited by each way of searching.
    pub nodes: u64,
    /// Bytes that may be held.
    pub memory: usize,
    /// Once true, the search ends.
    pub interrupt: Option<&'a Arc<AtomicBool>>,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The best goal value to which it knows a way from the initial state.
    pub goal: Option<i32>,
    /// The moves of that way.
    pub moves: Vec<MoveId>,
    /// Whether no goal value is better.
    pub proved: bool,
    /// States visited.
    pub nodes: u64,
}

/// Searches for the best goal value.
pub type WayFinder<'f> = dyn Fn(&WayTrial<'_>) -> Result<Way, CallerError> + Sync + 'f;

/// Says what every role is sure of from the initial state.
pub type Guarantor<'f> = dyn Fn(&WayTrial<'_>) -> Result<Guarantee, CallerError> + Sync + 'f;
