//! Learns statistical functions from random play.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use crate::feature::{
    BatchEvaluator, Family, Feature, FeatureBatch, FeatureError, FluentIndex, MeasureError, MeasuredFeature,
    RoleGoals, Spec, measure_features_within, role_goals, stability,
};
use crate::machine::{Machine, MachineError, State};
use crate::simulate::{
    Budget, Context, EarlyEnd, RoleLabel, Sequence, SequenceShape, SimulateError, Statistics, WorkLimit,
    labels, sequences, sequences_along,
};
use crate::statistics::regression::bare_slope;

use super::super::function::FunctionError;
use super::function::{StatisticalFunction, StatisticalTerm};
use super::own_play::TrainingData;
use super::parameters::{Scaling, StatisticalParameterError, StatisticalParameters};

/// The random stream of labels, so that their playouts differ from those that sequences are taken from.
pub(super) const LABELS: u64 = 0x1abe_1000;

/// Limits the work of the playouts that begin at a state of a plan, in steps. Fewer sequences come from them if it is
/// reached.
const PLAN_STEPS: u64 = 200_000;

/// The reason why nothing could be learned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticalLearningError {
    /// A parameter is invalid.
    #[error(transparent)]
    Parameters(#[from] StatisticalParameterError),
    /// No game could be played.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// A state could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A feature does not fit the game.
    #[error(transparent)]
    Feature(#[from] FeatureError),
    /// Features could not be measured.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A function can't be bound.
    #[error(transparent)]
    Follow(Box<FunctionError>),
    /// Learning was interrupted.
    #[error(transparent)]
    Stopped(#[from] EarlyEnd),
}

/// The learned functions, and notes on what was left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatisticalFunctions {
    /// One for each role that can have one, in the order of the roles.
    pub functions: Vec<StatisticalFunction>,
    /// Sentences on roles without a function and on limits that were reached, each with the reason.
    pub notes: Vec<String>,
}

/// Learns the functions of all roles. Parameters set the seed and the counts. The budget limits the steps of a game,
/// the threads and the work; the limit of work may reduce the number of playouts. If the states of a plan are given
/// (see [`sequences_along`]), an equal number of sequences comes from playouts that begin at one of them.
///
/// # Errors
/// A parameter is outside its range, no game could be played, or a state can't be evaluated.
pub fn functions(
    machine: &dyn Machine,
    features: &[Feature],
    plan_states: &[State],
    parameters: &StatisticalParameters,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<StatisticalFunctions, StatisticalLearningError> {
    parameters.validate()?;
    let candidates = candidates(features, parameters.all_features);
    let shape = SequenceShape { length: parameters.length as usize, gap: parameters.gap as usize };
    let requested = u64::from(parameters.sequences);
    let play =
        Budget { playouts: requested, seed: parameters.seed, first: 0, seconds: None, ..budget.clone() };
    let (statistics, mut sequences) = sequences(machine, shape, &play, context)?;
    let mut learned = StatisticalFunctions::default();
    let played = statistics.playouts;
    if played < requested {
        learned.notes.push(format!(
            "statistical functions were learned from {played} of {requested} sequences: the limit of work was reached"
        ));
    }
    if !plan_states.is_empty() {
        let along = Budget { playouts: played, work: Some(PLAN_STEPS), ..play.clone() };
        sequences.extend(sequences_along(machine, plan_states, shape, &along, context));
    }
    let playouts = affordable(&statistics, sequences.len() as u64, parameters.playouts, budget.work);
    if playouts < parameters.playouts {
        let text = match playouts {
            0 => "the result of its own playout".to_owned(),
            1 => "1 playout".to_owned(),
            several => format!("{several} playouts"),
        };
        let requested = parameters.playouts;
        learned.notes.push(format!(
            "statistical functions: each sequence is labelled by {text}, because {requested} would exceed the limit of work"
        ));
    }
    let labels = match playouts {
        0 => role_goals(&sequences),
        _ => label(machine, &sequences, playouts, &play, context)?,
    };

    let fluent_index = FluentIndex::new(machine);
    let work_limit = WorkLimit::new(context.interrupt);
    let (measured, _) = measure_features_within(
        &fluent_index,
        &candidates,
        &sequences,
        &labels,
        budget.threads,
        &work_limit,
    )?;
    let fit = StatisticalFit { fluent_index: &fluent_index, parameters, playouts, work_limit: &work_limit };
    let training = TrainingData {
        fit: &fit,
        candidates: &candidates,
        sequences: &sequences,
        labels: &labels,
        shape,
        play: &play,
        context,
    };
    for number in machine.description().players() {
        match fit.function(number, &sequences, &labels, &measured)? {
            Some(function) => {
                let (function, note) = training.improved(number, function)?;
                learned.functions.push(function);
                learned.notes.extend(note);
            }
            None => {
                let role = machine.term_text(machine.description().roles[number]);
                let count = sequences.len();
                learned.notes.push(format!(
                    "no statistical function for {role}: none of {count} sequences ended with a goal value"
                ));
            }
        }
    }
    Ok(learned)
}

/// The inputs of a fit.
pub(super) struct StatisticalFit<'a> {
    pub(super) fluent_index: &'a FluentIndex<'a>,
    parameters: &'a StatisticalParameters,
    /// The number of playouts for each label; 0 if the label is the result of the sequence's own playout.
    pub(super) playouts: u32,
    work_limit: &'a WorkLimit<'a>,
}

impl StatisticalFit<'_> {
    /// The function of a role; none if no sequence has a label for it.
    ///
    /// # Errors
    /// The fit was interrupted, or a state can't be evaluated.
    pub(super) fn function(
        &self,
        number: usize,
        sequences: &[Sequence],
        labels: &[RoleGoals],
        measured: &[MeasuredFeature],
    ) -> Result<Option<StatisticalFunction>, StatisticalLearningError> {
        let &StatisticalFit { fluent_index, parameters, playouts, work_limit } = self;
        let machine = fluent_index.machine();
        let role = machine.term_text(machine.description().roles[number]);
        let labelled: Vec<(&Sequence, f64)> = (sequences.iter().zip(labels))
            .filter_map(|(sequence, labels)| Some((sequence, labels[number]?)))
            .collect();
        if labelled.is_empty() {
            return Ok(None);
        }
        let constant = labelled.iter().map(|(_, label)| label).sum::<f64>() / labelled.len() as f64;
        let (terms, candidates) = select(measured, number, parameters);
        let mut function = StatisticalFunction {
            role,
            parameters: *parameters,
            sequences: labelled.len() as u64,
            playouts,
            constant,
            scale: 1.0,
            candidates,
            terms,
        };
        if parameters.scaling == Scaling::Fitted {
            function.scale = fit_scale(fluent_index, &function, &labelled, work_limit)?;
        }
        Ok(Some(function))
    }
}

