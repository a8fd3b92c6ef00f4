//! Shorter plays that show what random plays showed: breadth first from the initial state, as far as the work goes. Where
//! that is as far as play goes, all states that can be reached are listed.

use rustc_hash::{FxHashMap, FxHashSet};

use super::listing::{Listing, Successors, longest_path};
use super::plays::{Moves, OUTCOMES, Plays, shorter};
use super::solver::Allowance;
use crate::machine::{Cursor, Machine, MoveId, State};

/// States that are gone on from, at most, and joint moves of one of them.
const STATES: usize = 20_000;
const JOINT: usize = 5_000;

/// Terminal states, at most.
const TERMINAL: usize = 100_000;

/// A state that was come to, with the way there.
struct Reached {
    state: State,
    /// The state before, by its place, and the joint move made there; none for the initial state.
    before: Option<(usize, Vec<MoveId>)>,
    depth: usize,
}

/// What steps from a state are held against.
struct Before {
    goals: Vec<Option<i32>>,
    /// The one role that had a choice.
    chose: Option<usize>,
}

impl Plays {
    /// Looks for shorter plays, within so much work in the machine's units: states are gone on from in the order of their
    /// distance, each once, so that what a state or a step shows is first seen by a play that is as short as can be. A play
    /// that comes to a state twice is seen where it goes by the first play to each of its states.
    pub(super) fn shorten(&mut self, machine: &dyn Machine, work: u64, allowance: &Allowance) {
        let roles = machine.description().roles.len();
        let mut cursor = machine.cursor();
        let mut places: FxHashMap<State, usize> = FxHashMap::default();
        places.insert(machine.initial().clone(), 0);
        let mut reached = vec![Reached { state: machine.initial().clone(), before: None, depth: 0 }];
        self.note(&*cursor, 0, None, roles, &Moves::new);
        if cursor.terminal() {
            self.listing = Some(Listing { states: 1, longest: Some(0) });
            return;
        }
        let (mut place, mut terminal) = (0, FxHashSet::default());
        let mut successors: Vec<Successors> = Vec::new();
        while place < reached.len() {
            if allowance.is_interrupted() {
                return;
            }
            let steps = reached[place].depth + 1;
            let mut here = Successors::default();
            // What can't be evaluated was not seen in play: nothing shorter is looked for then.
            if cursor.set(&reached[place].state).is_err() {
                return;
            }
            let before = Before { goals: goals(&*cursor, roles), chose: one_choosing(&*cursor, roles) };
            let Some(joint_moves) = joint_moves(&*cursor, roles) else { return };
            for joint in joint_moves {
                let full = reached.len() >= STATES || terminal.len() >= TERMINAL;
                if cursor.work() > work || full || allowance.is_interrupted() {
                    return;
                }
                if cursor.set(&reached[place].state).and_then(|()| cursor.advance(&joint)).is_err() {
                    return;
                }
                self.note(&*cursor, steps, Some(&before), roles, &|| way(&reached, place, &joint));
                match places.get(cursor.state()) {
                    Some(&other)
                        if comes_by(&reached, place, other)
                            && self.circle.as_ref().is_none_or(|known| steps < known.len()) =>
                    {
                        self.circle = Some(way(&reached, place, &joint));
                    }
                    Some(_) => {}
                    None if !cursor.terminal() => {
                        let state = cursor.state().clone();
                        places.insert(state.clone(), reached.len());
                        reached.push(Reached { state, before: Some((place, joint)), depth: steps });
                    }
                    None => {
                        terminal.insert(cursor.state().clone());
                    }
                }
                match places.get(cursor.state()) {
                    Some(&other) => here.others.push(other as u32),
                    None => here.ends = true,
                }
            }
            successors.push(here);
            place += 1;
        }
        let states = (reached.len() + terminal.len()) as u64;
        self.listing = Some(Listing { states, longest: longest_path(successors) });
    }

    /// Follows a play of the machine, and notes what it shows. A move that is not legal ends it.
    pub(super) fn follow(&mut self, machine: &dyn Machine, moves: &[Vec<MoveId>]) {
        let roles = machine.description().roles.len();
        let mut cursor = machine.cursor();
        self.note(&*cursor, 0, None, roles, &Moves::new);
        for (step, joint) in moves.iter().enumerate() {
            let is_legal = |(role, action): (usize, &MoveId)| cursor.legal(role).contains(action);
            if cursor.terminal() || joint.len() != roles || !joint.iter().enumerate().all(is_legal) {
                return;
            }
            let before = Before { goals: goals(&*cursor, roles), chose: one_choosing(&*cursor, roles) };
            if cursor.advance(joint).is_err() {
                return;
            }
            self.note(&*cursor, step + 1, Some(&before), roles, &|| moves[..=step].to_vec());
        }
    }

