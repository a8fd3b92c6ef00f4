//! The client for a remote player: one connection for each message, with a time limit for the whole exchange.

use std::fmt;
use std::io::Write;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::http::{self, Bounds, HttpError};

/// The default port of players.
const PORT: u16 = 9147;

/// Limit of the time for connecting, which is not part of a clock.
const CONNECTING: Duration = Duration::from_secs(5);

/// Limit of an answer's bytes.
const LONGEST: usize = 1 << 20;

/// A remote player.
#[derive(Clone, Debug)]
pub struct Remote {
    /// The address as it was written.
    pub url: String,
    /// The resolved addresses, in the order in which they are tried.
    addresses: Vec<SocketAddr>,
}

/// Errors in a player's address.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// Another protocol than HTTP.
    #[error("`{0}` is not the address of a player; use `http://HOST:PORT`")]
    Scheme(String),
    /// The host can't be resolved.
    #[error("`{url}` can't be found: {error}")]
    Unknown {
        /// The address.
        url: String,
        /// The system's reason.
        error: std::io::Error,
    },
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The player can't be reached.
    #[error("it can't be reached: {0}")]
    Connection(std::io::Error),
    /// The answer is late.
    #[error("no answer in time")]
    Late,
    /// The answer is invalid.
    #[error("{0}")]
    Answer(String),
    /// The caller interrupted it.
    #[error("interrupted")]
    Interrupted,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The first line of the response.
    pub status: String,
    /// The body.
    pub text: String,
    /// The time since the connection.
    pub took: Duration,
}

impl Remote {
    /// Whether a text looks like an address: with `http://` in front, or `HOST:PORT`.
    pub fn is_address(text: &str) -> bool {
        let port = |(host, port): (&str, &str)| {
            let is_host = !host.is_empty() && !host.contains(['?', ',', '(', '=']);
            is_host && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
        };
        // The value of an option may be an address, too.
        let named = text.split(['?', ',']).next().unwrap_or(text);
        named.contains("://") || text.rsplit_once(':').is_some_and(port)
    }

    /// The player at an address.
    ///
    /// # Errors
    /// It is not an address, or its host can't be resolved.
    pub fn new(url: &str) -> Result<Remote, RemoteError> {
        let place = match url.split_once("://") {
            Some((scheme, place)) if scheme.eq_ignore_ascii_case("http") => place,
            Some(_) => return Err(RemoteError::Scheme(url.to_owned())),
            None => url,
        };
        let place = place.split('/').next().unwrap_or("");
        if place.is_empty() {
            return Err(RemoteError::Scheme(url.to_owned()));
        }
        let has_port = place.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let unknown = |error| RemoteError::Unknown { url: url.to_owned(), error };
        let found = match has_port {
            true => place.to_socket_addrs().map_err(unknown)?.collect(),
            false => (place, PORT).to_socket_addrs().map_err(unknown)?.collect(),
        };
        Ok(Remote { url: url.to_owned(), addresses: found })
    }

    /// A connection.
    ///
    /// # Errors
    /// The player can't be reached.
    pub fn connect(&self) -> Result<TcpStream, AskError> {
        let mut why = std::io::Error::other("its host has no address");
        for address in &self.addresses {
            match TcpStream::connect_timeout(address, CONNECTING) {
                Ok(stream) => return Ok(stream),
                Err(error) => why = error,
            }
        }
        Err(AskError::Connection(why))
    }

    /// Sends a message and waits for the whole answer, at most `clock` after connecting.
    ///
    /// # Errors
    /// There is no answer.
    pub fn ask(
        &self,
        message: &str,
        clock: Duration,
        interrupt: Option<&AtomicBool>,
    ) -> Result<Answer, AskError> {
        let place = self.url.split_once("://").map_or(&*self.url, |(_, place)| place);
        let request = format!(
            "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: {}\r\nSender: GAMESERVER\r\nReceiver: PLAYER\r\n\
             Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n{message}",
            place.split('/').next().unwrap_or(""),
            message.len()
        );
        self.send(request.as_bytes(), clock, interrupt)
    }

    /// Sends bytes unchanged, and reads a response.
    ///
    /// # Errors
    /// There is none.
    pub fn send(
        &self,
        request: &[u8],
        clock: Duration,
        interrupt: Option<&AtomicBool>,
    ) -> Result<Answer, AskError> {
        let mut stream = self.connect()?;
        let begun = Instant::now();
        let bounds = Bounds { until: begun + clock, body: LONGEST, patient: true, interrupt };
        let written = stream
            .set_nodelay(true)
            .and_then(|()| stream.set_write_timeout(Some(clock.max(Duration::from_millis(1)))))
            .and_then(|()| stream.write_all(request));
        // A player that rejects a message may answer before it has read all of it.
        let read = http::read(&stream, &bounds);
        let incoming = match (read, written) {
            (Ok(incoming), _) => incoming,
            (Err(HttpError::Late), _) => return Err(AskError::Late),
            (Err(HttpError::Interrupted), _) => return Err(AskError::Interrupted),
            (Err(_), Err(error)) => return Err(AskError::Connection(error)),
            (Err(HttpError::Io(error)), _) => return Err(AskError::Connection(error)),
            (Err(error), Ok(())) => return Err(AskError::Answer(error.to_string())),
        };
        if !incoming.first.starts_with("HTTP/") {
            return Err(AskError::Answer("the answer is no HTTP".to_owned()));
        }
        let text = String::from_utf8_lossy(&incoming.body).trim().to_owned();
        Ok(Answer { status: incoming.first, text, took: begun.elapsed() })
    }
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_distinguished_from_players() {
        for text in
            ["http://localhost:9147", "localhost:9147", "127.0.0.1:1", "http://h", "[::1]:80", "https://h"]
        {
            assert!(Remote::is_address(text), "{text}");
        }
        let elsewhere = ["ensemble,cluster=nats://h:1", "ensemble?cluster=nats://h:1&workers=2"];
        for text in [
            "random",
            "alphabeta:fuzzy",
            "uct,nodes=5",
            "uct?nodes=5",
            "alphabeta:path/to.json,depth=3",
            ":1",
            "x:",
        ]
        .into_iter()
        .chain(elsewhere)
        {
            assert!(!Remote::is_address(text), "{text}");
        }
        assert!(matches!(Remote::new("https://h"), Err(RemoteError::Scheme(_))));
        assert!(matches!(Remote::new("http://"), Err(RemoteError::Scheme(_))));
        assert_eq!(
            Remote::new("http://127.0.0.1:81/x").unwrap().addresses,
            ["127.0.0.1:81".parse().unwrap()]
        );
        assert_eq!(Remote::new("127.0.0.1:9").unwrap().addresses, ["127.0.0.1:9".parse().unwrap()]);
        assert_eq!(Remote::new("http://127.0.0.1").unwrap().addresses, ["127.0.0.1:9147".parse().unwrap()]);
    }
}
