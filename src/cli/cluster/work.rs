//! The work of a worker: what a run's body describes, made ready.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::judge::JudgeTask;
use super::study::StudyTask;
use super::sweep::SweepTask;
use super::tournament::{TournamentBody, TournamentTask};
use crate::analysis::LoadedGame;
use crate::cluster::{Files, Manifest, Task, Tasks};
use crate::datalog::Interrupt;
use crate::gdl::{Source, read};
use crate::ground::Limits;
use crate::machine::{Backend, load};

use super::super::game::MachineArguments;
use super::super::interrupt;

/// All kinds of work that commands hand to clusters.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Works {
    /// Threads of this worker, for what is made ready once.
    pub(in crate::cli) threads: usize,
}

impl Tasks for Works {
    fn open(&self, manifest: &Manifest, body: &[u8], files: Arc<dyn Files>) -> Result<Arc<dyn Task>, String> {
        let unread = |error: serde_json::Error| format!("the run can't be read: {error}");
        match manifest.kind.as_str() {
            "tournament" => {
                let body: TournamentBody = serde_json::from_slice(body).map_err(unread)?;
                Ok(Arc::new(TournamentTask::new(body, files, self.threads)?))
            }
            "sweep" => Ok(Arc::new(SweepTask { body: serde_json::from_slice(body).map_err(unread)?, files })),
            "judge" => {
                let body = serde_json::from_slice(body).map_err(unread)?;
                Ok(Arc::new(JudgeTask::new(body, &*files, self.threads)?))
            }
            "study" => Ok(Arc::new(StudyTask::new(serde_json::from_slice(body).map_err(unread)?, files)?)),
            other => Err(format!("this worker knows no work called {other}")),
        }
    }
}

/// A game as workers get it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GameFile {
    /// Its name.
    pub(super) name: String,
    /// Where it was read from, as it was named.
    pub(super) path: String,
    /// SHA-256 of its bytes.
    pub(super) file: String,
    /// Whether names that differ in case only are different names.
    pub(super) case_sensitive: bool,
}

impl GameFile {
    /// What is handed on of a game that was named so.
    pub(super) fn new(path: String, source: &Source) -> GameFile {
        GameFile {
            name: source.name().to_owned(),
            path,
            file: crate::gdl::identity::sha256(source.bytes()),
            case_sensitive: source.is_case_sensitive(),
        }
    }

    /// Its rules.
    pub(super) fn source(&self, files: &dyn Files) -> Result<Source, String> {
        let bytes = files.get(&self.file)?;
        Ok(Source::from_bytes(self.name.clone(), bytes).case_sensitive(self.case_sensitive))
    }
}

/// Which machine plays a game, and the budget of its network.
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
    /// What was asked for on the command line, or the default.
    pub(super) fn new(machine: Option<&MachineArguments>) -> MachineSetting {
        let limits = machine.map_or_else(Limits::default, MachineArguments::limits);
        let backend = match machine.map_or(Backend::Auto, MachineArguments::machine) {
            Backend::Network => MachineKind::Network,
            Backend::Relational => MachineKind::Relational,
            _ => MachineKind::Auto,
        };
        // JSON knows no infinity.
        MachineSetting { backend, atoms: limits.atoms, seconds: limits.seconds.min(f64::MAX) }
    }

    /// Loads a game.
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
