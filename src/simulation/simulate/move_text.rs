//! Parses sequences of joint moves from KIF or JSON.
//!
//! A text is a sequence of steps. If only one role has a choice, a step may be its move alone, as in `(mark 2 2)`; the other
//! roles' only moves are added. Every step may be a list with one move per role, in the order of the rules:
//! `((mark 2 2) noop)`. In JSON a step is a string, `"(mark 2 2)"`, or a list of strings, as under `move` in traces.

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::machine::{Cursor, Machine, MachineError, MoveId, State};

use super::atom_list::{Atom, AtomError, as_json, atom_list, nearest, quoted, short, strings};
use super::recording::Recording;
use super::text::canonical;

/// Maximum number of moves in an error message.
const MAX_LISTED: usize = 8;

/// Why a text is not a sequence of legal moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// The text is not a list of moves.
    #[error(
        "{0}; write moves as in `(mark 2 2) (mark 1 1)`, or with the moves of all roles: `((mark 2 2) noop)`"
    )]
    Text(#[from] AtomError),
    /// The text continues after a terminal state.
    #[error("step {step}, `{text}`: the game has ended; remove this step and those after it")]
    Ended {
        /// Step number, from 1.
        step: usize,
        /// The text of the step.
        text: String,
    },
    /// A move that is not legal.
    #[error("step {step}: `{text}` is not a legal move of {role}; its legal moves are {}", listed(.legal))]
    Illegal {
        /// Step number, from 1.
        step: usize,
        /// The move.
        text: String,
        /// The role.
        role: String,
        /// Its legal moves, most similar first.
        legal: Vec<String>,
    },
    /// Several roles have a choice, but only one move is given.
    #[error(
        "step {step}: {} choose at the same time; give the moves of all roles in the order of the rules, such as `({})`",
        .roles.join(" and "),
        .example.join(" ")
    )]
    Several {
        /// Step number, from 1.
        step: usize,
        /// The roles that have a choice.
        roles: Vec<String>,
        /// A legal joint move.
        example: Vec<String>,
    },
    /// A joint move has a wrong number of moves.
    #[error("step {step} has {found} moves, but the game has {roles} roles; give one move per role")]
    Count {
        /// Step number, from 1.
        step: usize,
        /// Number of moves given.
        found: usize,
        /// Number of roles.
        roles: usize,
    },
    /// The recording has other roles than the game.
    #[error("the recording has the roles {}, but the game has {}", .found.join(", "), .roles.join(", "))]
    Roles {
        /// Roles of the recording.
        found: Vec<String>,
        /// Roles of the game.
        roles: Vec<String>,
    },
    /// A role has no legal move in a state that is not terminal.
    #[error("step {step}: {role} has no legal move and the state is not terminal: correct the rules")]
    Stuck {
        /// Step number, from 1.
        step: usize,
        /// The role.
        role: String,
    },
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

fn listed(legal: &[String]) -> String {
    let more = legal.len().saturating_sub(MAX_LISTED);
    let names = quoted(&legal[..legal.len() - more]);
    if more > 0 { format!("{names} and {more} more") } else { names }
}

/// Parses moves of a machine from KIF or JSON.
///
/// # Example
///
/// ```
/// # mod ggp { pub use ggp_rules::*; pub use ggp_simulation::*; }
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// # use ggp::gdl::{Source, read};
/// # use ggp::ground::Limits;
/// # use ggp::machine::{Backend, load};
/// use ggp::simulate::MoveReader;
///
/// # let rules = read(&Source::load("games/nim.kif")?).description.expect("the rules have no errors");
/// # let game = load(rules, Backend::Auto, &Limits::default())?;
/// let machine = &*game.machine;
/// let state = MoveReader::new(machine).play("(take a 1) (take c 5)", machine.initial())?;
/// let mut cursor = machine.cursor();
/// cursor.set(&state)?;
/// assert_eq!(cursor.legal(1).len(), 1); // it is the first player's turn again
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MoveReader<'m> {
    machine: &'m dyn Machine,
    roles: Vec<String>,
}

/// One step of the text.
enum StepText {
    /// An expression: a role's move or a list of moves.
    Kif(Atom),
    /// The move of one role.
    One(String),
    /// The moves of all roles.
    All(Vec<String>),
}

impl StepText {
    fn text(&self) -> String {
        match self {
            StepText::Kif(atom) => atom.text.clone(),
            StepText::One(text) => text.clone(),
            StepText::All(list) => list.join(" "),
        }
    }
}

