//! `ggp worker`: fetches units of work from a NATS server and processes them.

use std::sync::Arc;
use std::time::Duration;

use super::RunTasks;
use crate::arena::RemoteSearches;
use crate::cli::worker::Arguments;
use crate::cli::{Exit, interrupt, print, print_error, print_note};
use crate::cluster::{self, ClusterError, VERSION, WorkerSettings};
use crate::report::layout::counted;

/// Processes units until the server has had none for the time of `--idle`, or until an interrupt.
pub(in crate::cli) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let threads = match arguments.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let idle = arguments.idle.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let settings = WorkerSettings { threads, version: VERSION.to_owned(), idle };
    let print_line = |line: &str| {
        // The worker goes on if standard error is closed.
        let _ = if line.contains("refused") {
            print_error(&format!("{line}\n"))
        } else {
            print_note(&format!("{line}\n"))
        };
    };
    let works = Arc::new(RunTasks { threads });
    let done = cluster::serve(
        &arguments.server.address(),
        &settings,
        works,
        Arc::new(RemoteSearches),
        &print_line,
        interrupt::flag(),
    );
    let done = match done {
        Err(ClusterError::Interrupted) => return Ok(Exit::Interrupted),
        done => done?,
    };
    print(&format!("{} done, {} failed\n", counted(done.done, "unit", "units"), done.failed))?;
    Ok(if interrupt::asked() { Exit::Interrupted } else { Exit::Ok })
}
