//! Runs of playouts played one by one, see [`rounds`](super::rounds).

use std::ops::Range;

use crate::machine::Machine;

use super::budget::{Budget, Context, SimulateError};
use super::observer::Observer;
use super::playout::{Player, Stop};
use super::rounds::{Blocks, Standing, run};
use super::statistics::Statistics;
use super::tally::Tally;

/// Playouts of the first round; every further round has twice as many, up to [`LARGEST_ROUND`]. Small first,
/// so that a limit on work is kept well on a slow game.
const FIRST_ROUND: u64 = 2;

/// Playouts of the largest round: waiting for its last block costs next to nothing.
const LARGEST_ROUND: u64 = 2048;

/// Blocks of a round at most: enough to keep many threads busy.
const BLOCKS: u64 = 32;

/// Plays and gives the statistics alone.
///
/// # Example
///
/// ```
/// use ggp::gdl::{Source, read};
/// use ggp::ground::Limits;
/// use ggp::machine::{Backend, load};
/// use ggp::simulate::{Budget, Context, simulate};
///
/// let rules = read(&Source::load("games/tic_tac_toe.kif")?).description.expect("the rules have no errors");
/// let game = load(rules, Backend::Auto, &Limits::default())?;
/// let budget = Budget { playouts: 500, seed: 7, ..Budget::default() };
/// let statistics = simulate(&*game.machine, &budget, &Context::default())?;
/// assert_eq!((statistics.playouts, statistics.terminal.count), (500, 500));
/// let length = statistics.length.expect("there are playouts");
/// assert_eq!((length.min, length.max), (5, 9));
/// // Who begins wins more often, at random as well.
/// assert!(statistics.roles[0].wins.share > statistics.roles[1].wins.share);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(
    machine: &dyn Machine,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Statistics, SimulateError> {
    observe(machine, budget, context, || ()).map(|(statistics, ())| statistics)
}

/// Plays, with observers made by `make`, and gives the statistics and all observers merged into one.
///
/// Statistics (but for their timing) and observer are the same on any number of threads, unless the seconds
/// were over or the caller interrupted the run.
pub fn observe<O: Observer>(
    machine: &dyn Machine,
    budget: &Budget,
    context: &Context<'_>,
    make: impl Fn() -> O + Sync,
) -> Result<(Statistics, O), SimulateError> {
    let first = make();
    run(machine, budget, context, OneByOne { machine, budget, make, round: FIRST_ROUND }, first)
}

/// Plays each playout of a block after the other, with a cursor of its own.
struct OneByOne<'m, F> {
    machine: &'m dyn Machine,
    budget: &'m Budget,
    make: F,
    round: u64,
}

impl<O: Observer, F: Fn() -> O + Sync> Blocks for OneByOne<'_, F> {
    type Observer = O;

    fn next_round(&mut self, standing: &Standing) -> Vec<u64> {
        let size = round_size(self.round, standing);
        self.round = (self.round * 2).min(LARGEST_ROUND);
        let block = size.div_ceil(BLOCKS);
        (0..size.div_ceil(block)).map(|index| block.min(size - index * block)).collect()
    }

    fn play(&self, numbers: Range<u64>, stop: Stop<'_>) -> (Tally, O) {
        let (mut tally, mut observer) = (Tally::new(self.machine.description().roles.len()), (self.make)());
        if stop.now() {
            return (tally, observer);
        }
        let mut player = Player::new(self.machine);
        let before = player.work();
        for number in numbers {
            if stop.now() {
                break;
            }
            let (seed, max_steps) = (self.budget.seed, self.budget.max_steps);
            player.play((seed, number), max_steps, stop, &mut tally, &mut observer);
        }
        tally.work = player.work() - before;
        (tally, observer)
    }

    fn merge(observer: &mut O, later: O) {
        observer.merge(later);
    }
}

/// Playouts of the next round: no more than are left, and with a limit on work no more than are likely to fit.
fn round_size(round: u64, standing: &Standing) -> u64 {
    let fitting = match standing.work {
        Some(work) if standing.spent > 0 => {
            let fitting = u128::from(work) * u128::from(standing.played) / u128::from(standing.spent);
            u64::try_from(fitting).unwrap_or(u64::MAX).max(FIRST_ROUND)
        }
        _ => u64::MAX,
    };
    round.min(standing.left).min(fitting)
}
