//! Errors of a cluster.

/// The reason why a cluster can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The address is invalid.
    #[error("{0} is not the address of a NATS server; write nats://HOST:PORT or tls://HOST:PORT")]
    Address(String),
    /// The file of credentials or certificates is unusable.
    #[error("can't use {path}: {error}")]
    Credentials {
        /// The file.
        path: String,
        /// The reason.
        error: std::io::Error,
    },
    /// No server answers.
    #[error("no NATS server answers at {address}: {why}; start one with `nats-server -js`")]
    Unreachable {
        /// The address, without passwords.
        address: String,
        /// The reason.
        why: String,
    },
    /// The server requires authentication.
    #[error(
        "the NATS server at {0} refuses access; give a user and password or a token in the address (nats://TOKEN@HOST), or a file with --cluster-creds"
    )]
    Refused(String),
    /// The server has JetStream disabled.
    #[error(
        "JetStream is disabled on the NATS server at {address} ({why}); start the server with `nats-server -js`"
    )]
    NoJetStream {
        /// The address, without passwords.
        address: String,
        /// The reason.
        why: String,
    },
    /// An operation on the server failed.
    #[error("{what}: {why}")]
    Store {
        /// The operation.
        what: &'static str,
        /// The reason.
        why: String,
    },
    /// A worker reported that the whole run can't be done.
    #[error("{0}")]
    Run(String),
    /// The master could not store a result.
    #[error("{0}")]
    Result(String),
    /// The run was interrupted before it began.
    #[error("interrupted")]
    Interrupted,
    /// An error of the operating system.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl ClusterError {
    /// The error of a failed operation.
    pub(super) fn store(what: &'static str, error: impl std::fmt::Display) -> ClusterError {
        ClusterError::Store { what, why: error.to_string() }
    }
}
