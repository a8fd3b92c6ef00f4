//! Options of the commands that can run on a cluster.

use std::path::PathBuf;
#[cfg(feature = "cluster")]
use std::time::Duration;

use clap::Args;

use crate::arena::WITHOUT_CLUSTER;
#[cfg(feature = "cluster")]
use crate::cluster::Address;

/// The server of a cluster, for commands that can't run without one.
#[derive(Args, Debug)]
pub(in crate::cli) struct ServerArguments {
    /// The NATS server, as nats://HOST:PORT or tls://HOST:PORT, with USER:PASSWORD@ or TOKEN@ if it needs them
    #[arg(long, value_name = "URL", help_heading = "Cluster", value_parser = server_url)]
    cluster: String,
    /// File with credentials for the server, as written by `nsc`
    #[arg(long, hide_short_help = true, value_name = "FILE", help_heading = "Cluster")]
    cluster_creds: Option<PathBuf>,
    /// File with certificate authorities to trust for the server, in addition to those of the system
    #[arg(long, hide_short_help = true, value_name = "FILE", help_heading = "Cluster")]
    cluster_ca: Option<PathBuf>,
}

#[cfg(feature = "cluster")]
impl ServerArguments {
    pub(in crate::cli) fn address(&self) -> Address {
        Address {
            url: self.cluster.clone(),
            credentials: self.cluster_creds.clone(),
            authority: self.cluster_ca.clone(),
        }
    }
}

/// Parses the address of a server. A build without the feature `cluster` rejects every address and explains how to get a
/// build with it.
fn server_url(text: &str) -> Result<String, String> {
    if cfg!(feature = "cluster") { Ok(text.to_owned()) } else { Err(WITHOUT_CLUSTER.to_owned()) }
}

/// Options of commands that run on a cluster if `--cluster` is given.
#[derive(Args, Debug, Default)]
pub(in crate::cli) struct ClusterArguments {
    /// Let the workers of this NATS server do the work (`ggp worker`): nats://HOST:PORT or tls://HOST:PORT, with USER:PASSWORD@ or TOKEN@
    #[arg(long, value_name = "URL", help_heading = "Cluster", value_parser = server_url)]
    pub(in crate::cli) cluster: Option<String>,
    /// File with credentials for the server, as written by `nsc`
    #[arg(long, hide_short_help = true, value_name = "FILE", requires = "cluster", help_heading = "Cluster")]
    cluster_creds: Option<PathBuf>,
    /// File with certificate authorities to trust for the server, in addition to those of the system
    #[arg(long, hide_short_help = true, value_name = "FILE", requires = "cluster", help_heading = "Cluster")]
    cluster_ca: Option<PathBuf>,
    /// Attempts per unit of work before it is reported as failed [default: 3]
    #[arg(long, hide_short_help = true, value_name = "N", requires = "cluster", help_heading = "Cluster", value_parser = clap::value_parser!(u32).range(1..=1000))]
    cluster_tries: Option<u32>,
    /// Reassign the units of a worker after this many seconds of silence [default: 10]
    #[arg(long, hide_short_help = true, value_name = "S", requires = "cluster", help_heading = "Cluster", value_parser = clap::value_parser!(u64).range(1..=3600))]
    cluster_patience: Option<u64>,
}

impl ClusterArguments {
    /// Whether `--cluster` was given.
    pub(in crate::cli) fn is_asked(&self) -> bool {
        self.cluster.is_some()
    }
}

#[cfg(feature = "cluster")]
impl ClusterArguments {
    /// The server; `None` without `--cluster`.
    pub(in crate::cli) fn address(&self) -> Option<Address> {
        let url = self.cluster.clone()?;
        Some(Address { url, credentials: self.cluster_creds.clone(), authority: self.cluster_ca.clone() })
    }

    /// The maximum number of attempts per unit.
    pub(super) fn tries(&self) -> u32 {
        self.cluster_tries.unwrap_or(3)
    }

    /// Time of silence after which the units of a worker are reassigned; `None` for the default.
    pub(super) fn lease(&self) -> Option<Duration> {
        self.cluster_patience.map(Duration::from_secs)
    }
}

/// The error for `--cluster` together with `--part` or `--merge`.
pub(in crate::cli) const DEALT_TWICE: &str =
    "distribute a run by --cluster or by --part and --merge, not by both";
