//! The address of a cluster and the credentials for it.

use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;

use async_nats::{Client, ConnectErrorKind, ConnectOptions, ServerAddr};

use super::error::ClusterError;

/// Time limit for the first connection.
const FIRST: Duration = Duration::from_secs(3);

/// The NATS server of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// `nats://HOST:PORT` or `tls://HOST:PORT`, with `USER:PASSWORD@` or `TOKEN@` if the server requires it. Several servers
    /// of one cluster are separated by commas.
    pub url: String,
    /// A credentials file, as `nsc` writes it.
    pub credentials: Option<PathBuf>,
    /// A file of certificates for checking that of the server, in addition to those of the system.
    pub authority: Option<PathBuf>,
}

impl Address {
    /// The address without passwords, for messages.
    pub fn shown(&self) -> String {
        let parts = self.url.split(',').map(|url| match url.split_once("://") {
            Some((scheme, rest)) => {
                format!("{scheme}://{}", rest.rsplit_once('@').map_or(rest, |(_, host)| host))
            }
            None => url.rsplit_once('@').map_or(url, |(_, host)| host).to_owned(),
        });
        parts.collect::<Vec<_>>().join(",")
    }

    /// Connects. The connection is restored automatically whenever the server was away.
    pub(super) async fn connect(&self, name: &str) -> Result<Client, ClusterError> {
        let wrong = || ClusterError::Address(self.shown());
        let servers = self.url.split(',').map(ServerAddr::from_str).collect::<Result<Vec<_>, _>>();
        let servers = servers.map_err(|_| wrong())?;
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(FIRST)
            .request_timeout(Some(Duration::from_secs(5)))
            .reconnect_delay_callback(|tries| Duration::from_millis((20 * tries as u64).min(500)));
        if let Some(server) = servers.iter().find(|server| server.has_user_pass()) {
            // The NATS crate handles a user with a password; a name alone is a token.
            options = match (server.username(), server.password()) {
                (Some(user), Some(password)) => {
                    options.user_and_password(user.to_owned(), password.to_owned())
                }
                (Some(token), None) => options.token(token.to_owned()),
                _ => options,
            };
        }
        if let Some(path) = &self.credentials {
            let failed =
                |error: std::io::Error| ClusterError::Credentials { path: path.display().to_string(), error };
            let text = std::fs::read_to_string(path).map_err(failed)?;
            options = options.credentials(&text).map_err(failed)?;
        }
        if let Some(path) = &self.authority {
            // Checked here, because the crate would only report that there is an error.
            std::fs::metadata(path)
                .map_err(|error| ClusterError::Credentials { path: path.display().to_string(), error })?;
            options = options.add_root_certificates(path.clone());
        }
        let failed = |error: async_nats::ConnectError| match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                ClusterError::Refused(self.shown())
            }
            ConnectErrorKind::ServerParse => wrong(),
            _ => ClusterError::Unreachable { address: self.shown(), why: error.to_string() },
        };
        match tokio::time::timeout(2 * FIRST, options.connect(servers)).await {
            Ok(connected) => connected.map_err(failed),
            Err(_) => Err(ClusterError::Unreachable { address: self.shown(), why: "timed out".to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        let shown = |url: &str| Address { url: url.to_owned(), credentials: None, authority: None }.shown();
        assert_eq!(shown("nats://me:secret@host:4222"), "nats://host:4222");
        assert_eq!(shown("tls://token@a,tls://token@b:1"), "tls://a,tls://b:1");
        assert_eq!(shown("token@host"), "host");
    }
}
