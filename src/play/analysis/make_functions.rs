//! The stages that make evaluation functions and measure them.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::catalog::{counted, grouped};
use crate::evaluation::{
    BuildContext, Functions, GoalEvidence, Kind, Parameters, function_statistics_and_progress, functions_of,
};
use crate::feature::{Feature, MeasuredFeature};
use crate::machine::State;
use crate::simulate::{Budget, Context, RoleStatistics, StopReason, TimedInterrupt};

use super::error::AnalysisError;
use super::game_analysis::GameAnalysis;
use super::left_out::{leave_out_constants, listed, sentence};
use super::memory::{drop_oversized, size_text};
use super::run::{Run, working};
use super::stage::{Stage, because};
use crate::evaluation::TunedFunctions;

/// Limit of the work for measuring one evaluation function, in addition to a fixed share for each state. The unit is a
/// row that joins of its lifted rules visit, about a hundred nanoseconds.
pub(super) const FUNCTION_WORK: u64 = 20_000_000;

/// The share of a stage's time after which kinds with a clock stop, before the stage interrupts them.
const CLOCK_SHARE: f64 = 0.97;

/// The least number of sequences from which weights can be learned.
const MIN_SEQUENCES: usize = 10;

/// Functions that were left out, by reason.
#[derive(Default)]
struct LeftOut {
    kinds: Vec<String>,
    too_expensive: Vec<String>,
    too_large: Vec<String>,
}

/// The known goal values: proved, reached in random play, or reached by a plan.
fn goal_evidence(analysis: &GameAnalysis) -> GoalEvidence {
    let seen = |role: &RoleStatistics| -> Vec<i32> {
        role.goals.iter().filter(|goal| goal.share.count > 0).map(|goal| goal.value).collect()
    };
    let mut all: Vec<Vec<i32>> = analysis.simulation.roles.iter().map(seen).collect();
    // A plan belongs to the only role.
    if let ([seen], Some(goal)) = (&mut all[..], analysis.best_plan.as_ref().and_then(|plan| plan.goal)) {
        seen.push(goal);
    }
    GoalEvidence {
        unattainable: analysis.proofs.as_ref().map_or(Vec::new(), |proofs| proofs.unattainable.clone()),
        seen: all,
    }
}

/// The possible number of sequences if it is too small for learning, because a playout takes too much of the work limit.
fn few_sequences(analysis: &GameAnalysis) -> Option<usize> {
    let count = analysis.features.sequences.len();
    (analysis.features.extent.stopped == StopReason::Work && count < MIN_SEQUENCES).then_some(count)
}

/// The note that no statistical functions were learned.
fn few_playouts(count: usize) -> String {
    let playouts = counted(count as u64, "playout", "playouts");
    format!("no statistical functions: the work allowed lasts for {playouts} alone")
}

/// The note on features without functions.
fn constant_features(count: usize) -> String {
    let (features, them) = if count == 1 { ("feature was", "it") } else { ("features were", "them") };
    let count = grouped(count as u64);
    format!("{count} {features} the same in every sampled state, so no functions were made from {them}")
}

