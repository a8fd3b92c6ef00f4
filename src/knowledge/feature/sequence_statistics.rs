//! Statistics of values over sequences of states: their spread, and their correlation with the goal values at the
//! end.
//!
//! The correlation uses one state of each playout, the last one of its sequence, so that each playout counts as one
//! pair. Mean and variance use the first states, as in the source.

use std::ops::ControlFlow;

use ndarray::Array2;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::machine::{Machine, MachineError};
use crate::simulate::{Sequence, SimulateError, WorkLimit};
use crate::statistics::SIGNIFICANCE;
use crate::statistics::moments::Moments;
use crate::statistics::stratified::{Flat, Stratified};

use super::batch_evaluator::BatchEvaluator;
use super::feature_batch::FeatureBatch;
use super::measure::ValuedState;
use super::signature::{RandomDirections, Signature};
use super::stratum::{Turn, TurnOrder, contrasts};

/// The weight of the variance within sequences in the stability, as in the source.
const WITHIN: f64 = 10.0;

/// For each role its goal value, if there is one.
pub type RoleGoals = Vec<Option<f64>>;

/// Consecutive sequences with their goal values.
#[derive(Clone, Copy)]
struct Part<'s> {
    /// The number of the first sequence.
    first: usize,
    sequences: &'s [Sequence],
    goals: &'s [RoleGoals],
}

/// The number of sequences whose values are in memory together.
const PART: usize = 512;

/// With more values per state than this, fewer sequences are in memory together.
const WIDE: usize = 1 << 12;

/// The most results (values times roles) of parts in memory; with some 64 strata each they take half a gibibyte.
const AT_ONCE: usize = 1 << 16;

/// Adding one value to the tallies of this many roles costs about as much as computing it.
const ROLES_OF_A_VALUE: usize = 8;

/// A correlation is not listed if its effective number of playouts is below this.
const HANDFUL: u64 = 8;

/// The fewest states that share a step with another sampled state, for the conclusion that the step determines a
/// value.
const CONTRASTS: usize = 10;

/// The correlation of a feature or an evaluation function with a role's goal value at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Correlation {
    /// The role.
    pub role: String,
    /// The number of playouts that count: those that ended with one goal value for the role.
    pub playouts: u64,
    /// Pearson's correlation of the value in one state of each playout with the goal value. Only states with the same
    /// role to move and the same move number (later in the game, a similar one) are compared. If it is null, `reason`
    /// says why.
    pub correlation: Option<f64>,
    /// Lower end of its 95 % confidence interval, which does not assume normal values; -1 if `support` is less than
    /// two.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The probability of a correlation at least this strong, of either sign, if the true one is 0; null if `support`
    /// is less than two.
    pub p: Option<f64>,
    /// The p-value corrected for the number of tests, by Holm's method.
    pub p_holm: Option<f64>,
    /// The effective number of playouts: how many carry the variance of the value or of the goal value, whichever is
    /// smaller. A value that is 1 in three playouts and 0 in all others has 3. The interval and the tests depend on
    /// it.
    #[serde(default)]
    pub support: u64,
    /// Why there is no correlation.
    #[serde(default)]
    pub reason: Option<NoCorrelation>,
}

/// The reason why a value has no correlation with a role's goal value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoCorrelation {
    /// The step and the role to move determine the value in the sampled states.
    StepOrTurn,
    /// The value is the same in all states that are compared with each other.
    Constant,
    /// The goal value is the same in all of them.
    GoalConstant,
    /// No two states are comparable.
    TooFew,
}

impl Correlation {
    /// Whether the correlation is significant after the correction for the number of tests.
    pub fn is_significant(&self) -> bool {
        self.p_holm.is_some_and(|p| p < SIGNIFICANCE)
    }

    /// Whether the interval excludes 0 and `support` is large enough.
    pub fn is_supported(&self) -> bool {
        let apart = self.low.zip(self.high).is_some_and(|(low, high)| low > 0.0 || high < 0.0);
        self.correlation.is_some() && apart && self.support >= HANDFUL
    }
}