    /// Notes what a state shows, so many steps from the initial one, and the step to it from another one.
    fn note(
        &mut self,
        now: &dyn Cursor,
        steps: usize,
        before: Option<&Before>,
        roles: usize,
        way: &dyn Fn() -> Moves,
    ) {
        let note = |known: &mut Option<Moves>| {
            if known.as_ref().is_none_or(|known| steps < known.len()) {
                shorter(known, &way());
            }
        };
        let here = goals(now, roles);
        for (role, goal) in here.iter().enumerate() {
            if goal.is_none() {
                note(&mut self.odd_goal[role]);
                if now.terminal() {
                    note(&mut self.odd_end[role]);
                }
            }
            let was = before.and_then(|before| before.goals[role]);
            if was.zip(*goal).is_some_and(|(was, is)| is < was) {
                note(&mut self.fall[role]);
            }
            if now.terminal() && *goal == Some(100) {
                note(&mut self.won[role]);
            }
            if !now.terminal() && now.legal(role).is_empty() {
                note(&mut self.stuck[role]);
            }
        }
        if now.terminal() {
            self.ends_with(here, steps, way);
            return;
        }
        if (0..roles).any(|role| now.legal(role).is_empty()) {
            return;
        }
        if let Some(one) = one_choosing(now, roles) {
            note(&mut self.one_chooses);
            let turn = before.and_then(|before| before.chose);
            let next = turn.and_then(|role| self.after[role]);
            if next.is_some_and(|next| next != one || (roles > 1 && turn == Some(one))) {
                note(&mut self.out_of_turn);
            }
        } else if choosing(now, roles).count() > 1 {
            note(&mut self.at_once);
        }
    }

    /// Notes an outcome, if there is room for it.
    fn ends_with(&mut self, goals: Vec<Option<i32>>, steps: usize, way: &dyn Fn() -> Moves) {
        let room = self.ends.len() < OUTCOMES;
        match self.ends.get_mut(&goals) {
            Some(known) if steps < known.len() => *known = way(),
            None if room => {
                self.ends.insert(goals, way());
            }
            _ => {}
        }
    }
}

/// For every role its one goal value.
fn goals(cursor: &dyn Cursor, roles: usize) -> Vec<Option<i32>> {
    let one = |role| if let [goal] = cursor.goals(role) { Some(*goal) } else { None };
    (0..roles).map(one).collect()
}

/// The roles that have a choice.
fn choosing(cursor: &dyn Cursor, roles: usize) -> impl Iterator<Item = usize> {
    (0..roles).filter(|&role| !cursor.terminal() && cursor.legal(role).len() > 1)
}

fn one_choosing(cursor: &dyn Cursor, roles: usize) -> Option<usize> {
    let mut choosing = choosing(cursor, roles);
    choosing.next().filter(|_| choosing.next().is_none())
}

/// All joint moves of a state; nothing where there are too many, and none where a role has no move.
fn joint_moves(cursor: &dyn Cursor, roles: usize) -> Option<Vec<Vec<MoveId>>> {
    if (0..roles).any(|role| cursor.legal(role).is_empty()) {
        return Some(Vec::new());
    }
    let count = (0..roles).try_fold(1_usize, |count, role| count.checked_mul(cursor.legal(role).len()))?;
    if count > JOINT {
        return None;
    }
    let mut all = vec![Vec::new()];
    for role in 0..roles {
        let with = |joint: &Vec<MoveId>| -> Vec<Vec<MoveId>> {
            let one = |&action: &MoveId| joint.iter().copied().chain([action]).collect();
            cursor.legal(role).iter().map(one).collect()
        };
        all = all.iter().flat_map(with).collect();
    }
    Some(all)
}

/// The joint moves to a state, by its place, and one more.
fn way(reached: &[Reached], place: usize, joint: &[MoveId]) -> Moves {
    let mut moves = vec![joint.to_vec()];
    let mut here = &reached[place];
    while let Some((before, joint)) = &here.before {
        moves.push(joint.clone());
        here = &reached[*before];
    }
    moves.reverse();
    moves
}

/// Whether the way to a state goes by another one, both by their places.
fn comes_by(reached: &[Reached], place: usize, other: usize) -> bool {
    let mut here = place;
    while here > other {
        let Some((before, _)) = reached[here].before else { break };
        here = before;
    }
    here == other
}
