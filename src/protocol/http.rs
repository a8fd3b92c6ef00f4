//! HTTP for game managers and players: one message per connection, HTTP/1.0 and 1.1, on both sides.
//!
//! No HTTP library is used, because the protocol is less strict than HTTP. A POST without a length extends to the end of
//! the stream, while HTTP libraries treat it as empty. Managers also send lines that end in LF, and addresses with
//! blanks. Time limits apply to a whole message, not to each read, so that a slow sender delays no other connection.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::expression::ListScanner;

/// Limit of the bytes before the body, and of the lengths between the chunks of a body; an address can contain a message.
const LONGEST_HEAD: usize = 1 << 20;

/// Limit of the line before a chunk, with its length.
const LONGEST_CHUNK_LINE: usize = 4 << 10;

/// Time after which a body without a length counts as empty.
const FIRST_BYTE: Duration = Duration::from_millis(500);

/// How often the interrupt is checked.
const GLANCE: Duration = Duration::from_millis(100);

/// Limit of the bytes of all messages that are being read, together (256 MiB).
const MOST_MEMORY: usize = 256 << 20;

/// A received request or response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Incoming {
    /// The first line.
    pub(super) first: String,
    /// The body, or its received part.
    pub(super) body: Vec<u8>,
    /// The time of its first byte.
    pub(super) arrived: Instant,
}

/// Limits of reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds<'b> {
    /// The deadline of the whole message.
    pub(super) until: Instant,
    /// Limit of the body's bytes.
    pub(super) body: usize,
    /// Whether to wait for a body without a length until the deadline: a response may take its time.
    pub(super) patient: bool,
    /// Once true, reading stops.
    pub(super) interrupt: Option<&'b AtomicBool>,
}

/// Why no message was received.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpError {
    /// The other side closed the connection without a message.
    #[error("the connection was closed without a message")]
    Silent,
    /// The message is late.
    #[error("the message was not complete in time")]
    Late,
    /// The head or the body is too long.
    #[error("the message is too long")]
    TooLong,
    /// The caller interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// The other side closed the connection within a message.
    #[error("the connection ended within the message")]
    Truncated,
    /// The message is not HTTP.
    #[error("this is not HTTP: {0}")]
    Malformed(&'static str),
    /// The network failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Counts a connection's bytes in the total.
struct Reserved<'c> {
    all: &'c AtomicUsize,
    own: usize,
}

impl Reserved<'_> {
    fn grow(&mut self, bytes: usize) -> Result<(), HttpError> {
        self.own += bytes;
        let before = self.all.fetch_add(bytes, Ordering::Relaxed);
        if before + bytes > MOST_MEMORY { Err(HttpError::TooLong) } else { Ok(()) }
    }

    fn shrink(&mut self, bytes: usize) {
        self.own -= bytes;
        self.all.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(self.own, Ordering::Relaxed);
    }
}

/// Bytes of all messages that are being read.
static IN_READING: AtomicUsize = AtomicUsize::new(0);

/// A stream with the bytes read so far.
struct Reader<'s> {
    stream: &'s TcpStream,
    bytes: Vec<u8>,
    arrived: Option<Instant>,
    reserved: Reserved<'s>,
    interrupt: Option<&'s AtomicBool>,
}