/// Computes several values of a state.
pub trait Valuer {
    /// The number of values.
    fn width(&self) -> usize;

    /// The only role whose goal values a value is correlated with; none if it is correlated with those of every role.
    fn role(&self, _number: usize) -> Option<usize> {
        None
    }

    /// Replaces `values` by the values of a state.
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

/// Statistics of several values over sequences.
#[derive(Clone, Debug, PartialEq)]
pub struct AllSequenceStatistics {
    /// The statistics of each value.
    pub list: Vec<SequenceStatistics>,
    /// The number of sequences that were evaluated: a prefix, unless a clock or an interrupt ended the computation.
    pub sequences: usize,
}

/// Statistics of one value over sequences.
#[derive(Clone, Debug, PartialEq)]
pub struct SequenceStatistics {
    /// Moments over the first states.
    first: Moments,
    /// Moments of the variances within sequences.
    within: Moments,
    observed: [f64; 2],
    /// For each role the values in the last states with the goal values, by the strata of these states.
    roles: Vec<Stratified>,
    /// The value of each turn, in the order of turns; none if two states of one turn have different values.
    by_turn: Option<Vec<(Turn, f64)>>,
    signature: Signature,
}

/// Computes the statistics of the values of valuers made by `make`, over sequences each of which has a goal value (or
/// none) for every role. The result is the same on any number of threads (0: one per processor).
///
/// If work is limited, the cost of the first few sequences determines how many are evaluated. The unit of work
/// is one value of one state, plus the work that machines and measures count for the states.
///
/// # Errors
/// Threads can't be started, a valuer can't be made, or a state can't be evaluated.
pub fn sequence_statistics<V: Valuer, E: From<MachineError> + From<SimulateError> + Send>(
    machine: &dyn Machine,
    sequences: &[Sequence],
    goals: &[RoleGoals],
    threads: usize,
    work_limit: &WorkLimit<'_>,
    make: impl Fn() -> Result<V, E> + Sync,
) -> Result<AllSequenceStatistics, E> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(SimulateError::from)?;
    let mut batch_evaluator = BatchEvaluator::new(machine);
    let turns = &TurnOrder::new(machine, &mut batch_evaluator, sequences)?;
    let mut first = SequenceValuer { valuer: make()?, batch_evaluator, turns, work_limit };
    let count = first.affordable(sequences, goals)?;
    let width = first.valuer.width();
    let part = (PART * WIDE / width.max(WIDE)).max(1);
    let chunks = sequences[..count].chunks(part).zip(goals[..count].chunks(part)).enumerate();
    let parts: Vec<Part<'_>> =
        chunks.map(|(number, (sequences, goals))| Part { first: number * part, sequences, goals }).collect();
    let of_stretch = |parts: &[Part<'_>]| -> Result<Vec<(Vec<SequenceStatistics>, usize)>, E> {
        if work_limit.check().is_err() {
            return Ok(Vec::new());
        }
        let batch_evaluator = BatchEvaluator::new(machine);
        let mut valuing = SequenceValuer { valuer: make()?, batch_evaluator, turns, work_limit };
        let of_part = |part: &Part<'_>| valuing.part(part);
        let tallies = parts.iter().map(of_part).collect::<Result<_, MachineError>>()?;
        work_limit.add(valuing.work());
        Ok(tallies)
    };
    let roles = machine.description().roles.len();
    let mut tallies =
        AllSequenceStatistics { list: vec![SequenceStatistics::new(roles); width], sequences: 0 };
    // The results of all parts together can take gibibytes if there are many values and roles.
    let held = (0..width).map(|number| first.valuer.role(number).map_or(roles, |_| 1)).sum::<usize>();
    let at_once = (AT_ONCE / held.max(1)).max(pool.current_num_threads());
    'all: for parts in parts.chunks(at_once) {
        // One stretch of parts per thread, because making a valuer is expensive.
        let stretch = parts.len().div_ceil(pool.current_num_threads());
        let some: Vec<Vec<(Vec<SequenceStatistics>, usize)>> =
            pool.install(|| parts.par_chunks(stretch).map(of_stretch).collect::<Result<_, E>>())?;
        for (part, sequences) in some.into_iter().flatten() {
            // Merging parts of many features and roles takes a tenth of a second.
            if work_limit.check().is_err() {
                break 'all;
            }
            tallies.list.iter_mut().zip(&part).for_each(|(summary, part)| summary.merge(part));
            tallies.sequences += sequences;
        }
    }
    if contrasts(&sequences[..tallies.sequences.min(count)]) < CONTRASTS {
        tallies.list.iter_mut().for_each(|summary| summary.by_turn = None);
    }
    work_limit.add((tallies.sequences * (held / ROLES_OF_A_VALUE).saturating_sub(width)) as u64);
    let states = |sequence: &Sequence| sequence.states.len() * width;
    work_limit.add(sequences[..count].iter().map(states).sum::<usize>() as u64);
    // Set at the end: every check of a work limit that was cut fails.
    if count < sequences.len() {
        work_limit.mark_incomplete();
    }
    Ok(tallies)
}

