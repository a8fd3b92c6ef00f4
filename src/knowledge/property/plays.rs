//! Plays that are stored move by move: their states test candidates for lemmas, and each observation has a
//! play that shows it.
//!
//! Random plays come first. A breadth-first search from the initial state then looks for shorter plays. If
//! it visits all reachable states, they are listed.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::machine::{Cursor, Machine, MachineError, MoveId, State};
use crate::simulate::Choices;

use super::listing::{Listing, Successors, longest_path};
use super::solver::Allowance;

/// The most plays if no observation is missing.
const MAX_PLAYS: u64 = 200;

/// The most plays if an observation is missing.
const MAX_PLAYS_IF_INCOMPLETE: u64 = 5_000;

/// The most states that are stored.
const MAX_STORED_STATES: usize = 20_000;

/// The most outcomes.
pub(super) const OUTCOMES: usize = 64;

/// The most states that the search for shorter plays expands.
const MAX_EXPANDED: usize = 20_000;

/// The most joint moves of one state in this search.
const MAX_JOINT_MOVES: usize = 5_000;

/// The most terminal states of this search.
const MAX_TERMINAL: usize = 100_000;

/// Separates these random numbers from those of other parts.
const STREAM: u64 = 0x7072_6f70;

/// A sequence of joint moves from the initial state.
pub type Moves = Vec<Vec<MoveId>>;

/// Observations in the plays of a game, each with the shortest play that shows it.
#[derive(Debug, Default)]
pub(super) struct Plays {
    /// Number of plays.
    pub(super) plays: u64,
    /// Number of visited states, counted at each visit.
    pub(super) states: u64,
    /// The states of each play, step by step.
    pub(super) state_paths: Vec<Vec<State>>,
    /// For each of these states, the mask of the roles that have a choice (only the first 64 roles).
    pub(super) choosing: Vec<Vec<u64>>,
    stored_states: usize,
    /// For every role, a state that is not terminal in which it has no legal move.
    pub(super) stuck: Vec<Option<Moves>>,
    /// For every role, a state without exactly one goal value; and such a terminal state.
    pub(super) no_single_goal: Vec<Option<Moves>>,
    pub(super) no_single_goal_at_end: Vec<Option<Moves>>,
    /// For every role, a step in which its goal value falls.
    pub(super) goal_fall: Vec<Option<Moves>>,
    /// For every role, an end at which it has 100.
    pub(super) won: Vec<Option<Moves>>,
    /// A state in which two roles have a choice, and one in which exactly one has.
    pub(super) simultaneous: Option<Moves>,
    pub(super) one_chooses: Option<Moves>,
    /// A state in which a role has a choice out of turn.
    pub(super) out_of_turn: Option<Moves>,
    /// For every role, the first role that had a choice after it.
    pub(super) after: Vec<Option<usize>>,
    /// A play that visits a state twice.
    pub(super) repetition: Option<Moves>,
    /// Plays by the roles' goal values; none for a role without exactly one.
    pub(super) ends: BTreeMap<Vec<Option<i32>>, Moves>,
    /// The result of listing all reachable states; none if there are too many.
    pub(super) listing: Option<Listing>,
}

/// Stores a play if it is shorter than the known one.
fn store_if_shorter(known: &mut Option<Moves>, moves: &[Vec<MoveId>]) {
    if known.as_ref().is_none_or(|known| moves.len() < known.len()) {
        *known = Some(moves.to_vec());
    }
}

/// A state of the breadth-first search.
struct SearchNode {
    state: State,
    /// The index of the previous state, and the joint move made there; none for the initial state.
    before: Option<(usize, Vec<MoveId>)>,
    depth: usize,
}

/// Observations in the state before a step.
struct PreviousStep {
    goals: Vec<Option<i32>>,
    /// The only role that had a choice.
    chose: Option<usize>,
}

impl Plays {
    /// No plays, for a game with this number of roles.
    pub(super) fn none(roles: usize) -> Plays {
        let none = || vec![None; roles];
        Plays {
            stuck: none(),
            no_single_goal: none(),
            no_single_goal_at_end: none(),
            goal_fall: none(),
            won: none(),
            after: vec![None; roles],
            ..Plays::default()
        }
    }

