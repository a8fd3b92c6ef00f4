//! The state of a match: the manager's moves, followed on a machine.

use crate::gdl::information::Information;
use rustc_hash::FxHashMap;

use crate::arena::{Fault, Match, Move};
use crate::machine::{Cursor, Machine, MachineError, MoveId};
use crate::simulate::canonical;

/// A match followed on a machine.
pub(super) struct MatchState<'m> {
    machine: &'m dyn Machine,
    cursor: Box<dyn Cursor + 'm>,
    /// Every move that was legal in some state of the match so far, by its text.
    moves_by_text: FxHashMap<String, MoveId>,
    pub(super) played_match: Match,
}

impl<'m> MatchState<'m> {
    /// The initial state.
    pub(super) fn new(machine: &'m dyn Machine) -> MatchState<'m> {
        let played_match = Match::new(machine.initial().clone());
        MatchState { machine, cursor: machine.cursor(), moves_by_text: FxHashMap::default(), played_match }
    }

    /// The machine that the match is followed on.
    pub(super) fn machine(&self) -> &'m dyn Machine {
        self.machine
    }

    /// Whether the rules define percepts.
    pub(super) fn has_percepts(&self) -> bool {
        Information::of(self.machine.description()).sees
    }

    /// Returns to the initial state and plays these joint moves.
    pub(super) fn replay(&mut self, joints: &[Vec<String>]) {
        *self = MatchState::new(self.machine);
        for joint in joints {
            // Its faults were reported when it was first played.
            if self.play(joint).is_err() {
                break;
            }
        }
    }

    /// The cursor at the current state.
    pub(super) fn cursor(&self) -> &dyn Cursor {
        &*self.cursor
    }

    fn roles(&self) -> usize {
        self.machine.description().roles.len()
    }

    /// For each role its legal move with this text, or none.
    fn legal(&mut self, joint: &[String]) -> Vec<Option<MoveId>> {
        let mut found = vec![None; self.roles()];
        for (role, found) in found.iter_mut().enumerate() {
            for &action in self.cursor.legal(role) {
                let text = canonical(&self.machine.move_text(action));
                if joint.get(role) == Some(&text) {
                    *found = Some(action);
                }
                self.moves_by_text.entry(text).or_insert(action);
            }
        }
        found
    }

    /// Whether a joint move, in normalised spelling, can be played.
    pub(super) fn can_play(&mut self, joint: &[String]) -> bool {
        joint.len() == self.roles()
            && !self.cursor.terminal()
            && self.legal(joint).iter().all(Option::is_some)
    }

    /// Plays a joint move, in normalised spelling. A known move that is not legal is played all the same, because the
    /// manager decides. An unknown move is replaced by a legal one. Returns the faults.
    ///
    /// # Errors
    /// The machine can't continue.
    pub(super) fn play(&mut self, joint: &[String]) -> Result<Vec<String>, MachineError> {
        if self.cursor.terminal() {
            return Ok(vec!["moves after the end of the game are left aside".to_owned()]);
        }
        if joint.len() != self.roles() {
            return Ok(vec![format!("{} moves for {} roles are left aside", joint.len(), self.roles())]);
        }
        let (legal, mut faults) = (self.legal(joint), Vec::new());
        let mut moves: Vec<Move> = Vec::with_capacity(legal.len());
        for (role, (found, text)) in legal.into_iter().zip(joint).enumerate() {
            let name = self.machine.term_text(self.machine.description().roles[role]);
            let action = found.or_else(|| {
                let known = self.moves_by_text.get(text).copied();
                faults.push(match known {
                    Some(_) => format!("`{text}` of {name} is not legal here; it is played all the same"),
                    None => format!("`{text}` of {name} is not a move of this game; another is played"),
                });
                known.or_else(|| self.cursor.legal(role).first().copied())
            });
            let Some(action) = action else {
                faults.push(format!("{name} has no legal move; the match stays where it is"));
                return Ok(faults);
            };
            let fault = found.is_none().then(|| Fault::Illegal(text.clone()));
            moves.push(Move { action, result: None, by: None, fault });
        }
        let actions: Vec<MoveId> = moves.iter().map(|played| played.action).collect();
        self.cursor.advance(&actions)?;
        self.played_match.states.push(self.cursor.state().clone());
        self.played_match.moves.push(moves);
        Ok(faults)
    }

    /// The goal values, if the match has ended.
    pub(super) fn goals(&self) -> Option<Vec<Option<i32>>> {
        let goal = |role| match *self.cursor.goals(role) {
            [goal] => Some(goal),
            _ => None,
        };
        self.cursor.terminal().then(|| (0..self.roles()).map(goal).collect())
    }
}
