//! The stages in a line.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::evaluation::learned::LearningRound;
use crate::evaluation::{
    Document, Function, FunctionStatistics, FunctionStatisticsError, Functions, GameIdentity,
};
use crate::feature::{self, FeatureReport, FluentIndex, MeasureError, Sample, ValuesOf};
use crate::machine::Machine;
use crate::property::{ProofError, Proofs};
use crate::simulate::{Alarm, Context, Progress, SimulateError, Statistics, StopReason, Watch};
use crate::structure::finding::Structures;
use crate::structure::{self, DETECTORS, DetectError, Detected};

use super::exact::ExactValuer;
use super::game::Game;
use super::guided::{Guided, GuidedPlayer};
use super::left_out::{cut, sentence};
use super::one_ply::{CallerError, OnePly, OnePlyPlayer};
use super::plan::{Clock, Plan};
use super::proofs::Guarantor;
use super::stage::{Stage, StageProgress, StageReport, because};
use super::tuning::TunedFunctions;
use super::way::{Way, WayFinder};

/// Work that measuring features may take: ten times what the largest games known take (November 2026).
pub(super) const FEATURE_WORK: u64 = 2_000_000_000;

/// The caller's side of an analysis.
#[derive(Clone, Copy, Default)]
pub struct AnalysisContext<'a> {
    /// Once true, the stage under way ends with what it has, and those after it are left out.
    pub interrupt: Option<&'a Arc<AtomicBool>>,
    /// Told how far a stage is, on any thread.
    pub progress: Option<&'a (dyn Fn(StageProgress) + Sync)>,
    /// Plays one move ahead by functions; without it that stage is none.
    pub one_ply: Option<&'a OnePlyPlayer<'a>>,
    /// Plays games of the function that was best one move ahead; without it correlations are with random play alone.
    pub guided: Option<&'a GuidedPlayer<'a>>,
    /// Values states exactly; without it correlations are with outcomes of random play.
    pub exact: Option<&'a ExactValuer<'a>>,
    /// Searches for ways to goal values that random play did not reach; without it that stage is none.
    pub way: Option<&'a WayFinder<'a>>,
    /// Says what roles can be sure of; without it nothing is proved.
    pub guarantor: Option<&'a Guarantor<'a>>,
    /// Hears of every round of learning.
    pub on_round: Option<&'a (dyn Fn(&LearningRound) + Sync)>,
    /// Shown what was found so far after every stage, for callers who may have to do with it.
    pub finished: Option<&'a dyn Fn(&GameAnalysis)>,
}

/// What was found out about a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameAnalysis {
    /// Which game.
    pub identity: GameIdentity,
    /// What random play gave.
    pub simulation: Statistics,
    /// What the game is made of.
    pub structures: Structures,
    /// Properties of the game, and what was proved; none where nothing was to be.
    pub proofs: Option<Proofs>,
    /// Features with their statistics, and the sequences of states that these rest on.
    pub features: FeatureReport,
    /// Evaluation functions.
    pub functions: Functions,
    /// What the sequences say of each function; empty where nobody asked.
    pub statistics: Vec<FunctionStatistics>,
    /// Evaluation functions by other parameters, as far as the plan named some.
    pub tuned: Vec<TunedFunctions>,
    /// What the best of them bring in play one move ahead, see [`OnePly`].
    pub one_ply: Vec<OnePly>,
    /// What states from games of the best of these say; none where none is better than who sees ends alone, where values are
    /// exact, or nobody asked.
    pub guided: Option<Guided>,
    /// What search found where random play did not reach the best goal value of a game for one.
    pub way: Option<Way>,
    /// The stages that ran, or were to run, in order.
    pub stages: Vec<StageReport>,
}

impl GameAnalysis {
    /// The documents of its functions, for the machine that it was found on.
    pub fn documents(&self, machine: &dyn Machine) -> Vec<Document> {
        let document = |(place, function): (usize, &Function)| {
            let quality = self.statistics.get(place).cloned();
            Document::new(&self.identity, machine, &self.structures, function.clone(), quality)
        };
        self.functions.list.iter().enumerate().map(document).collect()
    }
}