impl<'m> MoveReader<'m> {
    /// A reader for the moves of this machine.
    pub fn new(machine: &'m dyn Machine) -> MoveReader<'m> {
        let roles = machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
        MoveReader { machine, roles }
    }

    /// The state after the moves of a text, played from `from`.
    ///
    /// # Errors
    /// [`MoveError`]: the text is not a sequence of moves, or a move is not legal in its position.
    pub fn play(&self, text: &str, from: &State) -> Result<State, MoveError> {
        Ok(self.path(text, from)?.pop().map_or_else(|| from.clone(), |last| last.1))
    }

    /// The joint moves of a text, played from `from`, each with its successor state.
    ///
    /// # Errors
    /// As [`MoveReader::play`].
    pub fn path(&self, text: &str, from: &State) -> Result<Vec<(Vec<MoveId>, State)>, MoveError> {
        let steps = match as_json(text) {
            Some(value) => steps(&value?)?,
            None => atom_list(text)?.into_iter().map(StepText::Kif).collect(),
        };
        self.follow(&steps, from)
    }

    /// The joint moves of a recording from the initial state, each with its successor state.
    ///
    /// # Errors
    /// [`MoveError`]: a move is not legal in its position, or the recording has other roles.
    pub fn path_of(&self, recording: &Recording) -> Result<Vec<(Vec<MoveId>, State)>, MoveError> {
        let place = |role: &String| recording.roles.iter().position(|other| other == role);
        let order: Vec<usize> = match recording.roles.is_empty() {
            true => (0..self.roles.len()).collect(),
            false => self.roles.iter().filter_map(place).collect(),
        };
        if order.len() != self.roles.len() {
            let (found, roles) = (recording.roles.clone(), self.roles.clone());
            return Err(MoveError::Roles { found, roles });
        }
        let mut all = Vec::new();
        for joint in recording.positions.iter().filter_map(|position| position.joint.as_ref()) {
            let texts: Option<Vec<String>> = order.iter().map(|&place| joint.get(place).cloned()).collect();
            // `joint` reports a role without a move.
            all.push(StepText::All(texts.unwrap_or_default()));
        }
        self.follow(&all, self.machine.initial())
    }

    fn follow(&self, steps: &[StepText], from: &State) -> Result<Vec<(Vec<MoveId>, State)>, MoveError> {
        let mut cursor = self.machine.cursor();
        cursor.set(from)?;
        let mut path = Vec::with_capacity(steps.len());
        for (number, step) in steps.iter().enumerate() {
            let joint = self.joint(&*cursor, step, number + 1)?;
            cursor.advance(&joint)?;
            path.push((joint, cursor.state().clone()));
        }
        Ok(path)
    }

    fn joint(&self, cursor: &dyn Cursor, given: &StepText, step: usize) -> Result<Vec<MoveId>, MoveError> {
        if cursor.terminal() {
            return Err(MoveError::Ended { step, text: short(&given.text()) });
        }
        let legal: Vec<FxHashMap<String, MoveId>> = (0..self.roles.len())
            .map(|role| {
                let text = |&action: &MoveId| (canonical(&self.machine.move_text(action)), action);
                cursor.legal(role).iter().map(text).collect()
            })
            .collect();
        if let Some(role) = legal.iter().position(FxHashMap::is_empty) {
            return Err(MoveError::Stuck { step, role: self.roles[role].clone() });
        }
        let all = |texts: &[&str]| -> Result<Vec<MoveId>, MoveError> {
            if texts.len() != self.roles.len() {
                return Err(MoveError::Count { step, found: texts.len(), roles: self.roles.len() });
            }
            let pairs = texts.iter().zip(legal.iter().zip(&self.roles));
            pairs
                .map(|(text, (legal, role))| {
                    legal.get(*text).copied().ok_or_else(|| illegal(step, text, role, legal))
                })
                .collect()
        };
        match given {
            StepText::All(list) => all(&list.iter().map(String::as_str).collect::<Vec<_>>()),
            StepText::One(text) => self.one(cursor, text, step, &legal),
            StepText::Kif(atom) => {
                let one = self.one(cursor, &atom.text, step, &legal);
                // `(a b)` is a move or the moves of two roles; a list of lists can't be a move.
                let lists = atom.parts.first().is_some_and(|part| !part.parts.is_empty());
                if one.is_ok() || atom.parts.is_empty() {
                    return one;
                }
                let texts: Vec<&str> = atom.parts.iter().map(|part| part.text.as_str()).collect();
                match all(&texts) {
                    Err(error) if lists || texts.len() == self.roles.len() && self.known(&texts, &legal) => {
                        Err(error)
                    }
                    Err(_) => one,
                    joint => joint,
                }
            }
        }
    }

    /// Whether at least one text is a legal move of its role.
    fn known(&self, texts: &[&str], legal: &[FxHashMap<String, MoveId>]) -> bool {
        texts.iter().zip(legal).any(|(text, legal)| legal.contains_key(*text))
    }

    /// Completes one role's move to a joint move with the only moves of the other roles.
    fn one(
        &self,
        cursor: &dyn Cursor,
        text: &str,
        step: usize,
        legal: &[FxHashMap<String, MoveId>],
    ) -> Result<Vec<MoveId>, MoveError> {
        let first = |role: usize| cursor.legal(role)[0];
        let choosing: Vec<usize> = (0..legal.len()).filter(|&role| legal[role].len() > 1).collect();
        let role = match choosing[..] {
            [role] => role,
            // No role has a choice, so the step may name any role's only move.
            [] => legal.iter().position(|moves| moves.contains_key(text)).unwrap_or(0),
            _ => {
                let roles = choosing.iter().map(|&role| self.roles[role].clone()).collect();
                let example = (0..legal.len()).map(|role| self.machine.move_text(first(role))).collect();
                return Err(MoveError::Several { step, roles, example });
            }
        };
        let mut joint: Vec<MoveId> = (0..legal.len()).map(first).collect();
        let action = legal[role].get(text).copied();
        joint[role] = action.ok_or_else(|| illegal(step, text, &self.roles[role], &legal[role]))?;
        Ok(joint)
    }
}

fn illegal(step: usize, text: &str, role: &str, legal: &FxHashMap<String, MoveId>) -> MoveError {
    let mut known: Vec<&str> = legal.keys().map(String::as_str).collect();
    known.sort_unstable();
    let legal = nearest(text, known.iter().copied(), known.len());
    MoveError::Illegal { step, text: short(text), role: role.to_owned(), legal }
}

/// Parses the steps of a JSON list.
fn steps(value: &Value) -> Result<Vec<StepText>, AtomError> {
    const EXPECTED: &str = "a list of moves, each a string or a list with one string per role";
    let list = match value {
        Value::Array(list) => list,
        other => return strings(other, EXPECTED).map(|_| Vec::new()),
    };
    let step = |atom: &Value| match atom {
        Value::String(text) => Ok(StepText::One(canonical(text))),
        other => strings(other, EXPECTED).map(StepText::All),
    };
    list.iter().map(step).collect()
}
