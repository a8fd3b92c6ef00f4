//! A player as a server for managers: accepts connections, one message each, and answers by the [`Session`].

use std::collections::VecDeque;
use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use super::http::{self, Bounds, HttpError, Request};
use super::message::{LONGEST_CLOCK, Message};
use super::player::{Match, Settings};
use super::session::{Reply, Session, Step};

/// Limit of a message's bytes (32 MiB): twice the largest rules that are read.
const LONGEST_BODY: usize = 32 << 20;

/// Limit of connections that are being read. A new one replaces the oldest.
const MOST_READING: usize = 256;

/// Limit of all connections.
const MOST_CONNECTIONS: usize = 1024;

/// Bytes of a connection's stack.
const STACK: usize = 512 << 10;

/// Time limit for writing an answer.
const WRITING: Duration = Duration::from_secs(2);

/// Time limit for reading the rest of a rejected message, so that its sender receives the answer.
const REFUSED: Duration = Duration::from_secs(1);

/// Time limit for the records of running matches when the server ends.
const CLOSING: Duration = Duration::from_millis(900);

/// How often matches are checked.
const GLANCE: Duration = Duration::from_millis(50);

/// Settings of the service.
#[derive(Clone, Debug)]
pub struct Service {
    /// The player's name.
    pub name: String,
    /// Limit of concurrent matches.
    pub matches: usize,
    /// Time limit for receiving a message.
    pub patience: Duration,
}

impl Default for Service {
    /// `ggp`, one match at a time, 10 seconds for a message.
    fn default() -> Self {
        Service { name: "ggp".to_owned(), matches: 1, patience: Duration::from_secs(10) }
    }
}

/// A listening player. `examples/serve_own_player.rs` serves a player of its own.
///
/// # Example
///
/// ```
/// use ggp::protocol::{Server, Service, Settings};
///
/// // Port 0 is any free port. `server.run(&interrupt)` then answers until the flag is set.
/// let server = Server::bind("127.0.0.1:0", Service::default(), Settings::new("uct"))?;
/// println!("listens at http://{}", server.address()?);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Server {
    listener: TcpListener,
    shared: Arc<ServerState>,
}

/// The shared state of all connections.
struct ServerState {
    service: Service,
    settings: Arc<Settings>,
    session: Mutex<Session<Arc<Match>>>,
    /// Connections that are being read, oldest first.
    reading: Mutex<VecDeque<(u64, TcpStream)>>,
    connections: AtomicUsize,
    /// Held by every thread of a match.
    living: Arc<()>,
}

