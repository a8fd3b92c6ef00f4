//! What helps: features whose values halfway through good games predict the result.
//!
//! # How
//! Candidates are the features that correlate significantly with a goal value in random play. All games of the searches are
//! compared at the same step, half the median length. A feature splits them into those with a value above the mean and the
//! others. The difference of the role's scores in the two groups is its strength. Holm's method corrects for the number of
//! candidates.

use schemars::JsonSchema;
use serde::Serialize;

use crate::feature::{FluentIndex, MeasuredFeature, StateEvaluator};
use crate::machine::{Machine, MachineError, State};
use crate::simulate::WorkLimit;
use crate::statistics::SIGNIFICANCE;
use crate::statistics::correction::holm;
use crate::statistics::quantile::student_tail;
use crate::structure::finding::Structures;

use super::played_game::PlayedGame;

/// The number of candidates, those with the strongest correlation in random play.
const CANDIDATES: usize = 60;

/// The number of features that are reported.
const REPORTED: usize = 5;

/// The least number of games in each group.
const GROUP: usize = 8;

/// A feature is left out if it splits the games like a stronger one, except for this share of them.
const DIFFERENT: f64 = 0.2;

/// A feature that helps a role.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Help {
    /// The feature's name, as in `features`.
    pub feature: String,
    /// The role whose score is given.
    pub role: String,
    /// The number of joint moves after which the games are compared.
    pub step: u32,
    /// The mean value at this step; the games are split at it.
    pub mean: f64,
    /// Games with a greater value.
    pub games_above: u64,
    /// The role's score in them: wins and half of the draws, as a share.
    pub score_above: f64,
    /// The other games.
    pub games_below: u64,
    /// The role's score in them.
    pub score_below: f64,
    /// The p-value of the difference, corrected for the number of candidates.
    pub p_holm: f64,
}

/// The features that help, the strongest first. `candidates` has each feature with the role whose goal value it correlates
/// with, the strongest correlation first.
///
/// # Errors
/// A state can't be evaluated.
pub(super) fn helps(
    machine: &dyn Machine,
    candidates: &[(&MeasuredFeature, usize)],
    (role_names, teams): (&[String], &[Vec<usize>]),
    games: &[&PlayedGame],
    work_limit: &WorkLimit<'_>,
) -> Result<Vec<Help>, MachineError> {
    let Some((step, compared)) = at_half(games, role_names.len(), teams) else { return Ok(Vec::new()) };
    let index = FluentIndex::new(machine);
    let bound = candidates.iter().take(CANDIDATES).filter_map(|&(measured, role)| {
        let measure = measured.feature.spec.bind_with(&index).ok()?;
        Some((measured, role, measure))
    });
    let mut bound: Vec<_> = bound.collect();
    let mut values: Vec<Vec<f64>> = vec![Vec::with_capacity(compared.len()); bound.len()];
    let mut evaluator = StateEvaluator::new(machine);
    for (state, _) in &compared {
        if work_limit.check().is_err() {
            return Ok(Vec::new());
        }
        let valued = evaluator.at(state)?;
        for ((_, _, measure), values) in bound.iter_mut().zip(&mut values) {
            values.push(measure.value(&valued));
        }
        work_limit.add(bound.len() as u64);
    }
    let mut found: Vec<(Help, Vec<bool>)> = Vec::new();
    for ((measured, role, _), values) in bound.iter().zip(&values) {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let above: Vec<bool> = values.iter().map(|&value| value > mean).collect();
        let scores = |side: bool| -> Vec<f64> {
            let of = compared.iter().zip(&above).filter(|(_, above)| **above == side);
            let team = teams.iter().position(|team| team.contains(role)).unwrap_or(0);
            of.map(|((_, goals), _)| score(goals, team)).collect()
        };
        let (high, low) = (scores(true), scores(false));
        let Some(p) = p_of_difference(&high, &low) else { continue };
        let share = |scores: &[f64]| scores.iter().sum::<f64>() / scores.len() as f64;
        let help = Help {
            feature: measured.feature.id.clone(),
            role: role_names[*role].clone(),
            step,
            mean,
            games_above: high.len() as u64,
            score_above: share(&high),
            games_below: low.len() as u64,
            score_below: share(&low),
            p_holm: p,
        };
        found.push((help, above));
    }
    let corrected = holm(&found.iter().map(|(help, _)| help.p_holm).collect::<Vec<_>>());
    for ((help, _), p) in found.iter_mut().zip(corrected) {
        help.p_holm = p;
    }
    found.retain(|(help, _)| help.p_holm < SIGNIFICANCE);
    let strength = |help: &Help| (help.score_above - help.score_below).abs();
    found.sort_by(|(a, _), (b, _)| strength(b).total_cmp(&strength(a)));
    let mut reported: Vec<(Help, Vec<bool>)> = Vec::new();
    for (help, above) in found {
        let alike = |(_, other): &(Help, Vec<bool>)| {
            let differing = other.iter().zip(&above).filter(|(a, b)| a != b).count() as f64;
            let share = differing / above.len() as f64;
            !(DIFFERENT..=1.0 - DIFFERENT).contains(&share)
        };
        if !reported.iter().any(alike) {
            reported.push((help, above));
        }
        if reported.len() == REPORTED {
            break;
        }
    }
    Ok(reported.into_iter().map(|(help, _)| help).collect())
}

