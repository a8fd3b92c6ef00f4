//! What evaluation functions cost, beside what a state costs that is played on the same machine.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use cpu_time::ProcessTime;

use crate::evaluation::{Function, Kind, Material, Parameters, functions};
use crate::feature::{Facts, Measure, Position, Seat, measure};
use crate::ground::Limits;
use crate::machine::{
    self, Backend, Children, Cursor, Joints, Loaded, Machine, MachineError, MoveId, State, Wanted,
};
use crate::report::evaluation_speed::{Speed, Speeds};
use crate::simulate::{Budget, Choices, Context};
use crate::structure;

use super::super::{game, interrupt, note};

/// States of random playouts that functions are asked for.
const STATES: usize = 2_000;
/// Steps of a playout at most.
const STEPS: usize = 200;
/// Children that are expanded to tell what they cost.
const CHILDREN: usize = 20_000;
/// States by which the slowest function of a kind is found.
const SCREENED: usize = 200;
/// Playouts that structures and features rest on.
const PLAYOUTS: u64 = 200;
/// Work after which there are no more of them.
const WORK: u64 = 200_000_000;
const SEED: u64 = 1;

/// Recorded play: the joint moves of each playout.
struct Play {
    playouts: Vec<Vec<MoveId>>,
    roles: usize,
    states: Vec<State>,
}

/// Measures the functions of games, in rounds of at least so many seconds for each function.
pub(super) fn speeds(
    paths: &[impl AsRef<Path>],
    rounds: u32,
    seconds: f64,
    limits: &Limits,
) -> anyhow::Result<Speeds> {
    let mut all = Speeds::default();
    for path in paths {
        let path = path.as_ref();
        if interrupt::asked() {
            break;
        }
        let (_, description) = game::description(path)?;
        let name = description.name.clone();
        let loaded = machine::load(description, Backend::Auto, limits)?;
        let rows = of_game(&name, &loaded, rounds, seconds).with_context(|| path.display().to_string())?;
        all.rows.extend(rows);
    }
    all.sort();
    Ok(all)
}

fn of_game(name: &str, loaded: &Loaded, rounds: u32, seconds: f64) -> anyhow::Result<Vec<Speed>> {
    let machine = &*loaded.machine;
    let budget = Budget { playouts: PLAYOUTS, work: Some(WORK), seed: SEED, ..Budget::default() };
    let context = Context { interrupt: Some(interrupt::flag()), progress: None };
    let structures = structure::detect(machine, &loaded.statics, &budget, &context)?.0;
    let report = measure(machine, &structures, &budget, &context)?;
    let features: Vec<_> = report.features.into_iter().map(|measured| measured.feature).collect();
    let material =
        Material { machine, structures: &structures, features: &features, budget: &budget, context };
    let made = functions(&material, &Parameters::default());
    for text in &made.notes {
        note(&format!("note: {name}: {text}\n"))?;
    }
    let play = Play::record(machine)?;
    let picked = pick(machine, &play, &made.list)?;
    let children = children_per_second(machine, &play)?;
    let mut bound = Vec::new();
    for function in &picked {
        bound.push(function.bind(machine)?);
    }
    // Rounds of walks without a function and with each: the fastest of each is the one least disturbed.
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
    let states = play.states.len() as f64;
    let speed = |(function, time): (&&Function, &f64)| {
        let least = plain / Speed::MOST_RATIO;
        Speed {
            game: name.to_owned(),
            machine: machine.backend().to_owned(),
            function: function.id(),
            kind: function.kind().name().to_owned(),
            functions: made.list.iter().filter(|other| other.kind() == function.kind()).count(),
            evaluations_per_cpu_second: states / (time - plain).max(least),
            steps_per_cpu_second: states / plain,
            ratio: plain / (time - plain).max(least),
            children_per_cpu_second: children,
            states: play.states.len(),
        }
    };
    Ok(picked.iter().zip(&valued).map(speed).collect())
}

