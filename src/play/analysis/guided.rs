//! Correlations on states from games of the best function: a function that helps against random players may not help
//! against better ones. `judge/trial.rs` plays the games; `report/features.rs` and `report/evaluations.rs` mark these
//! correlations.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::evaluation::{StepCost, function_statistics_and_progress};
use crate::feature::{
    Family, Feature, FluentIndex, MeasuredFeature, holm, measure_features_within, role_goals,
};
use crate::judge::{GuidedResult, Trial, guided_states};
use crate::property::Source;
use crate::simulate::{Sequence, StopReason, TimedInterrupt};

use super::error::AnalysisError;
use super::game_analysis::{GameAnalysis, Guided};
use super::make_functions::FUNCTION_WORK;
use super::one_ply::successor_cost;
use super::run::{FEATURE_WORK, Run, working};
use super::stage::{Stage, because};

/// The number of games.
const PLAYOUTS: u64 = 1_000;

/// The least number of games that is reported.
const MIN_PLAYOUTS: usize = 100;

/// The most time for these games, in nanoseconds of one processor by the counts of [`StepCost`].
const MAX_NANOSECONDS: f64 = 2e9;

/// The function, with its role, that most certainly beats the reference player `ends`.
fn best(analysis: &GameAnalysis) -> Option<(usize, usize)> {
    let better = analysis.one_ply.iter().filter_map(|played| {
        let low = played.over_ends?.low.filter(|&low| low > 0.0)?;
        Some((low, played.role, played.function?))
    });
    // Ties go to the first; `max_by` would return the last.
    let better: Vec<(f64, usize, usize)> = better.collect();
    better.into_iter().rev().max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, role, place)| (role, place))
}

/// Whether there is a function to follow, and no exact values make this needless.
pub(super) fn begins_guided(run: &mut Run<'_, '_>, analysis: &GameAnalysis) -> bool {
    let exact = analysis.features.extent.values == crate::feature::GoalValueSource::Exact;
    !exact && best(analysis).is_some() && run.begins(Stage::GuidedStates)
}

/// Measures functions and features on states from games of the best function.
pub(super) fn play_guided(run: &mut Run<'_, '_>, analysis: &mut GameAnalysis) -> Result<(), AnalysisError> {
    let start = Instant::now();
    let machine = run.game.machine;
    let timed_interrupt = run.timed_interrupt(Stage::GuidedStates);
    let interrupt = timed_interrupt.as_ref().map(TimedInterrupt::flag).or(run.context.interrupt);
    let cost = StepCost::new(machine, interrupt).ok().flatten();
    let (Some((role, place)), Some(cost)) = (best(analysis), cost) else { return Ok(()) };
    let function = &analysis.functions.list[place];
    let trial = Trial {
        machine,
        structures: &analysis.structures,
        role,
        function: Some(function),
        first: 0,
        playouts: PLAYOUTS,
        values: (MAX_NANOSECONDS / successor_cost(&cost, Some(function))) as u64,
        seed: run.plan.seed,
        max_steps: run.plan.max_steps(machine),
        threads: run.plan.threads,
        interrupt: interrupt.map(|flag| &**flag),
    };
    let GuidedResult { sequences, tally, .. } = guided_states(&trial)?;
    analysis.reach(machine, tally.of(Source::GuidedPlay));
    let ended = interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
    if ended || sequences.len() < MIN_PLAYOUTS {
        let reason = match (run.interrupted(), ended) {
            (true, _) => StopReason::Interrupted,
            (_, true) => StopReason::Seconds,
            _ => StopReason::Work,
        };
        let note = format!("{} of {PLAYOUTS} games: {}", sequences.len(), because(reason));
        run.ended(Stage::GuidedStates, 0, Some(note), start);
        return Ok(());
    }
    let count = working(run.context.progress, Stage::GuidedStates);
    let work_limit = run.work_limit(Stage::GuidedStates).limited(Some(FUNCTION_WORK)).on_progress(&count);
    let budget = run.plan.sampling(machine, run.begun);
    let list = &analysis.functions.list;
    let (statistics, progress) =
        function_statistics_and_progress(machine, list, &sequences, &budget, &work_limit)?;
    let of_features = run.work_limit(Stage::GuidedStates).limited(Some(FEATURE_WORK)).on_progress(&count);
    features_on(run, analysis, &sequences, progress, &of_features)?;
    analysis.guided = Some(Guided {
        function: place,
        sequences: sequences.len() as u64,
        states: sequences.iter().map(|sequence| sequence.states.len() as u64).sum(),
        correlations: statistics.into_iter().map(|of| of.goal).collect(),
    });
    let reason = work_limit.stopped().or(of_features.stopped());
    let note = reason.map(|reason| format!("measured on fewer states: {}", because(reason)));
    run.ended(Stage::GuidedStates, work_limit.spent() + of_features.spent(), note, start);
    Ok(())
}

/// Measures the analysis' features on sequences. The features of goal functions were measured on the same sequences.
fn features_on(
    run: &Run<'_, '_>,
    analysis: &mut GameAnalysis,
    sequences: &[Sequence],
    progress: Vec<MeasuredFeature>,
    work_limit: &crate::simulate::WorkLimit<'_>,
) -> Result<(), AnalysisError> {
    let features = &mut analysis.features.features;
    let own = |of: &&MeasuredFeature| of.feature.family != Family::GoalProgress && of.alias_of.is_none();
    let wanted: Vec<Feature> = features.iter().filter(own).map(|of| of.feature.clone()).collect();
    let (index, goals) = (FluentIndex::new(run.game.machine), role_goals(sequences));
    let (found, _) =
        measure_features_within(&index, &wanted, sequences, &goals, run.plan.threads, work_limit)?;
    let listed = |of: &MeasuredFeature| {
        features.iter().any(|own| own.alias_of.is_none() && own.feature.id == of.feature.id)
    };
    let progress = progress.into_iter().filter(listed);
    let mut found: Vec<MeasuredFeature> = found.into_iter().chain(progress).collect();
    holm(found.iter_mut().flat_map(|of| &mut of.correlations).collect());
    for of in features {
        let same = found.iter().position(|other| other.feature.id == of.feature.id);
        of.guided = same.map_or(Vec::new(), |same| found.swap_remove(same).correlations);
    }
    Ok(())
}
