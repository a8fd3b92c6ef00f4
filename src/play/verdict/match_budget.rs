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

/// Nanoseconds of a state of a playout in lanes for each gate of the network.
const NANOSECONDS_PER_GATE: f64 = 0.005;

/// The cost of making one successor of a new state for a pass in lanes, in steps of a cursor.
const STEPS_PER_SUCCESSOR: f64 = 0.2;

/// Nanoseconds to find a new state in the tree, without the steps of the machine.
const NANOSECONDS_PER_LEAF: f64 = 10_000.0;

/// If more roles than this choose in a step, on average, a new state costs this many times as much.
const SIMULTANEOUS: f64 = 1.2;
const SIMULTANEOUS_FACTOR: f64 = 2.0;

/// The cost of a state of the tree or of a playout without lanes, in steps of a cursor.
const STEPS_PER_STATE: f64 = 1.5;

/// The simulations for each move of the stronger player: passes with lanes, playouts without. Earlier entries are better and
/// cost more.
const SIMULATIONS: [[f64; 2]; 5] =
    [[40.0, 4000.0], [20.0, 2000.0], [10.0, 1000.0], [10.0, 300.0], [10.0, 100.0]];

/// The stronger player searches as much as is affordable for this number of games against itself, and at least for the second
/// number.
const GAMES: [f64; 2] = [24.0, 8.0];

/// How many times the search of the weaker player the stronger one has.
pub(super) const TIMES: u64 = 10;

/// The share of the processor time for games of the stronger player against itself.
pub(super) const STRONG_SHARE: f64 = 0.4;

/// If the least number of games costs more than this multiple of its time, the games are not played.
const TOLERANCE: f64 = 3.0;

/// The strength of players, and their cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MatchBudget {
    /// States for each move of the weaker player; the stronger one has ten times as many.
    pub(super) weak: u64,
    /// Nanoseconds for each state, by counts.
    pub(super) nanoseconds_per_state: f64,
    /// Whether the playouts run in lanes.
    pub(super) lanes: bool,
}

impl MatchBudget {
    /// The strengths whose games cost about `nanoseconds` of processor time, by counts; none if even a few games cost much more,
    /// or if no role has a choice.
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
        if choices <= 0.0 {
            return None;
        }
        let lanes = machine.suits_lanes();
        // Most states of a game are searched from its middle.
        let playout = (length / 2.0).max(1.0);
        // Joint moves of several roles multiply the children of a state.
        let factor = if choices > SIMULTANEOUS { SIMULTANEOUS_FACTOR } else { 1.0 };
        let leaf = factor * NANOSECONDS_PER_LEAF;
        let (simulation, nanoseconds_per_state) = if lanes {
            let gates = machine.network().map_or(0, Network::gates) as f64;
            let states = f64::from(LANES) * playout;
            let expansion = f64::from(LEAVES) * (leaf + step * (1.0 + STEPS_PER_SUCCESSOR * width));
            (states, NANOSECONDS_PER_GATE * gates + expansion / states)
        } else {
            (playout, STEPS_PER_STATE * step + leaf / playout)
        };
        let cost = |games: f64, states: f64| games * length * choices * states * nanoseconds_per_state;
        let rungs = SIMULATIONS.map(|simulations| two_digits(simulations[usize::from(!lanes)] * simulation));
        let time = STRONG_SHARE * nanoseconds;
        let affordable = rungs.into_iter().find(|&states| cost(GAMES[0], states) <= time);
        let weak = (affordable.unwrap_or(rungs[rungs.len() - 1]) / TIMES as f64).max(1.0);
        let few = cost(GAMES[1], weak) <= TOLERANCE * nanoseconds;
        few.then_some(MatchBudget { weak: weak as u64, nanoseconds_per_state, lanes })
    }

    /// States for each move of the stronger player; none if a few of its games cost much more than their share of
    /// `nanoseconds`. `weaker` is the mean number of states that the searches of a game of the weaker player visited: such
    /// games may be much shorter than random ones.
    pub(super) fn strong(&self, weaker: f64, nanoseconds: f64) -> Option<u64> {
        let cost = GAMES[1] * TIMES as f64 * weaker * self.nanoseconds_per_state;
        (cost <= TOLERANCE * STRONG_SHARE * nanoseconds).then_some(TIMES * self.weak)
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
