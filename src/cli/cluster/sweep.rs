//! A sweep on a cluster. A unit of work is the index of a description.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use super::super::sweep::Analysis;
use super::ClusterArguments;
use super::gather::{Call, GatherResult, gather};
use super::in_order::InOrder;
use super::scratch::FileSet;
use crate::cluster::{Files, Task, UnitError, UnitResult};
use crate::report::sweep::SweepRow;

/// The body of a sweep's run.
#[derive(Serialize, Deserialize)]
pub(super) struct SweepBody {
    analysis: Analysis,
    descriptions: Vec<FileSet>,
}

/// Analyses descriptions on a cluster. `left` has the indices of the descriptions that are not in the log yet.
pub(in crate::cli) fn sweep(
    arguments: &ClusterArguments,
    (paths, left): (&[PathBuf], Vec<u64>),
    analysis: &Analysis,
    folder: (&Path, bool),
    bar: &ProgressBar,
    keep: &mut dyn FnMut(u64, Result<SweepRow, String>) -> anyhow::Result<()>,
) -> anyhow::Result<GatherResult> {
    let mut files = Vec::new();
    let descriptions = paths.iter().map(|path| FileSet::of(path, &[], &mut files)).collect();
    let body = SweepBody { analysis: analysis.clone(), descriptions };
    let (folder, fresh) = folder;
    let call = Call {
        kind: "sweep",
        name: format!("{} descriptions", paths.len()),
        folder,
        body: &body,
        files,
        units: left.len() as u64,
        fresh,
        decides: false,
    };
    let name = |unit: u64| paths[unit as usize].display().to_string();
    let mut units = InOrder::new(left, keep, &name);
    gather(arguments, call, &mut units, bar)
}

/// Analyses descriptions on a worker.
pub(super) struct SweepTask {
    pub(super) body: SweepBody,
    pub(super) files: Arc<dyn Files>,
}

impl Task for SweepTask {
    fn run(&self, unit: u64, _: &Arc<AtomicBool>) -> Result<UnitResult, UnitError> {
        let set = self.body.descriptions.get(unit as usize);
        let set = set.ok_or_else(|| UnitError::Run(format!("the sweep has no description {unit}")))?;
        let scratch = set.write(&*self.files).map_err(UnitError::Unit)?;
        let failed = |error: &dyn std::fmt::Display| UnitError::Unit(error.to_string());
        let row = self.body.analysis.row(&scratch.place).map_err(|error| failed(&error))?;
        let row = row.ok_or(UnitError::Interrupted)?;
        let row = SweepRow { path: set.path.clone(), reason: scratch.restore_path(&row.reason), ..row };
        let states = row.found.as_ref().map(|found| found.states);
        Ok(UnitResult { bytes: serde_json::to_vec(&row).map_err(|error| failed(&error))?, states })
    }
}
