//! The transition table of an automaton: the next bit, by the current bit and the move.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::move_sets::{ALL, MoveSets, NONE, SetId};
use crate::ground::Network;

/// The class of moves that are impossible.
pub(in crate::machine) const NO_CLASS: u32 = u32::MAX;

/// Maximum number of table entries.
const MAX_ENTRIES: usize = 1 << 22;

/// The transitions of an automaton in a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::machine) struct Transitions {
    /// The role whose move determines the next bit, if any.
    pub(in crate::machine) role: Option<usize>,
    /// The class of each move of the role; moves of a class have the same transitions. Impossible moves have [`NO_CLASS`].
    pub(in crate::machine) classes: Vec<u32>,
    /// Number of classes.
    pub(in crate::machine) width: usize,
    /// The index of the next bit, by index of the current bit and class. The number of bits as an index means that no
    /// bit holds next.
    pub(in crate::machine) next: Vec<u32>,
}

/// The transition table of some bits. For each bit, `nexts` has the set of moves after which it holds next, and the
/// range of exceptions in `entries`. An exception is a row of the table with another set. None if two bits could hold
/// next, several roles decide, or the table would be too large.
pub(super) fn transitions(
    network: &Network,
    sets: &MoveSets,
    nexts: &[(SetId, Range<usize>)],
    entries: &[(u32, SetId)],
    work: &mut usize,
) -> Option<Transitions> {
    let mut used: Vec<SetId> = nexts.iter().map(|next| next.0).chain(entries.iter().map(|e| e.1)).collect();
    used.sort_unstable();
    used.dedup();
    let mut roles = used.iter().filter_map(|&set| sets.role(set));
    let role = roles.next();
    if roles.any(|other| Some(other) != role) {
        return None;
    }
    let (classes, width) = match role {
        Some(role) => classes(sets, role, network.moves[role].len(), &used, work)?,
        None => (Vec::new(), 1),
    };
    let rows = nexts.len() + 1;
    let size = rows.checked_mul(width).filter(|&size| size <= MAX_ENTRIES)?;
    *work = work.checked_sub(size)?;
    let members = members(sets, role, &classes, width, &used);
    let none = nexts.len() as u32;
    let mut next = vec![none; size];
    let mut fill_row = |row: usize, set: SetId, bit: usize| {
        let is_free =
            |&class: &u32| std::mem::replace(&mut next[row * width + class as usize], bit as u32) == none;
        members[&set].iter().all(is_free)
    };
    for (bit, (default, exceptions)) in nexts.iter().enumerate() {
        let exceptions = &entries[exceptions.clone()];
        if !exceptions.iter().all(|&(row, set)| fill_row(row as usize, set, bit)) {
            return None;
        }
        if *default != NONE {
            let mut left = exceptions.iter().map(|&(row, _)| row as usize).peekable();
            for row in 0..rows {
                if left.next_if_eq(&row).is_none() && !fill_row(row, *default, bit) {
                    return None;
                }
            }
        }
    }
    Some(Transitions { role, classes, width, next })
}

/// The class of each move of a role, and the number of classes. Moves of a class are in the same sets.
fn classes(
    sets: &MoveSets,
    role: usize,
    moves: usize,
    used: &[SetId],
    work: &mut usize,
) -> Option<(Vec<u32>, usize)> {
    let possible: Vec<usize> = (0..moves).filter(|&number| sets.possible(role, number)).collect();
    let mut classes = vec![NO_CLASS; moves];
    possible.iter().for_each(|&number| classes[number] = 0);
    let mut width = 1;
    for &set in used.iter().filter(|&&set| set > ALL) {
        *work = work.checked_sub(possible.len())?;
        let mut split: FxHashMap<(u32, bool), u32> = FxHashMap::default();
        for &number in &possible {
            let next = split.len() as u32;
            classes[number] = *split.entry((classes[number], sets.has(set, number))).or_insert(next);
        }
        width = split.len().max(1);
    }
    Some((classes, width))
}

/// For each set, the classes whose moves it contains.
fn members(
    sets: &MoveSets,
    role: Option<usize>,
    classes: &[u32],
    width: usize,
    used: &[SetId],
) -> FxHashMap<SetId, Vec<u32>> {
    // A representative move of each class; irrelevant if no move is possible.
    let mut example = vec![None; width];
    if let Some(role) = role {
        let possible = (0..classes.len()).filter(|&number| sets.possible(role, number));
        possible.for_each(|number| example[classes[number] as usize] = Some(number));
    }
    let has = |set: SetId, class: usize| match example[class] {
        Some(number) => sets.has(set, number),
        None => set == ALL,
    };
    let classes = |&set: &SetId| (set, (0..width as u32).filter(|&class| has(set, class as usize)).collect());
    used.iter().map(classes).collect()
}