    /// Plays at random with a limit of work; `enough` says whether every possible observation was made.
    pub(super) fn gather(
        machine: &dyn Machine,
        seed: u64,
        max_steps: u32,
        work: u64,
        allowance: &Allowance,
        enough: &dyn Fn(&Plays) -> bool,
    ) -> Result<Plays, MachineError> {
        let mut plays = Plays::none(machine.description().roles.len());
        let mut cursor = machine.cursor();
        for play in 0..MAX_PLAYS_IF_INCOMPLETE {
            if cursor.work() > work || (play >= MAX_PLAYS && enough(&plays)) {
                break;
            }
            let mut choices = Choices::new(seed ^ STREAM, play);
            cursor.set(machine.initial())?;
            if !plays.play(&mut *cursor, &mut choices, max_steps, work, allowance)? {
                break;
            }
        }
        Ok(plays)
    }

    /// Plays once with a limit of the cursor's work; false if the play was not finished.
    fn play(
        &mut self,
        cursor: &mut dyn Cursor,
        choices: &mut Choices,
        max_steps: u32,
        work: u64,
        allowance: &Allowance,
    ) -> Result<bool, MachineError> {
        let roles = self.won.len();
        let mut moves: Moves = Vec::new();
        let mut seen: FxHashSet<State> = FxHashSet::default();
        let mut before: Vec<Option<i32>> = vec![None; roles];
        let mut chose: Option<usize> = None;
        let mut circled = false;
        loop {
            if allowance.is_interrupted() || cursor.work() > work {
                return Ok(false);
            }
            self.states += 1;
            self.keep(cursor, moves.is_empty());
            if !circled && !seen.insert(cursor.state().clone()) {
                circled = true;
                store_if_shorter(&mut self.repetition, &moves);
            }
            before = self.record_goals(cursor, &before, &moves);
            if cursor.terminal() {
                break;
            }
            let mut stuck = (0..roles).filter(|&role| cursor.legal(role).is_empty()).peekable();
            if stuck.peek().is_some() {
                stuck.for_each(|role| store_if_shorter(&mut self.stuck[role], &moves));
                self.plays += 1;
                return Ok(true);
            }
            chose = self.record_turn(cursor, chose, &moves);
            if moves.len() >= max_steps as usize {
                self.plays += 1;
                return Ok(true);
            }
            let joint: Vec<MoveId> = (0..roles)
                .map(|role| {
                    let legal = cursor.legal(role);
                    legal[choices.below(legal.len())]
                })
                .collect();
            match cursor.advance(&joint) {
                Err(error) if error.is_of_growth() => {
                    self.plays += 1;
                    return Ok(true);
                }
                advanced => advanced?,
            }
            moves.push(joint);
        }
        self.plays += 1;
        self.record_end(&before, &moves);
        Ok(true)
    }

    /// Stores a state, if there is room.
    fn keep(&mut self, cursor: &dyn Cursor, is_first: bool) {
        if self.stored_states >= MAX_STORED_STATES {
            return;
        }
        self.stored_states += 1;
        if is_first {
            self.state_paths.push(Vec::new());
            self.choosing.push(Vec::new());
        }
        self.state_paths.last_mut().expect("a play has begun").push(cursor.state().clone());
        let mask = choosing(cursor, self.won.len().min(64)).fold(0, |mask, role| mask | 1 << role);
        self.choosing.last_mut().expect("a play has begun").push(mask);
    }

    /// Records observations about the goal values of a state and the previous ones. Returns the values of
    /// the state.
    fn record_goals(
        &mut self,
        cursor: &dyn Cursor,
        before: &[Option<i32>],
        moves: &[Vec<MoveId>],
    ) -> Vec<Option<i32>> {
        let goals = goals(cursor, before.len());
        for (role, (&before, &now)) in before.iter().zip(&goals).enumerate() {
            if now.is_none() {
                store_if_shorter(&mut self.no_single_goal[role], moves);
                if cursor.terminal() {
                    store_if_shorter(&mut self.no_single_goal_at_end[role], moves);
                }
            }
            if before.zip(now).is_some_and(|(before, now)| now < before) {
                store_if_shorter(&mut self.goal_fall[role], moves);
            }
        }
        goals
    }

