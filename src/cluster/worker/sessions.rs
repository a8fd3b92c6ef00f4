//! Sessions in which a worker searches for masters.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use async_nats::{Client, Message, Subject};
use tokio::sync::mpsc::UnboundedSender;

use super::super::link::MessageKind;
use super::super::task::{Question, Searches};
use super::threads::ThreadMessage;

/// A session ends after this time without a message.
const SESSION_TIMEOUT: Duration = Duration::from_secs(600);

/// Time between two heartbeats to a master during a question.
const HEARTBEAT: Duration = Duration::from_millis(400);

/// A session in progress.
struct OpenSession {
    messages: mpsc::Sender<Question>,
    /// Set when the current question is withdrawn.
    stop: Arc<AtomicBool>,
    /// The destination of answers to the current question.
    busy: Arc<AtomicBool>,
    reply: Subject,
    heard: Instant,
    heartbeat: Instant,
}

/// All sessions of a worker.
pub(super) struct Sessions {
    client: Client,
    searches: Arc<dyn Searches>,
    said: UnboundedSender<ThreadMessage>,
    most: usize,
    name: String,
    open: BTreeMap<String, OpenSession>,
}

impl Sessions {
    pub(super) fn new(
        client: Client,
        searches: Arc<dyn Searches>,
        said: UnboundedSender<ThreadMessage>,
        most: usize,
        name: String,
    ) -> Sessions {
        Sessions { client, searches, said, most, name, open: BTreeMap::new() }
    }

    /// Sessions open_session way.
    pub(super) fn count(&self) -> usize {
        self.open.len()
    }

    /// A master looks for free workers: answers once for each session there is room for.
    pub(super) async fn called(&self, message: Message) {
        let Some(reply) = message.reply else { return };
        for _ in self.open.len()..self.most {
            drop(self.client.publish(reply.clone(), self.name.clone().into()).await);
        }
    }

    /// Handles a message of a master.
    pub(super) async fn receive(&mut self, message: Message) {
        let read = message.headers.as_ref().and_then(MessageKind::read);
        let (Some((session, kind)), Some(reply)) = (read, message.reply) else { return };
        match kind {
            MessageKind::Open if self.open.len() >= self.most => {
                let why = "the worker has no free thread for another session".into();
                let headers = MessageKind::Close.headers(&session);
                drop(self.client.publish_with_headers(reply, headers, why).await);
            }
            MessageKind::Open => self.begin(session, reply, message.payload.to_vec()),
            MessageKind::Ask => {
                if let Some(open_session) = self.open.get_mut(&session) {
                    open_session.heard = Instant::now();
                    open_session.stop.store(true, Ordering::Relaxed);
                    let stop = Arc::new(AtomicBool::new(false));
                    open_session.stop = Arc::clone(&stop);
                    drop(open_session.messages.send(Question { bytes: message.payload.to_vec(), stop }));
                }
            }
            MessageKind::Stop => {
                if let Some(open_session) = self.open.get_mut(&session) {
                    open_session.heard = Instant::now();
                    open_session.stop.store(true, Ordering::Relaxed);
                }
            }
            MessageKind::Close => self.end(&session),
        }
    }

    /// Begins a session on its own thread.
    fn begin(&mut self, session: String, reply: Subject, setup: Vec<u8>) {
        let (messages, questions) = mpsc::channel::<Question>();
        let busy = Arc::new(AtomicBool::new(true));
        let open_session = OpenSession {
            messages,
            stop: Arc::default(),
            busy: Arc::clone(&busy),
            reply: reply.clone(),
            heard: Instant::now(),
            heartbeat: Instant::now(),
        };
        self.open.insert(session.clone(), open_session);
        let (searches, said) = (Arc::clone(&self.searches), self.said.clone());
        std::thread::spawn(move || {
            let say = |kind: MessageKind, bytes: Vec<u8>| {
                drop(said.send(ThreadMessage::Session {
                    to: reply.clone(),
                    session: session.clone(),
                    kind,
                    bytes,
                }));
            };
            let mut next = || {
                // Ready for the next question. The first time, this reports that the session is open.
                if busy.swap(false, Ordering::Relaxed) {
                    say(MessageKind::Open, Vec::new());
                }
                let question = questions.recv().ok();
                busy.store(question.is_some(), Ordering::Relaxed);
                question
            };
            let ended = searches.serve(&setup, &mut next, &|bytes| say(MessageKind::Ask, bytes));
            say(MessageKind::Close, ended.err().unwrap_or_default().into_bytes());
            drop(said.send(ThreadMessage::SessionOver(session.clone())));
        });
    }

    /// Ends a session.
    pub(super) fn end(&mut self, session: &str) {
        if let Some(open_session) = self.open.remove(session) {
            open_session.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Ends all sessions.
    pub(super) fn end_all(&mut self) {
        let open: Vec<String> = self.open.keys().cloned().collect();
        open.iter().for_each(|session| self.end(session));
    }

    /// Sends heartbeats to masters with open questions, and ends abandoned sessions.
    pub(super) async fn send_heartbeats(&mut self) {
        let gone =
            self.open.iter().filter(|(_, open_session)| open_session.heard.elapsed() > SESSION_TIMEOUT);
        let gone: Vec<String> = gone.map(|(session, _)| session.clone()).collect();
        gone.iter().for_each(|session| self.end(session));
        for (session, open_session) in &mut self.open {
            if open_session.busy.load(Ordering::Relaxed) && open_session.heartbeat.elapsed() >= HEARTBEAT {
                open_session.heartbeat = Instant::now();
                let headers = MessageKind::Stop.headers(session);
                drop(
                    self.client
                        .publish_with_headers(open_session.reply.clone(), headers, Vec::new().into())
                        .await,
                );
            }
        }
    }
}
