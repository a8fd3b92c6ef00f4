//! What sequences of states say of numbers: their spread, and how they go with the goal values at the end.

use std::ops::ControlFlow;

use ndarray::Array2;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::machine::{Machine, MachineError};
use crate::simulate::{Sequence, SimulateError, Watch};
use crate::statistics::SIGNIFICANCE;
use crate::statistics::correlation::{fisher, significance};
use crate::statistics::moments::Moments;
use crate::statistics::stratified::{Pooled, Stratified};

use super::batch_evaluator::BatchEvaluator;
use super::feature_batch::FeatureBatch;
use super::measure::ValuedState;
use super::stratum::stratum;

/// How much more a step counts than the whole game in the stability, as in the source.
const WITHIN: f64 = 10.0;

/// For each role a goal value, or none.
pub type RoleGoals = Vec<Option<f64>>;

/// Sequences with their goal values.
type Part<'s> = (&'s [Sequence], &'s [RoleGoals]);

/// Sequences whose values are held together.
const PART: usize = 512;

/// Numbers of a state beyond which fewer sequences' values are held together.
const WIDE: usize = 1 << 12;

/// Numbers, each for every role, of which parts are held at once: with some 64 strata each they take half a gibibyte.
const AT_ONCE: usize = 1 << 17;

/// Roles with whose goal values a number is held against in the time that one takes to be told.
const ROLES_OF_A_VALUE: usize = 8;

/// How a feature, or an evaluation function, goes with a role's goal value at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Correlation {
    /// The role.
    pub role: String,
    /// Playouts that count: those that ended with one goal value for the role.
    pub playouts: u64,
    /// Pearson's correlation of the sequences' means with the goal values, among sequences that begin at much the same
    /// step; null where one of the two never changes there.
    pub correlation: Option<f64>,
    /// Lower end of its interval at 95 % (Fisher's z); null for fewer than four playouts.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The chance of at least this correlation, either way, were there none (Student's t).
    pub p: Option<f64>,
    /// The same corrected for the number of tests, by Holm's method.
    pub p_holm: Option<f64>,
}

impl Correlation {
    /// Whether it is more than chance, after the correction for the number of tests.
    pub fn is_significant(&self) -> bool {
        self.p_holm.is_some_and(|p| p < SIGNIFICANCE)
    }
}

/// Gives several numbers of a state.
pub trait Valuer {
    /// How many.
    fn width(&self) -> usize;

    /// The only role whose goal values a number is held against; none if it is held against every role's.
    fn role(&self, _number: usize) -> Option<usize> {
        None
    }

    /// The numbers of a state, into `values`, which is emptied first.
    fn values(&mut self, position: &ValuedState<'_>, values: &mut Vec<f64>);

    /// Work of all values so far, see [`Measure::work`](super::Measure::work).
    fn work(&self) -> u64 {
        0
    }
}

impl Valuer for FeatureBatch<'_> {
    fn width(&self) -> usize {
        self.len()
    }

    fn values(&mut self, position: &ValuedState<'_>, values: &mut Vec<f64>) {
        FeatureBatch::values(self, position, values);
    }

    fn work(&self) -> u64 {
        FeatureBatch::work(self)
    }
}

/// What sequences say of several numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct AllSequenceStatistics {
    /// Of each number.
    pub list: Vec<SequenceStatistics>,
    /// The sequences that were looked at: the first ones; where a clock or an interrupt ended it, any.
    pub sequences: usize,
}

/// What sequences say of a number.
#[derive(Clone, Debug, PartialEq)]
pub struct SequenceStatistics {
    /// Of the first states.
    first: Moments,
    /// Of the variances within sequences.
    within: Moments,
    observed: [f64; 2],
    /// For each role the means of sequences, with the goal values, by where the sequences begin.
    roles: Vec<Stratified>,
}

