//! Runs the stages of an analysis. `run.rs` has their shared state, `game_analysis.rs` the results.

use std::sync::Arc;
use std::time::Instant;

use crate::evaluation::Functions;
use crate::feature::{self, FeatureReport, FluentIndex, GoalValueSource, Sample};
use crate::machine::{RelationalMachine, State};
use crate::property::{OutcomeTally, Source};
use crate::simulate::{Context, Sequence, Statistics, StopReason};
use crate::structure::finding::Structures;
use crate::structure::{self, DETECTORS, Detection};

use super::error::AnalysisError;
use super::exact::{begins_values, find_exact_values};
use super::game::Game;
use super::game_analysis::GameAnalysis;
use super::guided::{begins_guided, play_guided};
use super::left_out::{cut, sentence};
use super::make_functions::{make_functions, measure_functions};
use super::one_ply::{begins_play, play_one_ply};
use super::parts::PartsSummary;
use super::plan::{Clock, Plan};
use super::plan_search::{begins_search, draw_along_plan, search_plan};
use super::proofs::{begins_proofs, prove_findings};
use super::rules::apply_rules;
use super::run::{AnalysisContext, FEATURE_WORK, Run, playing, working};
use super::stage::{Stage, because};
use super::symmetry::SymmetrySummary;

/// Analyses a game according to a plan.
///
/// The same plan and seed give the same result on any number of threads, except for
/// [`StageReport::seconds`](super::StageReport::seconds), if the plan has no clock and nothing interrupts it.
///
/// # Errors
/// Nothing can be played, or a state can't be evaluated.
pub fn analyze(
    game: &Game<'_>,
    plan: &Plan,
    context: &AnalysisContext<'_>,
) -> Result<GameAnalysis, AnalysisError> {
    let mut run = Run { game, plan, context, begun: Instant::now(), stages: Vec::new() };
    run.begun(Stage::Detect);
    let (structures, simulation) = detect(&mut run)?;
    let interrupt = context.interrupt.map(|flag| &**flag);
    let symmetry = SymmetrySummary::new(game.machine, &structures, interrupt);
    let mut analysis = Arc::new(GameAnalysis {
        identity: game.identity.clone(),
        simulation,
        structures,
        parts: PartsSummary::new(game.machine, interrupt),
        symmetry,
        proofs: None,
        features: FeatureReport::empty(plan.seed),
        functions: Functions::default(),
        statistics: Vec::new(),
        tuned: Vec::new(),
        one_ply: Vec::new(),
        guided: None,
        best_plan: None,
        reached: Vec::new(),
        stages: Vec::new(),
    });
    run.show(&mut analysis);
    if plan.rule_playouts > 0 && run.begins(Stage::Rules) {
        apply_rules(&mut run, Arc::make_mut(&mut analysis));
        run.show(&mut analysis);
    }
    if begins_proofs(&mut run) {
        prove_findings(&mut run, Arc::make_mut(&mut analysis))?;
        run.show(&mut analysis);
    }
    let mut plan_states = Vec::new();
    if plan.best_plan && begins_search(&mut run, &analysis) {
        plan_states = search_plan(&mut run, Arc::make_mut(&mut analysis))?;
        run.show(&mut analysis);
    }
    let (functions, features) = (plan.makes_functions(), plan.needs_features());
    if (features || (plan.function_statistics && functions)) && run.begins(Stage::Sample) {
        let mut sample = draw_sample(&mut run, Arc::make_mut(&mut analysis), &plan_states)?;
        let exact = plan.exact
            && begins_values(&mut run, &analysis.structures)
            && find_exact_values(&mut run, &analysis.structures, &mut sample)?;
        if exact {
            let values = values_of_roles(&sample).of(Source::ExactValues);
            Arc::make_mut(&mut analysis).reach(game.machine, values);
        }
        if features && run.begins(Stage::Features) {
            measure_features(&mut run, Arc::make_mut(&mut analysis), sample)?;
        } else {
            Arc::make_mut(&mut analysis).features = FeatureReport::without_features(sample, plan.seed);
        }
        Arc::make_mut(&mut analysis).features.extent.values =
            if exact { GoalValueSource::Exact } else { GoalValueSource::Outcomes };
        run.show(&mut analysis);
    }
    if functions && run.begins(Stage::Functions) {
        make_functions(&mut run, Arc::make_mut(&mut analysis), &plan_states);
        run.show(&mut analysis);
        if plan.function_statistics && run.begins(Stage::FunctionStatistics) {
            measure_functions(&mut run, Arc::make_mut(&mut analysis))?;
            if begins_play(&mut run) {
                run.show(&mut analysis);
                play_one_ply(&mut run, Arc::make_mut(&mut analysis))?;
            }
            if begins_guided(&mut run, &analysis) {
                run.show(&mut analysis);
                play_guided(&mut run, Arc::make_mut(&mut analysis))?;
            }
        }
    }
    let mut analysis = Arc::unwrap_or_clone(analysis);
    analysis.stages = run.stages;
    Ok(analysis)
}

