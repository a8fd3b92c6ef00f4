//! States from games in which every role follows one function.

use std::sync::atomic::AtomicBool;

use crate::evaluation::Function;
use crate::machine::Machine;
use crate::property::OutcomeTally;
use crate::simulate::Sequence;
use crate::structure::finding::Structures;

use super::candidate::Candidate;
use super::guided::{Following, Guidance, GuidedError, sequences};
use super::sides::Sides;

/// Keeps its draws apart from those of other parts.
const STREAM: u64 = 0x6775_7374;

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
    pub interrupt: Option<&'a AtomicBool>,
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

/// Plays games in which every role follows a function, its team to raise it and the others to lower it, but for a tenth of
/// the moves, and takes a sequence of states from each. The result does not depend on the number of threads.
///
/// # Errors
/// The function does not fit the game, a state can't be evaluated, or threads can't be started.
pub fn guided_states(trial: &GuidedTrial<'_>) -> Result<GuidedPlayed, GuidedError> {
    let &GuidedTrial { machine, structures, role, function, .. } = trial;
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let candidate = Candidate::new(function.clone(), &roles).ok_or(GuidedError::OtherRole)?;
    let sides = Sides::of_team(role, roles.len(), structures.team_of(role).unwrap_or_default());
    let guidance = Guidance {
        machine,
        candidate: &candidate,
        sides: &sides,
        following: Following::All,
        seed: trial.seed ^ STREAM,
        max_steps: trial.max_steps,
        work: u64::MAX,
        values: trial.values,
        interrupt: trial.interrupt,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(trial.threads).build()?;
    pool.install(|| sequences(&guidance, trial.playouts as usize))
}
