//! Plans for the whole game from plans for its parts.

use crate::machine::{Cursor, Machine, MoveId, State};
use crate::search::limits::{Halt, Meter};

use super::local::{LocalId, LocalStates};
use super::outcomes::Outcomes;

/// Whether the game can be over at a step with a goal value.
pub(super) enum Bound {
    /// The game is not over at this step with this value.
    Impossible,
    /// Neither is known: no plan was found, but none is excluded.
    Open,
    /// A plan reaches it.
    Reached {
        /// The joint moves.
        moves: Vec<Vec<MoveId>>,
        /// Whether every move acts in all parts, so that the plan has exactly `step` moves.
        at_once: bool,
    },
}

/// Whether the game can be over at a step with a goal value, and a plan for that if one is found.
pub(super) fn plan(
    outcomes: &Outcomes,
    (machine, state): (&dyn Machine, &State),
    parts: &[LocalStates<'_>],
    (goal, gate): (i32, usize),
    (step, clock): (usize, bool),
    meter: &mut Meter<'_>,
) -> Result<Bound, Halt> {
    let classes: Vec<Vec<u32>> = parts.iter().map(|part| part.classes_at(step)).collect();
    let ends = outcomes.ends(&classes, (step, gate), meter)?;
    for end in &ends {
        let work: u64 = parts.iter().map(|part| part.path_work(step)).sum();
        meter.charge(work);
        meter.made(work as usize);
        meter.count(0)?;
        if clock
            && let Some(moves) = all_at_once(machine, state, parts, end, step, meter)?
            && reaches(machine, state, &moves, goal)
        {
            return Ok(Bound::Reached { moves, at_once: true });
        }
        if let Some(moves) = one_after_another(machine, state, parts, end, meter)?
            && reaches(machine, state, &moves, goal)
        {
            return Ok(Bound::Reached { moves, at_once: false });
        }
    }
    Ok(if ends.is_empty() { Bound::Impossible } else { Bound::Open })
}

/// A plan in which every move acts in all parts, and which brings each part to its class after `step` moves.
fn all_at_once(
    machine: &dyn Machine,
    state: &State,
    parts: &[LocalStates<'_>],
    classes: &[u32],
    step: usize,
    meter: &mut Meter<'_>,
) -> Result<Option<Vec<Vec<MoveId>>>, Halt> {
    let paths = parts.iter().zip(classes).map(|(part, &class)| part.path_at(class, step));
    let Some(paths) = paths.collect::<Option<Vec<Vec<LocalId>>>>() else { return Ok(None) };
    let mut cursor = machine.cursor();
    cursor.set(state)?;
    let mut moves = Vec::new();
    for ply in 1..=step {
        let targets: Vec<LocalId> = paths.iter().map(|path| path[ply]).collect();
        match play(&mut *cursor, parts, &targets, meter)? {
            Some(action) => moves.push(vec![action]),
            None => return Ok(None),
        }
    }
    Ok(Some(moves))
}

/// A plan in which the parts move one after the other, and which reaches a class of each.
fn one_after_another(
    machine: &dyn Machine,
    state: &State,
    parts: &[LocalStates<'_>],
    classes: &[u32],
    meter: &mut Meter<'_>,
) -> Result<Option<Vec<Vec<MoveId>>>, Halt> {
    let mut cursor = machine.cursor();
    cursor.set(state)?;
    let mut targets: Vec<LocalId> = vec![0; parts.len()];
    let mut moves = Vec::new();
    for (part_index, (part, &class)) in parts.iter().zip(classes).enumerate() {
        let Some(path) = part.shortest_path(class) else { return Ok(None) };
        for &next in &path[1..] {
            targets[part_index] = next;
            match play(&mut *cursor, parts, &targets, meter)? {
                Some(action) => moves.push(vec![action]),
                None => return Ok(None),
            }
        }
    }
    Ok(Some(moves))
}

/// Plays a move that brings each part to a state; none if there is no such move, or the game is over.
fn play(
    cursor: &mut dyn Cursor,
    parts: &[LocalStates<'_>],
    targets: &[LocalId],
    meter: &mut Meter<'_>,
) -> Result<Option<MoveId>, Halt> {
    if cursor.terminal() {
        return Ok(None);
    }
    let from = cursor.state().clone();
    for action in cursor.legal(0).to_vec() {
        meter.count(1)?;
        cursor.set(&from)?;
        cursor.advance(&[action])?;
        let fits = |(part, &id): (&LocalStates<'_>, &LocalId)| *part.local(cursor.state()) == *part.words(id);
        if parts.iter().zip(targets).all(fits) {
            return Ok(Some(action));
        }
    }
    Ok(None)
}

/// Whether the last move of a plan, and no earlier one, ends the game, with this goal value.
fn reaches(machine: &dyn Machine, state: &State, moves: &[Vec<MoveId>], goal: i32) -> bool {
    let mut cursor = machine.cursor();
    if cursor.set(state).is_err() {
        return false;
    }
    for joint in moves {
        if cursor.terminal() || !cursor.legal(0).contains(&joint[0]) || cursor.advance(joint).is_err() {
            return false;
        }
    }
    cursor.terminal() && cursor.goals(0) == [goal]
}