    /// Records observations about the roles that have a choice, after the role that chose before. Returns
    /// the role that has a choice alone.
    fn record_turn(
        &mut self,
        cursor: &dyn Cursor,
        before: Option<usize>,
        moves: &[Vec<MoveId>],
    ) -> Option<usize> {
        let roles = self.won.len();
        let one = choosing(cursor, roles).next()?;
        if choosing(cursor, roles).count() > 1 {
            store_if_shorter(&mut self.simultaneous, moves);
            return None;
        }
        store_if_shorter(&mut self.one_chooses, moves);
        if let Some(last) = before {
            let next = *self.after[last].get_or_insert(one);
            if next != one || (roles > 1 && one == last) {
                store_if_shorter(&mut self.out_of_turn, moves);
            }
        }
        Some(one)
    }

    /// Records the end of a play.
    fn record_end(&mut self, goals: &[Option<i32>], moves: &Moves) {
        for (role, goal) in goals.iter().enumerate() {
            if *goal == Some(100) {
                store_if_shorter(&mut self.won[role], moves);
            }
        }
        let room = self.ends.len() < OUTCOMES;
        match self.ends.get_mut(goals) {
            Some(known) if known.len() > moves.len() => known.clone_from(moves),
            None if room => {
                self.ends.insert(goals.to_vec(), moves.clone());
            }
            _ => {}
        }
    }

