//! Direct messages between a master and the workers that search for it, without streams. Messages are not stored, so lost
//! ones are not repeated.

use std::collections::BTreeMap;
use std::sync::mpsc as std_mpsc;
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::address::Address;
use super::connection::runtime;
use super::error::ClusterError;
use super::manifest::unique_name;
use super::streams::token;

/// The header with the name of the session.
pub(super) const SESSION_HEADER: &str = "Ggp-Session";

/// The header with the kind of the message.
pub(super) const KIND_HEADER: &str = "Ggp-Letter";

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// To a worker: a session begins. From a worker: it accepts.
    Open,
    /// A question, or a part of its answer.
    Ask,
    /// To a worker: the question is withdrawn. From a worker: heartbeat.
    Stop,
    /// The session is over; from a worker with the reason.
    Close,
}

impl MessageKind {
    pub(super) fn word(self) -> &'static str {
        match self {
            MessageKind::Open => "open",
            MessageKind::Ask => "ask",
            MessageKind::Stop => "stop",
            MessageKind::Close => "close",
        }
    }

    pub(super) fn read(headers: &HeaderMap) -> Option<(String, MessageKind)> {
        let session = headers.get(SESSION_HEADER)?.as_str().to_owned();
        let all = [MessageKind::Open, MessageKind::Ask, MessageKind::Stop, MessageKind::Close];
        let kind = all
            .into_iter()
            .find(|kind| kind.word() == headers.get(KIND_HEADER).map_or("", |word| word.as_str()))?;
        Some((session, kind))
    }

    pub(super) fn headers(self, session: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(SESSION_HEADER, session);
        headers.insert(KIND_HEADER, self.word());
        headers
    }
}

/// The subject on which masters look for free workers.
pub(super) fn call_subject(version: &str) -> String {
    format!("ggp.search.{}.call", token(version))
}

/// The subject of one worker.
pub(super) fn worker_subject(version: &str, worker: &str) -> String {
    format!("ggp.search.{}.at.{worker}", token(version))
}

/// A command for the thread that communicates with the server.
enum Command {
    /// Ask which workers are free, and send the names of those that answer to this channel.
    Call(std_mpsc::Sender<String>),
    /// Forward the messages of a session to this channel.
    Listen(String, std_mpsc::Sender<(MessageKind, Vec<u8>)>),
    /// Send a message: subject, session and content.
    Send { to: String, session: String, kind: MessageKind, bytes: Vec<u8> },
    /// Stop forwarding the messages of a session.
    Forget(String),
}

/// A connection to a server for sessions with workers.
#[derive(Clone)]
pub struct Link {
    commands: UnboundedSender<Command>,
}

impl Link {
    /// Connects to the server; a thread serves the connection.
    ///
    /// # Errors
    /// The server is unreachable or refuses access.
    pub fn open(address: &Address, version: &str) -> Result<Link, ClusterError> {
        let (commands, receiver) = unbounded_channel();
        let (ready, opened) = std_mpsc::channel();
        let (address, version) = (address.clone(), version.to_owned());
        std::thread::spawn(move || {
            let runtime = match runtime() {
                Ok(runtime) => runtime,
                Err(error) => return drop(ready.send(Err(error))),
            };
            runtime.block_on(async {
                match address.connect("ggp master").await {
                    Ok(client) => {
                        let _ = ready.send(Ok(()));
                        serve(client, &version, receiver).await;
                    }
                    Err(error) => drop(ready.send(Err(error))),
                }
            });
            runtime.shutdown_background();
        });
        opened.recv().map_err(|_| ClusterError::Interrupted)??;
        Ok(Link { commands })
    }

    /// Finds free workers for at most `wanted` sessions. A worker that is free for several sessions is named once for
    /// each. Waits at most `wait` for answers.
    pub fn workers(&self, wanted: usize, wait: Duration) -> Vec<String> {
        let (to, offers) = std_mpsc::channel();
        drop(self.commands.send(Command::Call(to)));
        let (begun, mut found) = (Instant::now(), Vec::new());
        while found.len() < wanted {
            let Some(left) = wait.checked_sub(begun.elapsed()) else { break };
            let Ok(offer) = offers.recv_timeout(left) else { break };
            found.push(offer);
        }
        found
    }

    /// Begins a session with a worker.
    pub fn session(&self, worker: String, setup: Vec<u8>) -> Session {
        let name = format!("{}-{worker}", unique_name());
        let (to, messages) = std_mpsc::channel();
        drop(self.commands.send(Command::Listen(name.clone(), to)));
        let session = Session { link: self.clone(), worker, name, messages };
        session.send(MessageKind::Open, setup);
        session
    }
}

/// A session with a worker. Messages arrive in the order of sending, but may be lost.
pub struct Session {
    link: Link,
    worker: String,
    name: String,
    messages: std_mpsc::Receiver<(MessageKind, Vec<u8>)>,
}

impl Session {
    /// The worker's name.
    pub fn worker(&self) -> &str {
        &self.worker
    }

    /// Sends a message.
    pub fn send(&self, kind: MessageKind, bytes: Vec<u8>) {
        let (to, session) = (self.worker.clone(), self.name.clone());
        drop(self.link.commands.send(Command::Send { to, session, kind, bytes }));
    }

    /// The next message, if one arrives within `wait`.
    pub fn hear(&self, wait: Duration) -> Option<(MessageKind, Vec<u8>)> {
        self.messages.recv_timeout(wait).ok()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.send(MessageKind::Close, Vec::new());
        drop(self.link.commands.send(Command::Forget(self.name.clone())));
    }
}

/// Executes commands and forwards messages until the sender of commands is dropped.
async fn serve(client: async_nats::Client, version: &str, mut receiver: UnboundedReceiver<Command>) {
    let inbox = client.new_inbox();
    let Ok(mut messages) = client.subscribe(inbox.clone()).await else { return };
    let mut listening: BTreeMap<String, std_mpsc::Sender<(MessageKind, Vec<u8>)>> = BTreeMap::new();
    loop {
        tokio::select! {
            command = receiver.recv() => match command {
                None => break,
                Some(Command::Call(to)) => {
                    let offers = client.new_inbox();
                    let Ok(mut offered) = client.subscribe(offers.clone()).await else { continue };
                    drop(client.publish_with_reply(call_subject(version), offers, Bytes::new()).await);
                    tokio::spawn(async move {
                        // The requester listens only for a short time.
                        let listening = async {
                            while let Some(offer) = offered.next().await {
                                if to.send(String::from_utf8_lossy(&offer.payload).into_owned()).is_err() {
                                    return;
                                }
                            }
                        };
                        let _ = tokio::time::timeout(Duration::from_secs(5), listening).await;
                    });
                }
                Some(Command::Listen(session, to)) => drop(listening.insert(session, to)),
                Some(Command::Forget(session)) => drop(listening.remove(&session)),
                Some(Command::Send { to, session, kind, bytes }) => {
                    let sent = client.publish_with_reply_and_headers(
                        worker_subject(version, &to), inbox.clone(), kind.headers(&session), bytes.into(),
                    );
                    drop(sent.await);
                }
            },
            Some(message) = messages.next() => {
                let read = message.headers.as_ref().and_then(MessageKind::read);
                if let Some((session, kind)) = read && let Some(to) = listening.get(&session) {
                    drop(to.send((kind, message.payload.to_vec())));
                }
            }
        }
    }
    let _ = tokio::time::timeout(Duration::from_millis(200), client.flush()).await;
}