/// Locks a mutex even after a panic.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    /// Listens at an address.
    ///
    /// # Errors
    /// The address can't be used.
    pub fn bind(address: impl ToSocketAddrs, service: Service, settings: Settings) -> io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        let session = Mutex::new(Session::new(service.name.clone(), service.matches));
        let shared = ServerState {
            service,
            settings: Arc::new(settings),
            session,
            reading: Mutex::default(),
            connections: AtomicUsize::new(0),
            living: Arc::default(),
        };
        Ok(Server { listener, shared: Arc::new(shared) })
    }

    /// The address at which it listens.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until it is interrupted; then running matches end, and their records are passed on.
    ///
    /// # Errors
    /// The system has no more threads.
    pub fn run(self, interrupt: &AtomicBool) -> io::Result<()> {
        let shared = self.shared.clone();
        let listener = self.listener;
        Builder::new().name("listen".to_owned()).spawn(move || listen(&listener, &shared))?;
        while !interrupt.load(Ordering::Relaxed) {
            thread::sleep(GLANCE);
            for (id, game) in held(&self.shared.session).silent(Instant::now()) {
                self.shared.note(&format!("match {id}: no message for ten times its clocks; dropped"));
                game.abort();
            }
        }
        held(&self.shared.session).close().iter().for_each(|game| game.abort());
        // The threads of matches pass on the records; a thread that hangs is not waited for.
        let until = Instant::now() + CLOSING;
        while Arc::strong_count(&self.shared.living) > 1 && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

/// Accepts connections forever.
fn listen(listener: &TcpListener, shared: &Arc<ServerState>) {
    let mut failing = false;
    for number in 0.. {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Usually too many open files: close connections that are read slowly.
                if !std::mem::replace(&mut failing, true) {
                    shared.note(&format!("connections can't be taken: {error}"));
                }
                shared.evict(MOST_READING / 2);
                thread::sleep(GLANCE);
                continue;
            }
        };
        failing = false;
        if shared.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        shared.evict(MOST_READING - 1);
        if let Ok(stream) = stream.try_clone() {
            held(&shared.reading).push_back((number, stream));
        }
        let of = shared.clone();
        let work = move || {
            of.attend(number, &stream);
            of.forget(number);
            of.connections.fetch_sub(1, Ordering::Relaxed);
        };
        if let Err(error) = Builder::new().name("connection".to_owned()).stack_size(STACK).spawn(work) {
            shared.note(&format!("a connection can't be attended to: {error}"));
            shared.forget(number);
            shared.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl ServerState {
    fn note(&self, what: &str) {
        (self.settings.note)(what);
    }

    /// Closes the oldest connections that are being read, until `left` remain.
    fn evict(&self, left: usize) {
        let mut reading = held(&self.reading);
        let surplus = reading.len().saturating_sub(left);
        for (_, stream) in reading.drain(..surplus) {
            // The thread that reads it then sees its end.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Removes a connection after its last read.
    fn forget(&self, number: u64) {
        held(&self.reading).retain(|(other, _)| *other != number);
    }

    /// Reads a message and answers it.
    fn attend(&self, number: u64, stream: &TcpStream) {
        let _ = stream.set_write_timeout(Some(WRITING));
        // A move is one small packet, which must not wait for more data.
        let _ = stream.set_nodelay(true);
        let until = Instant::now() + self.service.patience.min(LONGEST_CLOCK);
        let bounds = Bounds { until, body: LONGEST_BODY, patient: false, interrupt: None };
        let read = http::read(stream, &bounds);
        self.forget(number);
        let from = stream.peer_addr().map_or_else(|_| "somebody".to_owned(), |peer| peer.to_string());
        let (status, reply) = match read {
            Ok(incoming) => match incoming.request() {
                Request::Message(text) => ("200 OK", self.answer(&text, incoming.arrived, &from).to_string()),
                Request::Options => ("200 OK", String::new()),
                Request::Unknown => {
                    self.note(&format!("{from}: neither GET, POST nor OPTIONS"));
                    ("405 Method Not Allowed", Reply::Nil.to_string())
                }
            },
            Err(HttpError::Silent) => return,
            Err(error) => {
                self.note(&format!("{from}: {error}"));
                let status = match error {
                    HttpError::TooLong => "413 Content Too Large",
                    HttpError::Late => "408 Request Timeout",
                    _ => "400 Bad Request",
                };
                (status, Reply::Nil.to_string())
            }
        };
        if let Err(error) = http::respond(stream, status, &reply) {
            self.note(&format!("{from} went before the answer: {error}"));
            return;
        }
        let _ = stream.shutdown(Shutdown::Write);
        if status != "200 OK" {
            drain(stream);
        }
    }

    /// The answer to a message that arrived at a time.
    fn answer(&self, text: &str, arrived: Instant, from: &str) -> Reply {
        let message = match text.parse() {
            // Some managers check in this way whether a player is running.
            _ if text.trim().is_empty() => Message::Info,
            Ok(message) => message,
            Err(error) => {
                self.note(&format!("{from}: {error}"));
                return Reply::Nil;
            }
        };
        let of_match = matches!(message, Message::Play { .. } | Message::Stop { .. } | Message::Abort { .. });
        let step = {
            let mut session = held(&self.session);
            session.forget(|game| !game.is_playable());
            session.receive(message, Instant::now(), |start| {
                // Threads of aborted matches may still be running.
                let crowded = Arc::strong_count(&self.living) > 4 * self.service.matches + 8;
                let game = (!crowded).then(|| Match::begin(start, arrived, &self.settings, &self.living));
                game.and_then(Result::ok)
            })
        };
        match step {
            Step::Answer(Reply::Busy) => {
                let what: String = text.chars().take(60).collect();
                let why = if of_match { "there is no such match" } else { "no more matches can be taken" };
                self.note(&format!("{from}: answered busy to {what}: {why}"));
                Reply::Busy
            }
            Step::Answer(reply) => reply,
            Step::Open(game) => {
                if game.ready() {
                    return Reply::Ready;
                }
                held(&self.session).forget(|other| Arc::ptr_eq(other, &game));
                Reply::Nil
            }
            Step::Play(game, last) => game.play(last, arrived),
            Step::Stop(game, last) => {
                game.stop(Some(last));
                Reply::Done
            }
            Step::Abort(game) => {
                game.abort();
                Reply::Aborted
            }
        }
    }
}

/// Reads and discards data for a while: otherwise the sender may not receive the answer.
fn drain(mut stream: &TcpStream) {
    let until = Instant::now() + REFUSED;
    let mut waste = [0; 16 << 10];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return;
        }
        match stream.read(&mut waste) {
            Ok(count) if count > 0 => {}
            _ => return,
        }
    }
}
