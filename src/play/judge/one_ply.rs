//! Play in which one role follows a function one move ahead and all others play at random.

use std::sync::atomic::AtomicBool;

use crate::evaluation::Function;
use crate::machine::Machine;
use crate::property::OutcomeTally;
use crate::structure::finding::Structures;

use super::candidate::Candidate;
use super::guided::{Following, Guidance, GuidedError, outcomes_with_goals};
use super::sides::Sides;

/// Keeps its draws apart from those of other parts.
const STREAM: u64 = 0x6f6e_6570;

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
    pub interrupt: Option<&'a AtomicBool>,
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

/// Plays a trial. The result does not depend on the number of threads.
///
/// # Errors
/// The function does not fit the game, a state can't be evaluated, or threads can't be started.
pub fn one_ply(trial: &OnePlyTrial<'_>) -> Result<OnePlyPlayed, GuidedError> {
    let &OnePlyTrial { machine, structures, role, function, .. } = trial;
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let candidate = match function {
        Some(function) => Candidate::new(function.clone(), &roles).ok_or(GuidedError::OtherRole)?,
        None => Candidate::ends(role),
    };
    let sides = Sides::of_team(role, roles.len(), structures.team_of(role).unwrap_or_default());
    let guidance = Guidance {
        machine,
        candidate: &candidate,
        sides: &sides,
        following: Following::Role,
        seed: trial.seed ^ STREAM,
        max_steps: trial.max_steps,
        work: u64::MAX,
        values: trial.values,
        interrupt: trial.interrupt,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(trial.threads).build()?;
    pool.install(|| outcomes_with_goals(&guidance, trial.playouts as usize, trial.first))
}
