//! A game on its machine, under its name and with the identity of its rules.

use crate::evaluation::GameIdentity;
use crate::gdl::Source;
use crate::ground::StaticFacts;
use crate::machine::{Loaded, Machine};

/// A game that was read and loaded.
pub struct LoadedGame {
    /// Where it was read from, as it was named.
    pub path: String,
    /// Which game it is.
    pub identity: GameIdentity,
    /// Its machine and static facts.
    pub loaded: Loaded,
}

/// What an analysis needs of a game.
#[derive(Clone, Copy)]
pub struct Game<'g> {
    /// The machine.
    pub machine: &'g dyn Machine,
    /// What holds in every state.
    pub statics: &'g StaticFacts,
    /// Which game it is.
    pub identity: &'g GameIdentity,
    /// What loading did without, for want of memory.
    pub left_out: Option<&'g str>,
}

impl LoadedGame {
    /// A game that was read from a source and loaded.
    pub fn new(path: String, source: &Source, loaded: Loaded) -> LoadedGame {
        let identity = GameIdentity::new(source.bytes(), loaded.machine.description());
        LoadedGame { path, identity, loaded }
    }

    /// The game as an analysis takes it.
    pub fn game(&self) -> Game<'_> {
        let Loaded { statics, left_out, .. } = &self.loaded;
        Game { machine: self.machine(), statics, identity: &self.identity, left_out: left_out.as_deref() }
    }

    /// The machine.
    pub fn machine(&self) -> &dyn Machine {
        &*self.loaded.machine
    }

    /// The roles as text, in the order of the rules.
    pub fn roles(&self) -> Vec<String> {
        self.game().roles()
    }
}

impl Game<'_> {
    /// The roles as text, in the order of the rules.
    pub fn roles(&self) -> Vec<String> {
        let description = self.machine.description();
        description.roles.iter().map(|&role| self.machine.term_text(role)).collect()
    }
}
