//! Parses states from KIF, from a JSON list of atoms, or from a line of a trace.

use serde_json::Value;

use crate::gdl::domain::Domains;
use crate::gdl::rule::RelationKind;
use crate::machine::{FluentId, Machine, State};

use super::atom_list::{Atom, AtomError, as_json, atom_list, nearest, quoted, short, strings};
use super::text::canonical;

/// Number of similar names in an error message.
const MAX_SUGGESTIONS: usize = 3;

/// Maximum number of fluents that are compared with an unknown atom to suggest similar ones.
const MAX_COMPARED: usize = 200_000;

/// Why a text is not a state of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The text is not a list of atoms.
    #[error("{0}; write a state as in `((cell 1 1 x) (control o))`, or as JSON: `[\"(cell 1 1 x)\"]`")]
    Text(#[from] AtomError),
    /// No state of the game can contain the atom.
    #[error("no state of the game has `{atom}`{}", did_you_mean(.nearest))]
    Unknown {
        /// The atom.
        atom: String,
        /// Similar atoms of the game, most similar first.
        nearest: Vec<String>,
    },
}

fn did_you_mean(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; did you mean one of {}?", quoted(nearest)) }
}

/// Parses states of a machine from KIF or from a JSON list of atoms.
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
    /// A reader for the states of this machine.
    pub fn new(machine: &'m dyn Machine) -> StateReader<'m> {
        StateReader { machine }
    }

    /// Parses a state. Atoms that hold in every reachable state may be omitted.
    ///
    /// # Errors
    /// [`StateError`]: the text is not a list of atoms, or the game can't have one of them.
    pub fn read(&self, text: &str) -> Result<State, StateError> {
        if let Some(value) = as_json(text) {
            return self.from_json(&value?);
        }
        let roots = atom_list(text)?;
        // The empty list is the state without facts, unlike a list with an empty list.
        if matches!(&roots[..], [root] if root.parts.is_empty() && root.text == "()") {
            return self.all(&[]);
        }
        if let [root] = &roots[..]
            && let Some(first) = root.parts.first().or(root.text.is_empty().then_some(root))
        {
            // The only list is a list of atoms or an atom itself.
            let words = root.parts.iter().all(|part| part.parts.is_empty());
            let atoms = !first.parts.is_empty() || root.parts.is_empty();
            if atoms || words && self.fluent(root.bare()).is_err() && self.all(&root.parts).is_ok() {
                return self.all(&root.parts);
            }
        }
        self.all(&roots)
    }

    /// Reads a state from JSON: a list of atoms, or an object with such a list under `state`, as in traces.
    ///
    /// # Errors
    /// As [`StateReader::read`].
    pub fn from_json(&self, value: &Value) -> Result<State, StateError> {
        let list = match value {
            Value::Object(map) => map.get("state").unwrap_or(&Value::Null),
            other => other,
        };
        self.of_atoms(&strings(list, "a list of atoms, or a line of a trace with such a list under `state`")?)
    }

    /// The state with these atoms, in any spelling.
    ///
    /// # Errors
    /// [`StateError`]: the game can't have one of them.
    pub fn of_atoms<S: AsRef<str>>(&self, atoms: &[S]) -> Result<State, StateError> {
        let mut fluents = Vec::with_capacity(atoms.len());
        for atom in atoms {
            let atom = atom.as_ref();
            // Most programs write atoms in canonical spelling, so the text itself is looked up first.
            let known = self.machine.fluent_named(atom);
            let known = known.map(Ok).unwrap_or_else(|| {
                let text = canonical(atom);
                let inner = text.strip_prefix("(true ").and_then(|rest| rest.strip_suffix(')'));
                let text = inner.unwrap_or(&text);
                self.machine.fluent_named(text).ok_or_else(|| self.unknown_fluent(text))
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
        self.machine.fluent_named(&atom.text).ok_or_else(|| self.unknown_fluent(&atom.text))
    }

    fn unknown_fluent(&self, atom: &str) -> StateError {
        let nearest = match self.machine.network() {
            Some(network) => {
                let count = network.fluents.len().min(MAX_COMPARED) as u32;
                let texts: Vec<String> =
                    (0..count).map(|number| self.machine.fluent_text(FluentId(number))).collect();
                nearest(atom, texts.iter().map(String::as_str), MAX_SUGGESTIONS)
            }
            None => self.suggestions_from_rules(atom),
        };
        StateError::Unknown { atom: short(atom), nearest }
    }

    /// Suggestions without a network: fluents of the rules, with the most similar term for each argument.
    fn suggestions_from_rules(&self, atom: &str) -> Vec<String> {
        let description = self.machine.description();
        let domains = Domains::of(description);
        let of_fluents = |kind| matches!(kind, RelationKind::Init | RelationKind::Next);
        let relations = description.relation_ids().filter(|(_, relation)| of_fluents(relation.kind));
        let words: Vec<&str> = atom.split(['(', ')', ' ']).filter(|word| !word.is_empty()).skip(1).collect();
        let texts: Vec<String> = relations
            .map(|(id, relation)| {
                let argument = |index: usize| {
                    let terms: Vec<String> =
                        domains.argument(id, index).terms.iter().map(|&t| description.term(t)).collect();
                    let given = words.get(index).copied().unwrap_or_default();
                    nearest(given, terms.iter().map(String::as_str), 1)
                        .pop()
                        .unwrap_or_else(|| "…".to_owned())
                };
                let arguments: Vec<String> = (0..relation.arity).map(argument).collect();
                canonical(&format!("({} {})", description.symbols.name(relation.name), arguments.join(" ")))
            })
            .collect();
        nearest(atom, texts.iter().map(String::as_str), MAX_SUGGESTIONS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::{Backend, load};

    #[test]
    fn the_empty_state_has_three_forms() {
        let rules = "(role a) (<= (legal a m)) (<= (next p) (does a m)) (<= terminal (true p)) (goal a 100)";
        let description = read(&Source::from_text("g", rules)).description.unwrap();
        let game = load(description, Backend::Auto, &Limits::default()).unwrap();
        let reader = StateReader::new(&*game.machine);
        for text in ["()", " ( ) ", "[]", ""] {
            assert_eq!(reader.read(text).as_ref(), Ok(game.machine.initial()), "{text:?}");
        }
        assert!(reader.read("(())").is_err());
        assert_ne!(reader.read("(p)").as_ref(), Ok(game.machine.initial()));
    }
}