/// Every fuzzy function, and of every other kind the slowest.
fn pick<'f>(machine: &dyn Machine, play: &Play, all: &'f [Function]) -> anyhow::Result<Vec<&'f Function>> {
    let mut picked: Vec<(&Function, Duration)> = Vec::new();
    let mut seat = Seat::new(machine);
    for function in all {
        if interrupt::asked() {
            break;
        }
        let mut bound = function.bind(machine)?;
        let mut time = Duration::MAX;
        // The first round fills what a function learns as it goes.
        for _ in 0..3 {
            let mut spent = Duration::ZERO;
            for state in play.states.iter().take(SCREENED) {
                let position = seat.at(state)?;
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

impl Play {
    fn record(machine: &dyn Machine) -> Result<Play, MachineError> {
        let roles = machine.description().roles.len();
        let mut play = Play { playouts: Vec::new(), roles, states: Vec::new() };
        let mut cursor = machine.cursor();
        for playout in 0..STATES as u64 {
            let mut choices = Choices::new(SEED, playout);
            let mut joints = Vec::new();
            cursor.set(machine.initial())?;
            for _ in 0..STEPS {
                if cursor.terminal() || (0..roles).any(|role| cursor.legal(role).is_empty()) {
                    break;
                }
                for role in 0..roles {
                    let legal = cursor.legal(role);
                    joints.push(legal[choices.below(legal.len())]);
                }
                cursor.advance(&joints[joints.len() - roles..])?;
                play.states.push(cursor.state().clone());
            }
            play.playouts.push(joints);
            if play.states.len() >= STATES || interrupt::asked() {
                break;
            }
        }
        Ok(play)
    }

    /// Walks that take about so many seconds.
    fn repeats(&self, machine: &dyn Machine, seconds: f64) -> Result<u32, MachineError> {
        self.walk(machine, 1, None)?;
        let once = self.walk(machine, 1, None)?;
        Ok(((seconds / once.max(1e-9)) as u32).clamp(1, 10_000))
    }

    /// Plays what was recorded, and has every state but the initial one valued; gives the seconds of processor time of
    /// one walk.
    fn walk(
        &self,
        machine: &dyn Machine,
        repeats: u32,
        measure: Option<&mut (dyn Measure + '_)>,
    ) -> Result<f64, MachineError> {
        let mut cursor = machine.cursor();
        let mut facts = Facts::new(machine);
        let mut measure = measure;
        let started = ProcessTime::now();
        for _ in 0..repeats {
            for joints in &self.playouts {
                cursor.set(machine.initial())?;
                for joint in joints.chunks_exact(self.roles.max(1)) {
                    cursor.advance(joint)?;
                    std::hint::black_box(cursor.terminal());
                    if let Some(measure) = &mut measure {
                        facts.fill(machine, cursor.state());
                        let position = Position { facts: &facts, cursor: &*cursor as &dyn Cursor };
                        std::hint::black_box(measure.value(&position));
                    }
                }
            }
        }
        Ok(started.elapsed().as_secs_f64() / f64::from(repeats))
    }
}

/// Children that the machine's expander makes in a second of processor time, with their states and goals.
fn children_per_second(machine: &dyn Machine, play: &Play) -> Result<f64, MachineError> {
    let mut expander = machine.expander();
    let mut children = Children::default();
    let wanted = Wanted { states: true, goals: true, legal: false };
    let mut best = 0.0_f64;
    for round in 0..4 {
        let (mut made, started) = (0, ProcessTime::now());
        for state in play.states.iter().step_by(3) {
            expander.expand(state, Joints::All, wanted, &mut children)?;
            made += children.len();
            if made >= CHILDREN {
                break;
            }
        }
        // In the first round lanes are compiled.
        if round > 0 {
            best = best.max(made as f64 / started.elapsed().as_secs_f64());
        }
    }
    Ok(best)
}