/// The outcomes of the playouts from which the sequences were taken.
fn ends_of(sequences: &[Sequence]) -> OutcomeTally {
    let mut tally = OutcomeTally::default();
    // A truncated playout has no goal values.
    let ended = sequences.iter().filter(|sequence| sequence.goals.iter().any(Option::is_some));
    ended.for_each(|sequence| tally.add(sequence.goals.clone(), 1, None));
    tally
}

/// The exact values of states, for each role separately: they need not all occur together at one end.
fn values_of_roles(sample: &Sample) -> OutcomeTally {
    let mut tally = OutcomeTally::default();
    for sequence in &sample.sequences {
        for (role, &value) in sequence.goals.iter().enumerate() {
            let mut goals = vec![None; sequence.goals.len()];
            goals[role] = value;
            tally.add(goals, 1, None);
        }
    }
    tally
}

fn detect(run: &mut Run<'_, '_>) -> Result<(Structures, Statistics), AnalysisError> {
    let start = Instant::now();
    let &Game { machine, statics, .. } = run.game;
    let budget = run.plan.detection(machine, run.begun);
    let total = (budget.playouts < u64::MAX).then_some(budget.playouts);
    let count = playing(run.context.progress, Stage::Detect, total);
    let context = Context { interrupt: run.context.interrupt, progress: Some(&count) };
    let game = structure::Game { machine, statics };
    let Detection { structures, statistics: simulation, left_out } =
        structure::detect_with(DETECTORS, &game, &budget, &context)?;
    let stopped = match simulation.stopped {
        // The time was requested, so this is not incomplete.
        StopReason::Seconds if matches!(run.plan.clock, Clock::Seconds(_)) => None,
        StopReason::Playouts => None,
        reason => Some(reason),
    };
    let mut notes = Vec::from_iter(run.game.left_out.map(str::to_owned));
    if !left_out.is_empty() {
        let because = because(StopReason::Interrupted);
        notes.push(format!("{because}; not looked for: {}", left_out.join(", ")));
    } else if let Some(reason) = stopped {
        notes.push(cut(simulation.playouts, budget.playouts, "playouts", reason));
        if reason == StopReason::Work && machine.relational().is_some_and(RelationalMachine::terms_grow) {
            notes.push("terms grow from state to state, and each of their symbols counts as work".to_owned());
        }
    }
    run.ended(Stage::Detect, simulation.work, sentence(&notes), start);
    Ok((structures, simulation))
}

fn draw_sample(
    run: &mut Run<'_, '_>,
    analysis: &mut GameAnalysis,
    plan_states: &[State],
) -> Result<Sample, AnalysisError> {
    let start = Instant::now();
    let machine = run.game.machine;
    let budget = run.plan.sampling(machine, run.begun);
    let count = playing(run.context.progress, Stage::Sample, Some(budget.playouts));
    let context = Context { interrupt: run.context.interrupt, progress: Some(&count) };
    let fluent_index = FluentIndex::new(machine);
    let mut sample = feature::sample(machine, &fluent_index, &analysis.structures, &budget, &context)?;
    analysis.reach(machine, ends_of(&sample.sequences).of(Source::Sample));
    if !plan_states.is_empty() {
        let along = draw_along_plan(run, plan_states, sample.sequences.len(), &budget);
        analysis.reach(machine, ends_of(&along).of(Source::AlongPath));
        sample.add_along_way(along);
    }
    let seen = &sample.statistics;
    let wanted = run.plan.sequences(machine);
    let note = if seen.stopped != StopReason::Playouts {
        Some(cut(seen.playouts, budget.playouts, "playouts", seen.stopped))
    } else if budget.playouts < wanted {
        Some(format!("{} of {wanted} playouts: the states of more would not fit in memory", seen.playouts))
    } else {
        None
    };
    run.ended(Stage::Sample, seen.work, note, start);
    Ok(sample)
}

fn measure_features(
    run: &mut Run<'_, '_>,
    analysis: &mut GameAnalysis,
    sample: Sample,
) -> Result<(), AnalysisError> {
    let start = Instant::now();
    let count = working(run.context.progress, Stage::Features);
    let work_limit = run.work_limit(Stage::Features).limited(Some(FEATURE_WORK)).on_progress(&count);
    let machine = run.game.machine;
    let (seed, threads) = (run.plan.seed, run.plan.threads);
    let drawn = sample.sequences.len() as u64;
    analysis.features =
        feature::measure_sample(machine, &analysis.structures, sample, seed, threads, &work_limit)?;
    let note = work_limit.stopped().map(|reason| match analysis.features.features.is_empty() {
        true => format!("no feature was measured: {}", because(reason)),
        false => cut(analysis.features.extent.sequences, drawn, "sequences", reason),
    });
    run.ended(Stage::Features, work_limit.spent(), note, start);
    Ok(())
}