impl Reader<'_> {
    /// Reads more bytes; 0 at the end of the stream.
    fn more(&mut self, until: Instant) -> Result<usize, HttpError> {
        let mut piece = [0; 16 << 10];
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(HttpError::Late);
            }
            if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return Err(HttpError::Interrupted);
            }
            self.stream.set_read_timeout(Some(if self.interrupt.is_some() {
                left.min(GLANCE)
            } else {
                left
            }))?;
            match (&mut &*self.stream).read(&mut piece) {
                Ok(count) => {
                    if count > 0 {
                        self.arrived.get_or_insert_with(Instant::now);
                        self.reserved.grow(count)?;
                        self.bytes.extend_from_slice(&piece[..count]);
                    }
                    return Ok(count);
                }
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => {}
                    ErrorKind::ConnectionReset if self.bytes.is_empty() => return Err(HttpError::Silent),
                    _ => return Err(error.into()),
                },
            }
        }
    }

    /// Reads the head: its lines, and where it ends.
    fn head(&mut self, until: Instant) -> Result<(Vec<String>, usize), HttpError> {
        let mut looked = 0;
        loop {
            if let Some(end) = end_of_head(&self.bytes, looked) {
                let head = String::from_utf8_lossy(&self.bytes[..end]);
                let lines = head.lines().map(|line| line.trim_end().to_owned());
                return Ok((lines.filter(|line| !line.is_empty()).collect(), end));
            }
            looked = self.bytes.len().saturating_sub(3);
            if self.bytes.len() > LONGEST_HEAD {
                return Err(HttpError::TooLong);
            }
            if self.more(until)? == 0 {
                return Err(if self.bytes.is_empty() { HttpError::Silent } else { HttpError::Truncated });
            }
        }
    }

    /// Reads the body, which begins at `start`.
    fn body(&mut self, start: usize, headers: &[String], bounds: &Bounds<'_>) -> Result<(), HttpError> {
        let named = |name: &str| {
            let of = |line: &String| {
                let (key, value) = line.split_once(':')?;
                key.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            };
            headers.iter().find_map(of)
        };
        if named("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
            (&mut &*self.stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        if named("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
            return self.chunks(start, bounds);
        }
        let Some(length) = named("content-length") else { return self.unmeasured(start, bounds) };
        let length: usize =
            length.parse().map_err(|_| HttpError::Malformed("Content-Length is not a number"))?;
        if length > bounds.body {
            return Err(HttpError::TooLong);
        }
        while self.bytes.len() - start < length {
            if self.more(bounds.until)? == 0 {
                return Err(HttpError::Truncated);
            }
        }
        self.bytes.truncate(start + length);
        Ok(())
    }

    /// Reads a body without a length: to the end of the stream, or of the message.
    fn unmeasured(&mut self, start: usize, bounds: &Bounds<'_>) -> Result<(), HttpError> {
        let mut scanner = ListScanner::default();
        let mut scanned = start;
        loop {
            let body = &self.bytes[start..];
            if body.len() > bounds.body {
                return Err(HttpError::TooLong);
            }
            scanner.scan(&self.bytes[scanned..]);
            scanned = self.bytes.len();
            if scanner.is_at_end() {
                return Ok(());
            }
            let nothing = body.is_empty() && !bounds.patient;
            let until = if nothing { bounds.until.min(Instant::now() + FIRST_BYTE) } else { bounds.until };
            match self.more(until) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(HttpError::Late) if nothing => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads a body in chunks, each preceded by its length.
    fn chunks(&mut self, start: usize, bounds: &Bounds<'_>) -> Result<(), HttpError> {
        let mut body = Vec::new();
        let (mut at, mut framing) = (start, 0);
        loop {
            let end = loop {
                if let Some(end) = self.bytes[at..].iter().position(|&byte| byte == b'\n') {
                    break at + end;
                }
                if self.bytes.len() - at > LONGEST_CHUNK_LINE {
                    return Err(HttpError::TooLong);
                }
                self.discard(start, &mut at);
                self.must_read(bounds)?;
            };
            let line = String::from_utf8_lossy(&self.bytes[at..end]).into_owned();
            let size = line.split(';').next().unwrap_or("").trim();
            framing += end + 1 - at;
            if framing > LONGEST_HEAD {
                return Err(HttpError::TooLong);
            }
            at = end + 1;
            if size.is_empty() {
                // The end of the previous chunk.
                continue;
            }
            let size = usize::from_str_radix(size, 16);
            let size = size.map_err(|_| HttpError::Malformed("a chunk without its length"))?;
            if size == 0 {
                self.bytes.truncate(start);
                self.bytes.extend(body);
                return Ok(());
            }
            if size > bounds.body || body.len() + size > bounds.body {
                return Err(HttpError::TooLong);
            }
            while self.bytes.len() - at < size {
                self.discard(start, &mut at);
                self.must_read(bounds)?;
            }
            self.reserved.grow(size)?;
            body.extend_from_slice(&self.bytes[at..at + size]);
            at += size;
        }
    }

    /// Discards the bytes from `start` to `at`, which are decoded.
    fn discard(&mut self, start: usize, at: &mut usize) {
        self.reserved.shrink(*at - start);
        self.bytes.drain(start..*at);
        *at = start;
    }

    fn must_read(&mut self, bounds: &Bounds<'_>) -> Result<(), HttpError> {
        if self.more(bounds.until)? == 0 { Err(HttpError::Truncated) } else { Ok(()) }
    }
}

/// The index after the empty line that ends the head. The search begins at `from`.
fn end_of_head(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(line) = bytes[at..].iter().position(|&byte| byte == b'\n') {
        at += line + 1;
        match bytes[at..] {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
    None
}

/// Reads a request or a response.
///
/// # Errors
/// The request or response is missing, late or too long.
pub(super) fn read(stream: &TcpStream, bounds: &Bounds<'_>) -> Result<Incoming, HttpError> {
    let reserved = Reserved { all: &IN_READING, own: 0 };
    let mut reader =
        Reader { stream, bytes: Vec::new(), arrived: None, reserved, interrupt: bounds.interrupt };
    let (lines, start) = reader.head(bounds.until)?;
    let Some((first, headers)) = lines.split_first() else {
        return Err(HttpError::Malformed("no first line"));
    };
    let method = first.split(' ').next().unwrap_or("");
    // Only these have a body: a browser keeps its side of the connection open.
    if method.eq_ignore_ascii_case("POST") || method.starts_with("HTTP/") {
        reader.body(start, headers, bounds)?;
    }
    let body = reader.bytes.split_off(start);
    Ok(Incoming { first: first.clone(), body, arrived: reader.arrived.unwrap_or_else(Instant::now) })
}

/// A request to a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// A message, in the body or in the address.
    Message(String),
    /// A CORS request of a browser.
    Options,
    /// Another request.
    Unknown,
}

impl Incoming {
    /// The content of a request.
    pub(super) fn request(&self) -> Request {
        let (method, rest) = self.first.split_once(' ').unwrap_or((&self.first, ""));
        match method.to_ascii_uppercase().as_str() {
            "POST" => Request::Message(String::from_utf8_lossy(&self.body).into_owned()),
            "GET" => {
                let address = rest.rfind(" HTTP/").map_or(rest, |end| &rest[..end]).trim();
                let path =
                    address.strip_prefix("http://").and_then(|rest| rest.find('/').map(|at| &rest[at..]));
                Request::Message(unescaped(path.unwrap_or(address).trim_start_matches('/')))
            }
            "OPTIONS" => Request::Options,
            _ => Request::Unknown,
        }
    }
}

/// Decodes `%28` and the like in an address.
fn unescaped(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|&byte| char::from(byte).to_digit(16));
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Writes a response and ends the connection.
///
/// # Errors
/// The other side closed the connection.
pub(super) fn respond(mut stream: &TcpStream, status: &str, body: &str) -> io::Result<()> {
    // Existing players send `Allow-Age`, which no browser reads; browsers read `Max-Age`.
    let text = format!(
        "HTTP/1.0 {status}\r\nContent-type: text/acl\r\nContent-length: {}\r\nConnection: close\r\n\
         Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n\
         Access-Control-Allow-Headers: Content-Type\r\nAccess-Control-Allow-Age: 86400\r\n\
         Access-Control-Max-Age: 86400\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Reads bytes from a sender that then closes its side or not.
    fn received(bytes: &[u8], close: bool) -> Result<Incoming, HttpError> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        sender.write_all(bytes).unwrap();
        if close {
            sender.shutdown(std::net::Shutdown::Write).unwrap();
        }
        let (stream, _) = listener.accept().unwrap();
        read(
            &stream,
            &Bounds {
                until: Instant::now() + Duration::from_secs(2),
                body: 1000,
                patient: false,
                interrupt: None,
            },
        )
    }

    /// The error of a text that is longer than the buffers of a connection.
    fn in_background(text: String) -> HttpError {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let writer = std::thread::spawn(move || {
            let _ = sender.write_all(text.as_bytes());
        });
        let (stream, _) = listener.accept().unwrap();
        let until = Instant::now() + Duration::from_secs(20);
        let bounds = Bounds { until, body: 1000, patient: false, interrupt: None };
        let error = read(&stream, &bounds).unwrap_err();
        drop(stream);
        writer.join().unwrap();
        error
    }

    fn message(bytes: &[u8], close: bool) -> String {
        match received(bytes, close).unwrap().request() {
            Request::Message(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn heads_and_bodies_of_every_form_are_parsed() {
        for (bytes, close) in [
            (&b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )"[..], false),
            (b"POST / HTTP/1.0\ncontent-LENGTH:8\n\n( INFO )", false),
            (b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )EXTRA", false),
            (b"post / HTTP/1.1\r\nHost: x\r\n\r\n( INFO )", false),
            (b"POST / HTTP/1.0\n\n( INFO )", true),
            (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n( I\r\n5;x=y\r\nNFO )\r\n0\r\n\r\n", false),
            (b"GET /%28%20INFO%20%29 HTTP/1.1\r\nHost: x\r\n\r\n", false),
            (b"GET /( INFO ) HTTP/1.0\r\n\r\n", false),
            (b"GET http://x:9147/(%20INFO ) HTTP/1.1\r\n\r\n", false),
        ] {
            assert_eq!(message(bytes, close), "( INFO )", "{}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(message(b"POST / HTTP/1.0\r\n\r\n", false), "");
        assert_eq!(message(b"POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n", false), "");
        assert_eq!(message(b"POST / HTTP/1.0\r\n\r\n( PLAY x", true), "( PLAY x");
        assert_eq!(received(b"OPTIONS * HTTP/1.1\r\n\r\n", false).unwrap().request(), Request::Options);
        assert_eq!(received(b"BREW / HTTP/1.1\r\n\r\n", false).unwrap().request(), Request::Unknown);
    }

    #[test]
    fn missing_data_is_an_error() {
        let error = |bytes: &[u8], close| received(bytes, close).unwrap_err();
        assert!(matches!(error(b"", true), HttpError::Silent));
        assert!(matches!(error(b"POST / HTTP/1.0\r\nContent-", true), HttpError::Truncated));
        assert!(matches!(
            error(b"POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n( INFO )", true),
            HttpError::Truncated
        ));
        assert!(matches!(
            error(b"POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n( INFO )", false),
            HttpError::Late
        ));
        assert!(matches!(
            error(b"POST / HTTP/1.0\r\nContent-Length: 1001\r\n\r\n", false),
            HttpError::TooLong
        ));
        assert!(matches!(
            error(b"POST / HTTP/1.0\r\nContent-Length: x\r\n\r\n", false),
            HttpError::Malformed(_)
        ));
        let long =
            format!("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n{}", "x".repeat(2000));
        assert!(matches!(error(long.as_bytes(), true), HttpError::TooLong));
        let empty_chunks = format!(
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{}",
            "\r\n".repeat(LONGEST_HEAD / 2 + 1)
        );
        assert!(matches!(in_background(empty_chunks), HttpError::TooLong));
        let unmeasured = format!("POST / HTTP/1.0\r\n\r\n{}", "(".repeat(2000));
        assert!(matches!(error(unmeasured.as_bytes(), true), HttpError::TooLong));
    }
}
