//! Creates the task of a worker from the description of a run.

use std::sync::Arc;

use super::judge::JudgeTask;
use super::study::StudyTask;
use super::sweep::SweepTask;
use super::tournament::{TournamentBody, TournamentTask};
use crate::cluster::{Files, Manifest, Task, Tasks};

/// Opens the runs of all commands that use a cluster.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct RunTasks {
    /// The number of threads of this worker, used to prepare a task.
    pub(in crate::cli) threads: usize,
}

impl Tasks for RunTasks {
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
            other => Err(format!(
                "this worker does not support runs of kind {other}: use a worker of the client's version"
            )),
        }
    }
}