/// The number of sequences from which the cost of one is estimated.
const PROBE: usize = 16;

/// A valuer and the evaluator that shows it states.
struct SequenceValuer<'w, 'm, V> {
    valuer: V,
    batch_evaluator: BatchEvaluator<'m>,
    turns: &'w TurnOrder,
    work_limit: &'w WorkLimit<'w>,
}

impl<V: Valuer> SequenceValuer<'_, '_, V> {
    /// Work that depended on the states.
    fn work(&self) -> u64 {
        self.batch_evaluator.work() + self.valuer.work()
    }

    /// The number of sequences, from the first one, that the limit of work allows; at least one.
    fn affordable(&mut self, sequences: &[Sequence], goals: &[RoleGoals]) -> Result<usize, MachineError> {
        let Some(limit) = self.work_limit.left() else { return Ok(sequences.len()) };
        let (mut spent, mut seen) = (0, 0);
        for (sequence, goals) in sequences.iter().zip(goals).take(PROBE) {
            let before = self.work();
            let (sequences, goals) = (std::slice::from_ref(sequence), std::slice::from_ref(goals));
            self.part(&Part { first: seen as usize, sequences, goals })?;
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

    /// The statistics over one part, and the number of its sequences that were evaluated.
    fn part(&mut self, part: &Part<'_>) -> Result<(Vec<SequenceStatistics>, usize), MachineError> {
        let SequenceValuer { valuer, batch_evaluator, turns, work_limit } = self;
        let &Part { first, sequences, goals } = part;
        let roles = goals.first().map_or(0, Vec::len);
        let width = valuer.width();
        let (mut rows, mut row) = (Vec::new(), Vec::with_capacity(width));
        let mut steps = sequences.iter().flat_map(|sequence| &sequence.steps);
        let mut of_states: Vec<Turn> = Vec::new();
        batch_evaluator.each(sequences.iter().flat_map(|sequence| &sequence.states), |position| {
            if work_limit.check().is_err() {
                return ControlFlow::Break(());
            }
            valuer.values(position, &mut row);
            rows.extend_from_slice(&row);
            of_states.push(turns.turn(steps.next().copied().unwrap_or(0), position.view));
            ControlFlow::Continue(())
        })?;
        // After an interrupt only complete sequences count.
        let mut states = of_states.len();
        let whole = sequences.iter().take_while(|sequence| {
            let left = states.checked_sub(sequence.states.len());
            states = left.unwrap_or(0);
            left.is_some()
        });
        let whole = whole.count();
        let shape = (of_states.len(), width);
        let rows = Array2::from_shape_vec(shape, rows).expect("every state has a row");
        let (sequences, goals) = (&sequences[..whole], &goals[..whole]);
        let mut counting = ValueTally::new(roles, first, sequences, &of_states);
        let of_number = |number: usize| {
            let mut column = rows.column(number).into_iter().copied();
            for sequence in sequences {
                counting.add(column.by_ref().take(sequence.states.len()));
            }
            counting.finish(goals, valuer.role(number))
        };
        Ok(((0..width).map(of_number).collect(), whole))
    }
}

/// The values of one value number at a time, over the sequences of a part.
struct ValueTally {
    roles: usize,
    /// For each sequence the number of its stratum, in order.
    strata: Vec<u32>,
    order: Vec<usize>,
    /// The distinct turns in order, and for each state the index of its turn.
    turns: Vec<Turn>,
    places: Vec<usize>,
    weights: Vec<RandomDirections>,
    first: Vec<f64>,
    within: Vec<f64>,
    observed: [f64; 2],
    /// The value in the last state of each sequence; none for a sequence without states.
    last: Vec<Option<f64>>,
    /// The values in all states so far.
    values: Vec<f64>,
    alike: Vec<(f64, f64)>,
}

impl ValueTally {
    /// Prepares for sequences, the first of which has the number `first`, given the turns of their states.
    fn new(roles: usize, first: usize, sequences: &[Sequence], of_states: &[Turn]) -> ValueTally {
        let mut end = 0;
        let last = |sequence: &Sequence| {
            end += sequence.states.len();
            end.checked_sub(1).map_or(0, |last| of_states[last].stratum())
        };
        let strata: Vec<u32> = sequences.iter().map(last).collect();
        let mut order: Vec<usize> = (0..strata.len()).collect();
        order.sort_by_key(|&sequence| strata[sequence]);
        let mut turns = of_states.to_vec();
        turns.sort_unstable();
        turns.dedup();
        let place = |turn: &Turn| turns.binary_search(turn).unwrap_or(0);
        let numbered = sequences.iter().zip(first..);
        ValueTally {
            roles,
            strata,
            order,
            places: of_states.iter().map(place).collect(),
            turns,
            weights: numbered
                .flat_map(|(of, number)| RandomDirections::of_sequence(number, of.states.len()))
                .collect(),
            first: Vec::new(),
            within: Vec::new(),
            observed: [f64::INFINITY, f64::NEG_INFINITY],
            last: Vec::new(),
            values: Vec::new(),
            alike: Vec::new(),
        }
    }

    /// Adds the values in the next sequence.
    fn add(&mut self, values: impl Iterator<Item = f64>) {
        let begin = self.values.len();
        self.values.extend(values);
        let values = &self.values[begin..];
        self.last.push(values.last().copied());
        let Some(&first) = values.first() else { return };
        self.first.push(first);
        if values.len() > 1 {
            self.within.push(Moments::of(values).variance());
        }
        for &value in values {
            self.observed = [self.observed[0].min(value), self.observed[1].max(value)];
        }
    }

    /// The value of each turn, if states of one turn never have different values.
    fn by_turn(&self) -> Option<Vec<(Turn, f64)>> {
        let mut known: Vec<Option<f64>> = vec![None; self.turns.len()];
        for (&index, &value) in self.places.iter().zip(&self.values) {
            if *known[index].get_or_insert(value) != value {
                return None;
            }
        }
        Some(self.turns.iter().zip(known).filter_map(|(&turn, value)| Some((turn, value?))).collect())
    }

    /// The statistics over all sequences with these goal values, for every role or one. The next values belong to the
    /// next number.
    fn finish(&mut self, goals: &[RoleGoals], only: Option<usize>) -> SequenceStatistics {
        let by_turn = self.by_turn();
        let ValueTally { strata, order, last, alike, roles, .. } = &mut *self;
        let mut of_role = |role: usize| {
            if only.is_some_and(|only| only != role) {
                return Stratified::default();
            }
            let pairs = order
                .iter()
                .filter_map(|&sequence| Some((strata[sequence], (last[sequence]?, goals[sequence][role]?))));
            Stratified::of_sorted(pairs, alike)
        };
        let roles = (0..*roles).map(&mut of_role).collect();
        let statistics = SequenceStatistics {
            first: Moments::of(&self.first),
            within: Moments::of(&self.within),
            observed: self.observed,
            roles,
            by_turn,
            signature: Signature::of(&self.values, &self.weights),
        };
        self.observed = [f64::INFINITY, f64::NEG_INFINITY];
        [&mut self.first, &mut self.within, &mut self.values].into_iter().for_each(Vec::clear);
        self.last.clear();
        statistics
    }
}

impl SequenceStatistics {
    /// The statistics of no sequences.
    pub fn new(roles: usize) -> SequenceStatistics {
        ValueTally::new(roles, 0, &[], &[]).finish(&[], None)
    }

    /// Adds the statistics of later sequences.
    pub fn merge(&mut self, later: &SequenceStatistics) {
        self.first.merge(&later.first);
        self.within.merge(&later.within);
        self.observed = [self.observed[0].min(later.observed[0]), self.observed[1].max(later.observed[1])];
        self.roles.iter_mut().zip(&later.roles).for_each(|(pairs, later)| pairs.merge(later));
        self.by_turn =
            self.by_turn.take().zip(later.by_turn.as_ref()).and_then(|(own, later)| merged(own, later));
        self.signature.merge(&later.signature);
    }

    /// Mean over the first states.
    pub fn mean(&self) -> f64 {
        self.first.mean
    }

    /// Unbiased variance over the first states: TV.
    pub fn variance(&self) -> f64 {
        self.first.variance()
    }

    /// Mean of the variances within sequences: SV.
    pub fn within(&self) -> f64 {
        self.within.mean
    }

    /// S = TV / (TV + 10 SV), from 0 to 1; none if the value never changes.
    pub fn stability(&self) -> Option<f64> {
        stability(self.variance(), self.within(), WITHIN)
    }

    /// The least and the greatest value; none without sequences.
    pub fn observed(&self) -> Option<[f64; 2]> {
        (self.first.count > 0.0).then_some(self.observed)
    }

    /// The signature, which ignores a factor and an offset; none if the value never changes.
    pub(super) fn signature(&self) -> Option<&Signature> {
        (self.observed[0] < self.observed[1]).then_some(&self.signature)
    }

    /// Whether the value changes, but the step and the role to move determine it.
    fn measures_turn(&self) -> bool {
        self.by_turn.is_some() && self.observed[0] < self.observed[1]
    }

    /// The correlation of the values in the last states with the goal value of a role, given by number and name. The
    /// p-value is not corrected.
    pub fn correlation(&self, role: usize, name: &str) -> Correlation {
        let mut found = of_pairs(name, &self.roles[role]);
        if self.measures_turn() {
            let reason = Some(NoCorrelation::StepOrTurn);
            found = Correlation { playouts: found.playouts, reason, ..without(name) };
        }
        found
    }
}

/// The values of turns from two parts; none if they contradict each other.
fn merged(own: Vec<(Turn, f64)>, later: &[(Turn, f64)]) -> Option<Vec<(Turn, f64)>> {
    let mut all = own;
    all.extend_from_slice(later);
    all.sort_by_key(|&(turn, _)| turn);
    let differ = |pair: &[(Turn, f64)]| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1;
    if all.windows(2).any(differ) {
        return None;
    }
    all.dedup_by_key(|&mut (turn, _)| turn);
    Some(all)
}

/// S = TV / (TV + weight SV), from 0 to 1, from a total variance and one within sequences; none if both are 0.
pub fn stability(total: f64, within: f64, weight: f64) -> Option<f64> {
    let changes = total + weight * within;
    (changes > 0.0).then(|| total / changes)
}

/// An entry without a correlation.
fn without(role: &str) -> Correlation {
    Correlation {
        role: role.to_owned(),
        playouts: 0,
        correlation: None,
        low: None,
        high: None,
        p: None,
        p_holm: None,
        support: 0,
        reason: None,
    }
}

/// Pearson's correlation with its interval and p-value, which is not yet corrected.
fn of_pairs(role: &str, pairs: &Stratified) -> Correlation {
    let found = Correlation { playouts: pairs.count(), ..without(role) };
    match pairs.correlation() {
        Ok(pooled) => Correlation {
            correlation: Some(pooled.value),
            low: Some(pooled.low),
            high: Some(pooled.high),
            p: pooled.p,
            support: pooled.effective as u64,
            ..found
        },
        Err(flat) => {
            let reason = match flat {
                Flat::Pairs => NoCorrelation::TooFew,
                Flat::First => NoCorrelation::Constant,
                Flat::Second => NoCorrelation::GoalConstant,
            };
            Correlation { reason: Some(reason), ..found }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::State;

    /// A sequence of equal states from step `first` on.
    fn sequence(first: u32, states: usize) -> Sequence {
        let state = State(Box::default());
        let steps = (first..).take(states).collect();
        Sequence { steps, states: vec![state; states], goals: Vec::new() }
    }

    /// The statistics of one value over sequences that begin at some steps, with the goal values of the only role.
    fn tally(values: &[(u32, &[f64])], goals: &[Option<f64>]) -> SequenceStatistics {
        let sequences: Vec<Sequence> = values.iter().map(|(first, of)| sequence(*first, of.len())).collect();
        let turns: Vec<Turn> =
            sequences.iter().flat_map(|of| &of.steps).map(|&step| Turn::new(step, Some(0))).collect();
        let mut counting = ValueTally::new(1, 0, &sequences, &turns);
        values.iter().for_each(|(_, values)| counting.add(values.iter().copied()));
        let goals: Vec<RoleGoals> = goals.iter().map(|&goal| vec![goal]).collect();
        counting.finish(&goals, None)
    }

    #[test]
    fn spread_statistics_are_correct() {
        // First values 1, 3, 5; variances within sequences 1, 0 and none.
        let values: [(u32, &[f64]); 3] = [(0, &[1.0, 2.0, 3.0]), (0, &[3.0, 3.0]), (2, &[5.0])];
        let summary = tally(&values, &[Some(0.0), Some(100.0), None]);
        assert_eq!((summary.mean(), summary.variance(), summary.within()), (3.0, 4.0, 0.5));
        assert_eq!(summary.observed(), Some([1.0, 5.0]));
        assert_eq!(summary.correlation(0, "r").playouts, 2);
        assert_eq!(SequenceStatistics::new(1).observed(), None);
    }

    #[test]
    fn the_evaluated_state_determines_the_stratum() {
        // At step 2 the value varies with the goal value; the sequences begin and end at different steps.
        let values: [(u32, &[f64]); 4] = [(0, &[9.0, 9.0, 1.0]), (1, &[0.0, 2.0]), (2, &[3.0]), (3, &[7.0])];
        let goals = [Some(10.0), Some(20.0), Some(30.0), Some(0.0)];
        let found = tally(&values, &goals).correlation(0, "r");
        assert_eq!((found.playouts, found.reason), (4, None));
        assert!((found.correlation.unwrap() - 1.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn functions_of_the_step_have_no_correlation() {
        let steps: [(u32, &[f64]); 4] = [(0, &[0.0, 1.0]), (1, &[1.0, 2.0]), (0, &[0.0]), (1, &[1.0, 2.0])];
        let goals = [Some(0.0), Some(100.0), Some(100.0), Some(0.0)];
        let mut summary = tally(&steps, &goals);
        let found = summary.correlation(0, "r");
        assert_eq!((found.correlation, found.reason), (None, Some(NoCorrelation::StepOrTurn)));
        // Later sequences may contradict this.
        summary.merge(&tally(&[(0, &[0.0]), (0, &[1.0])], &[Some(0.0), Some(100.0)]));
        let found = summary.correlation(0, "r");
        assert!(found.correlation.is_some() && found.reason.is_none(), "{found:?}");
        let same = tally(&[(0, &[4.0]), (0, &[4.0])], &[Some(0.0), Some(100.0)]).correlation(0, "r");
        assert_eq!((same.correlation, same.reason), (None, Some(NoCorrelation::Constant)));
        let goal = tally(&[(0, &[4.0]), (0, &[5.0])], &[Some(50.0), Some(50.0)]).correlation(0, "r");
        assert_eq!(goal.reason, Some(NoCorrelation::GoalConstant));
        assert_eq!(tally(&[(0, &[4.0])], &[None]).correlation(0, "r").reason, Some(NoCorrelation::TooFew));
    }
}