/// The tallies of the numbers that valuers made by `make` give, over sequences each of which has a goal value (or none)
/// for every role. The same on any number of threads (0: as many as the computer runs at once).
///
/// Where the watch has a limit of work, what the first few sequences take says how many can be looked at. The unit of work
/// is one number of one state, and what machines and measures count for the states beside that.
///
/// # Errors
/// Threads can't be started, a valuer can't be made, or a state can't be evaluated.
pub fn sequence_statistics<V: Valuer, E: From<MachineError> + From<SimulateError> + Send>(
    machine: &dyn Machine,
    sequences: &[Sequence],
    goals: &[RoleGoals],
    threads: usize,
    watch: &Watch<'_>,
    make: impl Fn() -> Result<V, E> + Sync,
) -> Result<AllSequenceStatistics, E> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(SimulateError::from)?;
    let mut first = Valuing { valuer: make()?, batch_evaluator: BatchEvaluator::new(machine), watch };
    let count = first.affordable(sequences, goals)?;
    let width = first.valuer.width();
    let part = (PART * WIDE / width.max(WIDE)).max(1);
    let parts: Vec<Part<'_>> = sequences[..count].chunks(part).zip(goals[..count].chunks(part)).collect();
    let of_stretch = |parts: &[Part<'_>]| -> Result<Vec<(Vec<SequenceStatistics>, usize)>, E> {
        if watch.check().is_err() {
            return Ok(Vec::new());
        }
        let mut valuing = Valuing { valuer: make()?, batch_evaluator: BatchEvaluator::new(machine), watch };
        let of_part = |(sequences, goals): &Part<'_>| valuing.part(sequences, goals);
        let found = parts.iter().map(of_part).collect::<Result<_, MachineError>>()?;
        watch.add(valuing.work());
        Ok(found)
    };
    let roles = machine.description().roles.len();
    let mut found = AllSequenceStatistics { list: vec![SequenceStatistics::new(roles); width], sequences: 0 };
    // What all parts say of many numbers and roles would take gibibytes.
    let held = (0..width).map(|number| first.valuer.role(number).map_or(roles, |_| 1)).sum::<usize>();
    let at_once = (AT_ONCE / held.max(1)).max(pool.current_num_threads());
    for parts in parts.chunks(at_once) {
        // As many stretches of parts as threads, as valuers are dear to make.
        let stretch = parts.len().div_ceil(pool.current_num_threads());
        let some: Vec<Vec<(Vec<SequenceStatistics>, usize)>> =
            pool.install(|| parts.par_chunks(stretch).map(of_stretch).collect::<Result<_, E>>())?;
        for (part, sequences) in some.into_iter().flatten() {
            found.list.iter_mut().zip(&part).for_each(|(summary, part)| summary.merge(part));
            found.sequences += sequences;
        }
    }
    watch.add((found.sequences * (held / ROLES_OF_A_VALUE).saturating_sub(width)) as u64);
    let states = |sequence: &Sequence| sequence.states.len() * width;
    watch.add(sequences[..count].iter().map(states).sum::<usize>() as u64);
    // Said at last: whatever looks at a watch that was cut ends at once.
    if count < sequences.len() {
        watch.cut();
    }
    Ok(found)
}

/// Sequences by which the work of one is told.
const PROBE: usize = 16;

/// A valuer that is shown states.
struct Valuing<'w, 'm, V> {
    valuer: V,
    batch_evaluator: BatchEvaluator<'m>,
    watch: &'w Watch<'w>,
}

impl<V: Valuer> Valuing<'_, '_, V> {
    /// Work that depended on the states.
    fn work(&self) -> u64 {
        self.batch_evaluator.work() + self.valuer.work()
    }

    /// How many sequences can be looked at, from the first on: at least one, whatever it takes.
    fn affordable(&mut self, sequences: &[Sequence], goals: &[RoleGoals]) -> Result<usize, MachineError> {
        let Some(limit) = self.watch.left() else { return Ok(sequences.len()) };
        let (mut spent, mut seen) = (0, 0);
        for (sequence, goals) in sequences.iter().zip(goals).take(PROBE) {
            let before = self.work();
            self.part(std::slice::from_ref(sequence), std::slice::from_ref(goals))?;
            spent += self.work() - before + (sequence.states.len() * self.valuer.width()) as u64;
            seen += 1;
            if spent > limit {
                break;
            }
        }
        if spent == 0 {
            return Ok(sequences.len());
        }
        let fit = u128::from(limit) * seen / u128::from(spent);
        let count = usize::try_from(fit).unwrap_or(usize::MAX).clamp(1, sequences.len().max(1));
        let count = count.min(sequences.len());
        Ok(count)
    }

