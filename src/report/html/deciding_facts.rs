//! The facts that decide a game: those of its last state without which the winner has a lower goal value, such as the discs of
//! a line of four. And the facts that the first moves add.

use crate::machine::{FluentId, Machine, MachineError, MoveId, State};
use crate::verdict::FirstMoves;

use super::super::facts::{Fact, FactReader};

/// The most facts of a state that are left out one by one.
const EXAMINED: usize = 600;

/// The facts of a terminal state that decide its result; empty if more than half of them do, because then no place of the board
/// stands out.
pub(super) fn deciding_facts(
    machine: &dyn Machine,
    reader: &FactReader<'_>,
    state: &State,
    goals: &[Vec<i32>],
) -> Result<Vec<Fact>, MachineError> {
    let single: Vec<Option<i32>> =
        goals.iter().map(|values| if let [goal] = values[..] { Some(goal) } else { None }).collect();
    let best = single.iter().copied().max().flatten();
    let winners: Vec<usize> = (0..goals.len()).filter(|&role| single[role] == best).collect();
    let (Some(best), [winner], true) = (best, &winners[..], goals.len() > 1) else { return Ok(Vec::new()) };
    let mut fluents: Vec<FluentId> = Vec::new();
    machine.fluents(state, &mut fluents);
    if fluents.len() > EXAMINED {
        return Ok(Vec::new());
    }
    let mut cursor = machine.cursor();
    let mut deciding = Vec::new();
    for left_out in 0..fluents.len() {
        let mut others = fluents.clone();
        let fluent = others.remove(left_out);
        cursor.set(&machine.state_of(&others))?;
        let wins = cursor.terminal() && cursor.goals(*winner).contains(&best);
        if !wins {
            deciding.push(reader.fact(fluent));
        }
    }
    let few = 2 * deciding.len() <= fluents.len();
    Ok(if few { deciding } else { Vec::new() })
}

/// The value of a first move with the facts that it adds.
#[derive(Clone, Debug)]
pub(super) struct FirstMoveFacts {
    pub(super) value: f64,
    pub(super) added: Vec<Fact>,
}

/// The facts that the first moves add, in the order of `first`.
pub(super) fn first_move_facts(
    machine: &dyn Machine,
    reader: &FactReader<'_>,
    first: &FirstMoves,
) -> Result<Vec<FirstMoveFacts>, MachineError> {
    let description = machine.description();
    let role = description.roles.iter().position(|&role| machine.term_text(role) == first.role);
    let mut cursor = machine.cursor();
    let mut before: Vec<FluentId> = Vec::new();
    machine.fluents(machine.initial(), &mut before);
    let mut out = Vec::new();
    for of in &first.moves {
        cursor.set(machine.initial())?;
        let joint: Option<Vec<MoveId>> = (0..description.roles.len())
            .map(|index| {
                let mut legal = cursor.legal(index).iter().copied();
                match Some(index) == role {
                    true => legal.find(|&action| machine.move_text(action) == of.action),
                    false => legal.next(),
                }
            })
            .collect();
        let Some(joint) = joint else { return Ok(Vec::new()) };
        cursor.advance(&joint)?;
        let mut after: Vec<FluentId> = Vec::new();
        machine.fluents(cursor.state(), &mut after);
        let added = after.iter().filter(|fluent| !before.contains(fluent));
        out.push(FirstMoveFacts {
            value: of.value,
            added: added.map(|&fluent| reader.fact(fluent)).collect(),
        });
    }
    Ok(out)
}
