//! Random plays kept move by move: states that candidates have to hold in, and plays that show something.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::machine::{Machine, MachineError, MoveId, State};
use crate::simulate::Choices;

use super::listing::Listing;
use super::solver::Allowance;

/// Plays at most while everything that is asked for was seen, and while something is missing.
const PLAYS: u64 = 200;
const MOST_PLAYS: u64 = 5_000;

/// States that are kept at most, and outcomes.
const STATES: usize = 20_000;
pub(super) const OUTCOMES: usize = 64;

/// Keeps its draws apart from those of other parts.
const STREAM: u64 = 0x7072_6f70;

/// Joint moves from the initial state on.
pub type Moves = Vec<Vec<MoveId>>;

/// What the plays of a game showed, each with the shortest play that shows it.
#[derive(Debug, Default)]
pub(super) struct Plays {
    /// How many.
    pub(super) plays: u64,
    /// States looked at, each time they came.
    pub(super) states: u64,
    /// The states of plays, step by step.
    pub(super) kept: Vec<Vec<State>>,
    /// For each of them the roles that choose there, as a mask; of the first 64.
    pub(super) choosing: Vec<Vec<u64>>,
    kept_states: usize,
    /// For every role a state that is not terminal in which it has no legal move.
    pub(super) stuck: Vec<Option<Moves>>,
    /// A state in which it has no goal value, or several; and such a one that is terminal.
    pub(super) odd_goal: Vec<Option<Moves>>,
    pub(super) odd_end: Vec<Option<Moves>>,
    /// A step in which its goal value falls.
    pub(super) fall: Vec<Option<Moves>>,
    /// An end at which it has 100.
    pub(super) won: Vec<Option<Moves>>,
    /// A state in which two roles choose, and one in which just one of several does.
    pub(super) at_once: Option<Moves>,
    pub(super) one_chooses: Option<Moves>,
    /// A state after which the same role chooses again, or one out of its turn.
    pub(super) out_of_turn: Option<Moves>,
    /// Who chooses after whom: for every role the one that chose after it first.
    pub(super) after: Vec<Option<usize>>,
    /// A play that comes to one state twice.
    pub(super) circle: Option<Moves>,
    /// The outcomes, by the roles' goal values; none for a role that has none or several.
    pub(super) ends: BTreeMap<Vec<Option<i32>>, Moves>,
    /// What came of listing all states that can be reached; none if there are too many.
    pub(super) listing: Option<Listing>,
}

/// Replaces what is known by something shorter.
pub(super) fn shorter(known: &mut Option<Moves>, moves: &[Vec<MoveId>]) {
    if known.as_ref().is_none_or(|known| moves.len() < known.len()) {
        *known = Some(moves.to_vec());
    }
}

impl Plays {
    /// No play, of a game with this number of roles.
    pub(super) fn none(roles: usize) -> Plays {
        let none = || vec![None; roles];
        Plays {
            stuck: none(),
            odd_goal: none(),
            odd_end: none(),
            fall: none(),
            won: none(),
            after: vec![None; roles],
            ..Plays::default()
        }
    }

    /// Plays at random, within a part of the work that is left; `enough` tells whether all that can be hoped for was seen.
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
        for play in 0..MOST_PLAYS {
            if cursor.work() > work || (play >= PLAYS && enough(&plays)) {
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

    /// One play, within so much work of the cursor; whether it was played to its end.
    fn play(
        &mut self,
        cursor: &mut dyn crate::machine::Cursor,
        choices: &mut Choices,
        max_steps: u32,
        work: u64,
        allowance: &Allowance,
    ) -> Result<bool, MachineError> {
        let roles = self.won.len();
        let mut moves: Moves = Vec::new();
        let mut seen: FxHashSet<State> = FxHashSet::default();
        let mut goals: Vec<Option<i32>> = vec![None; roles];
        let mut chose: Option<usize> = None;
        let mut circled = false;
        loop {
            if allowance.is_interrupted() || cursor.work() > work {
                return Ok(false);
            }
            self.states += 1;
            if self.kept_states < STATES {
                self.kept_states += 1;
                if moves.is_empty() {
                    self.kept.push(Vec::new());
                    self.choosing.push(Vec::new());
                }
                self.kept.last_mut().expect("a play has begun").push(cursor.state().clone());
                let chooses = |role: &usize| !cursor.terminal() && cursor.legal(*role).len() > 1;
                let mask = (0..roles.min(64)).filter(chooses).fold(0, |mask, role| mask | 1 << role);
                self.choosing.last_mut().expect("a play has begun").push(mask);
            }
            if !circled && !seen.insert(cursor.state().clone()) {
                circled = true;
                shorter(&mut self.circle, &moves);
            }
            for (role, before) in goals.iter_mut().enumerate() {
                let now = match cursor.goals(role) {
                    [goal] => Some(*goal),
                    _ => None,
                };
                if now.is_none() {
                    shorter(&mut self.odd_goal[role], &moves);
                    if cursor.terminal() {
                        shorter(&mut self.odd_end[role], &moves);
                    }
                }
                if before.zip(now).is_some_and(|(before, now)| now < before) {
                    shorter(&mut self.fall[role], &moves);
                }
                *before = now;
            }
            if cursor.terminal() {
                break;
            }
            let count = |role: usize| cursor.legal(role).len();
            let mut stuck = (0..roles).filter(|&role| count(role) == 0).peekable();
            if stuck.peek().is_some() {
                stuck.for_each(|role| shorter(&mut self.stuck[role], &moves));
                self.plays += 1;
                return Ok(true);
            }
            let choosing: Vec<usize> = (0..roles).filter(|&role| count(role) > 1).collect();
            match choosing[..] {
                [] => chose = None,
                [one] => {
                    shorter(&mut self.one_chooses, &moves);
                    if let Some(last) = chose {
                        let next = *self.after[last].get_or_insert(one);
                        if next != one || (roles > 1 && one == last) {
                            shorter(&mut self.out_of_turn, &moves);
                        }
                    }
                    chose = Some(one);
                }
                _ => {
                    shorter(&mut self.at_once, &moves);
                    chose = None;
                }
            }
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
        self.end(&goals, &moves);
        Ok(true)
    }

    /// Notes the end of a play.
    fn end(&mut self, goals: &[Option<i32>], moves: &Moves) {
        for (role, goal) in goals.iter().enumerate() {
            if *goal == Some(100) {
                shorter(&mut self.won[role], moves);
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
}
