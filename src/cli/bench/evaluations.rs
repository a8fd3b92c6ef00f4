//! The cost of evaluation functions, compared with a step of the same machine.
//!
//! `report/evaluation_speed.rs` prints the result; `reports/speed/evaluations.md` has measurements.

use std::path::Path;
use std::time::Duration;

use crate::analysis::{AnalysisContext, LoadedGame, Plan, analyze};
use crate::evaluation::{Function, Kind};
use crate::feature::StateEvaluator;
use crate::ground::Limits;
use crate::machine::lanes::states::LaneStates;
use crate::machine::lanes::value::LaneValuer;
use crate::machine::lanes::word::LANES;
use crate::machine::{self, Backend, Machine};
use crate::report::evaluation_speed::{EvaluationSpeed, EvaluationSpeeds};
use anyhow::Context as _;
use cpu_time::ProcessTime;

use super::super::{game, interrupt, print_note};
use super::recorded::RecordedWalk;

/// The number of states on which functions are timed to find the slowest of each kind.
const SCREENED: usize = 200;
/// Random playouts for the analysis that finds structures and features.
const PLAYOUTS: u64 = 200;
/// Work limit of the analysis.
const WORK: u64 = 200_000_000;
const SEED: u64 = 1;

/// Measures the functions of games. A round takes about `seconds` for each function.
pub(super) fn speeds(
    paths: &[impl AsRef<Path>],
    rounds: u32,
    seconds: f64,
    limits: &Limits,
) -> anyhow::Result<EvaluationSpeeds> {
    let mut all = EvaluationSpeeds::default();
    for path in paths {
        let path = path.as_ref();
        if interrupt::asked() {
            break;
        }
        let (source, description) = game::description(path)?;
        let loaded = machine::load(description, Backend::Auto, limits)?;
        let game = LoadedGame::new(path.display().to_string(), &source, loaded);
        let rows = of_game(&game, rounds, seconds).with_context(|| path.display().to_string())?;
        all.rows.extend(rows);
    }
    all.sort();
    Ok(all)
}

fn of_game(game: &LoadedGame, rounds: u32, seconds: f64) -> anyhow::Result<Vec<EvaluationSpeed>> {
    let (machine, name) = (game.machine(), game.identity.name.as_str());
    let plan = Plan {
        playouts: Some(PLAYOUTS),
        work: Some(WORK),
        seed: SEED,
        function_statistics: false,
        ..Plan::default()
    };
    let context = AnalysisContext { interrupt: Some(interrupt::flag()), ..AnalysisContext::default() };
    let functions = interrupt::guarded(|| analyze(&game.game(), &plan, &context))?.functions;
    for text in &functions.notes {
        print_note(&format!("note: {name}: {text}\n"))?;
    }
    let play = RecordedWalk::play(machine)?;
    let picked = pick(machine, &play, &functions.list)?;
    let children = play.children_per_second(machine)?;
    let mut bound = Vec::new();
    for function in &picked {
        bound.push(function.bind(machine)?);
    }
    // Walks without a function alternate with walks with each. The fastest round is the one least disturbed by other work.
    let repeats = play.repeats(machine, seconds)?;
    let mut plain = f64::INFINITY;
    let mut valued = vec![f64::INFINITY; bound.len()];
    for _ in 0..rounds.max(1) {
        plain = plain.min(play.walk(machine, repeats, None)?);
        for (time, measure) in valued.iter_mut().zip(&mut bound) {
            *time = time.min(play.walk(machine, repeats, Some(&mut **measure))?);
        }
        if interrupt::asked() {
            break;
        }
    }
    let mut in_lanes = Vec::new();
    for function in &picked {
        in_lanes.push(lane_rates(machine, &play, function, rounds, seconds)?);
    }
    let states = play.states.len() as f64;
    let speed = |((function, time), &lanes): ((&&Function, &f64), &Option<[f64; 2]>)| {
        let least = plain / EvaluationSpeed::MOST_RATIO;
        EvaluationSpeed {
            game: name.to_owned(),
            machine: machine.backend().to_owned(),
            function: function.id(),
            kind: function.kind().name().to_owned(),
            functions: functions.list.iter().filter(|other| other.kind() == function.kind()).count(),
            evaluations_per_cpu_second: states / (time - plain).max(least),
            steps_per_cpu_second: states / plain,
            ratio: plain / (time - plain).max(least),
            children_per_cpu_second: children,
            in_lanes_per_cpu_second: lanes.map(|[valued, _]| valued),
            loaded_per_cpu_second: lanes.map(|[_, loaded]| loaded),
            states: play.states.len(),
        }
    };
    Ok(picked.iter().zip(&valued).zip(&in_lanes).map(speed).collect())
}

