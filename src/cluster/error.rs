//! Errors of a cluster.

/// The reason why a cluster can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The address is invalid.
    #[error("{0} is no address of a NATS server; expected nats://HOST:PORT, or tls://HOST:PORT")]
    Address(String),
    /// The file of credentials or certificates is unusable.
    #[error("{path} can't be used: {error}")]
    Credentials {
        /// The file.
        path: String,
        /// The reason.
        error: std::io::Error,
    },
    /// No server answers.
    #[error("no NATS server answers at {address}: {why}; `nats-server -js` starts one")]
    Unreachable {
        /// The address, without passwords.
        address: String,
        /// The reason.
        why: String,
    },
    /// The server requires authentication.
    #[error(
        "the NATS server at {0} does not let us in: name a user and password or a token in the address (nats://TOKEN@HOST), or credentials with --cluster-creds"
    )]
    Refused(String),
    /// The server has JetStream disabled.
    #[error(
        "the NATS server at {address} keeps no streams ({why}); JetStream is switched on by `nats-server -js`"
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
    Kept(String),
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
