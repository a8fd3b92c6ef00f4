//! Runs of playouts played one by one, see [`batches`](super::batches).

use std::ops::Range;

use crate::machine::Machine;

use super::batches::{Blocks, Standing, run};
use super::budget::{Budget, Context, SimulateError};
use super::observer::Observer;
use super::playout::{PlayoutRunner, Stop};
use super::playout_counts::PlayoutCounts;
use super::statistics::Statistics;

/// Playouts of the first round; every further round has twice as many, up to [`LARGEST_BATCH`]. Small first,
/// so that a limit on work is kept well on a slow game.
const FIRST_BATCH: u64 = 2;

/// Playouts of the largest round: waiting for its last block costs next to nothing.
const LARGEST_BATCH: u64 = 2048;

/// Blocks of a round at most: enough to keep many threads busy.
const BLOCKS: u64 = 32;

/// Plays and gives the statistics alone.
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
/// // Who begins wins more often, at random as well.
/// assert!(statistics.roles[0].wins.share > statistics.roles[1].wins.share);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A state can't be evaluated, or threads can't be started.
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
    run(machine, budget, context, Sequential { machine, budget, make, batch: FIRST_BATCH }, first)
}

/// Plays each playout of a block after the other, with a cursor of its own.
struct Sequential<'m, F> {
    machine: &'m dyn Machine,
    budget: &'m Budget,
    make: F,
    batch: u64,
}

impl<O: Observer, F: Fn() -> O + Sync> Blocks for Sequential<'_, F> {
    type Observer = O;

    fn next_batch(&mut self, standing: &Standing) -> Vec<u64> {
        let size = batch_size(self.batch, standing);
        self.batch = (self.batch * 2).min(LARGEST_BATCH);
        let block = size.div_ceil(BLOCKS);
        (0..size.div_ceil(block)).map(|index| block.min(size - index * block)).collect()
    }

    fn play(&self, numbers: Range<u64>, stop: Stop<'_>) -> (PlayoutCounts, O) {
        let (mut counts, mut observer) =
            (PlayoutCounts::new(self.machine.description().roles.len()), (self.make)());
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

/// Playouts of the next round: no more than are left, and with a limit on work no more than are likely to fit.
fn batch_size(batch: u64, standing: &Standing) -> u64 {
    let fitting = match standing.work {
        Some(work) if standing.spent > 0 => {
            let fitting = u128::from(work) * u128::from(standing.played) / u128::from(standing.spent);
            u64::try_from(fitting).unwrap_or(u64::MAX).max(FIRST_BATCH)
        }
        _ => u64::MAX,
    };
    batch.min(standing.left).min(fitting)
}
