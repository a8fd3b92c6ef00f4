//! Plans for the whole game from plans for its parts.

use crate::machine::{Cursor, Machine, MoveId, State};
use crate::search::limits::{Halt, Meter};

use super::local::{LocalId, LocalStates};

/// A plan in which all parts move at once, and which reaches a class of each part after a number of steps.
pub(super) fn all_at_once(
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
        let wanted: Vec<LocalId> = paths.iter().map(|path| path[ply]).collect();
        match play(&mut *cursor, parts, &wanted, meter)? {
            Some(action) => moves.push(vec![action]),
            None => return Ok(None),
        }
    }
    Ok(Some(moves))
}

/// A plan in which the parts move one after the other, and which reaches a class of each.
pub(super) fn one_after_another(
    machine: &dyn Machine,
    state: &State,
    parts: &[LocalStates<'_>],
    classes: &[u32],
    meter: &mut Meter<'_>,
) -> Result<Option<Vec<Vec<MoveId>>>, Halt> {
    let mut cursor = machine.cursor();
    cursor.set(state)?;
    let mut wanted: Vec<LocalId> = vec![0; parts.len()];
    let mut moves = Vec::new();
    for (number, (part, &class)) in parts.iter().zip(classes).enumerate() {
        let Some(path) = part.shortest_path(class) else { return Ok(None) };
        for &next in &path[1..] {
            wanted[number] = next;
            match play(&mut *cursor, parts, &wanted, meter)? {
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
    wanted: &[LocalId],
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
        if parts.iter().zip(wanted).all(fits) {
            return Ok(Some(action));
        }
    }
    Ok(None)
}
