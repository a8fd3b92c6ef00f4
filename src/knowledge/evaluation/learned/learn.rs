//! The algorithm: each round plays games, takes samples, fits models, compares them with the previous ones, and keeps
//! the better ones.
//!
//! `self_play/` plays and takes samples, `fit/` makes models (`model/`) from them, and `schedule.rs` sets the amounts.
//! `ggp learn` is `cli/learn.rs`, and `report/learned.rs` presents its result. `tests/analysis/learned.rs` tests what
//! is learned.

use std::sync::Arc;

use crate::machine::{Machine, State};
use crate::simulate::{Budget, Context, EarlyEnd, SimulateError, StopReason, WorkLimit};

use super::error::LearningError;
use super::fit::ModelFit;
use super::fit::candidates::Candidates;
use super::fit::mutex_groups::MutexGroups;
use super::fit::pruning::{round_weights, support};
use super::fit::symmetries::Symmetries;
use super::function::{LearnedFunction, LearningRound};
use super::model::Model;
use super::model::none_of::NoneOf;
use super::parameters::LearnedParameters;
use super::schedule::Schedule;
use super::self_play::SelfPlay;
use super::self_play::samples::Samples;
use super::task::Task;

/// The learned functions, and notes on what is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LearnedFunctions {
    /// One for each role whose goal value varied, in the order of the roles.
    pub functions: Vec<LearnedFunction>,
    /// Sentences that name what could not be learned, or was cut short.
    pub notes: Vec<String>,
}

/// Learns the functions of all roles. The parameters set seed and work; the budget sets the most steps of a game, the
/// seconds and the threads. `plan` has the states of a plan to a goal that random play does not reach, if one is known:
/// every second game begins at one of them. `on_round` is called after every round.
///
/// # Errors
/// A parameter is outside its range, no game could be played, or a state can't be evaluated.
pub fn learn(
    machine: &dyn Machine,
    plan: &[State],
    parameters: &LearnedParameters,
    budget: &Budget,
    context: &Context<'_>,
    on_round: Option<&(dyn Fn(&LearningRound) + Sync)>,
) -> Result<LearnedFunctions, LearningError> {
    parameters.validate()?;
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(budget.threads).build().map_err(SimulateError::from)?;
    let schedule = Schedule::new(parameters, machine, budget.seconds);
    let work_limit =
        WorkLimit::new(context.interrupt).limited(Some(schedule.most_work())).seconds(budget.seconds);
    let Some(task) = Task::new(machine, parameters, &work_limit) else {
        let note = "no learned functions: the game is played without a network".to_owned();
        return Ok(LearnedFunctions { functions: Vec::new(), notes: vec![note] });
    };
    let none_of = NoneOf::new(machine.initial().0.len(), Vec::new());
    let mut learning = Learning {
        task: &task,
        self_play: SelfPlay::new(&task, plan, budget, context),
        samples: Samples::new(Arc::new(none_of), task.rewards.len()),
        symmetries: match parameters.symmetries {
            true => Symmetries::find(&task, schedule.work),
            false => Symmetries::none(task.network),
        },
        schedule,
        candidates: Candidates::default(),
        models: None,
        rounds: Vec::new(),
    };
    let mut notes = Vec::new();
    // If all of learning was cut short, there is a note on that below.
    if learning.symmetries.cut_short && work_limit.check().is_ok() {
        let found = learning.symmetries.len() - 1;
        notes.push(format!("learned functions: {found} symmetries of the rules were found; there may be more, because the search was cut short"));
    }
    while learning.rounds.len() < learning.schedule.rounds as usize {
        match pool.install(|| learning.round()) {
            Ok(true) => {}
            Ok(false) => break,
            Err(LearningError::Stopped(EarlyEnd(reason))) => {
                let because = match reason {
                    StopReason::Interrupted => "it was interrupted",
                    StopReason::Seconds => "the time limit was reached",
                    StopReason::Work | StopReason::Playouts => "the limit of work was reached",
                };
                let (done, all) = (learning.rounds.len(), learning.schedule.rounds);
                notes.push(format!("learned functions are the result of {done} of {all} rounds: {because}"));
                break;
            }
            Err(error) => return Err(error),
        }
        if let (Some(on_round), Some(last)) = (on_round, learning.rounds.last()) {
            on_round(last);
        }
    }
    let planned = learning.schedule.rounds;
    if planned < parameters.rounds {
        let of = parameters.rounds;
        notes.push(format!(
            "learned functions: {planned} rounds instead of {of}, because each takes much of the work"
        ));
    }
    let functions = learning.functions(&mut notes);
    Ok(LearnedFunctions { functions, notes })
}

