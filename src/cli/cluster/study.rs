//! A study of games in a cluster: a unit is a game, by its number.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::super::playouts::bar;
use super::super::study::{entry_of_game, structures_of_game};
use super::ClusterArguments;
use super::gather::{Call, GatherResult, gather};
use super::in_order::InOrder;
use super::scratch::FileSet;
use crate::cluster::{Files, Task, UnitError, UnitResult};
use crate::report::labels::LabelComparison;
use crate::study::{Entry, GameEntry, Study, Work};

/// A study as workers get it.
#[derive(Serialize, Deserialize)]
pub(super) struct StudyBody {
    /// The text of the study file.
    text: String,
    games: Vec<FileSet>,
}

/// Has the games of a study from `done` on studied by the workers of a cluster; entries are kept in the order of the study.
pub(in crate::cli) fn study<E: DeserializeOwned>(
    arguments: &ClusterArguments,
    study: &Study,
    text: &str,
    done: usize,
    fresh: bool,
    keep: &mut dyn FnMut(u64, Result<E, String>) -> anyhow::Result<()>,
) -> anyhow::Result<GatherResult> {
    super::folded()?;
    let mut files = Vec::new();
    let labels = |path: &Path| [path.with_extension("toml")];
    let games = study.games.iter().map(|path| FileSet::of(path, &labels(path), &mut files)).collect();
    let body = StudyBody { text: text.to_owned(), games };
    let left: Vec<u64> = (done as u64..study.games.len() as u64).collect();
    let bar = bar(study.games.len() as u64, "games").with_position(done as u64);
    bar.reset_eta();
    let call = Call {
        kind: "study",
        name: study.name.clone(),
        folder: &study.out,
        body: &body,
        files,
        units: left.len() as u64,
        fresh,
        decides: false,
    };
    let name = |unit: u64| study.games[unit as usize].display().to_string();
    let mut units = InOrder::new(left, keep, &name);
    gather(arguments, call, &mut units, &bar)
}

/// A study that a worker does games of.
pub(super) struct StudyTask {
    games: Vec<FileSet>,
    work: Work,
    files: Arc<dyn Files>,
}

impl StudyTask {
    /// The study of a body.
    pub(super) fn new(body: StudyBody, files: Arc<dyn Files>) -> Result<StudyTask, String> {
        let mut work = Work::read(&body.text).map_err(|error| error.message)?;
        if let Work::Judge(judged) = &mut work {
            // Games are judged side by side.
            judged.limits.threads = 1;
        }
        Ok(StudyTask { games: body.games, work, files })
    }
}

impl Task for StudyTask {
    fn run(&self, unit: u64, interrupt: &Arc<AtomicBool>) -> Result<UnitResult, UnitError> {
        let set = self.games.get(unit as usize);
        let set = set.ok_or_else(|| UnitError::Run(format!("the study has no game {unit}")))?;
        let scratch = set.write(&*self.files).map_err(UnitError::Unit)?;
        let named = |error: String| scratch.named_as_given(&error);
        let bytes = match &self.work {
            Work::Judge(judged) => {
                let entry: Entry = entry_of_game(&scratch.place, judged, interrupt);
                serde_json::to_vec(&entry.renamed(set.path.clone(), &named))
            }
            Work::Structures(plan) => {
                let entry: GameEntry<LabelComparison> = structures_of_game(&scratch.place, plan);
                serde_json::to_vec(&GameEntry {
                    path: set.path.clone(),
                    broken: entry.broken.map(named),
                    ..entry
                })
            }
            Work::Matches(_) | Work::Speed(_) => {
                return Err(UnitError::Run("this study is not done by workers".to_owned()));
            }
        };
        if interrupt.load(Ordering::Relaxed) {
            return Err(UnitError::Interrupted);
        }
        Ok(UnitResult { bytes: bytes.map_err(|error| UnitError::Unit(error.to_string()))?, states: None })
    }
}
