//! A player that waits for managers: takes connections, one message each, and answers by the [`Session`].

use std::collections::VecDeque;
use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use super::http::{self, Asked, Bounds, HttpError};
use super::message::{LONGEST_CLOCK, Message};
use super::player::{Match, Settings};
use super::session::{Reply, Session, Step};

/// Bytes of a message, at most (32 MiB): twice the largest rules that are read.
const LONGEST_BODY: usize = 32 << 20;

/// Connections that have not said all they have to say, at most. The oldest one makes room for the next.
const MOST_READING: usize = 256;

/// Connections at all.
const MOST_CONNECTIONS: usize = 1024;

/// Bytes of a connection's stack.
const STACK: usize = 512 << 10;

/// How long an answer may take to go out.
const WRITING: Duration = Duration::from_secs(2);

/// How long the rest of a message that is refused is read, so that its sender sees the answer.
const REFUSED: Duration = Duration::from_secs(1);

/// How long the records of matches that are on may take when the server ends.
const CLOSING: Duration = Duration::from_millis(900);

/// How often matches are looked after.
const GLANCE: Duration = Duration::from_millis(50);

/// How a player is reached.
#[derive(Clone, Debug)]
pub struct Service {
    /// What it calls itself.
    pub name: String,
    /// Matches at a time, at most.
    pub matches: usize,
    /// How long a message may take to come in.
    pub patience: Duration,
}

impl Default for Service {
    /// `ggp`, one match at a time, 10 seconds for a message.
    fn default() -> Self {
        Service { name: "ggp".to_owned(), matches: 1, patience: Duration::from_secs(10) }
    }
}

/// A player that listens. `examples/serve_own_player.rs` serves a player of its own.
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

/// What all connections share.
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

/// Locks, also where somebody panicked with the lock.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    /// Listens at an address.
    ///
    /// # Errors
    /// The address can't be had.
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

    /// Where it listens.
    ///
    /// # Errors
    /// The system's.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until it is interrupted; then matches that are on end, and their records are handed on.
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
                self.shared
                    .note(&format!("match {id}: nothing was heard of it for ten times its clocks; dropped"));
                game.abort();
            }
        }
        held(&self.shared.session).close().iter().for_each(|game| game.abort());
        // Their threads see to the records; one that is stuck is not waited for.
        let until = Instant::now() + CLOSING;
        while Arc::strong_count(&self.shared.living) > 1 && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

/// Takes connections for ever.
fn listen(listener: &TcpListener, shared: &Arc<ServerState>) {
    let mut failing = false;
    for number in 0.. {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Too many open files, mostly: those that are read slowly make room.
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

    /// Closes the connections that are read longest, until so many are left.
    fn evict(&self, left: usize) {
        let mut reading = held(&self.reading);
        let surplus = reading.len().saturating_sub(left);
        for (_, stream) in reading.drain(..surplus) {
            // Whoever reads it then sees its end.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// A connection is not read any more.
    fn forget(&self, number: u64) {
        held(&self.reading).retain(|(other, _)| *other != number);
    }

    /// Reads a message and answers it.
    fn attend(&self, number: u64, stream: &TcpStream) {
        let _ = stream.set_write_timeout(Some(WRITING));
        // A move is one small packet: it must not wait for another.
        let _ = stream.set_nodelay(true);
        let until = Instant::now() + self.service.patience.min(LONGEST_CLOCK);
        let bounds = Bounds { until, body: LONGEST_BODY, patient: false, interrupt: None };
        let read = http::read(stream, &bounds);
        self.forget(number);
        let from = stream.peer_addr().map_or_else(|_| "somebody".to_owned(), |peer| peer.to_string());
        let (status, reply) = match read {
            Ok(incoming) => match incoming.asked() {
                Asked::Message(text) => ("200 OK", self.answer(&text, incoming.arrived, &from).to_string()),
                Asked::Options => ("200 OK", String::new()),
                Asked::Unknown => {
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

    /// What is answered to a message that came in at a time.
    fn answer(&self, text: &str, arrived: Instant, from: &str) -> Reply {
        let message = match text.parse() {
            // Some ask so whether anybody is there.
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
                // Matches that were aborted may not have ended all their work.
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

/// Reads on for a while what nobody wants: a sender that is cut off in its speech does not hear the answer.
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