/// Why a game could not be analysed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// Nothing could be played.
    #[error(transparent)]
    Detect(#[from] DetectError),
    /// No sequences could be drawn.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// Features could not be measured.
    #[error(transparent)]
    Features(#[from] MeasureError),
    /// Functions could not be measured.
    #[error(transparent)]
    Functions(#[from] FunctionStatisticsError),
    /// A function could not be followed in play.
    #[error("a function can't be followed in play: {0}")]
    OnePly(CallerError),
    /// What was proved is wrong, or nothing could be.
    #[error(transparent)]
    Proofs(#[from] ProofError),
    /// The game could not be searched.
    #[error("the game can't be searched: {0}")]
    Search(CallerError),
}

/// Analyses a game as far as a plan asks for.
///
/// The same plan and seed give the same result on any number of threads, but for [`StageReport::seconds`], as long as
/// the plan has no clock and nothing interrupts it.
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
    let (structures, simulation) = run.detect()?;
    let mut analysis = GameAnalysis {
        identity: game.identity.clone(),
        simulation,
        structures,
        proofs: None,
        features: FeatureReport::empty(plan.seed),
        functions: Functions::default(),
        statistics: Vec::new(),
        tuned: Vec::new(),
        one_ply: Vec::new(),
        guided: None,
        way: None,
        stages: Vec::new(),
    };
    run.show(&mut analysis);
    if plan.rule_playouts > 0 && run.begins(Stage::Rules) {
        run.rules(&mut analysis);
        run.show(&mut analysis);
    }
    if let Some(guarantor) = context.guarantor.filter(|_| run.begins_proofs()) {
        run.prove(&mut analysis, guarantor)?;
        run.show(&mut analysis);
    }
    let (functions, features) = (plan.makes_functions(), plan.needs_features());
    if (features || (plan.function_statistics && functions)) && run.begins(Stage::Sample) {
        let mut sample = run.sample(&analysis.structures)?;
        let valuer = context.exact.filter(|_| plan.exact && run.begins_values(&analysis.structures));
        let exact = match valuer {
            Some(valuer) => run.exact_values(&analysis.structures, &mut sample, valuer)?,
            None => false,
        };
        if features && run.begins(Stage::Features) {
            run.features(&mut analysis, sample)?;
        } else {
            analysis.features = FeatureReport::without_features(sample, plan.seed);
        }
        analysis.features.extent.values = if exact { ValuesOf::Exact } else { ValuesOf::Outcomes };
        run.show(&mut analysis);
    }
    if functions && run.begins(Stage::Functions) {
        run.functions(&mut analysis);
        run.show(&mut analysis);
        if plan.function_statistics && run.begins(Stage::FunctionStatistics) {
            run.function_statistics(&mut analysis)?;
            if let Some(player) = context.one_ply.filter(|_| run.begins_play()) {
                run.show(&mut analysis);
                run.one_ply(&mut analysis, player)?;
            }
            if let Some(player) = context.guided.filter(|_| run.begins_guided(&analysis)) {
                run.show(&mut analysis);
                run.guided_states(&mut analysis, player)?;
            }
        }
    }
    if let Some(finder) = context.way.filter(|_| plan.way && run.begins_search(&analysis)) {
        run.show(&mut analysis);
        run.search(&mut analysis, finder)?;
    }
    analysis.stages = run.stages;
    Ok(analysis)
}

/// An analysis under way.
pub(super) struct Run<'r, 'g> {
    pub(super) game: &'r Game<'g>,
    pub(super) plan: &'r Plan,
    pub(super) context: &'r AnalysisContext<'r>,
    pub(super) begun: Instant,
    stages: Vec<StageReport>,
}

impl Run<'_, '_> {
    fn detect(&mut self) -> Result<(Structures, Statistics), AnalysisError> {
        let start = Instant::now();
        let &Game { machine, statics, .. } = self.game;
        let budget = self.plan.detection(machine, self.begun);
        let total = (budget.playouts < u64::MAX).then_some(budget.playouts);
        let told = playing(self.context.progress, Stage::Detect, total);
        let context = Context { interrupt: self.context.interrupt, progress: Some(&told) };
        let game = structure::Game { machine, statics };
        let Detected { structures, statistics: simulation, left_out } =
            structure::detect_with(DETECTORS, &game, &budget, &context)?;
        let stopped = match simulation.stopped {
            // So it was asked for.
            StopReason::Seconds if matches!(self.plan.clock, Clock::Seconds(_)) => None,
            StopReason::Playouts => None,
            reason => Some(reason),
        };
        let mut notes = Vec::from_iter(self.game.left_out.map(str::to_owned));
        if !left_out.is_empty() {
            let because = because(StopReason::Interrupted);
            notes.push(format!("{because}; not looked for: {}", left_out.join(", ")));
        } else if let Some(reason) = stopped {
            notes.push(cut(simulation.playouts, budget.playouts, "playouts", reason));
        }
        self.ended(Stage::Detect, simulation.work, sentence(&notes), start);
        Ok((structures, simulation))
    }

    fn sample(&mut self, structures: &Structures) -> Result<Sample, AnalysisError> {
        let start = Instant::now();
        let machine = self.game.machine;
        let budget = self.plan.sampling(machine, self.begun);
        let told = playing(self.context.progress, Stage::Sample, Some(budget.playouts));
        let context = Context { interrupt: self.context.interrupt, progress: Some(&told) };
        let fluent_index = FluentIndex::new(machine);
        let sample = feature::sample(machine, &fluent_index, structures, &budget, &context)?;
        let seen = &sample.statistics;
        let wanted = self.plan.sequences(machine);
        let note = if seen.stopped != StopReason::Playouts {
            Some(cut(seen.playouts, budget.playouts, "playouts", seen.stopped))
        } else if budget.playouts < wanted {
            Some(format!(
                "{} of {wanted} playouts: the states of more would not fit in memory",
                seen.playouts
            ))
        } else {
            None
        };
        self.ended(Stage::Sample, seen.work, note, start);
        Ok(sample)
    }

    fn features(&mut self, analysis: &mut GameAnalysis, sample: Sample) -> Result<(), AnalysisError> {
        let start = Instant::now();
        let told = working(self.context.progress, Stage::Features);
        let watch = self.watch(Stage::Features).limited(Some(FEATURE_WORK)).telling(&told);
        let machine = self.game.machine;
        let (seed, threads) = (self.plan.seed, self.plan.threads);
        let drawn = sample.sequences.len() as u64;
        analysis.features =
            feature::measure_sample(machine, &analysis.structures, sample, seed, threads, &watch)?;
        let note = watch.stopped().map(|reason| match analysis.features.features.is_empty() {
            true => format!("no feature was measured: {}", because(reason)),
            false => cut(analysis.features.extent.sequences, drawn, "sequences", reason),
        });
        self.ended(Stage::Features, watch.spent(), note, start);
        Ok(())
    }

    /// What sets an interrupt when a stage's part of `--seconds` is over, for stages that look at an interrupt alone.
    pub(super) fn alarm(&self, stage: Stage) -> Option<Alarm> {
        match self.plan.clock {
            Clock::Seconds(_) => {
                let seconds = self.plan.stage_seconds(stage, self.begun)?;
                Some(Alarm::after(seconds, self.context.interrupt))
            }
            Clock::Counted | Clock::Deadline(_) => None,
        }
    }

    /// The watch over a stage: the caller's interrupt, and the plan's clock if it has one.
    pub(super) fn watch(&self, stage: Stage) -> Watch<'_> {
        Watch::new(self.context.interrupt).seconds(self.plan.stage_seconds(stage, self.begun))
    }

    /// Shows the caller what was found so far.
    fn show(&self, analysis: &mut GameAnalysis) {
        if let Some(finished) = self.context.finished {
            analysis.stages.clone_from(&self.stages);
            finished(analysis);
        }
    }

    /// Says that a stage begins.
    fn begun(&self, stage: Stage) {
        if let Some(progress) = self.context.progress {
            progress(StageProgress { stage, done: 0, total: None });
        }
    }

    /// Whether a stage can begin; after an interrupt it is left out, which is noted.
    pub(super) fn begins(&mut self, stage: Stage) -> bool {
        if self.interrupted() {
            let note = Some(format!("left out: {}", because(StopReason::Interrupted)));
            self.stages.push(StageReport { name: stage, work: 0, complete: false, note, seconds: 0.0 });
            return false;
        }
        self.begun(stage);
        true
    }

    pub(super) fn interrupted(&self) -> bool {
        self.context.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    pub(super) fn ended(&mut self, name: Stage, work: u64, note: Option<String>, start: Instant) {
        let seconds = start.elapsed().as_secs_f64();
        self.stages.push(StageReport { name, work, complete: note.is_none(), note, seconds });
    }
}

/// Tells how far play is.
fn playing<'p>(
    progress: Option<&'p (dyn Fn(StageProgress) + Sync)>,
    stage: Stage,
    total: Option<u64>,
) -> impl Fn(Progress) + Sync + use<'p> {
    move |played: Progress| {
        if let Some(progress) = progress {
            progress(StageProgress { stage, done: played.playouts, total });
        }
    }
}

/// Tells how much work a stage has done, of which nobody knows beforehand how much there is.
pub(super) fn working<'p>(
    progress: Option<&'p (dyn Fn(StageProgress) + Sync)>,
    stage: Stage,
) -> impl Fn(u64) + Sync + use<'p> {
    move |done| {
        if let Some(progress) = progress {
            progress(StageProgress { stage, done, total: None });
        }
    }
}
