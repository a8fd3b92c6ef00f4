//! Judges the functions of one role.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::Array2;

use crate::evaluation::Function;
use crate::evaluation::scaled_feature::rewards;
use crate::machine::{Machine, State};
use crate::simulate::Label;
use crate::statistics::interval::{Estimate, mean_of_counts};
use crate::statistics::quantile;
use crate::structure::finding::{Structures, Turns};

use super::candidate::{Bound, Candidate, StateCursor};
use super::error::JudgeError;
use super::exact::{ExactLimits, Solver};
use super::guided::{Following, Guidance, outcomes};
use super::limits::{JudgeLimits, affordable};
use super::rank::{chance, rank, solve};
use super::reliability::reliability;
use super::sample::SampledState;
use super::sides::Sides;
use super::verdict::{Judgement, Play, RoleVerdict, associations};

/// Stream of random numbers of guided playouts.
const GUIDED: u64 = 0x6775_6964;

/// Stream of random numbers of play against random play.
const AGAINST_RANDOM: u64 = 0x706c_6179;

/// The most two-input gates that the search for exact values evaluates, so it visits fewer states of a large network.
const MAX_EXACT_GATES: usize = 2_000_000_000;

/// The most states that the search for exact values visits on the relational machine.
const MAX_EXACT_RELATIONAL_STATES: usize = 2_000;

/// The shared state of all roles.
pub(super) struct Ground<'a> {
    pub(super) machine: &'a dyn Machine,
    pub(super) structures: &'a Structures,
    /// The roles.
    pub(super) names: &'a [String],
    pub(super) sample: &'a [SampledState],
    /// The outcomes of random playouts from the sample.
    pub(super) labels: &'a [Label],
    /// The outcomes of random playouts from the initial state.
    pub(super) start: &'a Label,
    pub(super) limits: &'a JudgeLimits,
    pub(super) interrupt: Option<&'a AtomicBool>,
}

impl Ground<'_> {
    fn sides(&self, role: usize) -> Sides {
        Sides::of_team(role, self.names.len(), self.structures.team_of(role).unwrap_or_default())
    }

    fn exact_limits(&self) -> ExactLimits {
        let ExactLimits { states, bytes } = self.limits.exact;
        let most = match self.machine.network() {
            Some(network) => MAX_EXACT_GATES / network.gates().max(1),
            None => MAX_EXACT_RELATIONAL_STATES,
        };
        ExactLimits { states: states.min(most), bytes }
    }

    /// The name of the exact value for these sides.
    fn exact_name(&self, sides: &Sides) -> &'static str {
        let Structures { turns, zero_sum, ref teams, .. } = *self.structures;
        match turns {
            _ if sides.unopposed() => "single-player",
            Turns::Simultaneous => "pessimistic",
            _ if zero_sum && teams.len() == 2 => "minimax",
            _ => "paranoid",
        }
    }
}

/// Everything except play: exact values, random outcomes, calibration.
pub(super) fn judge_role(
    ground: &Ground<'_>,
    role: usize,
    candidates: &[&Candidate],
) -> Result<(RoleVerdict, Vec<Judgement>), JudgeError> {
    let &Ground { machine, limits, .. } = ground;
    let (sides, rewards) = (ground.sides(role), rewards(machine, role));
    let mut bound: Vec<Bound<'_>> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        bound.push(candidate.bind(machine).map_err(|error| JudgeError::of(candidate, error.into()))?);
    }
    let mut cursor = StateCursor::new(machine);
    let mut values = Array2::zeros((candidates.len(), ground.sample.len()));
    for (sampled, mut column) in ground.sample.iter().zip(values.columns_mut()) {
        let position = cursor.at(&sampled.state)?;
        bound.iter_mut().zip(&mut column).for_each(|(bound, value)| *value = bound.value(&position));
    }
    let sample: Vec<(&State, u32)> =
        ground.sample.iter().map(|sampled| (&sampled.state, sampled.left)).collect();
    let mut solver = Solver::new(machine, sides.clone(), rewards, ground.exact_limits(), ground.interrupt);
    let solved = solve(&mut solver, &sample);
    let ranked = match solved.states.is_empty() {
        true => None,
        false => Some(rank(machine, &sides, (&mut bound, &values), &sample, &solved, limits.seed)?),
    };

    let mut judgements = Vec::with_capacity(candidates.len());
    for (number, candidate) in candidates.iter().enumerate() {
        let states = ground.sample.iter().zip(ground.labels).zip(values.row(number));
        let scored = states.filter(|((_, label), _)| label.roles[role].scored > 0);
        let triples: Vec<(usize, f64, f64)> =
            scored.map(|((sampled, label), &value)| (sampled.phase, value, label.roles[role].mean)).collect();
        let pairs: Vec<(f64, f64)> = triples.iter().map(|&(_, value, outcome)| (value, outcome)).collect();
        judgements.push(Judgement {
            id: candidate.id.clone(),
            kind: candidate.kind.map_or("none", |kind| kind.name()).to_owned(),
            role: ground.names[role].clone(),
            formula: candidate.function.as_ref().map_or_else(String::new, Function::formula),
            exact: ranked.as_ref().map(|ranked| ranked[number].clone()),
            random: associations(&triples),
            guided: Vec::new(),
            calibration: reliability(&pairs, rewards.map(f64::from)),
            play: None,
        });
    }
    let total = sample.len();
    let unsolved = solved.unsolved.iter();
    let unsolved = unsolved.map(|(reason, count)| format!("{count} of {total} states: {reason}"));
    let from_start = &ground.start.roles[role];
    let error = quantile::normal() * (from_start.variance / from_start.scored.max(1) as f64).sqrt();
    let verdict = RoleVerdict {
        role: ground.names[role].clone(),
        rewards,
        exact: ground.exact_name(&sides).to_owned(),
        solved: solved.states.len() as u64,
        choices: solved.choices.len() as u64,
        listed: solver.listed() as u64,
        chance: chance(&solved),
        unsolved: unsolved.collect(),
        random: (from_start.scored > 0).then_some(Estimate {
            value: from_start.mean,
            low: Some(from_start.mean - error),
            high: Some(from_start.mean + error),
        }),
    };
    Ok((verdict, judgements))
}

