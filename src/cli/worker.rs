//! What `ggp worker` is asked. `cluster/worker.rs` does it, in builds with clusters.

use clap::Args;

use super::cluster::ServerArguments;

/// Do the work that other computers distribute with --cluster
///
/// Takes units of work from a NATS server, as many at once as there are threads, until it is ended. A unit under way is given
/// back where the worker is interrupted, and given to another worker where it is killed. Programs of other versions are
/// refused by name.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) server: ServerArguments,
    /// Units of work at once [default: one for each processor]
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    pub(super) threads: usize,
    /// End after this number of seconds without work
    #[arg(long, value_name = "S", value_parser = super::playouts::some_seconds)]
    pub(super) idle: Option<f64>,
}

const EXAMPLES: &str = "\
Examples:
  ggp worker --cluster nats://localhost:4222 --idle 0
  ggp worker --cluster nats://user:password@host:4222 --threads 8
  ggp worker --cluster tls://host:4222 --cluster-creds worker.creds

Exit status: 0 it ended as there was no work (--idle), 1 the server can't be reached, 2 wrong usage, 130 interrupted.";