/// The number of playouts for each label: the requested number, or fewer if the remaining work does not suffice.
fn affordable(statistics: &Statistics, sequences: u64, requested: u32, work: Option<u64>) -> u32 {
    let Some(work) = work else { return requested };
    // A playout from the middle of a game costs at most as much as one from the initial state, apart from chance.
    let each = statistics.work.div_ceil(statistics.playouts.max(1)).max(1);
    let affordable = work.saturating_sub(statistics.work) / each / sequences.max(1);
    requested.min(affordable.try_into().unwrap_or(u32::MAX))
}

/// The features that can be components: those that a document can contain.
fn candidates(features: &[Feature], all: bool) -> Vec<Feature> {
    let count = |spec: &Spec| matches!(spec, Spec::Count { .. });
    // An expression that equals a feature of another family is listed under that family.
    let expression = |feature: &&Feature| match &feature.spec {
        Spec::Difference { first, second } => count(first) && count(second),
        spec => count(spec),
    };
    let along = |feature: &&Feature| {
        let ordered = matches!(feature.family, Family::Order | Family::Latch);
        (ordered || matches!(feature.spec, Spec::Index { .. })) && feature.spec.is_sum()
    };
    let is_candidate = |feature: &&Feature| {
        all && feature.family != Family::GoalProgress || expression(feature) || along(feature)
    };
    features.iter().filter(is_candidate).cloned().collect()
}

/// For each sequence and role the mean goal value of playouts from its last state; none if none of them ended.
pub(super) fn label(
    machine: &dyn Machine,
    sequences: &[Sequence],
    playouts: u32,
    play: &Budget,
    context: &Context<'_>,
) -> Result<Vec<RoleGoals>, SimulateError> {
    let last: Vec<State> = sequences.iter().filter_map(|sequence| sequence.states.last().cloned()).collect();
    let budget = Budget { playouts: playouts.into(), seed: play.seed ^ LABELS, ..play.clone() };
    let labels = labels(machine, &last, &budget, context)?;
    let of_role = |role: &RoleLabel| (role.scored > 0).then_some(role.mean);
    Ok(labels.iter().map(|label| label.roles.iter().map(of_role).collect()).collect())
}

/// The components with the greatest minimum of stability and absolute correlation, the best first. Components that tie
/// with the last one are included. Also returns the number of candidates.
fn select(
    measured: &[MeasuredFeature],
    role: usize,
    parameters: &StatisticalParameters,
) -> (Vec<StatisticalTerm>, u64) {
    let mut terms: Vec<StatisticalTerm> = Vec::new();
    for component in measured {
        let stability = stability(component.variance, component.within, parameters.within);
        let correlation = component.correlations.get(role).and_then(|with| with.correlation);
        let (Some(stability), Some(correlation)) = (stability, correlation) else { continue };
        let (weight, deviation) = (stability * correlation, component.variance.sqrt());
        if weight == 0.0 || deviation == 0.0 {
            continue;
        }
        let (mean, feature) = (component.mean, component.feature.clone());
        terms.push(StatisticalTerm { weight, stability, correlation, mean, deviation, feature });
    }
    let quality = |term: &StatisticalTerm| term.stability.min(term.correlation.abs());
    // A tie must not be broken by the order of the rules.
    let order = |term: &StatisticalTerm| [quality(term), term.weight.abs(), term.deviation, term.mean.abs()];
    terms.sort_by(|a, b| {
        let differ = order(b).into_iter().zip(order(a)).map(|(b, a)| b.total_cmp(&a));
        differ.fold(Ordering::Equal, Ordering::then)
    });
    let candidates = terms.len() as u64;
    if let Some(last) = terms.get(parameters.components as usize - 1).map(quality) {
        terms.retain(|term| quality(term) >= last);
    }
    (terms, candidates)
}

