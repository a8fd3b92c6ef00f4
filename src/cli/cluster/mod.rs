//! `ggp cluster`: distributes runs to other computers, with a NATS server or a batch scheduler.

mod arguments;
#[cfg(feature = "cluster")]
mod game_file;
#[cfg(feature = "cluster")]
mod gather;
#[cfg(feature = "cluster")]
mod in_order;
#[cfg(feature = "cluster")]
mod judge;
#[cfg(feature = "cluster")]
mod scratch;
mod script;
#[cfg(feature = "cluster")]
mod status;
mod status_arguments;
#[cfg(feature = "cluster")]
mod study;
#[cfg(feature = "cluster")]
mod sweep;
#[cfg(feature = "cluster")]
mod tournament;
#[cfg(feature = "cluster")]
mod work;
#[cfg(feature = "cluster")]
pub(super) mod worker;

use clap::{Args, Subcommand};

use super::Exit;

pub(super) use arguments::{ClusterArguments, DEALT_TWICE, ServerArguments};
#[cfg(feature = "cluster")]
pub(super) use gather::GatherResult;
#[cfg(feature = "cluster")]
pub(super) use judge::Elsewhere;
#[cfg(feature = "cluster")]
use judge::reject_rule_options;
#[cfg(feature = "cluster")]
pub(super) use study::study;
#[cfg(feature = "cluster")]
pub(super) use sweep::sweep;
#[cfg(feature = "cluster")]
pub(super) use tournament::{ClusterRun, play};
#[cfg(feature = "cluster")]
pub(super) use work::RunTasks;

/// Show the state of a cluster, or write a job file for a scheduler
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  ggp cluster script parallel --parts 4 -- sweep games --out target/sweep
  ggp cluster script slurm --parts 200 -- study analyses/judge.toml --out out > job.sh
  ggp cluster script hyperqueue --parts 64 --threads 4 -- sweep archive --out out > job.sh
  ggp cluster status --cluster nats://localhost:4222

Exit status: 0 done, 1 the command can't be distributed or the cluster can't be reached, 2 wrong usage.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Print a job file that runs all parts of a command and merges them
    Script(script::ScriptArguments),
    /// Show the runs on a NATS server: units that wait, run, are done and failed
    Status(status_arguments::StatusArguments),
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        Command::Script(script) => script::run(script),
        #[cfg(feature = "cluster")]
        Command::Status(status) => status::run(status),
        #[cfg(not(feature = "cluster"))]
        Command::Status(_) => without_cluster(),
    }
}

/// The error in a build without the feature `cluster`. It is rarely seen, because `server_url` already
/// rejects the address.
#[cfg(not(feature = "cluster"))]
pub(super) fn without_cluster() -> anyhow::Result<Exit> {
    super::usage(crate::arena::WITHOUT_CLUSTER)
}
