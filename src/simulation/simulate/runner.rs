//! Runs of playouts one by one, in the rounds of [`batches`](super::batches).

use std::ops::Range;

use crate::machine::Machine;

use super::batches::{BlockPlayer, RunProgress, run};
use super::budget::{Budget, Context, SimulateError};
use super::observer::Observer;
use super::playout::{PlayoutRunner, Stop};
use super::playout_counts::PlayoutCounts;
use super::statistics::Statistics;

/// Playouts of the first round. Each further round has twice as many, up to [`LARGEST_BATCH`]. The first rounds are
/// small, so that a slow game exceeds its work limit only by little.
const FIRST_BATCH: u64 = 2;

/// Playouts of the largest round. It is so large that waiting for its last block costs almost nothing.
const LARGEST_BATCH: u64 = 2048;

/// Maximum number of blocks in a round: enough for many threads.
const BLOCKS: u64 = 32;

/// Plays random playouts and returns their statistics.
///
/// # Example
///
/// ```
/// # mod ggp { pub use ggp_rules::*; pub use ggp_simulation::*; }
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
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
/// // The first player wins more often, even in random play.
/// assert!(statistics.roles[0].wins.share > statistics.roles[1].wins.share);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SimulateError`]: the game can't be played, or threads can't be started.
pub fn simulate(
    machine: &dyn Machine,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Statistics, SimulateError> {
    observe(machine, budget, context, || ()).map(|(statistics, ())| statistics)
}

/// Plays random playouts with observers made by `make`. Returns the statistics and the merged observer.
///
/// Statistics (except timing) and observer are the same on any number of threads, unless the time limit or the caller ended
/// the run.
pub fn observe<O: Observer>(
    machine: &dyn Machine,
    budget: &Budget,
    context: &Context<'_>,
    make: impl Fn() -> O + Sync,
) -> Result<(Statistics, O), SimulateError> {
    let first = make();
    run(machine, budget, context, SequentialPlayer { machine, budget, make, batch: FIRST_BATCH }, first)
}

/// Plays the playouts of a block one after the other, on one cursor.
struct SequentialPlayer<'m, F> {
    machine: &'m dyn Machine,
    budget: &'m Budget,
    make: F,
    batch: u64,
}

impl<O: Observer, F: Fn() -> O + Sync> BlockPlayer for SequentialPlayer<'_, F> {
    type Observer = O;

    fn next_batch(&mut self, progress: &RunProgress) -> Vec<u64> {
        let size = batch_size(self.batch, progress);
        self.batch = (self.batch * 2).min(LARGEST_BATCH);
        let block = size.div_ceil(BLOCKS);
        (0..size.div_ceil(block)).map(|index| block.min(size - index * block)).collect()
    }

    fn play(&self, numbers: Range<u64>, stop: Stop<'_>) -> (PlayoutCounts, O) {
        let (mut counts, mut observer) = (PlayoutCounts::new(self.machine.description()), (self.make)());
        if stop.now() {
            return (counts, observer);
        }
        let mut runner = PlayoutRunner::new(self.machine);
        let before = runner.work();
        for number in numbers {
            if stop.now() {
                break;
            }
            let (seed, max_steps) = (self.budget.seed, self.budget.max_steps);
            runner.play((seed, number), max_steps, stop, &mut counts, &mut observer);
        }
        counts.work = runner.work() - before;
        (counts, observer)
    }

    fn merge(observer: &mut O, later: O) {
        observer.merge(later);
    }
}

/// Playouts of the next round: at most as many as remain, and with a work limit as many as are expected to fit.
fn batch_size(batch: u64, progress: &RunProgress) -> u64 {
    let fitting = match progress.work {
        Some(work) if progress.spent > 0 => {
            let fitting = u128::from(work) * u128::from(progress.played) / u128::from(progress.spent);
            u64::try_from(fitting).unwrap_or(u64::MAX).max(FIRST_BATCH)
        }
        _ => u64::MAX,
    };
    batch.min(progress.left).min(fitting)
}
