//! The options of `ggp worker`. `cluster/worker.rs` implements it, in builds with the feature `cluster`.

use clap::Args;

use super::cluster::ServerArguments;

/// Do the work that other computers distribute with --cluster
///
/// Takes units of work from a NATS server, one per thread, until it is stopped. An interrupted worker gives its units
/// back; if it is killed, other workers get them. A worker of another version of the program refuses the units.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) server: ServerArguments,
    /// Units of work at the same time [default: one per processor]
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    pub(super) threads: usize,
    /// End after this time without work, in seconds
    #[arg(long, value_name = "S", value_parser = super::playouts::seconds_or_zero)]
    pub(super) idle: Option<f64>,
}

const EXAMPLES: &str = "\
Examples:
  ggp worker --cluster nats://localhost:4222 --idle 0
  ggp worker --cluster nats://user:password@host:4222 --threads 8
  ggp worker --cluster tls://host:4222 --cluster-creds worker.creds

Exit status: 0 no work was left (--idle), 1 the server can't be reached, 2 wrong usage, 130 interrupted.";
