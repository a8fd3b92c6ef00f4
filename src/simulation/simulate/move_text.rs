//! Joint moves from text: in KIF, or as JSON.
//!
//! A text is a sequence of steps. Where one role has a choice, a step is its move alone, `(mark 2 2)`; the others' only
//! moves are filled in. Any step can be written as a list with the move of every role in the order of the rules,
//! `((mark 2 2) noop)`. As JSON a step is a text, `"(mark 2 2)"`, or a list of texts, as traces have them under `move`.

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::machine::{Cursor, Machine, MachineError, MoveId, State};

use super::atom_list::{Atom, AtomError, as_json, atom_list, nearest, quoted, short, strings};
use super::recording::Recording;
use super::text::canonical;

/// Moves that an error lists.
const NAMED: usize = 8;

/// Why a text is no sequence of moves from a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// It is no list of moves.
    #[error(
        "{0}; moves are written as in `(mark 2 2) (mark 1 1)`, or with the moves of all roles: `((mark 2 2) noop)`"
    )]
    Text(#[from] AtomError),
    /// The game is over.
    #[error("step {step}, `{text}`: the game has ended before it")]
    Ended {
        /// Which step, from 1.
        step: usize,
        /// What was to be played.
        text: String,
    },
    /// A move that is not legal.
    #[error("step {step}: `{text}` is no legal move of {role}; it has {}", listed(.legal))]
    Illegal {
        /// Which step, from 1.
        step: usize,
        /// The move.
        text: String,
        /// The role.
        role: String,
        /// Its legal moves, nearest first.
        legal: Vec<String>,
    },
    /// Several roles choose, and only one move is given.
    #[error(
        "step {step}: {} choose here at once; give the moves of all roles in the order of the rules, such as `({})`",
        .roles.join(" and "),
        .example.join(" ")
    )]
    Several {
        /// Which step, from 1.
        step: usize,
        /// The roles with a choice.
        roles: Vec<String>,
        /// A joint move.
        example: Vec<String>,
    },
    /// A joint move of another number of roles.
    #[error("step {step}: {found} moves are given for {roles} roles")]
    Count {
        /// Which step, from 1.
        step: usize,
        /// Moves given.
        found: usize,
        /// Roles.
        roles: usize,
    },
    /// A recording of other roles.
    #[error("the recording has the roles {}, the game {}", .found.join(", "), .roles.join(", "))]
    Roles {
        /// Those of the recording.
        found: Vec<String>,
        /// Those of the game.
        roles: Vec<String>,
    },
    /// A role has no legal move, though the game has not ended.
    #[error("step {step}: {role} has no legal move though the game has not ended: the rules are flawed")]
    Stuck {
        /// Which step, from 1.
        step: usize,
        /// The role.
        role: String,
    },
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

fn listed(legal: &[String]) -> String {
    let more = legal.len().saturating_sub(NAMED);
    let names = quoted(&legal[..legal.len() - more]);
    if more > 0 { format!("{names} and {more} more") } else { names }
}

/// Reads moves of one machine, as KIF or as JSON: a step is the joint move, or the move of the one role that has a choice.
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

/// One step as it was written.
enum Step {
    /// An expression, which may be a role's move or a list of moves.
    Kif(Atom),
    /// The move of one role.
    One(String),
    /// The moves of all roles.
    All(Vec<String>),
}

impl Step {
    fn text(&self) -> String {
        match self {
            Step::Kif(atom) => atom.text.clone(),
            Step::One(text) => text.clone(),
            Step::All(list) => list.join(" "),
        }
    }
}

impl<'m> MoveReader<'m> {
    /// A reader for a machine.
    pub fn new(machine: &'m dyn Machine) -> MoveReader<'m> {
        let roles = machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
        MoveReader { machine, roles }
    }

    /// The state after playing the moves of a text from a state.
    ///
    /// # Errors
    /// The text is no sequence of moves, or one of them is not legal where it stands.
    pub fn play(&self, text: &str, from: &State) -> Result<State, MoveError> {
        Ok(self.path(text, from)?.pop().map_or_else(|| from.clone(), |last| last.1))
    }

    /// The joint moves of a text from a state on, each with the state that it leads to.
    ///
    /// # Errors
    /// Those of [`MoveReader::play`].
    pub fn path(&self, text: &str, from: &State) -> Result<Vec<(Vec<MoveId>, State)>, MoveError> {
        let steps = match as_json(text) {
            Some(value) => steps(&value?)?,
            None => atom_list(text)?.into_iter().map(Step::Kif).collect(),
        };
        self.follow(&steps, from)
    }

    /// The joint moves of a recording from the initial state on, each with the state that it leads to.
    ///
    /// # Errors
    /// A move is not legal where it stands, or the recording has other roles.
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
            // What has no move for a role is refused where its moves are counted.
            all.push(Step::All(texts.unwrap_or_default()));
        }
        self.follow(&all, self.machine.initial())
    }

    fn follow(&self, steps: &[Step], from: &State) -> Result<Vec<(Vec<MoveId>, State)>, MoveError> {
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

    fn joint(&self, cursor: &dyn Cursor, given: &Step, step: usize) -> Result<Vec<MoveId>, MoveError> {
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
            Step::All(list) => all(&list.iter().map(String::as_str).collect::<Vec<_>>()),
            Step::One(text) => self.one(cursor, text, step, &legal),
            Step::Kif(atom) => {
                let one = self.one(cursor, &atom.text, step, &legal);
                // `(a b)` is a move or the moves of two roles; a list of lists is no move.
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

    /// Whether one of the texts at least is a legal move of its role.
    fn known(&self, texts: &[&str], legal: &[FxHashMap<String, MoveId>]) -> bool {
        texts.iter().zip(legal).any(|(text, legal)| legal.contains_key(*text))
    }

    /// The joint move of one role's move, with the only moves of the others.
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
            // Nobody chooses: any role's only move stands for the step.
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

/// The steps of a JSON list.
fn steps(value: &Value) -> Result<Vec<Step>, AtomError> {
    const EXPECTED: &str = "a list of moves, each a text or a list with one text a role,";
    let list = match value {
        Value::Array(list) => list,
        other => return strings(other, EXPECTED).map(|_| Vec::new()),
    };
    let step = |atom: &Value| match atom {
        Value::String(text) => Ok(Step::One(canonical(text))),
        other => strings(other, EXPECTED).map(Step::All),
    };
    list.iter().map(step).collect()
}
