//! Whether functions that were learned later play better than those before, or than random moves.

use crate::machine::Machine;
use crate::simulate::Watch;

use super::error::LearningError;
use super::policy::Policy;
use super::self_play::{Manner, Played, play_all};

/// How much more of its goal value a role has with one function than with another, meaned over the roles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gain {
    pub(super) mean: f64,
    pub(super) standard_error: f64,
}

/// What one player gains by following `new` where all others follow `old`, meaned over the players, given by their roles;
/// `manner` says how they play, its seats are not looked at.
///
/// # Errors
/// A state can't be evaluated, or it has to end.
pub(super) fn gain(
    machine: &dyn Machine,
    players: &[usize],
    (new, old): (&[Policy], &[Option<&Policy>]),
    manner: &Manner<'_>,
    games: u64,
    watch: &Watch<'_>,
) -> Result<Gain, LearningError> {
    let before = play_all(machine, &Manner { seats: old, ..*manner }, 0..games, watch)?;
    let (mut sum, mut variance) = (0.0, 0.0);
    for &role in players {
        let mut seats = old.to_vec();
        seats[role] = Some(&new[role]);
        let after = play_all(machine, &Manner { seats: &seats, ..*manner }, 0..games, watch)?;
        let [before, after] = [&before, &after].map(|games| mean_of(games, role));
        sum += after.0 - before.0;
        variance += after.1 + before.1;
    }
    let count = players.len().max(1) as f64;
    Ok(Gain { mean: sum / count, standard_error: variance.sqrt() / count })
}

/// The mean of a role's shares, and its variance.
fn mean_of(games: &[Played], role: usize) -> (f64, f64) {
    let shares: Vec<f64> =
        games.iter().filter_map(|game| game.outcome.as_ref()).map(|shares| shares[role]).collect();
    let count = shares.len().max(1) as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / count;
    (mean, variance / count)
}
