//! # What it does
//! Bidirectional search for a path to the best end, which visits far fewer states than a search from one side.
//!
//! # How
//! If the goal determines the whole state, the ends are listed from the rules. The forward search finds states ply by
//! ply. The backward search tries each move from a state: if a legal move leads back from the result, the result is a
//! predecessor. In turn, the side with fewer states in its last ply makes its next ply, until both sides meet. States
//! that differ only in the step counter are one state.
//!
//! # Guarantee
//! Every link is a legal move. Paths through moves that can't be undone are not found. The path is short, but not always
//! the shortest.
//!
//! # Cost
//! If moves can be undone, it visits about twice the square root of the states that breadth-first search visits.
//!
//! # Example
//! `bidirectional` in the eight puzzle, whose goal is one state and whose moves can be undone.
//!
//! # Source
//! Pohl 1971.

use rustc_hash::FxHashMap;

use crate::machine::{
    ChildFields, Children, Expander, ExpansionLimits, GoalStatesError, JointMoves, MoveId, ScalarExpander,
    State, goal_states,
};
use crate::search::limits::{Halt, Limits, Meter, Stop};

use super::finder::Finder;
use super::path_search::{Child, PathSearch, state_of};

/// Number of states that are sampled to find which fluents occur in states.
const SAMPLES: usize = 2_000;

/// Maximum number of ends in the list.
const MOST_ENDS: usize = 1_000;

/// Number of states visited at most to check whether a move can be undone.
const MOST_TRIED: u64 = 200_000;

/// Why a game can't be searched from both ends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BackwardSearchError {
    /// The ends can't be listed.
    #[error(transparent)]
    GoalStatesError(#[from] GoalStatesError),
    /// No move that leads to an end can be undone.
    #[error("no move that leads to the goal can be undone")]
    NoWayBack,
}

/// A search from both ends.
pub(super) struct Bidirectional {
    /// Limit of memory for states, in bytes.
    memory: usize,
    ends: Vec<State>,
}

/// A state found from one side.
struct FoundState {
    state: State,
    key: u64,
    /// The state from which it was reached, which is one step closer to the side's start.
    from: u32,
    /// The move between the two states.
    action: MoveId,
}

/// One side of the search: forward from the root, or backward from the ends.
#[derive(Default)]
struct Side {
    seen: Vec<FoundState>,
    known: FxHashMap<u64, u32>,
    /// The first state of the last ply.
    last: usize,
    /// The number of plies.
    plies: u32,
}

impl Side {
    fn add(&mut self, state: State, key: u64, from: u32, action: MoveId) -> Option<u32> {
        let id = self.seen.len() as u32;
        if self.known.contains_key(&key) {
            return None;
        }
        self.known.insert(key, id);
        self.seen.push(FoundState { state, key, from, action });
        Some(id)
    }

    /// The moves between a state and the side's start, the state's first.
    fn path(&self, mut id: u32) -> Vec<MoveId> {
        let mut moves = Vec::new();
        while self.seen[id as usize].from != id {
            moves.push(self.seen[id as usize].action);
            id = self.seen[id as usize].from;
        }
        moves
    }
}

impl Bidirectional {
    /// Lists the ends, and checks whether a move that leads to one can be undone.
    pub(super) fn new(
        paths: &mut PathSearch<'_>,
        memory: usize,
    ) -> Result<Bidirectional, BackwardSearchError> {
        let machine = paths.context.machine;
        let samples = samples(paths)?;
        let role = paths.context.role;
        let ends = goal_states(machine, role, paths.context.rewards[1], &samples, MOST_ENDS)?;
        let search = Bidirectional { memory, ends };
        let mut back = search.backward(paths);
        let mut meter = Meter::new(Limits { nodes: Some(MOST_TRIED), ..Limits::default() });
        match search.step_back(paths, &mut back, &mut meter) {
            Ok(()) | Err(Halt::Stop(_)) if back.last < back.seen.len() => Ok(search),
            Err(Halt::Error(error)) => Err(GoalStatesError::from(error).into()),
            _ => Err(BackwardSearchError::NoWayBack),
        }
    }

    /// The backward side, which begins at the ends.
    fn backward(&self, paths: &PathSearch<'_>) -> Side {
        let mut side = Side::default();
        for end in &self.ends {
            let id = side.seen.len() as u32;
            side.add(end.clone(), paths.keys.hash(&end.0), id, MoveId(0));
        }
        side
    }

