//! Play by a function: either one role follows it against random play, or every role follows it.

use std::sync::atomic::AtomicBool;

use crate::evaluation::Function;
use crate::machine::Machine;
use crate::structure::finding::Structures;

use super::candidate::Candidate;
use super::guided::{
    Following, Guidance, GuidedError, GuidedResult, OnePlyResult, outcomes_with_goals, sequences,
};
use super::sides::Sides;

/// Stream of random numbers of play by one role.
const ONE_PLY: u64 = 0x6f6e_6570;

/// Stream of random numbers of play by all roles.
const GUIDED: u64 = 0x6775_7374;

/// Games to play by a function.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    /// The game.
    pub machine: &'a dyn Machine,
    /// The game's structures.
    pub structures: &'a Structures,
    /// The function's role, counted from 0.
    pub role: usize,
    /// The function; none for the player that recognises only terminal states.
    pub function: Option<&'a Function>,
    /// Number of playouts.
    pub playouts: u64,
    /// Number of the first playout, which determines its random numbers.
    pub first: u64,
    /// Limit of the evaluations in all playouts.
    pub values: u64,
    /// Seed of all draws.
    pub seed: u64,
    /// Joint moves after which a playout is truncated.
    pub max_steps: u32,
    /// Threads; 0 for the number of processors.
    pub threads: usize,
    /// Once true, no further move is played.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Trial<'_> {
    /// Plays on the trial's threads.
    fn play<T: Send>(
        &self,
        following: Following,
        stream: u64,
        play: impl FnOnce(&Guidance<'_>) -> Result<T, GuidedError> + Send,
    ) -> Result<T, GuidedError> {
        let &Trial { machine, structures, role, function, .. } = self;
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
            following,
            seed: self.seed ^ stream,
            max_steps: self.max_steps,
            work: u64::MAX,
            values: self.values,
            interrupt: self.interrupt,
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build()?;
        pool.install(|| play(&guidance))
    }
}

/// Plays games in which one role follows a function one move ahead and all others play at random. The result does not
/// depend on the number of threads.
///
/// # Errors
/// The function does not fit the game, a state can't be evaluated, or threads can't be started.
pub fn one_ply(trial: &Trial<'_>) -> Result<OnePlyResult, GuidedError> {
    let (playouts, first) = (trial.playouts as usize, trial.first);
    trial.play(Following::Role, ONE_PLY, |guidance| outcomes_with_goals(guidance, playouts, first))
}

/// Plays games in which every role follows a function, except for a tenth of the moves, and takes a sequence of states
/// from each. The role's team raises the function's value, the others lower it. The result does not depend on the number
/// of threads.
///
/// # Errors
/// The function does not fit the game, a state can't be evaluated, or threads can't be started.
pub fn guided_states(trial: &Trial<'_>) -> Result<GuidedResult, GuidedError> {
    let playouts = trial.playouts as usize;
    trial.play(Following::All, GUIDED, |guidance| sequences(guidance, playouts))
}
