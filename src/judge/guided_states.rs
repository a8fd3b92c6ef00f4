//! The searcher of an analysis' guided states: games in which every role follows one function.

use crate::analysis::{CallerError, GuidedPlayed, GuidedTrial};

use super::candidate::Candidate;
use super::guided::{Following, Guidance, sequences};
use super::sides::Sides;

/// Keeps its draws apart from those of other parts.
const STREAM: u64 = 0x6775_7374;

/// Plays games in which every role follows a function, its team to raise it and the others to lower it, but for a tenth of
/// the moves, and takes a sequence of states from each. The result does not depend on the number of threads.
///
/// # Errors
/// The function does not fit the game, a state can't be evaluated, or threads can't be started.
pub fn guided_states(trial: &GuidedTrial<'_>) -> Result<GuidedPlayed, CallerError> {
    let &GuidedTrial { machine, structures, role, function, .. } = trial;
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let candidate = Candidate::new(function.clone(), &roles).ok_or("the function has no role of the game")?;
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
        interrupt: trial.interrupt.map(|flag| &**flag),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(trial.threads).build()?;
    Ok(pool.install(|| sequences(&guidance, trial.playouts as usize))?)
}
