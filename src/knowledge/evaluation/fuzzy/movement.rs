//! What moves on an ordered board.
//!
//! The distance of a stone that stays where it was put says nothing of how soon another will stand on a cell. So only
//! contents that move are measured: in some step of random play one of their facts goes and another comes. (Marks that
//! are only put or taken, discs that change sides with the mover, don't.)

use rustc_hash::{FxHashMap, FxHashSet};

use crate::datalog::Interrupt;
use crate::machine::{FluentId, Machine};

use super::random_walk::walk;

/// Playouts looked at: what moves does so soon.
const PLAYOUTS: u64 = 60;

/// Facts that agree in all arguments but the ordered ones: the fluent as `name/arity`, and the other arguments.
pub(super) type Like = (String, Vec<String>);

/// What moves in random play. `like` names the facts that a fluent is one of, if it is on an ordered board.
pub(super) fn moving(
    machine: &dyn Machine,
    interrupt: &Interrupt,
    like: &dyn Fn(&str) -> Option<Like>,
) -> FxHashSet<Like> {
    let mut known: FxHashMap<FluentId, Option<usize>> = FxHashMap::default();
    let mut numbers: FxHashMap<Like, usize> = FxHashMap::default();
    let mut moves: Vec<bool> = Vec::new();
    let (mut before, mut after): (Vec<FluentId>, Vec<FluentId>) = (Vec::new(), Vec::new());
    walk(machine, PLAYOUTS, interrupt, &mut |cursor, first| {
        after.clear();
        machine.fluents(cursor.state(), &mut after);
        after.sort_unstable();
        if !first {
            let mut of = |fluent: FluentId| {
                *known.entry(fluent).or_insert_with(|| {
                    let group = like(&machine.fluent_text(fluent))?;
                    let next = numbers.len();
                    Some(*numbers.entry(group).or_insert(next))
                })
            };
            let missing = |from: &[FluentId], other: &[FluentId]| -> Vec<FluentId> {
                from.iter().copied().filter(|fluent| other.binary_search(fluent).is_err()).collect()
            };
            let gone: Vec<usize> = missing(&before, &after).into_iter().filter_map(&mut of).collect();
            let come: Vec<usize> = missing(&after, &before).into_iter().filter_map(&mut of).collect();
            moves.resize(numbers.len(), false);
            for group in gone.into_iter().filter(|group| come.contains(group)) {
                moves[group] = true;
            }
        }
        std::mem::swap(&mut before, &mut after);
        true
    });
    numbers
        .into_iter()
        .filter(|(_, number)| moves.get(*number).copied().unwrap_or(false))
        .map(|(like, _)| like)
        .collect()
}
