//! The work of a worker: what a run's body describes, made ready.

use std::sync::Arc;

use super::judge::JudgeTask;
use super::study::StudyTask;
use super::sweep::SweepTask;
use super::tournament::{TournamentBody, TournamentTask};
use crate::cluster::{Files, Manifest, Task, Tasks};

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
