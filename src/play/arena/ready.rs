//! Prepares a game for the players of a match: the analysis that they need, and the functions that `auto` learns in the
//! start clock.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::analysis::{AnalysisContext, AnalysisError, FunctionSelector, LoadedGame, Plan, analyze};

use super::learning::{Learning, can_learn};
use super::match_play::Clock;
use super::prepared_game::PreparedGame;
use super::spec::{PlayerSpec, plan_for};

/// Prepares a game for players, given by their lines, in matches with a clock. Without a clock no function is learned,
/// and the time of trial moves is unknown.
///
/// # Errors
/// The game can't be analysed.
pub fn ready<'g>(
    game: &'g LoadedGame,
    plan: Plan,
    lines: &[&str],
    clock: Option<&Clock>,
    interrupt: Option<&Arc<AtomicBool>>,
) -> Result<PreparedGame<'g>, AnalysisError> {
    let mut plan = plan_for(plan, lines.iter().copied());
    let learns = |line: &&str| line.parse::<PlayerSpec>().ok()?.learns(clock?.start);
    let time = lines.iter().filter_map(learns).max();
    let learning = time.filter(|_| can_learn(game.machine())).and_then(Learning::within);
    if let Some(Ok(FunctionSelector::Tuned(_, tuning))) =
        learning.as_ref().map(|learning| learning.name.parse())
    {
        plan.tunings.push(tuning);
    }
    let context = AnalysisContext { interrupt, ..AnalysisContext::default() };
    let analysis = analyze(&game.game(), &plan, &context)?;
    let thinks = clock.and_then(|clock| Some(clock.play?.saturating_sub(clock.margin)));
    let prepared = PreparedGame::new(game.machine(), analysis).learned(learning).thinking(thinks);
    Ok(match interrupt {
        Some(interrupt) => prepared.interrupted_by(interrupt),
        None => prepared,
    })
}
