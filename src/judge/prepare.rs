//! The functions of a game, made the way `ggp analyze` makes them.

use crate::evaluation::{Functions, Material, Parameters, functions};
use crate::feature::{MeasureError, measure};
use crate::machine::{Loaded, Machine};
use crate::simulate::{Budget, Context};
use crate::structure::finding::Structures;
use crate::structure::{DetectError, detect};

/// Random playouts of a game, in lanes and one by one.
const PLAYOUTS: [u64; 2] = [100_000, 10_000];

/// Playouts for the statistics of features, in lanes and one by one.
const SAMPLE: [u64; 2] = [10_000, 1_000];

/// Work of either; on the relational machine that of the second is smaller, as tuples joined take longer than gates.
const WORK: u64 = 1_000_000_000;
const RELATIONAL_WORK: u64 = 200_000_000;

/// What a game is made of, and its functions.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// What it is made of.
    pub structures: Structures,
    /// Its functions.
    pub functions: Functions,
}

/// Why functions could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// Nothing could be played.
    #[error(transparent)]
    Detect(#[from] DetectError),
    /// Features could not be measured.
    #[error(transparent)]
    Features(#[from] MeasureError),
}

/// How much is played at random to find out what a game is made of, and to measure its features.
pub fn budgets(machine: &dyn Machine, seed: u64, threads: usize, max_steps: u32) -> [Budget; 2] {
    let slow = usize::from(!machine.suits_lanes());
    let playouts = PLAYOUTS[slow];
    let budget = Budget { playouts, seed, threads, max_steps, work: Some(WORK), ..Budget::default() };
    let work = if machine.network().is_some() { WORK } else { RELATIONAL_WORK };
    let sample = Budget { playouts: SAMPLE[slow], work: Some(work), ..budget.clone() };
    [budget, sample]
}

/// Finds structures and features of a game and makes its functions.
///
/// # Errors
/// Nothing could be played.
pub fn prepare(
    loaded: &Loaded,
    (seed, threads, max_steps): (u64, usize, u32),
    parameters: &Parameters,
    context: &Context<'_>,
) -> Result<Prepared, PrepareError> {
    let machine = &*loaded.machine;
    let [budget, sample] = budgets(machine, seed, threads, max_steps);
    let (structures, _) = detect(machine, &loaded.statics, &budget, context)?;
    let measured = measure(machine, &structures, &sample, context)?;
    let features: Vec<_> = measured.features.into_iter().map(|measured| measured.feature).collect();
    let material = Material {
        machine,
        structures: &structures,
        features: &features,
        budget: &sample,
        context: *context,
    };
    let functions = functions(&material, parameters);
    Ok(Prepared { structures, functions })
}
