//! Prepares a game in stages, after each of which it can be played: the relational machine, the network, structures and
//! features, evaluation functions, the requested search. If the clock interrupts it, preparation continues during the
//! match.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use super::learning::{self, Learned, time_to_learn};
use super::match_start::{MatchStart, allowance};
use super::settings::Settings;
use super::stages::{Question, Stages};
use crate::analysis::{AnalysisContext, Clock, Game, Plan, analyze};
use crate::arena::{Player, PrepareError, PreparedGame, ThoughtRecord, Turn, make_player, plan_for};
use crate::evaluation::GameIdentity;
use crate::gdl::diagnostic::Severity;
use crate::gdl::{Description, Source, read};
use crate::ground::{EvaluatedRules, Exceeded, Interrupt, Limits, StaticFacts};
use crate::machine::{Backend, LoadError, Machine, load_evaluated};
use crate::search::SearchResult;
use crate::simulate::canonical;

/// Least limit of seconds for grounding; longer with a longer clock.
const GROUND: f64 = 30.0;

/// Runs all stages, and then searches for moves until the match is over.
pub(super) fn prepare(
    match_start: &MatchStart,
    settings: &Settings,
    stages: &Stages,
    gone: &Arc<AtomicBool>,
) {
    let result = catch_unwind(AssertUnwindSafe(|| run(match_start, settings, stages, gone)));
    let failure = match result {
        Ok(Ok(())) => None,
        Ok(Err(failure)) => Some(failure),
        Err(_) => Some(Failure::Unfinished("preparation ended by a fault of this program".to_owned())),
    };
    if let Some(failure) = failure {
        let (Failure::Unplayable(reason) | Failure::Unfinished(reason)) = &failure;
        // Noted before `fail`: threads that wait for the stages then treat the match as over.
        if !gone.load(Ordering::Relaxed) {
            (settings.note)(&format!("match {}: {reason}", match_start.start.id));
        }
        if let Failure::Unplayable(reason) = failure {
            stages.fail(reason);
        }
    }
    stages.complete();
}

/// Why not all stages ran.
enum Failure {
    /// The game can't be played at all.
    Unplayable(String),
    /// It is played with the results of earlier stages.
    Unfinished(String),
}

fn run(
    match_start: &MatchStart,
    settings: &Settings,
    stages: &Stages,
    gone: &Arc<AtomicBool>,
) -> Result<(), Failure> {
    let source = Source::from_text("match", match_start.start.rules.as_str())
        .case_sensitive(settings.case_sensitive)
        .with_negation(settings.negation);
    let reading = read(&source);
    let Some(description) = reading.description else {
        let errors = reading.diagnostics.iter().filter(|fault| fault.severity == Severity::Error);
        let first = errors.map(|fault| fault.message.clone()).next().unwrap_or_default();
        return Err(Failure::Unplayable(format!("the rules can't be read: {first}")));
    };
    let text = |&role: &crate::gdl::term::TermId| canonical(&description.term(role));
    let Some(role) = description.roles.iter().map(text).position(|name| name == match_start.role) else {
        let known: Vec<String> = description.roles.iter().map(text).collect();
        let role = &match_start.start.role;
        let reason = format!("the rules have no role `{role}`; they have {}", known.join(", "));
        return Err(Failure::Unplayable(reason));
    };
    let limits = Limits {
        seconds: match_start.start.startclock.as_secs_f64().max(GROUND),
        interrupt: Interrupt(Some(gone.clone())),
        ..Limits::default()
    };
    let (machine, statics) = machines(description, &limits, stages, match_start, settings)?;
    let context = AnalysisContext { interrupt: Some(gone), ..AnalysisContext::default() };
    let prepared = prepared(match_start, settings, &*machine, &statics, source.bytes(), context)
        .map_err(|error| Failure::Unfinished(format!("the player can't be prepared, UCT plays: {error}")))?
        .interrupted_by(gone);
    let player = settings.factory().player(&settings.player, &prepared, role, settings.seed);
    let player = player.map_err(|error| {
        Failure::Unfinished(format!("`{}` can't be used, UCT plays: {error}", settings.player))
    })?;
    if let Some(text) = player.note().filter(|_| !gone.load(Ordering::Relaxed)) {
        (settings.note)(&format!("match {}: {text}", match_start.start.id));
    }
    let (ask, questions) = channel();
    let (enough, stands) = (Arc::<AtomicBool>::default(), player.line().to_owned());
    let (offer, learned) = channel();
    std::thread::scope(|scope| {
        if let Some(time) = time_to_learn(match_start, settings, &*machine) {
            stages.learns(true);
            let (machine, prepared, enough, stands) = (&*machine, &prepared, &enough, &stands);
            let learns = move || {
                let learn = || learning::learned(settings, machine, prepared, stands, time, enough);
                if let Ok(Some(found)) = catch_unwind(AssertUnwindSafe(learn)) {
                    // If the match is over, nothing receives it.
                    let _ = offer.send(found);
                }
                stages.learns(false);
            };
            // Without a thread nothing is learned.
            if std::thread::Builder::new().name("learning".to_owned()).spawn_scoped(scope, learns).is_err() {
                stages.learns(false);
            }
        }
        stages.searcher(ask);
        let task = Task { match_start, settings, stages };
        search(task, &*machine, role, player, (&questions, &learned, &enough));
        enough.store(true, Ordering::Relaxed);
    });
    Ok(())
}

