//! Legal moves in sampled states.

use crate::machine::MoveId;

use super::diff::difference;

/// How often a move of a role was legal, in all sampled states or in an evenly spaced part of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveCount {
    /// Number of states in which it was legal.
    pub legal: u64,
    /// Number of states in which it was the role's only legal move.
    pub only: u64,
    /// Number of states in which it was the role's only legal move while another role had several.
    pub waiting: u64,
    /// Whether it was one of several in any sampled state.
    pub one_of_several: bool,
}

impl MoveCount {
    /// Adds other counts.
    pub(super) fn add(&mut self, more: &MoveCount) {
        self.legal += more.legal;
        self.only += more.only;
        self.waiting += more.waiting;
        self.one_of_several |= more.one_of_several;
    }
}

/// Counts over all states that are not terminal.
#[derive(Clone, Debug)]
pub struct MoveSamples {
    /// For each role, counts by move; complete once samples are [merged](MoveSamples::merge) into others.
    pub counts: Vec<Vec<MoveCount>>,
    /// Number of states.
    pub states: u64,
    /// Number of states in which two or more roles had several legal moves.
    pub simultaneous: u64,
    /// For each role, the number of states in which it had one legal move while another role had several,
    /// among the states in which moves were counted.
    pub waiting: Vec<u64>,
    /// For each role, the legal moves of the latest state.
    latest: Vec<Vec<MoveId>>,
    /// For each role and move, the number of states in which it was legal. The number of the state in which
    /// it becomes legal is subtracted; the number of the state in which it is legal no longer is added.
    legal: Vec<Vec<u64>>,
}

impl MoveSamples {
    /// Empty samples.
    pub fn new(roles: usize) -> MoveSamples {
        MoveSamples {
            counts: vec![Vec::new(); roles],
            states: 0,
            simultaneous: 0,
            waiting: vec![0; roles],
            latest: vec![Vec::new(); roles],
            legal: vec![Vec::new(); roles],
        }
    }

    /// Adds a state that is not terminal.
    pub fn state(&mut self, legal: &[Vec<MoveId>]) {
        let choosing = legal.iter().filter(|moves| moves.len() > 1).count();
        self.simultaneous += u64::from(choosing > 1);
        for (role, moves) in legal.iter().enumerate() {
            if let [action] = *moves.as_slice() {
                let waits = choosing > 0;
                self.waiting[role] += u64::from(waits);
                let count = count_of(&mut self.counts[role], action);
                count.only += 1;
                count.waiting += u64::from(waits);
            }
            self.follow(role, moves);
        }
        self.states += 1;
    }

    /// Sets the legal moves of a role from the current state on. Only the part that differs is processed;
    /// it is small if a role has many moves.
    fn follow(&mut self, role: usize, moves: &[MoveId]) {
        let (latest, legal, now) = (&mut self.latest[role], &mut self.legal[role], self.states);
        let (_, old, new) = difference(latest, moves);
        if old.is_empty() && new.is_empty() {
            return;
        }
        for action in old {
            let known = &mut legal[action.0 as usize];
            *known = known.wrapping_add(now);
        }
        for action in new {
            let index = action.0 as usize;
            if legal.len() <= index {
                legal.resize(index + 1, 0);
            }
            legal[index] = legal[index].wrapping_sub(now);
        }
        latest.clear();
        latest.extend_from_slice(moves);
    }

    /// Ends the current moves and completes the counts.
    fn close(&mut self) {
        for role in 0..self.latest.len() {
            self.follow(role, &[]);
            for (index, legal) in self.legal[role].iter_mut().enumerate().filter(|(_, legal)| **legal > 0) {
                let count = count_of(&mut self.counts[role], MoveId(index as u32));
                count.legal += std::mem::take(legal);
                count.one_of_several |= count.legal > count.only;
            }
        }
    }

    /// Adds the samples of later playouts.
    pub fn merge(&mut self, mut later: MoveSamples) {
        self.close();
        later.close();
        self.states += later.states;
        self.simultaneous += later.simultaneous;
        self.waiting.iter_mut().zip(later.waiting).for_each(|(waiting, more)| *waiting += more);
        for (counts, more) in self.counts.iter_mut().zip(later.counts) {
            if counts.len() < more.len() {
                counts.resize(more.len(), MoveCount::default());
            }
            for (count, more) in counts.iter_mut().zip(more) {
                count.add(&more);
            }
        }
    }

    /// Adds counts of one move of a role.
    pub(super) fn add(&mut self, role: usize, action: MoveId, more: &MoveCount) {
        count_of(&mut self.counts[role], action).add(more);
    }
}

fn count_of(counts: &mut Vec<MoveCount>, action: MoveId) -> &mut MoveCount {
    let index = action.0 as usize;
    if counts.len() <= index {
        counts.resize(index + 1, MoveCount::default());
    }
    &mut counts[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_counted_while_they_are_legal() {
        let list = |moves: &[u32]| moves.iter().map(|&action| MoveId(action)).collect::<Vec<_>>();
        let states: [&[u32]; 7] = [&[1, 2, 3], &[1, 2, 3], &[1, 3], &[0], &[0], &[1, 4, 3], &[3, 1]];
        let (mut all, mut one) = (MoveSamples::new(2), MoveSamples::new(2));
        for (number, moves) in states.iter().enumerate() {
            if number == 3 {
                all.merge(std::mem::replace(&mut one, MoveSamples::new(2)));
            }
            one.state(&[list(moves), list(&[7, 8])]);
        }
        all.merge(one);
        let legal = |role: usize| all.counts[role].iter().map(|count| count.legal).collect::<Vec<_>>();
        assert_eq!((legal(0), legal(1)), (vec![2, 5, 2, 5, 1], vec![0, 0, 0, 0, 0, 0, 0, 7, 7]));
        assert_eq!(all.counts[0][0], MoveCount { legal: 2, only: 2, waiting: 2, one_of_several: false });
        assert_eq!((all.states, all.simultaneous, &*all.waiting), (7, 5, &[2, 0][..]));
    }
}