/// The factor with which the sum, averaged over each sequence, fits the labels best (least squares); never negative.
fn fit_scale(
    fluent_index: &FluentIndex<'_>,
    function: &StatisticalFunction,
    labelled: &[(&Sequence, f64)],
    work_limit: &WorkLimit<'_>,
) -> Result<f64, StatisticalLearningError> {
    let features: Vec<Feature> = function.terms.iter().map(|term| term.feature.clone()).collect();
    let mut batch = FeatureBatch::new(&features, fluent_index)?;
    let (mut row, mut sums) = (Vec::new(), Vec::new());
    let states = labelled.iter().flat_map(|(sequence, _)| &sequence.states);
    BatchEvaluator::new(fluent_index.machine()).each(states, |position| {
        batch.values(position, &mut row);
        sums.push(function.contributions(&row).iter().sum::<f64>());
        work_limit.check().map_or(ControlFlow::Break(()), ControlFlow::Continue)
    })?;
    work_limit.check()?;
    let mut sums = sums.into_iter();
    let pair = |(sequence, label): &(&Sequence, f64)| {
        let length = sequence.states.len();
        (sums.by_ref().take(length).sum::<f64>() / length as f64, *label)
    };
    let pairs: Vec<(f64, f64)> = labelled.iter().map(pair).collect();
    Ok(bare_slope(&pairs).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::SequenceStatistics;

    /// A component with these variances and this correlation.
    fn component(id: &str, variance: f64, within: f64, correlation: Option<f64>) -> MeasuredFeature {
        let spec = Spec::Count { pattern: format!("({id})") };
        let feature = Feature {
            id: id.to_owned(),
            family: Family::Expression,
            role: None,
            formula: spec.to_string(),
            range: [0.0, 9.0],
            beyond_source: false,
            spec,
        };
        let mut with = SequenceStatistics::new(1).correlation(0, "r");
        with.correlation = correlation;
        let (mean, observed, correlations) = (2.0, [0.0, 9.0], vec![with]);
        MeasuredFeature {
            feature,
            mean,
            variance,
            within,
            stability: None,
            observed,
            correlations,
            guided: Vec::new(),
            aliases: Vec::new(),
            alias_of: None,
            signature: None,
        }
    }

    fn ids(terms: &[StatisticalTerm]) -> Vec<&str> {
        terms.iter().map(|term| term.feature.id.as_str()).collect()
    }

    #[test]
    fn the_worst_of_stability_and_correlation_decides() {
        let measured = [
            // S = 4 / (4 + 10 * 0.5) = 4/9, and min(S, |r|) = 0.3.
            component("a", 4.0, 0.5, Some(0.3)),
            // S = 1 / (1 + 10 * 0.9) = 0.1, and min(S, |r|) = 0.1 for any greater correlation.
            component("b", 1.0, 0.9, Some(-0.9)),
            // S = 1, and min(S, |r|) = 0.4.
            component("c", 9.0, 0.0, Some(-0.4)),
            // Never changes; no correlation; neither.
            component("d", 0.0, 0.0, Some(0.5)),
            component("e", 1.0, 0.1, None),
            component("f", 1.0, 0.1, Some(0.0)),
            // Changes only in the course of a playout, S = 0.
            component("g", 0.0, 1.0, Some(0.5)),
        ];
        let parameters = StatisticalParameters::default();
        let (terms, _) = select(&measured, 0, &parameters);
        assert_eq!(ids(&terms), ["c", "a", "b"]);
        let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-12, "{found}");
        near(terms[0].weight, -0.4);
        near(terms[1].weight, 4.0 / 9.0 * 0.3);
        near(terms[2].weight, -0.09);
        assert_eq!((terms[0].deviation, terms[1].deviation, terms[1].mean), (3.0, 2.0, 2.0));
        // If the variance within sequences does not count, S = 1 for all, and correlations decide.
        let (terms, _) = select(&measured, 0, &StatisticalParameters { within: 0.0, ..parameters });
        assert_eq!(ids(&terms), ["b", "c", "a"]);
        let (terms, _) = select(&measured, 0, &StatisticalParameters { components: 1, ..parameters });
        assert_eq!(ids(&terms), ["c"]);
    }

    #[test]
    fn ties_with_the_last_component_are_kept() {
        let measured = ["a", "b", "c"].map(|id| component(id, 1.0, 0.0, Some(0.5)));
        let parameters = StatisticalParameters { components: 2, ..StatisticalParameters::default() };
        let (terms, candidates) = select(&measured, 0, &parameters);
        assert_eq!((ids(&terms).len(), candidates), (3, 3));
    }
}