    /// Adds one ply to the forward search.
    fn step_on(
        &self,
        paths: &mut PathSearch<'_>,
        side: &mut Side,
        other: &Side,
        meter: &mut Meter<'_>,
        better: &mut dyn FnMut(&PathSearch<'_>, u64),
    ) -> Result<(), Halt> {
        let mut children = Children::default();
        let (from, to) = (side.last, side.seen.len());
        (side.last, side.plies) = (to, side.plies + 1);
        for id in from..to {
            let (state, key) = (side.seen[id].state.clone(), side.seen[id].key);
            paths.expand(meter.expansion_limits(), &state, &mut children)?;
            for child in 0..children.len() {
                meter.count(1)?;
                let action = children.joint(child)[0];
                let rest = match paths.classify(key, &state, &children, child) {
                    Child::End(_) => Vec::new(),
                    Child::Open(key) => {
                        if side.add(state_of(&children, child), key, id as u32, action).is_none() {
                            paths.passed_over |= paths.clock.is_some();
                            continue;
                        }
                        match other.known.get(&key) {
                            Some(&met) => other.path(met),
                            None => continue,
                        }
                    }
                };
                let mut moves = side.path(id as u32);
                moves.reverse();
                moves.push(action);
                moves.extend(rest);
                if paths.arrive(&moves)? {
                    better(paths, meter.nodes);
                }
                if paths.is_done() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Adds one ply to the backward search.
    fn step_back(
        &self,
        paths: &mut PathSearch<'_>,
        side: &mut Side,
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        let machine = paths.context.machine;
        // These states may be unreachable, so a machine that relies on reachability is not suitable.
        let mut steps = ScalarExpander::new(machine.cursor(), 1);
        let moves: Vec<MoveId> = match machine.network() {
            Some(network) => network.moves[paths.context.role].iter().map(|m| MoveId(m.action)).collect(),
            None => return Ok(()),
        };
        let wanted = ChildFields { goals: false, ends: false, ..ChildFields::SUCCESSORS };
        let (mut before, mut after) = (Children::default(), Children::default());
        let (from, to) = (side.last, side.seen.len());
        (side.last, side.plies) = (to, side.plies + 1);
        for id in from..to {
            let (state, key) = (side.seen[id].state.clone(), side.seen[id].key);
            steps.expand(&state, JointMoves::Given(&moves), wanted, &mut before)?;
            for child in 0..before.len() {
                meter.count(1)?;
                let mut state = state_of(&before, child);
                if let Some(clock) = &paths.clock {
                    clock.set(&mut state.0, 0);
                }
                let before_key = paths.keys.hash(&state.0);
                if side.known.contains_key(&before_key) {
                    continue;
                }
                steps.expand(&state, JointMoves::All, wanted, &mut after)?;
                meter.count(after.len() as u64)?;
                let leads_on = |&next: &usize| paths.keys.hash(after.state(next)) == key;
                if let Some(next) = (0..after.len()).find(leads_on) {
                    side.add(state, before_key, id as u32, after.joint(next)[0]);
                }
            }
        }
        Ok(())
    }
}

/// The first states that a breadth-first search from the initial state finds.
fn samples(paths: &mut PathSearch<'_>) -> Result<Vec<State>, GoalStatesError> {
    let mut side = Side::default();
    let mut children = Children::default();
    let initial = paths.context.machine.initial().clone();
    let key = paths.keys.hash(&initial.0);
    side.add(initial, key, 0, MoveId(0));
    let mut next = 0;
    while next < side.seen.len() && side.seen.len() < SAMPLES {
        let (state, key) = (side.seen[next].state.clone(), side.seen[next].key);
        paths.expand(ExpansionLimits::UNLIMITED, &state, &mut children)?;
        for child in 0..children.len() {
            if let Child::Open(key) = paths.classify(key, &state, &children, child) {
                side.add(state_of(&children, child), key, next as u32, MoveId(0));
            }
        }
        next += 1;
    }
    Ok(side.seen.into_iter().map(|seen| seen.state).collect())
}

impl Finder for Bidirectional {
    fn find(
        &mut self,
        paths: &mut PathSearch<'_>,
        root: &State,
        meter: &mut Meter<'_>,
        better: &mut dyn FnMut(&PathSearch<'_>, u64),
    ) -> Result<u32, Halt> {
        let (mut forward, mut back) = (Side::default(), self.backward(paths));
        forward.add(root.clone(), paths.keys.hash(&root.0), 0, MoveId(0));
        let each = size_of::<FoundState>() + 32 + root.0.len() * 8;
        while forward.last < forward.seen.len() && !paths.is_done() {
            let widths = [&forward, &back].map(|side| side.seen.len() - side.last);
            if forward.plies >= paths.most_plies {
                paths.cut = Some(Stop::Depth);
                break;
            }
            if (forward.seen.len() + back.seen.len()) * each > self.memory {
                paths.cut = Some(Stop::Memory);
                break;
            }
            if widths[1] > 0 && widths[1] < widths[0] {
                self.step_back(paths, &mut back, meter)?;
                self.meet(paths, &forward, &back, meter, better)?;
            } else {
                self.step_on(paths, &mut forward, &back, meter, better)?;
            }
        }
        Ok(forward.plies + back.plies)
    }
}

impl Bidirectional {
    /// Looks for a state of the last backward ply in the forward search.
    fn meet(
        &self,
        paths: &mut PathSearch<'_>,
        forward: &Side,
        back: &Side,
        meter: &Meter<'_>,
        better: &mut dyn FnMut(&PathSearch<'_>, u64),
    ) -> Result<(), Halt> {
        for id in back.last..back.seen.len() {
            let Some(&met) = forward.known.get(&back.seen[id].key) else { continue };
            let mut moves = forward.path(met);
            moves.reverse();
            moves.extend(back.path(id as u32));
            if paths.arrive(&moves)? {
                better(paths, meter.nodes);
            }
        }
        Ok(())
    }
}
