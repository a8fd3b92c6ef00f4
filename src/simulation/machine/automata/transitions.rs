//! The table of an automaton: which bit is next, by the bit that holds and the move.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::move_sets::{ALL, MoveSets, NONE, SetId};
use crate::ground::Network;

/// Says that a move can't be made.
pub(in crate::machine) const NO_CLASS: u32 = u32::MAX;

/// Entries of a table at most.
const MOST_ENTRIES: usize = 1 << 22;

/// Which bit of an automaton is next, in a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::machine) struct Transitions {
    /// The role whose move decides, if one does.
    pub(in crate::machine) role: Option<usize>,
    /// For each of its moves a class; moves of one class do the same. Those that can't be made are of none, [`NO_CLASS`].
    pub(in crate::machine) classes: Vec<u32>,
    /// Number of classes.
    pub(in crate::machine) width: usize,
    /// By place of the bit that holds, and then by class, the place of the next one; the number of bits stands for none.
    pub(in crate::machine) next: Vec<u32>,
}

/// The table of bits whose next values are these: a set of moves for most bits, and where exceptions to it stand in `entries`.
/// Nothing if two bits can follow, or several roles decide, or it would be too large.
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
    let size = rows.checked_mul(width).filter(|&size| size <= MOST_ENTRIES)?;
    *work = work.checked_sub(size)?;
    let members = members(sets, role, &classes, width, &used);
    let none = nexts.len() as u32;
    let mut next = vec![none; size];
    let mut follow = |row: usize, set: SetId, bit: usize| {
        let first =
            |&class: &u32| std::mem::replace(&mut next[row * width + class as usize], bit as u32) == none;
        members[&set].iter().all(first)
    };
    for (bit, (default, exceptions)) in nexts.iter().enumerate() {
        let exceptions = &entries[exceptions.clone()];
        if !exceptions.iter().all(|&(row, set)| follow(row as usize, set, bit)) {
            return None;
        }
        if *default != NONE {
            let mut left = exceptions.iter().map(|&(row, _)| row as usize).peekable();
            for row in 0..rows {
                if left.next_if_eq(&row).is_none() && !follow(row, *default, bit) {
                    return None;
                }
            }
        }
    }
    Some(Transitions { role, classes, width, next })
}

/// The class of each move of a role, and the number of classes: those of one class are in the same sets.
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

/// The classes whose moves are in a set, by set.
fn members(
    sets: &MoveSets,
    role: Option<usize>,
    classes: &[u32],
    width: usize,
    used: &[SetId],
) -> FxHashMap<SetId, Vec<u32>> {
    // A move of each class; where no move can be made it doesn't matter.
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