    /// Looks for shorter plays, with a limit of work in the machine's units. The breadth-first search
    /// expands each state once, so the first play that shows an observation of a state or a step is the
    /// shortest. A play that visits a state twice is found only if it follows the first play to each of its
    /// states.
    pub(super) fn shorten(&mut self, machine: &dyn Machine, work: u64, allowance: &Allowance) {
        let roles = machine.description().roles.len();
        let mut cursor = machine.cursor();
        let mut places: FxHashMap<State, usize> = FxHashMap::default();
        places.insert(machine.initial().clone(), 0);
        let mut reached = vec![SearchNode { state: machine.initial().clone(), before: None, depth: 0 }];
        self.record_state(&*cursor, 0, None, roles, &Moves::new);
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
            // A state can't be evaluated, although random play met none: the search ends.
            if cursor.set(&reached[place].state).is_err() {
                return;
            }
            let before = PreviousStep { goals: goals(&*cursor, roles), chose: one_choosing(&*cursor, roles) };
            let Some(joint_moves) = joint_moves(&*cursor, roles) else { return };
            for joint in joint_moves {
                let full = reached.len() >= MAX_EXPANDED || terminal.len() >= MAX_TERMINAL;
                if cursor.work() > work || full || allowance.is_interrupted() {
                    return;
                }
                if cursor.set(&reached[place].state).and_then(|()| cursor.advance(&joint)).is_err() {
                    return;
                }
                self.record_state(&*cursor, steps, Some(&before), roles, &|| {
                    path_to(&reached, place, &joint)
                });
                match places.get(cursor.state()) {
                    Some(&other)
                        if passes_through(&reached, place, other)
                            && self.repetition.as_ref().is_none_or(|known| steps < known.len()) =>
                    {
                        self.repetition = Some(path_to(&reached, place, &joint));
                    }
                    Some(_) => {}
                    None if !cursor.terminal() => {
                        let state = cursor.state().clone();
                        places.insert(state.clone(), reached.len());
                        reached.push(SearchNode { state, before: Some((place, joint)), depth: steps });
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

    /// Replays moves and records observations. An illegal move ends the replay.
    pub(super) fn follow(&mut self, machine: &dyn Machine, moves: &[Vec<MoveId>]) {
        let roles = machine.description().roles.len();
        let mut cursor = machine.cursor();
        self.record_state(&*cursor, 0, None, roles, &Moves::new);
        for (step, joint) in moves.iter().enumerate() {
            let is_legal = |(role, action): (usize, &MoveId)| cursor.legal(role).contains(action);
            if cursor.terminal() || joint.len() != roles || !joint.iter().enumerate().all(is_legal) {
                return;
            }
            let before = PreviousStep { goals: goals(&*cursor, roles), chose: one_choosing(&*cursor, roles) };
            if cursor.advance(joint).is_err() {
                return;
            }
            self.record_state(&*cursor, step + 1, Some(&before), roles, &|| moves[..=step].to_vec());
        }
    }

    /// Records observations in a state that is `steps` steps from the initial one, and in the step to it.
    fn record_state(
        &mut self,
        now: &dyn Cursor,
        steps: usize,
        before: Option<&PreviousStep>,
        roles: usize,
        moves: &dyn Fn() -> Moves,
    ) {
        let note = |known: &mut Option<Moves>| {
            if known.as_ref().is_none_or(|known| steps < known.len()) {
                store_if_shorter(known, &moves());
            }
        };
        let here = goals(now, roles);
        for (role, goal) in here.iter().enumerate() {
            if goal.is_none() {
                note(&mut self.no_single_goal[role]);
                if now.terminal() {
                    note(&mut self.no_single_goal_at_end[role]);
                }
            }
            let was = before.and_then(|before| before.goals[role]);
            if was.zip(*goal).is_some_and(|(was, is)| is < was) {
                note(&mut self.goal_fall[role]);
            }
            if now.terminal() && *goal == Some(100) {
                note(&mut self.won[role]);
            }
            if !now.terminal() && now.legal(role).is_empty() {
                note(&mut self.stuck[role]);
            }
        }
        if now.terminal() {
            self.record_outcome(here, steps, moves);
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
            note(&mut self.simultaneous);
        }
    }

    /// Records an outcome, if there is room.
    fn record_outcome(&mut self, goals: Vec<Option<i32>>, steps: usize, moves: &dyn Fn() -> Moves) {
        let room = self.ends.len() < OUTCOMES;
        match self.ends.get_mut(&goals) {
            Some(known) if steps < known.len() => *known = moves(),
            None if room => {
                self.ends.insert(goals, moves());
            }
            _ => {}
        }
    }
}

/// For every role, its goal value, if there is exactly one.
fn goals(cursor: &dyn Cursor, roles: usize) -> Vec<Option<i32>> {
    let one = |role| if let [goal] = cursor.goals(role) { Some(*goal) } else { None };
    (0..roles).map(one).collect()
}

/// The roles with several legal moves.
fn choosing(cursor: &dyn Cursor, roles: usize) -> impl Iterator<Item = usize> {
    (0..roles).filter(|&role| !cursor.terminal() && cursor.legal(role).len() > 1)
}

fn one_choosing(cursor: &dyn Cursor, roles: usize) -> Option<usize> {
    let mut choosing = choosing(cursor, roles);
    choosing.next().filter(|_| choosing.next().is_none())
}

/// All joint moves of a state; none if there are too many, and an empty list if a role has no move.
fn joint_moves(cursor: &dyn Cursor, roles: usize) -> Option<Vec<Vec<MoveId>>> {
    if (0..roles).any(|role| cursor.legal(role).is_empty()) {
        return Some(Vec::new());
    }
    let count = (0..roles).try_fold(1_usize, |count, role| count.checked_mul(cursor.legal(role).len()))?;
    if count > MAX_JOINT_MOVES {
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

/// The joint moves to the state at an index, followed by `joint`.
fn path_to(reached: &[SearchNode], index: usize, joint: &[MoveId]) -> Moves {
    let mut moves = vec![joint.to_vec()];
    let mut here = &reached[index];
    while let Some((before, joint)) = &here.before {
        moves.push(joint.clone());
        here = &reached[*before];
    }
    moves.reverse();
    moves
}

/// Whether the path to a state visits another one; both are indices.
fn passes_through(reached: &[SearchNode], index: usize, other: usize) -> bool {
    let mut here = index;
    while here > other {
        let Some((before, _)) = reached[here].before else { break };
        here = before;
    }
    here == other
}
