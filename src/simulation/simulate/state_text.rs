//! States from text: in KIF, as a list of atoms in JSON, or as a line of a trace.

use serde_json::Value;

use crate::gdl::domain::Domains;
use crate::gdl::rule::RelationKind;
use crate::machine::{FluentId, Machine, State};

use super::atom_list::{Atom, AtomError, as_json, atom_list, nearest, quoted, short, strings};
use super::text::canonical;

/// Names that an error lists.
const NAMED: usize = 3;

/// Texts that are compared with a wrong one; a game with more fluents names nearest ones among the first.
const COMPARED: usize = 200_000;

/// Why a text is no state of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// It is no list of atoms.
    #[error("{0}; a state is written as in `((cell 1 1 x) (control o))`, or as JSON: `[\"(cell 1 1 x)\"]`")]
    Text(#[from] AtomError),
    /// The game can't have an atom.
    #[error("the game can't have `{atom}` in a state{}", meant(.nearest))]
    Unknown {
        /// The atom.
        atom: String,
        /// What it can have, nearest first.
        nearest: Vec<String>,
    },
}

fn meant(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; nearest to it: {}", quoted(nearest)) }
}

/// Reads states of one machine, as KIF or as a list of atoms in JSON.
///
/// # Example
///
/// ```
/// # mod ggp { pub use ggp_rules::*; pub use ggp_simulation::*; }
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// # use ggp::gdl::{Source, read};
/// # use ggp::ground::Limits;
/// # use ggp::machine::{Backend, load};
/// use ggp::simulate::StateReader;
///
/// # let rules = read(&Source::load("games/nim.kif")?).description.expect("the rules have no errors");
/// # let game = load(rules, Backend::Auto, &Limits::default())?;
/// let machine = &*game.machine;
/// let state = StateReader::new(machine).read("(heap a 0) (heap b 0) (heap c 0) (heap d 1) (turn left)")?;
/// let mut cursor = machine.cursor();
/// cursor.set(&state)?;
/// assert_eq!(cursor.legal(0).len(), 1); // one piece is left
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StateReader<'m> {
    machine: &'m dyn Machine,
}

impl<'m> StateReader<'m> {
    /// A reader for a machine.
    pub fn new(machine: &'m dyn Machine) -> StateReader<'m> {
        StateReader { machine }
    }

    /// Reads a state. Atoms that hold in every state that can be reached need not be named.
    ///
    /// # Errors
    /// The text is no list of atoms, or the game can't have one of them.
    pub fn read(&self, text: &str) -> Result<State, StateError> {
        if let Some(value) = as_json(text) {
            return self.from_json(&value?);
        }
        let roots = atom_list(text)?;
        if let [root] = &roots[..]
            && let Some(first) = root.parts.first().or(root.text.is_empty().then_some(root))
        {
            // One list: of atoms, or an atom itself.
            let words = root.parts.iter().all(|part| part.parts.is_empty());
            let atoms = !first.parts.is_empty() || root.parts.is_empty();
            if atoms || words && self.fluent(root.bare()).is_err() && self.all(&root.parts).is_ok() {
                return self.all(&root.parts);
            }
        }
        self.all(&roots)
    }

    /// Reads a state from JSON: a list of atoms, or an object with such a list under `state`, as traces have them.
    ///
    /// # Errors
    /// Those of [`StateReader::read`].
    pub fn from_json(&self, value: &Value) -> Result<State, StateError> {
        let list = match value {
            Value::Object(map) => map.get("state").unwrap_or(&Value::Null),
            other => other,
        };
        self.of_atoms(&strings(list, "a list of atoms, or a line of a trace with one under `state`,")?)
    }

    /// The state of atoms, each in any spelling.
    ///
    /// # Errors
    /// The game can't have one of them.
    pub fn of_atoms<S: AsRef<str>>(&self, atoms: &[S]) -> Result<State, StateError> {
        let mut fluents = Vec::with_capacity(atoms.len());
        for atom in atoms {
            let atom = atom.as_ref();
            // Most programs write what this one does.
            let known = self.machine.fluent_named(atom);
            let known = known.map(Ok).unwrap_or_else(|| {
                let text = canonical(atom);
                let inner = text.strip_prefix("(true ").and_then(|rest| rest.strip_suffix(')'));
                let text = inner.unwrap_or(&text);
                self.machine.fluent_named(text).ok_or_else(|| self.unknown(text))
            });
            fluents.push(known?);
        }
        Ok(self.machine.state_of(&fluents))
    }

    fn all(&self, list: &[Atom]) -> Result<State, StateError> {
        let fluents: Result<Vec<FluentId>, StateError> =
            list.iter().map(|atom| self.fluent(atom.bare())).collect();
        Ok(self.machine.state_of(&fluents?))
    }

    fn fluent(&self, atom: &Atom) -> Result<FluentId, StateError> {
        if atom.parts.first().is_some_and(|head| !head.parts.is_empty()) || atom.text.is_empty() {
            return Err(AtomError::NoName(short(&atom.text)).into());
        }
        self.machine.fluent_named(&atom.text).ok_or_else(|| self.unknown(&atom.text))
    }

    fn unknown(&self, atom: &str) -> StateError {
        let nearest = match self.machine.network() {
            Some(network) => {
                let count = network.fluents.len().min(COMPARED) as u32;
                let texts: Vec<String> =
                    (0..count).map(|number| self.machine.fluent_text(FluentId(number))).collect();
                nearest(atom, texts.iter().map(String::as_str), NAMED)
            }
            None => self.likely(atom),
        };
        StateError::Unknown { atom: short(atom), nearest }
    }

    /// Without a network: the fluents of the rules with their arguments' first words.
    fn likely(&self, atom: &str) -> Vec<String> {
        let description = self.machine.description();
        let domains = Domains::of(description);
        let of_fluents = |kind| matches!(kind, RelationKind::Init | RelationKind::Next);
        let relations = description.relation_ids().filter(|(_, relation)| of_fluents(relation.kind));
        let words: Vec<&str> = atom.split(['(', ')', ' ']).filter(|word| !word.is_empty()).skip(1).collect();
        let texts: Vec<String> = relations
            .map(|(id, relation)| {
                let argument = |place: usize| {
                    let terms: Vec<String> =
                        domains.argument(id, place).terms.iter().map(|&t| description.term(t)).collect();
                    let wanted = words.get(place).copied().unwrap_or_default();
                    nearest(wanted, terms.iter().map(String::as_str), 1)
                        .pop()
                        .unwrap_or_else(|| "…".to_owned())
                };
                let arguments: Vec<String> = (0..relation.arity).map(argument).collect();
                canonical(&format!("({} {})", description.symbols.name(relation.name), arguments.join(" ")))
            })
            .collect();
        nearest(atom, texts.iter().map(String::as_str), NAMED)
    }
}
