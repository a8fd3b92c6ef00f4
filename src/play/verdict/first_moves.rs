//! The values of the first moves.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::machine::MoveId;
use crate::search::{Limits, Search as _, SearchError, first_images, solve_without_symmetry};

use super::best_play::{CHILDREN, MEMORY, values};
use super::contest::Contest;

/// If there are more first moves than this, none of them is evaluated.
const MOST_MOVES: usize = 400;

/// The states searched for all first moves together, as a multiple of the states for one move.
const TOTAL_FACTOR: u64 = 64;

/// The number of the first of these searches. No game has it, so that their random numbers differ.
const FIRST_NUMBER: u64 = 1 << 40;

/// The first moves of the role that begins.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FirstMoves {
    /// The role that alone has a choice in the initial state.
    pub role: String,
    /// Whether the values are proved. Otherwise they are the means of a search.
    pub proved: bool,
    /// The states searched after each move.
    pub states: u64,
    /// The greatest difference between the values of moves that are images of each other under a symmetry of the game, which is
    /// due to chance; each of them has their mean as its value. Null if the values are proved or no moves are images.
    pub spread: Option<f64>,
    /// The moves, the best first; moves of equal value in the order of the rules.
    pub moves: Vec<FirstMove>,
}

/// A first move with its value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FirstMove {
    /// The move, as KIF.
    pub action: String,
    /// Its value for the role, in goal points.
    pub value: f64,
}

/// The first moves with their values. The values are exact if `nodes` is given and each move can be solved within that
/// many states; otherwise a search of `states` states for each move estimates them. None if not exactly one role has a
/// choice, or if there are too many moves.
///
/// # Errors
/// A state can't be evaluated.
pub(super) fn first_moves(
    contest: &Contest<'_>,
    role_names: &[String],
    states: u64,
    nodes: Option<u64>,
) -> Result<Option<FirstMoves>, SearchError> {
    let machine = contest.machine;
    let cursor = machine.cursor();
    let choosers: Vec<usize> = (0..role_names.len()).filter(|&role| cursor.legal(role).len() > 1).collect();
    let [role] = choosers[..] else { return Ok(None) };
    if Some(role) == machine.description().random_role() || cursor.legal(role).len() > MOST_MOVES {
        return Ok(None);
    }
    let others: Vec<MoveId> =
        (0..role_names.len()).filter_map(|role| cursor.legal(role).first().copied()).collect();
    if others.len() < role_names.len() {
        return Ok(None);
    }
    let joints: Vec<Vec<MoveId>> = cursor
        .legal(role)
        .iter()
        .map(|&action| {
            let mut joint = others.clone();
            joint[role] = action;
            joint
        })
        .collect();
    let interrupt = contest.interrupt.map(|flag| &**flag);
    if let Some(nodes) = nodes {
        let limits =
            Limits { nodes: Some(nodes), children: Some(nodes * CHILDREN), interrupt, ..Limits::default() };
        let mut exact = Vec::with_capacity(joints.len());
        for joint in &joints {
            let mut cursor = machine.cursor();
            cursor.advance(joint).map_err(SearchError::from)?;
            let solution = solve_without_symmetry(
                machine,
                contest.teams,
                cursor.state(),
                MEMORY,
                &limits,
                &mut |_, _| {},
            )?;
            match values(&solution)[role] {
                Some(value) => exact.push(value),
                None => break,
            }
        }
        if exact.len() == joints.len() {
            return Ok(Some(FirstMoves::new(
                contest,
                role_names,
                role,
                joints.iter().zip(exact),
                (true, nodes),
            )));
        }
    }
    let states = states.min(TOTAL_FACTOR * states / joints.len().max(1) as u64).max(1);
    let value = |(number, joint): (usize, &Vec<MoveId>)| -> Result<Option<f64>, SearchError> {
        let mut cursor = machine.cursor();
        cursor.advance(joint).map_err(SearchError::from)?;
        let limits = Limits { nodes: Some(states), interrupt, ..Limits::default() };
        let mut search = contest.search(role, FIRST_NUMBER + number as u64);
        Ok(search.search(cursor.state(), &limits, &mut |_| {})?.value)
    };
    let search =
        || joints.par_iter().enumerate().map(value).collect::<Result<Option<Vec<f64>>, SearchError>>();
    let found = match rayon::ThreadPoolBuilder::new().num_threads(contest.threads).build() {
        Ok(pool) => pool.install(search)?,
        Err(_) => joints.iter().enumerate().map(value).collect::<Result<Option<Vec<f64>>, SearchError>>()?,
    };
    let Some(mut values) = found else { return Ok(None) };
    let spread = mean_of_images(contest, &joints, &mut values)?;
    let valued = joints.iter().zip(values);
    Ok(Some(FirstMoves { spread, ..FirstMoves::new(contest, role_names, role, valued, (false, states)) }))
}

/// Gives moves that lead to images of the same state their mean value. Returns the greatest difference that their values had.
fn mean_of_images(
    contest: &Contest<'_>,
    joints: &[Vec<MoveId>],
    values: &mut [f64],
) -> Result<Option<f64>, SearchError> {
    let machine = contest.machine;
    let mut cursor = machine.cursor();
    let mut states = Vec::with_capacity(joints.len());
    for joint in joints {
        cursor.set(machine.initial())?;
        cursor.advance(joint)?;
        states.push(cursor.state().clone());
    }
    let classes = first_images(machine, &states, contest.interrupt.map(|flag| &**flag));
    let mut spread = None;
    for class in 0..states.len() {
        let images: Vec<usize> = (class..states.len()).filter(|&of| classes[of] == class).collect();
        if images.len() > 1 {
            let own = images.iter().map(|&of| values[of]);
            let (least, most) =
                own.clone().fold((f64::MAX, f64::MIN), |(least, most), of| (least.min(of), most.max(of)));
            spread = Some((most - least).max(spread.unwrap_or(0.0)));
            let mean = own.sum::<f64>() / images.len() as f64;
            images.iter().for_each(|&of| values[of] = mean);
        }
    }
    Ok(spread)
}

impl FirstMoves {
    /// The first moves in order of their values; `proved` says whether these are proved, and `states` how many states
    /// were searched for each.
    fn new<'j>(
        contest: &Contest<'_>,
        role_names: &[String],
        role: usize,
        valued: impl Iterator<Item = (&'j Vec<MoveId>, f64)>,
        (proved, states): (bool, u64),
    ) -> FirstMoves {
        let of = |(joint, value): (&Vec<MoveId>, f64)| FirstMove {
            action: contest.machine.move_text(joint[role]),
            value,
        };
        let mut moves: Vec<FirstMove> = valued.map(of).collect();
        moves.sort_by(|a, b| b.value.total_cmp(&a.value));
        FirstMoves { role: role_names[role].clone(), proved, states, spread: None, moves }
    }
}