    /// The tallies over some sequences, and how many of these were looked at.
    fn part(
        &mut self,
        sequences: &[Sequence],
        goals: &[RoleGoals],
    ) -> Result<(Vec<SequenceStatistics>, usize), MachineError> {
        let Valuing { valuer, batch_evaluator, watch } = self;
        let roles = goals.first().map_or(0, Vec::len);
        let width = valuer.width();
        let (mut rows, mut row) = (Vec::new(), Vec::with_capacity(width));
        let mut movers: Vec<Option<usize>> = Vec::new();
        batch_evaluator.each(sequences.iter().flat_map(|sequence| &sequence.states), |position| {
            if watch.check().is_err() {
                return ControlFlow::Break(());
            }
            valuer.values(position, &mut row);
            rows.extend_from_slice(&row);
            let mut choosing = (0..roles).filter(|&role| position.view.legal(role).len() > 1);
            movers.push(choosing.next().filter(|_| choosing.next().is_none()));
            ControlFlow::Continue(())
        })?;
        // Where it was broken off, the sequences whose states were all looked at.
        let mut states = rows.len().checked_div(width).unwrap_or(usize::MAX);
        let whole = sequences.iter().take_while(|sequence| {
            let left = states.checked_sub(sequence.states.len());
            states = left.unwrap_or(0);
            left.is_some()
        });
        let whole = whole.count();
        let shape = (rows.len().checked_div(width).unwrap_or(0), width);
        let rows = Array2::from_shape_vec(shape, rows).expect("every state has a row");
        let mut strata = Vec::with_capacity(whole);
        let mut first = 0;
        for sequence in &sequences[..whole] {
            strata.push(stratum(sequence.first, movers.get(first).copied().flatten()));
            first += sequence.states.len();
        }
        let goals = &goals[..whole];
        let mut counting = Counting::new(roles, strata);
        let of_number = |number: usize| {
            let mut column = rows.column(number).into_iter().copied();
            for sequence in &sequences[..whole] {
                counting.add(column.by_ref().take(sequence.states.len()));
            }
            counting.finish(goals, valuer.role(number))
        };
        Ok(((0..width).map(of_number).collect(), whole))
    }
}

/// Values that a tally is made of, those of one number after another.
struct Counting {
    roles: usize,
    /// Of each sequence, and the sequences by their strata.
    strata: Vec<u32>,
    order: Vec<usize>,
    first: Vec<f64>,
    within: Vec<f64>,
    observed: [f64; 2],
    /// Of the sequences, none for one without a state.
    means: Vec<Option<f64>>,
    values: Vec<f64>,
    alike: Vec<(f64, f64)>,
}

impl Counting {
    fn new(roles: usize, strata: Vec<u32>) -> Counting {
        let mut order: Vec<usize> = (0..strata.len()).collect();
        order.sort_by_key(|&sequence| strata[sequence]);
        let observed = [f64::INFINITY, f64::NEG_INFINITY];
        let (first, within, means) = (Vec::new(), Vec::new(), Vec::new());
        let (values, alike) = (Vec::new(), Vec::new());
        Counting { roles, strata, order, first, within, observed, means, values, alike }
    }

    /// The values of the number in the next sequence.
    fn add(&mut self, values: impl Iterator<Item = f64>) {
        self.values.clear();
        self.values.extend(values);
        let Some(&first) = self.values.first() else { return self.means.push(None) };
        self.first.push(first);
        let moments = Moments::of(&self.values);
        if self.values.len() > 1 {
            self.within.push(moments.variance());
        }
        for &value in &self.values {
            self.observed = [self.observed[0].min(value), self.observed[1].max(value)];
        }
        self.means.push(Some(moments.mean));
    }

    /// Of all sequences, which have these goal values, of every role or of one; what comes next is of another number.
    fn finish(&mut self, goals: &[RoleGoals], only: Option<usize>) -> SequenceStatistics {
        let Counting { strata, order, means, alike, roles, .. } = &mut *self;
        let mut of_role = |role: usize| {
            if only.is_some_and(|only| only != role) {
                return Stratified::default();
            }
            let pairs = order
                .iter()
                .filter_map(|&sequence| Some((strata[sequence], (means[sequence]?, goals[sequence][role]?))));
            Stratified::of_sorted(pairs, alike)
        };
        let roles = (0..*roles).map(&mut of_role).collect();
        let found = SequenceStatistics {
            first: Moments::of(&self.first),
            within: Moments::of(&self.within),
            observed: self.observed,
            roles,
        };
        self.observed = [f64::INFINITY, f64::NEG_INFINITY];
        [&mut self.first, &mut self.within].into_iter().for_each(Vec::clear);
        self.means.clear();
        found
    }
}

