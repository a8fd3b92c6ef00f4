//! Facts of states in parts, as text: what pictures of states are made from.

use crate::machine::{FluentId, Machine, State};

/// A fact of a state in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The fluent's name.
    pub name: String,
    /// Its arguments as KIF.
    pub arguments: Vec<String>,
}

impl Fact {
    /// `name/arity`.
    pub fn signature(&self) -> String {
        format!("{}/{}", self.name, self.arguments.len())
    }
}

impl std::fmt::Display for Fact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.arguments.is_empty() {
            true => f.write_str(&self.name),
            false => write!(f, "({} {})", self.name, self.arguments.join(" ")),
        }
    }
}

impl Fact {
    /// A fluent of a machine.
    pub fn new(machine: &dyn Machine, fluent: FluentId) -> Fact {
        let (name, arguments) = machine.fluent(fluent);
        Fact {
            name: machine.description().symbols.name(name).to_owned(),
            arguments: arguments.into_iter().map(|argument| machine.term_text(argument)).collect(),
        }
    }
}

/// The facts of a state, in structural order of their terms.
pub fn facts(machine: &dyn Machine, state: &State) -> Vec<Fact> {
    let mut fluents: Vec<FluentId> = Vec::new();
    machine.fluents(state, &mut fluents);
    fluents.into_iter().map(|fluent| Fact::new(machine, fluent)).collect()
}
