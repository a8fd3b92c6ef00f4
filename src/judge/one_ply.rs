//! The player of an analysis' trials: it follows a function one move ahead.

use crate::analysis::{CallerError, OnePlyPlayed, OnePlyTrial};

use super::candidate::Candidate;
use super::guided::{Following, Guidance, outcomes_with_goals};
use super::sides::Sides;

/// Keeps its draws apart from those of other parts.
const STREAM: u64 = 0x6f6e_6570;

/// Plays a trial of an analysis. The result does not depend on the number of threads.
///
/// # Errors
/// The function does not fit the game, a state can't be evaluated, or threads can't be started.
pub fn one_ply(trial: &OnePlyTrial<'_>) -> Result<OnePlyPlayed, CallerError> {
    let &OnePlyTrial { machine, structures, role, function, .. } = trial;
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let candidate = match function {
        Some(function) => {
            Candidate::new(function.clone(), &roles).ok_or("the function has no role of the game")?
        }
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
        interrupt: trial.interrupt.map(|flag| &**flag),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(trial.threads).build()?;
    Ok(pool.install(|| outcomes_with_goals(&guidance, trial.playouts as usize, trial.first))?)
}