/// Measures a function on the lanes engine, with the children of every third state of a walk. Returns two rates per second
/// of processor time: the evaluations, and the states that are loaded into lanes and observed. `None` if the game or the
/// function does not support lanes.
fn lane_rates(
    machine: &dyn Machine,
    play: &RecordedWalk,
    function: &Function,
    rounds: u32,
    seconds: f64,
) -> anyhow::Result<Option<[f64; 2]>> {
    let Some(program) = machine.lanes() else { return Ok(None) };
    let Some(quantized) = function.bind(machine)?.quantize() else { return Ok(None) };
    let mut valuer = LaneValuer::new(program, vec![quantized.lanes])?;
    let children = play.children(machine, PASSES * LANES)?;
    let states: Vec<&[u64]> = children.iter().map(|state| &*state.0).collect();
    if states.is_empty() {
        return Ok(None);
    }
    let mut passes = Vec::new();
    for states in states.chunks(LANES) {
        let mut lanes = LaneStates::new(program)?;
        lanes.load(states);
        lanes.observe();
        passes.push(lanes);
    }
    let mut out = [Vec::new()];
    let rate = |pass: &mut dyn FnMut()| {
        let mut best = 0f64;
        for _ in 0..rounds.max(1) {
            let (started, mut times) = (ProcessTime::now(), 0.0);
            while started.elapsed().as_secs_f64() < seconds && !interrupt::asked() {
                pass();
                times += 1.0;
            }
            best = best.max(times * states.len() as f64 / started.elapsed().as_secs_f64().max(1e-9));
        }
        best
    };
    let valued = rate(&mut || {
        for lanes in &mut passes {
            valuer.values(lanes, &mut out);
            std::hint::black_box(&out);
        }
    });
    let loaded = rate(&mut || {
        for (lanes, states) in passes.iter_mut().zip(states.chunks(LANES)) {
            lanes.load(states);
            lanes.observe();
        }
    });
    Ok(Some([valued, loaded]))
}

/// The number of blocks of `LANES` states that are evaluated in turn.
const PASSES: usize = 16;

/// Picks every fuzzy function, and the slowest function of each other kind.
fn pick<'f>(
    machine: &dyn Machine,
    play: &RecordedWalk,
    all: &'f [Function],
) -> anyhow::Result<Vec<&'f Function>> {
    let mut picked: Vec<(&Function, Duration)> = Vec::new();
    let mut state_evaluator = StateEvaluator::new(machine);
    for function in all {
        if interrupt::asked() {
            break;
        }
        let mut bound = function.bind(machine)?;
        let mut time = Duration::MAX;
        // The first round fills the caches of the function.
        for _ in 0..3 {
            let mut spent = Duration::ZERO;
            for state in play.states.iter().take(SCREENED) {
                let position = state_evaluator.at(state)?;
                let started = std::time::Instant::now();
                std::hint::black_box(bound.value(&position));
                spent += started.elapsed();
            }
            time = time.min(spent);
        }
        let rival = picked
            .iter_mut()
            .find(|(other, _)| function.kind() != Kind::Fuzzy && other.kind() == function.kind());
        match rival {
            Some(slowest) if slowest.1 < time => *slowest = (function, time),
            Some(_) => {}
            None => picked.push((function, time)),
        }
    }
    Ok(picked.into_iter().map(|(function, _)| function).collect())
}
