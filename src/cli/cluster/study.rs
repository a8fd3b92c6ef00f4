//! A study of games on a cluster. A unit is the number of a game in the study.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::super::progress::bar;
use super::super::study::{entry_of_game, structures_of_game};
use super::ClusterArguments;
use super::gather::{Call, GatherResult, gather};
use super::in_order::InOrder;
use super::scratch::FileSet;
use crate::cluster::{Files, Task, UnitError, UnitResult};
use crate::report::labels::LabelComparison;
use crate::study::{Entry, GameEntry, Measurement, Study};

/// The body of a study's run.
#[derive(Serialize, Deserialize)]
pub(super) struct StudyBody {
    /// The text of the study file.
    text: String,
    games: Vec<FileSet>,
}

/// Studies the games of a study on a cluster, except for the first `done`. Calls `keep` in the order of the study.
pub(in crate::cli) fn study<E: DeserializeOwned>(
    arguments: &ClusterArguments,
    study: &Study,
    text: &str,
    done: usize,
    fresh: bool,
    keep: &mut dyn FnMut(u64, Result<E, String>) -> anyhow::Result<()>,
) -> anyhow::Result<GatherResult> {
    super::reject_rule_options()?;
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

/// Studies games on a worker.
pub(super) struct StudyTask {
    games: Vec<FileSet>,
    measurement: Measurement,
    files: Arc<dyn Files>,
}

impl StudyTask {
    pub(super) fn new(body: StudyBody, files: Arc<dyn Files>) -> Result<StudyTask, String> {
        let mut measurement = Measurement::read(&body.text).map_err(|error| error.message)?;
        if let Measurement::Judge(judged) = &mut measurement {
            // The worker already studies several games in parallel.
            judged.limits.threads = 1;
        }
        Ok(StudyTask { games: body.games, measurement, files })
    }
}

impl Task for StudyTask {
    fn run(&self, unit: u64, interrupt: &Arc<AtomicBool>) -> Result<UnitResult, UnitError> {
        let set = self.games.get(unit as usize);
        let set = set.ok_or_else(|| UnitError::Run(format!("the study has no game {unit}")))?;
        let scratch = set.write(&*self.files).map_err(UnitError::Unit)?;
        let restored = |error: String| scratch.restore_path(&error);
        let bytes = match &self.measurement {
            Measurement::Judge(judged) => {
                let entry: Entry = entry_of_game(&scratch.place, judged, interrupt);
                serde_json::to_vec(&entry.renamed(set.path.clone(), &restored))
            }
            Measurement::Structures(plan) => {
                let entry: GameEntry<LabelComparison> = structures_of_game(&scratch.place, plan);
                serde_json::to_vec(&GameEntry {
                    path: set.path.clone(),
                    broken: entry.broken.map(restored),
                    ..entry
                })
            }
            Measurement::Matches(_) | Measurement::Speed(_) => {
                return Err(UnitError::Run(
                    "workers can't do this kind of study: leave out --cluster".to_owned(),
                ));
            }
        };
        if interrupt.load(Ordering::Relaxed) {
            return Err(UnitError::Interrupted);
        }
        Ok(UnitResult { bytes: bytes.map_err(|error| UnitError::Unit(error.to_string()))?, states: None })
    }
}