impl SequenceStatistics {
    /// Of no sequence.
    pub fn new(roles: usize) -> SequenceStatistics {
        Counting::new(roles, Vec::new()).finish(&[], None)
    }

    /// With that of later sequences.
    pub fn merge(&mut self, later: &SequenceStatistics) {
        self.first.merge(&later.first);
        self.within.merge(&later.within);
        self.observed = [self.observed[0].min(later.observed[0]), self.observed[1].max(later.observed[1])];
        self.roles.iter_mut().zip(&later.roles).for_each(|(pairs, later)| pairs.merge(later));
    }

    /// Mean over the first states.
    pub fn mean(&self) -> f64 {
        self.first.mean
    }

    /// Variance over them, without bias: TV.
    pub fn variance(&self) -> f64 {
        self.first.variance()
    }

    /// Mean of the variances within sequences: SV.
    pub fn within(&self) -> f64 {
        self.within.mean
    }

    /// S = TV / (TV + 10 SV), 0 to 1; none where the number never changes.
    pub fn stability(&self) -> Option<f64> {
        stability(self.variance(), self.within(), WITHIN)
    }

    /// The least and the greatest value; none without sequences.
    pub fn observed(&self) -> Option<[f64; 2]> {
        (self.first.count > 0.0).then_some(self.observed)
    }

    /// How the means of sequences go with the goal value of a role, given by its number and name; the p-value is not
    /// corrected.
    pub fn correlation(&self, role: usize, name: &str) -> Correlation {
        of_pairs(name, &self.roles[role])
    }
}

/// S = TV / (TV + weight SV), 0 to 1, of a variance over the game and one within sequences; none where both are 0.
pub fn stability(total: f64, within: f64, weight: f64) -> Option<f64> {
    let changes = total + weight * within;
    (changes > 0.0).then(|| total / changes)
}

/// Pearson's correlation with its interval and p-value; not yet corrected.
fn of_pairs(role: &str, pairs: &Stratified) -> Correlation {
    let mut found = Correlation {
        role: role.to_owned(),
        playouts: pairs.count(),
        correlation: None,
        low: None,
        high: None,
        p: None,
        p_holm: None,
    };
    let Some(Pooled { value, pairs }) = pairs.correlation() else { return found };
    found.correlation = Some(value);
    if pairs < 4 {
        return found;
    }
    [found.low, found.high] = fisher(value, pairs).map(Some);
    found.p = Some(significance(value, pairs));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Option<f64>, wanted: f64) -> bool {
        found.is_some_and(|found| (found - wanted).abs() < 1e-4)
    }

    #[test]
    fn correlations() {
        // r = 0.8 of five pairs: t = 2.3094 with three degrees of freedom, p = 0.1041.
        let pairs = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (4.0, 5.0), (5.0, 4.0)];
        let found = of_pairs("r", &Stratified::of(&pairs.map(|pair| (0, pair))));
        assert!(near(found.correlation, 0.8) && near(found.p, 0.1041), "{found:?}");
        // tanh(atanh(0.8) -+ 1.95996 / sqrt(2))
        assert!(near(found.low, -0.279639) && near(found.high, 0.986196), "{found:?}");
        assert_eq!(of_pairs("r", &Stratified::of(&[(0, (1.0, 0.0)), (0, (1.0, 2.0))])).correlation, None);
        assert_eq!(of_pairs("r", &Stratified::default()).correlation, None);
    }

    #[test]
    fn spreads() {
        // First values 1, 3, 5; variances within 1, 0 and none.
        let mut counting = Counting::new(1, vec![0; 3]);
        [&[1.0, 2.0, 3.0][..], &[3.0, 3.0], &[5.0]]
            .into_iter()
            .for_each(|values| counting.add(values.iter().copied()));
        let goals = [vec![Some(0.0)], vec![Some(100.0)], vec![None]];
        let summary = counting.finish(&goals, None);
        assert_eq!((summary.mean(), summary.variance(), summary.within()), (3.0, 4.0, 0.5));
        assert_eq!(summary.observed(), Some([1.0, 5.0]));
        assert_eq!(summary.correlation(0, "r").playouts, 2);
        assert_eq!(summary.correlation(0, "r").correlation, Some(1.0));
        assert_eq!(SequenceStatistics::new(1).observed(), None);
    }
}
