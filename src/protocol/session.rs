//! The player's side of the protocol: running matches, and the answer to each message. Depends neither on HTTP nor on how
//! moves are chosen.

use std::fmt;
use std::time::{Duration, Instant};

use super::message::{LastStep, Message, Start};

/// A match is dropped if no message arrives for this many times the sum of its start clock and its play clock.
const SILENT_CLOCKS: u32 = 10;

/// Minimum time before a match without messages is dropped, because clocks may be very short.
const MIN_PATIENCE: Duration = Duration::from_secs(5);

/// A player's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The answer to INFO.
    Info {
        /// The player's name.
        name: String,
        /// Whether it accepts no more matches.
        busy: bool,
    },
    /// The answer to PREVIEW, START and PING.
    Ready,
    /// No match can be accepted, or the match is unknown.
    Busy,
    /// The answer to STOP.
    Done,
    /// The answer to ABORT.
    Aborted,
    /// A move in the manager's spelling.
    Move(String),
    /// The message can't be answered.
    Nil,
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Info { name, busy } => {
                let status = if *busy { "busy" } else { "available" };
                write!(f, "( ( name {name} ) ( status {status} ) ( species alien ) )")
            }
            Reply::Ready => write!(f, "ready"),
            Reply::Busy => write!(f, "busy"),
            Reply::Done => write!(f, "done"),
            Reply::Aborted => write!(f, "aborted"),
            Reply::Move(text) => write!(f, "{text}"),
            Reply::Nil => write!(f, "nil"),
        }
    }
}

/// The action for a message.
#[derive(Debug, PartialEq, Eq)]
pub enum Step<M> {
    /// Answer at once.
    Answer(Reply),
    /// A match was opened: answer `ready` once it is prepared, or before its start clock ends.
    Open(M),
    /// The manager asks for a move in this match; `LastStep` has the moves before it.
    Play(M, LastStep),
    /// The match is over; `LastStep` has the last moves. The match was removed.
    Stop(M, LastStep),
    /// The match is aborted; it was removed.
    Abort(M),
}

/// The running matches. `M` is the type by which the caller represents a match.
#[derive(Debug)]
pub struct Session<M> {
    name: String,
    max_matches: usize,
    open: Vec<Entry<M>>,
}

#[derive(Debug)]
struct Entry<M> {
    id: String,
    game: M,
    last_message: Instant,
    patience: Duration,
}

impl<M: Clone> Session<M> {
    /// A session without matches, for at most `max_matches` at a time.
    pub fn new(name: String, max_matches: usize) -> Session<M> {
        Session { name, max_matches, open: Vec::new() }
    }

    /// The action for a message that arrived at `now`. `begin` makes the match of an accepted START, or none if it
    /// can't.
    pub fn receive(
        &mut self,
        message: Message,
        now: Instant,
        begin: impl FnOnce(Start) -> Option<M>,
    ) -> Step<M> {
        let free = self.open.len() < self.max_matches;
        let ready = |ready| Step::Answer(if ready { Reply::Ready } else { Reply::Busy });
        let unknown = Step::Answer(Reply::Busy);
        match message {
            Message::Info => Step::Answer(Reply::Info { name: self.name.clone(), busy: !free }),
            // PING may name a running match.
            Message::Ping { id } => ready(free || id.is_some_and(|id| self.find(&id, now).is_some())),
            Message::Preview { .. } => ready(free),
            Message::Start(start) => {
                if !free || self.find(&start.id, now).is_some() {
                    return unknown;
                }
                let patience = (SILENT_CLOCKS * (start.startclock + start.playclock)).max(MIN_PATIENCE);
                let id = start.id.clone();
                let Some(game) = begin(start) else { return unknown };
                self.open.push(Entry { id, game: game.clone(), last_message: now, patience });
                Step::Open(game)
            }
            Message::Play { id, last } => match self.find(&id, now) {
                Some(place) => Step::Play(self.open[place].game.clone(), last),
                None => unknown,
            },
            Message::Stop { id, last } => match self.find(&id, now) {
                Some(place) => Step::Stop(self.open.remove(place).game, last),
                None => unknown,
            },
            Message::Abort { id } => match self.find(&id, now) {
                Some(place) => Step::Abort(self.open.remove(place).game),
                None => unknown,
            },
        }
    }