/// Loads the machines of a game, the fastest to load first. Returns the best one.
fn machines(
    description: Description,
    limits: &Limits,
    stages: &Stages,
    match_start: &MatchStart,
    settings: &Settings,
) -> Result<(Arc<dyn Machine>, Arc<StaticFacts>), Failure> {
    let rules = EvaluatedRules::new(Arc::new(description), limits).map_err(|error| {
        Failure::Unplayable(format!("the rules can't be played: {}", LoadError::Statics(error)))
    })?;
    let relational = load_evaluated(&rules, Backend::Relational, limits);
    let relational = relational.map(|loaded| (Arc::<dyn Machine>::from(loaded.machine), loaded.statics));
    if let Ok((machine, _)) = &relational {
        stages.machine(machine.clone());
    }
    match load_evaluated(&rules, Backend::Network, limits) {
        Ok(loaded) => {
            let machine = Arc::<dyn Machine>::from(loaded.machine);
            stages.machine(machine.clone());
            Ok((machine, loaded.statics))
        }
        Err(error) => match relational {
            Ok(found) => {
                if !matches!(error, LoadError::Grounding(Exceeded::Interrupted)) {
                    let id = &match_start.start.id;
                    (settings.note)(&format!(
                        "match {id}: played from its rules, without a network: {error}"
                    ));
                }
                Ok(found)
            }
            Err(error) => Err(Failure::Unplayable(format!("the rules can't be played: {error}"))),
        },
    }
}

/// Structures, features and functions, as far as the player needs them.
fn prepared<'m>(
    match_start: &MatchStart,
    settings: &Settings,
    machine: &'m dyn Machine,
    statics: &StaticFacts,
    rules: &[u8],
    context: AnalysisContext<'_>,
) -> Result<PreparedGame<'m>, String> {
    let identity = GameIdentity::new(rules, machine.description());
    let game = Game { machine, statics, identity: &identity, left_out: None };
    let plan = Plan { clock: Clock::Deadline(match_start.ready), seed: settings.seed, ..Plan::default() };
    let plan = plan_for(plan, [settings.player.as_str()]);
    let analysis = analyze(&game, &plan, &context).map_err(|error| error.to_string())?;
    Ok(PreparedGame::new(machine, analysis)
        .thinking(Some(allowance(match_start.start.playclock, settings.margin))))
}

/// A match, with the other threads' interfaces.
#[derive(Clone, Copy)]
struct Task<'a> {
    match_start: &'a MatchStart,
    settings: &'a Settings,
    stages: &'a Stages,
}

/// Searches for moves until the channel is closed. Before the first question, it searches the initial state while the
/// start clock runs.
fn search<'m>(
    Task { match_start, settings, stages }: Task<'_>,
    machine: &dyn Machine,
    role: usize,
    mut player: Box<dyn Player + 'm>,
    (questions, learned, enough): (&Receiver<Question>, &Receiver<Learned<'m>>, &AtomicBool),
) {
    let fault = |what: &str| (settings.note)(&format!("match {}: {what}", match_start.start.id));
    let chooses = machine.cursor().legal(role).len() > 1;
    let begin = || {
        let clocks = [match_start.start.startclock, match_start.start.playclock];
        player.begin(machine.initial(), Some(clocks), Some(&stages.hurry));
        if chooses && player.thinks_ahead() && Instant::now() < match_start.ready {
            let turn = turn(match_start.ready, &stages.hurry);
            // An error will recur when a move is requested.
            let _ = player.choose(machine.initial(), &turn);
        }
    };
    if catch_unwind(AssertUnwindSafe(begin)).is_err() {
        fault("the search ended by a fault of this program, UCT plays");
        return;
    }
    let mut heard = 0;
    while let Ok(question) = questions.recv() {
        let better = learned.try_recv();
        // The start clock is over: further learning would take time from moves.
        enough.store(true, Ordering::Relaxed);
        if let Ok(better) = better {
            let made = better.line.parse().map_err(PrepareError::from);
            match made.and_then(|spec| make_player(&better.game, &spec, role, settings.seed)) {
                Ok(made) => {
                    player = Box::new(made);
                    let (line, matches) = (better.line, better.matches);
                    fault(&format!("{line} plays: it was the better one in {matches} trial matches"));
                }
                Err(error) => fault(&format!("what was learned is not used: {error}")),
            }
        }
        if question.is_pondering && (player.is_limited() || !player.thinks_ahead()) {
            continue;
        }
        let turn = turn(question.until, &question.stop);
        let line = player.line().to_owned();
        let reply = |result: &SearchResult| {
            if let Some(action) = result.action.filter(|action| question.legal.contains(action)) {
                let text = match_start.case_map.restore(&canonical(&machine.move_text(action)));
                question.answer.offer(text, Some(ThoughtRecord::new(&line, result)));
            }
        };
        let run_search = || {
            question.joints.iter().skip(heard).for_each(|joint| player.played(joint));
            heard = question.joints.len();
            player.choose_and_report(&question.state, &turn, &mut |result| reply(result))
        };
        let result = catch_unwind(AssertUnwindSafe(run_search));
        match &result {
            Ok(Ok(result)) => reply(result),
            Ok(Err(error)) => fault(&format!("no better move than any: {error}")),
            Err(_) => fault("the search ended by a fault of this program, UCT plays"),
        }
        question.answer.finish();
        if result.is_err() {
            return;
        }
    }
    let over = || player.over(stages.ended.load(Ordering::Relaxed));
    if catch_unwind(AssertUnwindSafe(over)).is_err() {
        fault("the player failed at the end of the match");
    }
}

fn turn(until: Instant, stop: &AtomicBool) -> Turn<'_> {
    Turn { nodes: None, deadline: Some(until), interrupt: Some(stop) }
}