/// Which functions are followed in play: of each kind the `count` with the best correlations, or all for 0.
pub(super) fn best(judgements: &[Judgement], count: usize) -> Vec<bool> {
    let mut order: Vec<usize> = (0..judgements.len()).collect();
    let worth = |index: usize| judgements[index].correlation().unwrap_or(f64::NEG_INFINITY);
    order.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)));
    let mut chosen = vec![count == 0; judgements.len()];
    let mut of_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for index in order {
        let taken = of_kind.entry(&judgements[index].kind).or_default();
        *taken += 1;
        chosen[index] |= *taken <= count;
    }
    chosen
}

/// Adds the results of play by a function: with all roles following it, and against random play.
pub(super) fn follow(
    ground: &Ground<'_>,
    candidate: &Candidate,
    mut judgement: Judgement,
) -> Result<Judgement, JudgeError> {
    let &Ground { machine, limits, interrupt, .. } = ground;
    let sides = ground.sides(candidate.role);
    let named = |error| JudgeError::of(candidate, error);
    let guidance = Guidance {
        machine,
        candidate,
        sides: &sides,
        following: Following::All,
        seed: limits.seed ^ GUIDED,
        max_steps: limits.max_steps(machine),
        work: affordable(machine, limits.work),
        values: u64::MAX,
        interrupt,
    };
    let times = limits.guided as usize;
    let states = ground.sample.iter().map(|sampled| &sampled.state);
    let starts: Vec<&State> = states.flat_map(|state| std::iter::repeat_n(state, times)).collect();
    let guided = outcomes(&guidance, &starts).map_err(named)?;
    let starts = vec![machine.initial(); limits.play as usize];
    let guidance = Guidance { following: Following::Role, seed: limits.seed ^ AGAINST_RANDOM, ..guidance };
    let play = outcomes(&guidance, &starts).map_err(named)?;
    if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        // The set of finished playouts depends on the clock.
        return Ok(judgement);
    }

    let mut bound = candidate.bind(machine).map_err(|error| named(error.into()))?;
    let mut cursor = StateCursor::new(machine);
    let mut triples = Vec::new();
    for (sampled, goals) in ground.sample.iter().zip(guided.chunks(times.max(1))) {
        let goals: Vec<i32> = goals.iter().flatten().copied().collect();
        if !goals.is_empty() {
            let mean = f64::from(goals.iter().sum::<i32>()) / goals.len() as f64;
            triples.push((sampled.phase, bound.value(&cursor.at(&sampled.state)?), mean));
        }
    }
    judgement.guided = if times > 0 { associations(&triples) } else { Vec::new() };
    let mut counts = BTreeMap::new();
    play.iter().flatten().for_each(|&goal| *counts.entry(goal).or_default() += 1);
    judgement.play =
        (limits.play > 0).then(|| Play { playouts: counts.values().sum(), goal: mean_of_counts(&counts) });
    Ok(judgement)
}
