//! Finds the contents of ordered boards that move.
//!
//! The distance of a stone that never moves does not show how soon another one reaches a cell. So only contents that
//! move are measured: in some step of random play one of their fluents ends and another one begins.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::datalog::Interrupt;
use crate::machine::{FluentId, Machine};

use super::random_walk::walk;

/// Number of playouts. Few suffice, because contents that move do so early.
const PLAYOUTS: u64 = 60;

/// A group of fluents that agree in all arguments except the ordered ones: the fluent as `name/arity`, and the other
/// arguments.
pub(super) type Contents = (String, Vec<String>);

/// The contents that move in random play. `contents` returns those of a fluent of an ordered board.
pub(super) fn moving(
    machine: &dyn Machine,
    interrupt: &Interrupt,
    contents: &dyn Fn(&str) -> Option<Contents>,
) -> FxHashSet<Contents> {
    let mut known: FxHashMap<FluentId, Option<usize>> = FxHashMap::default();
    let mut numbers: FxHashMap<Contents, usize> = FxHashMap::default();
    let mut moves: Vec<bool> = Vec::new();
    let (mut before, mut after): (Vec<FluentId>, Vec<FluentId>) = (Vec::new(), Vec::new());
    walk(machine, PLAYOUTS, interrupt, &mut |cursor, first| {
        after.clear();
        machine.fluents(cursor.state(), &mut after);
        after.sort_unstable();
        if !first {
            let mut of = |fluent: FluentId| {
                *known.entry(fluent).or_insert_with(|| {
                    let group = contents(&machine.fluent_text(fluent))?;
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
        .map(|(contents, _)| contents)
        .collect()
}