/// The state of learning between rounds.
struct Learning<'a> {
    task: &'a Task<'a>,
    schedule: Schedule,
    self_play: SelfPlay<'a>,
    samples: Samples,
    symmetries: Symmetries,
    candidates: Candidates,
    /// One model for each role; none before the first round is over.
    models: Option<Vec<Model>>,
    rounds: Vec<LearningRound>,
}

impl Learning<'_> {
    /// One round: play, sample, fit, and compare; keeps the better models. Returns false if there is nothing to learn
    /// from.
    fn round(&mut self) -> Result<bool, LearningError> {
        self.schedule.begin(self.rounds.len() as u32, self.task.work_limit.spent());
        if self.rounds.len() == 1 {
            self.extend_states()?;
        }
        let games = self.self_play.play(self.models.as_deref(), &mut self.schedule, &mut self.samples)?;
        if self.samples.training.is_empty() {
            return Ok(false);
        }
        let (models, explained) = self.fit().models(self.models.as_deref())?;
        self.self_play.report_progress(&self.samples);
        let gain = self.self_play.compare(self.models.as_deref(), &models, &self.schedule)?;
        let kept = self.models.is_none() || gain.mean >= -gain.standard_error / 2.0;
        let weights = models.iter().map(|model| model.weights.len() as u64).sum::<u64>();
        self.rounds.push(LearningRound {
            games,
            states: self.samples.training.len() as u64,
            weights: weights / self.task.players.len().max(1) as u64,
            explained,
            gain: gain.mean,
            standard_error: gain.standard_error,
            kept,
        });
        if kept {
            self.models = Some(models);
        }
        Ok(true)
    }

    fn fit(&self) -> ModelFit<'_> {
        ModelFit {
            task: self.task,
            schedule: &self.schedule,
            symmetries: &self.symmetries,
            candidates: &self.candidates,
            samples: &self.samples,
            explained: self.rounds.last().and_then(|round| round.explained),
        }
    }

    /// Adds a bit to states for each group of facts that is sometimes empty in random play. Drops the samples
    /// of random play, because its outcomes differ from those of good play.
    fn extend_states(&mut self) -> Result<(), LearningError> {
        let groups = match self.task.parameters.open {
            0 => MutexGroups::default(),
            _ => MutexGroups::find(self.task, &self.samples)?,
        };
        let initial = &self.task.machine.initial().0;
        let none_of = Arc::new(NoneOf::new(initial.len(), groups.open.clone()));
        let free_bits = groups.free_bits(|group| none_of.bit_of(group), initial);
        self.candidates = Candidates::new(self.task.network, free_bits);
        let mut support = self.samples.support();
        support.resize(none_of.words() * 64, 0);
        for model in self.models.iter_mut().flatten() {
            let extended = model.carried_over(model.conjunctions.list().to_vec(), &support);
            *model = Model { none_of: Arc::clone(&none_of), ..extended };
        }
        self.samples = self.samples.restarted(none_of);
        Ok(())
    }

    /// The functions of the models, pruned and rounded.
    fn functions(&self, notes: &mut Vec<String>) -> Vec<LearnedFunction> {
        let Task { machine, players, work_limit, .. } = self.task;
        let Some(models) = &self.models else {
            let because = match work_limit.stopped() {
                Some(_) => "no round was completed",
                None => "no game ended with a goal value",
            };
            notes.push(format!("no learned functions: {because}"));
            return Vec::new();
        };
        let bit_support = self.samples.support();
        let mut last: Option<(Model, Vec<f64>)> = None;
        let mut functions = Vec::new();
        for &role in players {
            let name = machine.term_text(machine.description().roles[role]);
            if self.samples.constant(role) {
                notes.push(format!("no learned function for {name}: its goal value was always the same"));
                continue;
            }
            let (model, support) = match last {
                Some((first, support)) if models[role].is_opposite => (first.opposite(), support),
                _ => {
                    let pruned = self.fit().pruned(role, &models[role], &bit_support);
                    let model = round_weights(&pruned, &self.samples, role, &bit_support);
                    let support = support(&model, &self.samples);
                    (model, support)
                }
            };
            match LearnedFunction::of_model(&model, &support, role, self.task, &self.rounds) {
                Some(function) => functions.push(function),
                None => notes.push(format!(
                    "no learned function for {name}: no fact before the end predicts its goal value"
                )),
            }
            last = Some((model, support));
        }
        functions
    }
}
