//! Serializable descriptions of a game and its machine, from which workers load the game.

use serde::{Deserialize, Serialize};

use crate::analysis::LoadedGame;
use crate::cluster::Files;
use crate::datalog::Interrupt;
use crate::gdl::{Negation, Source, read};
use crate::ground::Limits;
use crate::machine::{Backend, load};

use super::super::game::MachineArguments;
use super::super::interrupt;

/// A game in the body of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GameFile {
    pub(super) name: String,
    /// The path as given on the command line.
    pub(super) path: String,
    /// SHA-256 of the file.
    pub(super) file: String,
    /// Whether names that differ only in case are different names.
    pub(super) case_sensitive: bool,
    /// How negated literals are read.
    #[serde(default)]
    pub(super) negation: Negation,
}

impl GameFile {
    /// Describes a game that was read from `path`.
    pub(super) fn new(path: String, source: &Source) -> GameFile {
        GameFile {
            name: source.name().to_owned(),
            path,
            file: crate::gdl::identity::sha256(source.bytes()),
            case_sensitive: source.is_case_sensitive(),
            negation: source.negation(),
        }
    }

    /// Fetches the rules.
    pub(super) fn source(&self, files: &dyn Files) -> Result<Source, String> {
        let bytes = files.get(&self.file)?;
        let source = Source::from_bytes(self.name.clone(), bytes);
        Ok(source.case_sensitive(self.case_sensitive).with_negation(self.negation))
    }
}

/// The type of machine that plays a game, and the limits for grounding the rules.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct MachineSetting {
    backend: MachineKind,
    atoms: usize,
    seconds: f64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MachineKind {
    Auto,
    Network,
    Relational,
}

impl MachineSetting {
    /// The setting from the command line, or the default.
    pub(super) fn new(machine: Option<&MachineArguments>) -> MachineSetting {
        let limits = machine.map_or_else(Limits::default, MachineArguments::limits);
        let backend = match machine.map_or(Backend::Auto, MachineArguments::machine) {
            Backend::Network => MachineKind::Network,
            Backend::Relational => MachineKind::Relational,
            _ => MachineKind::Auto,
        };
        // JSON can't represent infinity.
        MachineSetting { backend, atoms: limits.atoms, seconds: limits.seconds.min(f64::MAX) }
    }

    /// Fetches the rules of a game and builds its machine.
    pub(super) fn load(&self, game: &GameFile, files: &dyn Files) -> Result<LoadedGame, String> {
        let source = game.source(files)?;
        let description =
            read(&source).description.ok_or_else(|| format!("{}: errors in the rules", game.path))?;
        let limits = Limits {
            atoms: self.atoms,
            seconds: self.seconds,
            interrupt: Interrupt::of(Some(interrupt::flag())),
            ..Limits::default()
        };
        let backend = match self.backend {
            MachineKind::Auto => Backend::Auto,
            MachineKind::Network => Backend::Network,
            MachineKind::Relational => Backend::Relational,
        };
        let loaded =
            load(description, backend, &limits).map_err(|error| format!("{}: {error}", game.path))?;
        Ok(LoadedGame::new(game.path.clone(), &source, loaded))
    }
}
