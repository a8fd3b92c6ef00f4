//! What can go wrong with a cluster.

/// Why a cluster can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The address is none.
    #[error("{0} is no address of a NATS server; expected nats://HOST:PORT, or tls://HOST:PORT")]
    Address(String),
    /// The file of credentials or certificates can't be used.
    #[error("{path} can't be used: {error}")]
    Credentials {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// Nobody answers there.
    #[error("no NATS server answers at {address}: {why}; `nats-server -js` starts one")]
    Unreachable {
        /// Where, without passwords.
        address: String,
        /// Why.
        why: String,
    },
    /// The server wants to know who asks.
    #[error(
        "the NATS server at {0} does not let us in: name a user and password or a token in the address (nats://TOKEN@HOST), or credentials with --cluster-creds"
    )]
    Refused(String),
    /// The server keeps no streams.
    #[error(
        "the NATS server at {address} keeps no streams ({why}); JetStream is switched on by `nats-server -js`"
    )]
    NoJetStream {
        /// Where.
        address: String,
        /// Why.
        why: String,
    },
    /// Something could not be kept or read there.
    #[error("{what}: {why}")]
    Store {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        why: String,
    },
    /// A worker found that the whole run can't be done.
    #[error("{0}")]
    Run(String),
    /// What came back could not be kept.
    #[error("{0}")]
    Kept(String),
    /// It was ended before it began.
    #[error("interrupted")]
    Interrupted,
    /// The operating system's.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl ClusterError {
    /// The error of something tried.
    pub(super) fn store(what: &'static str, error: impl std::fmt::Display) -> ClusterError {
        ClusterError::Store { what, why: error.to_string() }
    }
}
