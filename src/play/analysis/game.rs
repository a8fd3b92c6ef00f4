//! A loaded game with its name and the identity of its rules.

use std::path::Path;

use crate::evaluation::GameIdentity;
use crate::gdl::diagnostic::Severity;
use crate::gdl::{Source, read};
use crate::ground::{Limits, StaticFacts};
use crate::machine::{Backend, LoadError, Loaded, Machine, load};

/// A game that was read and loaded.
pub struct LoadedGame {
    /// The path from which it was read, as given.
    pub path: String,
    /// The identity of its rules.
    pub identity: GameIdentity,
    /// Its machine and static facts.
    pub loaded: Loaded,
}

/// The input of an analysis.
#[derive(Clone, Copy)]
pub struct Game<'g> {
    /// The machine.
    pub machine: &'g dyn Machine,
    /// The static facts, which hold in every state.
    pub statics: &'g StaticFacts,
    /// The identity of its rules.
    pub identity: &'g GameIdentity,
    /// The parts that loading left out because of the memory limit.
    pub left_out: Option<&'g str>,
}

/// Why a game's file could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file can't be read.
    #[error("{path}: the file can't be read: {error}; check the path")]
    File {
        /// The file.
        path: String,
        /// The system's reason.
        error: std::io::Error,
    },
    /// The rules have errors.
    #[error("{path}: {first}; `ggp check {path}` lists all errors")]
    Rules {
        /// The file.
        path: String,
        /// The first error, as a sentence.
        first: String,
    },
    /// The rules can't be played.
    #[error("{path}: {error}")]
    Load {
        /// The file.
        path: String,
        /// The reason.
        error: LoadError,
    },
}

impl LoadedGame {
    /// Reads the rules in a file and loads them, with the default back end and limits.
    ///
    /// # Example
    ///
    /// ```
    /// # mod ggp { pub use ggp_play::*; pub use ggp_simulation::*; }
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    /// use ggp::analysis::LoadedGame;
    ///
    /// let game = LoadedGame::open("games/tic_tac_toe.kif")?;
    /// assert_eq!(game.roles(), ["crosses", "noughts"]);
    /// assert_eq!(game.machine().cursor().legal(0).len(), 9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The file can't be read, its rules have errors, or they can't be played.
    pub fn open(path: impl AsRef<Path>) -> Result<LoadedGame, OpenError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let of = |error| OpenError::File { path: name.clone(), error };
        let source = Source::load(path).map_err(of)?;
        let reading = read(&source);
        let Some(description) = reading.description else {
            let mut errors = reading.diagnostics.iter().filter(|fault| fault.severity == Severity::Error);
            let first = errors.next().map(|fault| fault.message.clone()).unwrap_or_default();
            return Err(OpenError::Rules { path: name, first });
        };
        match load(description, Backend::Auto, &Limits::default()) {
            Ok(loaded) => Ok(LoadedGame::new(name, &source, loaded)),
            Err(error) => Err(OpenError::Load { path: name, error }),
        }
    }

    /// A game that was read from a source and loaded.
    pub fn new(path: String, source: &Source, loaded: Loaded) -> LoadedGame {
        let identity = GameIdentity::new(source.bytes(), loaded.machine.description());
        LoadedGame { path, identity, loaded }
    }

    /// The game as input of an analysis.
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
