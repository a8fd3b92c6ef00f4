//! How many games the verdict plays, and how many states a player searches for each move.
//!
//! The numbers follow from counted work: the length of random games, the size of the network, and the work of a step. They
//! are the same on every computer.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::evaluation::StepCost;
use crate::ground::Network;
use crate::machine::Machine;
use crate::simulate::Statistics;

/// The number of playouts of a pass of UCT in lanes, and of the new states that share them.
pub(super) const LANES: u32 = 512;
pub(super) const LEAVES: u32 = 16;

/// Nanoseconds of a state of a playout in lanes for each gate of the network, and those of a gate that is not playing:
/// measured from 0.006 to 0.02.
const NANOSECONDS_PER_GATE: f64 = 0.012;

/// The cost of making one successor of a new state, in steps of a cursor.
const STEPS_PER_SUCCESSOR: f64 = 0.5;

/// The cost of a state of the tree or of a playout without lanes, in steps of a cursor.
const STEPS_PER_STATE: f64 = 1.5;

/// The number of games of each kind, and the simulations for each move of the stronger player: passes with lanes, playouts
/// without. Earlier entries are better and cost more.
const LADDER: [(u64, [f64; 2]); 8] = [
    (32, [40.0, 4000.0]),
    (32, [20.0, 2000.0]),
    (32, [12.0, 1000.0]),
    (24, [12.0, 500.0]),
    (16, [12.0, 300.0]),
    (12, [10.0, 200.0]),
    (8, [10.0, 200.0]),
    (4, [10.0, 100.0]),
];

/// The cost of all games relative to that of `games` games of the stronger player against itself: these games, four times as
/// many of the weaker one, games between the two, and of the weaker one against random play.
const GAMES_FACTOR: f64 = 1.0 + 0.4 + 0.55 + 0.05;

/// If even the last entry of the ladder costs more than this multiple of the limit, no games are played.
const TOLERANCE: f64 = 4.0;

/// The games and their strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MatchBudget {
    /// The number of games between equal players of the greater strength; there are as many between the strengths.
    pub(super) games: u64,
    /// States for each move of the stronger player; the weaker one has a tenth.
    pub(super) states: u64,
    /// Nanoseconds for each state, by counts.
    pub(super) nanoseconds_per_state: f64,
    /// States of one pass in lanes, or of one playout.
    pub(super) states_per_simulation: f64,
    /// Whether the playouts run in lanes.
    pub(super) lanes: bool,
}

impl MatchBudget {
    /// The best games that cost at most `nanoseconds` of processor time, by counts; none if even a few games cost much more,
    /// or if nobody has a choice.
    pub(super) fn new(
        machine: &dyn Machine,
        random_play: &Statistics,
        nanoseconds: f64,
        interrupt: Option<&Arc<AtomicBool>>,
    ) -> Option<MatchBudget> {
        let length = random_play.length?.mean.max(1.0);
        let step = StepCost::new(machine, interrupt).ok().flatten()?.step();
        let choices: f64 = random_play.roles.iter().map(|role| role.branching.choice_share).sum();
        let width =
            random_play.roles.iter().filter_map(|role| role.branching.choice_mean).fold(1.0, f64::max);
        let lanes = machine.suits_lanes();
        // Most states of a game are searched from its middle.
        let playout = (length / 2.0).max(1.0);
        let (states_per_simulation, nanoseconds_per_state) = if lanes {
            let gates = machine.network().map_or(0, Network::gates) as f64;
            let states = f64::from(LANES) * playout;
            let expansion = f64::from(LEAVES) * step * (STEPS_PER_STATE + STEPS_PER_SUCCESSOR * width);
            (states, NANOSECONDS_PER_GATE * gates + expansion / states)
        } else {
            (playout, STEPS_PER_STATE * step)
        };
        if choices <= 0.0 {
            return None;
        }
        let cost = |games: u64, states: f64| {
            GAMES_FACTOR * games as f64 * length * choices * states * nanoseconds_per_state
        };
        let rungs = LADDER.map(|(games, simulations)| {
            (games, two_digits(simulations[usize::from(!lanes)] * states_per_simulation))
        });
        let affordable = rungs.into_iter().find(|&(games, states)| cost(games, states) <= nanoseconds);
        let last = rungs[rungs.len() - 1];
        let tolerated = Some(last).filter(|&(games, states)| cost(games, states) <= TOLERANCE * nanoseconds);
        let (games, states) = affordable.or(tolerated)?;
        let states = states as u64;
        Some(MatchBudget { games, states, nanoseconds_per_state, states_per_simulation, lanes })
    }
}

/// A number rounded to two significant digits, and to a multiple of ten, so that a tenth of it is whole.
fn two_digits(number: f64) -> f64 {
    let unit = 10f64.powf((number.max(1.0).log10().floor() - 1.0).max(1.0));
    (number / unit).round().max(1.0) * unit
}

#[cfg(test)]
mod tests {
    use super::two_digits;

    #[test]
    fn budgets_are_round() {
        assert_eq!([204_800.0, 2_048.0, 73.0, 3.0].map(two_digits), [200_000.0, 2_000.0, 70.0, 10.0]);
    }
}