/// The features that correlate significantly with a goal value in random play, each with the role: the strongest first. In a
/// zero-sum game of two players it is always the first role.
pub(super) fn candidates<'f>(
    features: &'f [MeasuredFeature],
    structures: &Structures,
    role_names: &[String],
) -> Vec<(&'f MeasuredFeature, usize)> {
    let opponents =
        structures.zero_sum && matches!(&structures.teams[..], [a, b] if a.len() == 1 && b.len() == 1);
    let of = |measured: &'f MeasuredFeature| {
        let sure = measured.correlations.iter().filter(|with| with.is_supported() && with.is_significant());
        let named = sure.filter_map(|with| {
            let role = role_names.iter().position(|name| *name == with.role)?;
            (!opponents || role == structures.teams[0][0]).then_some((with.correlation?.abs(), role))
        });
        let (strength, role) = named.reduce(|best, other| if other.0 > best.0 { other } else { best })?;
        Some((strength, measured, role))
    };
    let own = features.iter().filter(|measured| measured.alias_of.is_none());
    let mut found: Vec<(f64, &MeasuredFeature, usize)> = own.filter_map(of).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, measured, role)| (measured, role)).collect()
}

/// A game at the step at which games are compared: its state, and the goal values of the teams at the end.
type ComparedGame<'g> = (&'g State, Vec<i32>);

/// The step at which games are compared, and for each game that is longer its state there and its goal values. The role to
/// move is the same in all if roles take turns. None if there are too few games.
fn at_half<'g>(
    games: &[&'g PlayedGame],
    roles: usize,
    teams: &[Vec<usize>],
) -> Option<(u32, Vec<ComparedGame<'g>>)> {
    let mut lengths: Vec<usize> = games.iter().map(|game| game.moves.len()).collect();
    lengths.sort_unstable();
    let half = lengths.get(lengths.len() / 2)? / 2;
    let step = half - half % roles.max(1);
    let state = |game: &&&'g PlayedGame| {
        let goals = game.team_goals(teams)?;
        Some((game.states.get(step).filter(|_| step < game.moves.len())?, goals))
    };
    let compared: Vec<_> = games.iter().filter_map(|game| state(&game)).collect();
    (compared.len() >= 2 * GROUP && step > 0).then_some((step as u32, compared))
}

/// A team's score: 1 if its goal value is the highest alone, one half if it shares it, else 0. A single team's goal value
/// divided by 100 is its score.
fn score(goals: &[i32], team: usize) -> f64 {
    if goals.len() == 1 {
        return f64::from(goals[0]) / 100.0;
    }
    let best = goals.iter().max();
    match (best == goals.get(team), goals.iter().filter(|goal| Some(*goal) == best).count()) {
        (true, 1) => 1.0,
        (true, _) => 0.5,
        (false, _) => 0.0,
    }
}

/// The p-value of the difference of two means (Welch 1947, with the smaller group's degrees of freedom); none if a group is
/// too small or nothing varies.
fn p_of_difference(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.len() < GROUP || b.len() < GROUP {
        return None;
    }
    let moments = |values: &[f64]| {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        // One pseudo-observation keeps groups without variance from being certain.
        let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() + 0.25;
        (mean, spread / (count - 1.0) / count)
    };
    let ((first, first_error), (second, second_error)) = (moments(a), moments(b));
    let t = (first - second).abs() / (first_error + second_error).sqrt();
    Some(2.0 * student_tail(t, a.len().min(b.len()) as u64 - 1))
}