    /// The index of a match by its name. Records that a message for it arrived.
    fn find(&mut self, id: &str, now: Instant) -> Option<usize> {
        let place = self.open.iter().position(|entry| entry.id == id)?;
        self.open[place].last_message = now;
        Some(place)
    }

    /// Removes and returns the matches that got no message for too long, with their names.
    pub fn silent(&mut self, now: Instant) -> Vec<(String, M)> {
        let late = |entry: &mut Entry<M>| now.saturating_duration_since(entry.last_message) > entry.patience;
        self.open.extract_if(.., late).map(|entry| (entry.id, entry.game)).collect()
    }

    /// Removes and returns all matches.
    pub fn close(&mut self) -> Vec<M> {
        self.open.drain(..).map(|entry| entry.game).collect()
    }

    /// Removes the matches for which `which` returns true.
    pub fn forget(&mut self, mut which: impl FnMut(&M) -> bool) {
        self.open.retain(|entry| !which(&entry.game));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(id: &str) -> Message {
        Message::Start(Start {
            id: id.into(),
            role: "white".into(),
            rules: String::new(),
            startclock: Duration::from_secs(2),
            playclock: Duration::from_secs(1),
        })
    }

    fn step(session: &mut Session<u32>, message: &str) -> Step<u32> {
        session.receive(message.parse().unwrap(), Instant::now(), |_| Some(7))
    }

    #[test]
    fn messages_are_answered_in_order() {
        let mut session = Session::new("ggp".into(), 1);
        let info = |session: &mut Session<u32>| match step(session, "(info)") {
            Step::Answer(reply) => reply.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(info(&mut session), "( ( name ggp ) ( status available ) ( species alien ) )");
        assert_eq!(step(&mut session, "(ping)"), Step::Answer(Reply::Ready));
        assert_eq!(step(&mut session, "(play m nil)"), Step::Answer(Reply::Busy));
        let now = Instant::now();
        assert_eq!(session.receive(start("m"), now, |_| None), Step::Answer(Reply::Busy));
        assert_eq!(session.receive(start("m"), now, |_| Some(1)), Step::Open(1));
        assert!(info(&mut session).contains("( status busy )"));
        assert_eq!(session.receive(start("n"), now, |_| Some(2)), Step::Answer(Reply::Busy));
        assert_eq!(session.receive(start("m"), now, |_| Some(2)), Step::Answer(Reply::Busy));
        assert_eq!(step(&mut session, "(ping)"), Step::Answer(Reply::Busy));
        assert_eq!(step(&mut session, "(ping m)"), Step::Answer(Reply::Ready));
        assert_eq!(step(&mut session, "(play m nil)"), Step::Play(1, LastStep::List(None)));
        assert_eq!(step(&mut session, "(play n nil)"), Step::Answer(Reply::Busy));
        assert_eq!(step(&mut session, "(stop n nil)"), Step::Answer(Reply::Busy));
        assert_eq!(step(&mut session, "(stop m (a))"), Step::Stop(1, LastStep::List(Some(vec!["a".into()]))));
        assert_eq!(step(&mut session, "(stop m (a))"), Step::Answer(Reply::Busy));
        assert_eq!(step(&mut session, "(abort m)"), Step::Answer(Reply::Busy));
        assert_eq!(session.receive(start("m"), now, |_| Some(3)), Step::Open(3));
        assert_eq!(step(&mut session, "(abort m)"), Step::Abort(3));
        assert_eq!(step(&mut session, "(preview () 1)"), Step::Answer(Reply::Ready));
    }

    #[test]
    fn silent_matches_are_dropped() {
        let mut session = Session::new("ggp".into(), 2);
        let begin = Instant::now();
        let after = |seconds| begin + Duration::from_secs(seconds);
        session.receive(start("a"), begin, |_| Some(1));
        session.receive(start("b"), begin, |_| Some(2));
        session.receive("(play a nil)".parse().unwrap(), after(29), |_| None);
        assert!(session.silent(after(30)).is_empty());
        assert_eq!(session.silent(after(31)), [("b".to_owned(), 2)]);
        assert!(session.silent(after(59)).is_empty());
        assert_eq!(session.silent(after(60)), [("a".to_owned(), 1)]);
    }
}
