//! `ggp worker`: takes units of work from a NATS server, and does them.

#[cfg(feature = "cluster")]
use std::sync::Arc;
#[cfg(feature = "cluster")]
use std::time::Duration;

use clap::Args;

use super::cluster::ServerArguments;
#[cfg(feature = "cluster")]
use super::{Exit, cluster::Works, fault, interrupt, note, print};
#[cfg(feature = "cluster")]
use crate::arena::RemoteSearches;
#[cfg(feature = "cluster")]
use crate::cluster::{self, ClusterError, Hands, VERSION};
#[cfg(feature = "cluster")]
use crate::report::layout::counted;

/// Do the work of tournaments, studies, sweeps and judgements that others ask for with --cluster
///
/// Takes units of work from a NATS server, as many at once as there are threads, until it is ended. A unit under way is given
/// back where the worker is interrupted, and given to another worker where it is killed. Programs of other versions are
/// refused by name.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    server: ServerArguments,
    /// Units of work at once [default: one for each processor]
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// End after so many seconds without work
    #[arg(long, value_name = "S", value_parser = super::playouts::some_seconds)]
    idle: Option<f64>,
}

const EXAMPLES: &str = "\
Examples:
  ggp worker --cluster nats://localhost:4222 --idle 0
  ggp worker --cluster nats://user:password@host:4222 --threads 8
  ggp worker --cluster tls://host:4222 --cluster-creds worker.creds

Exit status: 0 it ended as there was no work (--idle), 1 the server can't be reached, 2 wrong usage, 130 interrupted.";

#[cfg(feature = "cluster")]
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let threads = match arguments.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let idle = arguments.idle.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let hands = Hands { threads, version: VERSION.to_owned(), idle };
    let tell = |line: &str| {
        // Nobody is there where it can't be written.
        let _ =
            if line.contains("refused") { fault(&format!("{line}\n")) } else { note(&format!("{line}\n")) };
    };
    let works = Arc::new(Works { threads });
    let done = cluster::serve(
        &arguments.server.address(),
        &hands,
        works,
        Arc::new(RemoteSearches),
        &tell,
        interrupt::flag(),
    );
    let done = match done {
        Err(ClusterError::Interrupted) => return Ok(Exit::Interrupted),
        done => done?,
    };
    print(&format!("{} done, {} failed\n", counted(done.done, "unit", "units"), done.failed))?;
    Ok(if interrupt::asked() { Exit::Interrupted } else { Exit::Ok })
}
