//! The player's side of the protocol: which matches are on, and what is answered to what. Knows neither HTTP nor how
//! moves are found.

use std::fmt;
use std::time::{Duration, Instant};

use super::message::{LastStep, Message, Start};

/// A match that is silent for so many times its clocks is dropped.
const SILENT_CLOCKS: u32 = 10;

/// But not before this: clocks may be next to nothing.
const LEAST_PATIENCE: Duration = Duration::from_secs(5);

/// What a player answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// To INFO.
    Info {
        /// The player's name.
        name: String,
        /// Whether it takes no more matches.
        busy: bool,
    },
    /// To PREVIEW, START and PING.
    Ready,
    /// No match can be taken, or the match is not known.
    Busy,
    /// To STOP.
    Done,
    /// To ABORT.
    Aborted,
    /// A move, as the manager spells it.
    Move(String),
    /// To what can't be answered.
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

/// What is to be done about a message.
#[derive(Debug, PartialEq, Eq)]
pub enum Step<M> {
    /// Answer at once.
    Answer(Reply),
    /// A match was opened: answer `ready` when it is prepared, or its clock demands it.
    Open(M),
    /// A move of this match is due, after this step.
    Play(M, LastStep),
    /// The match is over, after this step; it is not known any more.
    Stop(M, LastStep),
    /// The match is aborted; it is not known any more.
    Abort(M),
}

/// The matches that are on. `M` is whatever stands for a remote match.
#[derive(Debug)]
pub struct Session<M> {
    name: String,
    most: usize,
    open: Vec<Entry<M>>,
}

#[derive(Debug)]
struct Entry<M> {
    id: String,
    game: M,
    heard: Instant,
    patience: Duration,
}

impl<M: Clone> Session<M> {
    /// No match yet, and so many at a time at most.
    pub fn new(name: String, most: usize) -> Session<M> {
        Session { name, most, open: Vec::new() }
    }

    /// What a message asks for at a time. `begin` makes the match of a START that can be taken; none where it can't.
    pub fn receive(
        &mut self,
        message: Message,
        now: Instant,
        begin: impl FnOnce(Start) -> Option<M>,
    ) -> Step<M> {
        let free = self.open.len() < self.most;
        let ready = |ready| Step::Answer(if ready { Reply::Ready } else { Reply::Busy });
        let unknown = Step::Answer(Reply::Busy);
        match message {
            Message::Info => Step::Answer(Reply::Info { name: self.name.clone(), busy: !free }),
            // A match that is on is asked after, too.
            Message::Ping { id } => ready(free || id.is_some_and(|id| self.find(&id, now).is_some())),
            Message::Preview { .. } => ready(free),
            Message::Start(start) => {
                if !free || self.find(&start.id, now).is_some() {
                    return unknown;
                }
                let patience = (SILENT_CLOCKS * (start.startclock + start.playclock)).max(LEAST_PATIENCE);
                let id = start.id.clone();
                let Some(game) = begin(start) else { return unknown };
                self.open.push(Entry { id, game: game.clone(), heard: now, patience });
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

    /// A match by its name, which is heard of by that.
    fn find(&mut self, id: &str, now: Instant) -> Option<usize> {
        let place = self.open.iter().position(|entry| entry.id == id)?;
        self.open[place].heard = now;
        Some(place)
    }

    /// Takes out the matches that were silent too long, with their names.
    pub fn silent(&mut self, now: Instant) -> Vec<(String, M)> {
        let late = |entry: &mut Entry<M>| now.saturating_duration_since(entry.heard) > entry.patience;
        self.open.extract_if(.., late).map(|entry| (entry.id, entry.game)).collect()
    }

    /// Takes out all matches.
    pub fn close(&mut self) -> Vec<M> {
        self.open.drain(..).map(|entry| entry.game).collect()
    }

    /// Takes out the matches that can't be played.
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

    fn told(session: &mut Session<u32>, message: &str) -> Step<u32> {
        session.receive(message.parse().unwrap(), Instant::now(), |_| Some(7))
    }

    #[test]
    fn messages_in_their_order() {
        let mut session = Session::new("ggp".into(), 1);
        let info = |session: &mut Session<u32>| match told(session, "(info)") {
            Step::Answer(reply) => reply.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(info(&mut session), "( ( name ggp ) ( status available ) ( species alien ) )");
        assert_eq!(told(&mut session, "(ping)"), Step::Answer(Reply::Ready));
        assert_eq!(told(&mut session, "(play m nil)"), Step::Answer(Reply::Busy));
        let now = Instant::now();
        assert_eq!(session.receive(start("m"), now, |_| None), Step::Answer(Reply::Busy));
        assert_eq!(session.receive(start("m"), now, |_| Some(1)), Step::Open(1));
        assert!(info(&mut session).contains("( status busy )"));
        assert_eq!(session.receive(start("n"), now, |_| Some(2)), Step::Answer(Reply::Busy));
        assert_eq!(session.receive(start("m"), now, |_| Some(2)), Step::Answer(Reply::Busy));
        assert_eq!(told(&mut session, "(ping)"), Step::Answer(Reply::Busy));
        assert_eq!(told(&mut session, "(ping m)"), Step::Answer(Reply::Ready));
        assert_eq!(told(&mut session, "(play m nil)"), Step::Play(1, LastStep::List(None)));
        assert_eq!(told(&mut session, "(play n nil)"), Step::Answer(Reply::Busy));
        assert_eq!(told(&mut session, "(stop n nil)"), Step::Answer(Reply::Busy));
        assert_eq!(told(&mut session, "(stop m (a))"), Step::Stop(1, LastStep::List(Some(vec!["a".into()]))));
        assert_eq!(told(&mut session, "(stop m (a))"), Step::Answer(Reply::Busy));
        assert_eq!(told(&mut session, "(abort m)"), Step::Answer(Reply::Busy));
        assert_eq!(session.receive(start("m"), now, |_| Some(3)), Step::Open(3));
        assert_eq!(told(&mut session, "(abort m)"), Step::Abort(3));
        assert_eq!(told(&mut session, "(preview () 1)"), Step::Answer(Reply::Ready));
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