pub(super) fn make_functions(run: &mut Run<'_, '_>, analysis: &mut GameAnalysis, plan_states: &[State]) {
    let start = Instant::now();
    // A feature that is constant in all sampled states predicts nothing, and neither does a function of it.
    let varies = |measured: &&MeasuredFeature| {
        analysis.features.extent.sequences == 0 || measured.observed[0] < measured.observed[1]
    };
    let varying = analysis.features.features.iter().filter(varies);
    let features: Vec<Feature> = varying.map(|measured| measured.feature.clone()).collect();
    let constant = analysis.features.features.len() - features.len();
    let seconds = run.plan.stage_seconds(Stage::Functions, run.begun).map(|seconds| seconds * CLOCK_SHARE);
    let budget = Budget { seconds, ..run.plan.sampling(run.game.machine, run.begun) };
    // Kinds check only an interrupt, so the clock must set one.
    let timed_interrupt = run.timed_interrupt(Stage::Functions);
    let interrupt = timed_interrupt.as_ref().map(TimedInterrupt::flag).or(run.context.interrupt);
    let goals = goal_evidence(analysis);
    let material = BuildContext {
        machine: run.game.machine,
        structures: &analysis.structures,
        features: &features,
        goals: &goals,
        plan_states,
        memory: run.plan.memory.unrolling(),
        value_steps: run.plan.value_steps,
        budget: &budget,
        context: Context { interrupt, progress: None },
        on_round: run.context.on_round,
    };
    let count = working(run.context.progress, Stage::Functions);
    let mut left_out = LeftOut::default();
    let few = few_sequences(analysis).filter(|_| run.plan.kinds.contains(Kind::Statistical));
    let is_selected =
        |kind: &Kind| run.plan.kinds.contains(*kind) && (few.is_none() || *kind != Kind::Statistical);
    let kinds: Vec<Kind> = Kind::ALL.iter().copied().filter(is_selected).collect();
    let parameters = run.plan.parameters;
    let default_functions = functions_of_kinds(run, &material, &parameters, &kinds, &mut left_out, &count);
    let mut all = default_functions.list.len() as u64;
    let mut tuned = Vec::new();
    for tuning in &run.plan.tunings {
        let mut parameters = parameters;
        let functions = match tuning.set(&mut parameters) {
            Ok(()) => {
                let count = |done| count(all + done);
                functions_of_kinds(run, &material, &parameters, &[tuning.kind()], &mut left_out, &count)
            }
            Err(note) => Functions { notes: vec![note], ..Functions::default() },
        };
        all += functions.list.len() as u64;
        tuned.push(TunedFunctions { tuning: tuning.clone(), functions, statistics: Vec::new() });
    }
    analysis.tuned = tuned;
    analysis.functions = default_functions;
    analysis.functions.notes.extend(few.map(few_playouts));
    if constant > 0 && run.plan.kinds.need_features() {
        analysis.functions.notes.push(constant_features(constant));
    }
    let reason = if run.interrupted() { StopReason::Interrupted } else { StopReason::Seconds };
    let mut notes = Vec::new();
    if !left_out.kinds.is_empty() {
        let kinds = left_out.kinds.join(", ");
        notes.push(format!("{}; left out, or in part: {kinds}", because(reason)));
    }
    if !left_out.too_expensive.is_empty() {
        let most = run.plan.value_steps;
        let expensive = listed(&left_out.too_expensive);
        notes.push(format!(
            "left out, because a value costs more than {} steps of the machine: {expensive}",
            if most.fract() == 0.0 { grouped(most as u64) } else { most.to_string() }
        ));
    }
    if !left_out.too_large.is_empty() {
        let most = size_text(run.plan.memory.functions());
        let large = listed(&left_out.too_large);
        notes.push(format!("left out, as functions may take {most} of memory: {large}"));
    }
    run.ended(Stage::Functions, all, sentence(&notes), start);
}

/// Makes the functions of some kinds, kind by kind, until an interrupt.
fn functions_of_kinds(
    run: &Run<'_, '_>,
    material: &BuildContext<'_>,
    parameters: &Parameters,
    kinds: &[Kind],
    left_out: &mut LeftOut,
    count: &dyn Fn(u64),
) -> Functions {
    let interrupt = material.context.interrupt;
    let ended = || interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
    let mut functions = Functions::default();
    for &kind in kinds {
        let more = match ended() {
            true => Functions::default(),
            false => functions_of(material, parameters, &|one| one == kind),
        };
        if ended() {
            left_out.kinds.push(kind.name().to_owned());
        }
        functions.list.extend(more.list);
        functions.notes.extend(more.notes);
        left_out.too_expensive.extend(more.too_expensive);
        count(functions.list.len() as u64);
    }
    left_out.too_large.extend(drop_oversized(&mut functions.list, run.plan.memory.functions()));
    functions
}

pub(super) fn measure_functions(
    run: &mut Run<'_, '_>,
    analysis: &mut GameAnalysis,
) -> Result<(), AnalysisError> {
    let start = Instant::now();
    let budget = run.plan.sampling(run.game.machine, run.begun);
    let sequences = &analysis.features.sequences;
    let count = working(run.context.progress, Stage::FunctionStatistics);
    let work_limit =
        run.work_limit(Stage::FunctionStatistics).limited(Some(FUNCTION_WORK)).on_progress(&count);
    let measure = |list: &[_]| {
        function_statistics_and_progress(run.game.machine, list, sequences, &budget, &work_limit)
    };
    let (statistics, progress) = measure(&analysis.functions.list)?;
    for tuned_functions in &mut analysis.tuned {
        tuned_functions.statistics = measure(&tuned_functions.functions.list)?.0;
    }
    if run.plan.features {
        analysis.features.add(progress);
    }
    let tuned = analysis.tuned.iter().flat_map(|tuned_functions| &tuned_functions.statistics);
    let all: Vec<u64> = statistics.iter().chain(tuned).map(|of| of.sequences).collect();
    let most = all.iter().copied().max().unwrap_or(0);
    let fewer = all.iter().filter(|&&sequences| sequences < most).count();
    let note = work_limit.stopped().map(|reason| {
        let all = all.len();
        format!(
            "{fewer} of {all} functions were measured on fewer sequences than others: {}",
            because(reason)
        )
    });
    analysis.statistics = statistics;
    leave_out_constants(&mut analysis.functions, &mut analysis.statistics);
    for tuned_functions in &mut analysis.tuned {
        leave_out_constants(&mut tuned_functions.functions, &mut tuned_functions.statistics);
    }
    run.ended(Stage::FunctionStatistics, work_limit.spent(), note, start);
    Ok(())
}
