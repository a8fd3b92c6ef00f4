//! A running analysis: the shared state of its stages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::evaluation::learned::LearningRound;
use crate::simulate::{Progress, StopReason, TimedInterrupt, WorkLimit};

use super::game::Game;
use super::game_analysis::GameAnalysis;
use super::plan::{Clock, Plan};
use super::stage::{Stage, StageProgress, StageReport, because};

/// Limit of the work for measuring features: ten times that of the largest known games (November 2026).
pub(super) const FEATURE_WORK: u64 = 2_000_000_000;

/// Receives the results so far.
pub type StageObserver<'a> = &'a dyn Fn(&Arc<GameAnalysis>);

/// The caller's side of an analysis.
#[derive(Clone, Copy, Default)]
pub struct AnalysisContext<'a> {
    /// Once true, the current stage returns its results so far, and later stages are skipped.
    pub interrupt: Option<&'a Arc<AtomicBool>>,
    /// Receives the progress of a stage, on any thread.
    pub progress: Option<&'a (dyn Fn(StageProgress) + Sync)>,
    /// Receives every round of learning.
    pub on_round: Option<&'a (dyn Fn(&LearningRound) + Sync)>,
    /// Called after every stage with the results so far. If the caller stores them, the next stage copies the parts that
    /// it changes.
    pub finished: Option<StageObserver<'a>>,
}

/// A running analysis.
pub(super) struct Run<'r, 'g> {
    pub(super) game: &'r Game<'g>,
    pub(super) plan: &'r Plan,
    pub(super) context: &'r AnalysisContext<'r>,
    pub(super) begun: Instant,
    pub(super) stages: Vec<StageReport>,
}

impl Run<'_, '_> {
    /// Sets an interrupt when a stage's share of `--seconds` is over, for stages that check only an interrupt.
    pub(super) fn timed_interrupt(&self, stage: Stage) -> Option<TimedInterrupt> {
        match self.plan.clock {
            Clock::Seconds(_) => {
                let seconds = self.plan.stage_seconds(stage, self.begun)?;
                Some(TimedInterrupt::after(seconds, self.context.interrupt))
            }
            Clock::Counted | Clock::Deadline(_) => None,
        }
    }

    /// The work limit over a stage: the caller's interrupt, and the plan's clock if it has one.
    pub(super) fn work_limit(&self, stage: Stage) -> WorkLimit<'_> {
        WorkLimit::new(self.context.interrupt).seconds(self.plan.stage_seconds(stage, self.begun))
    }

    /// Shows the results so far to the caller.
    pub(super) fn show(&self, analysis: &mut Arc<GameAnalysis>) {
        if let Some(finished) = self.context.finished {
            Arc::make_mut(analysis).stages.clone_from(&self.stages);
            finished(analysis);
        }
    }

    /// Reports that a stage begins.
    pub(super) fn begun(&self, stage: Stage) {
        if let Some(progress) = self.context.progress {
            progress(StageProgress { stage, done: 0, total: None });
        }
    }

    /// Whether a stage can begin; after an interrupt it is skipped with a note.
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

/// Reports the progress of playouts.
pub(super) fn playing<'p>(
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

/// Reports a stage's work if the total is unknown.
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
