//! A served player from a user's program gets the same calls as a player in a local match.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ggp::{
    Machine, MoveId, Player, PlayerResult, PreparedGame, SearchResult, Server, ServerSettings, Service,
    State, Turn, TurnError,
};

use crate::waiting::wait_until;
use crate::wire::{PATIENCE, rules};

type Events = Arc<Mutex<Vec<String>>>;

/// Takes the last legal move and records its calls.
struct Listener<'m> {
    machine: &'m dyn Machine,
    role: usize,
    events: Events,
}

impl Listener<'_> {
    fn note(&self, event: String) {
        self.events.lock().unwrap().push(event);
    }
}

impl Player for Listener<'_> {
    fn name(&self) -> &str {
        "listener"
    }

    fn begin(&mut self, state: &State, clocks: Option<[Duration; 2]>, _: Option<&AtomicBool>) {
        assert_eq!(state, self.machine.initial());
        self.note(format!("begin {}", clocks.unwrap()[1].as_secs()));
    }

    fn choose(&mut self, state: &State, turn: &Turn<'_>) -> Result<SearchResult, TurnError> {
        assert!(turn.deadline.is_some());
        let mut cursor = self.machine.cursor();
        cursor.set(state)?;
        self.note("choose".to_owned());
        Ok(SearchResult { action: cursor.legal(self.role).last().copied(), ..SearchResult::nothing() })
    }

    fn played(&mut self, joint: &[MoveId]) {
        let texts: Vec<String> = joint.iter().map(|&action| self.machine.move_text(action)).collect();
        self.note(texts.join(" "));
    }

    fn over(&mut self, at_its_end: bool) {
        self.note(format!("over {at_its_end}"));
    }
}

fn ask(address: SocketAddr, message: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n{message}", message.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

/// Gives a closure the type of a factory; the compiler cannot infer it.
fn factory<F>(make: F) -> F
where
    F: for<'m> Fn(&PreparedGame<'m>, usize, u64) -> PlayerResult<'m>,
{
    make
}

#[test]
fn a_served_player_gets_every_event_of_the_match() {
    let events = Events::default();
    let log = events.clone();
    let make = factory(move |game, role, _| {
        Ok(Box::new(Listener { machine: game.machine(), role, events: log.clone() }))
    });
    let settings = ServerSettings::with_factory("listener", make);
    let server = Server::bind("127.0.0.1:0", Service::default(), settings).unwrap();
    let address = server.address().unwrap();
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = interrupt.clone();
    let running = std::thread::spawn(move || server.run(&flag));
    let received = || events.lock().unwrap().clone();

    let start = |id: &str| format!("( START {id} crosses ({}) 20 20 )", rules("tic_tac_toe"));
    assert_eq!(ask(address, &start("whole")), "ready");
    let mut answers = vec![ask(address, "( PLAY whole NIL )")];
    assert_eq!(answers[0], "(draw 3 3)");
    let mut last = "((draw 3 3) noop)".to_owned();
    // Noughts does not block the line (3 3), (3 2), (3 1) of crosses.
    for reply in ["(draw 1 1)", "(draw 1 2)"] {
        assert_eq!(ask(address, &format!("( PLAY whole {last} )")), "noop");
        answers.push(ask(address, &format!("( PLAY whole (noop {reply}) )")));
        last = format!("({} noop)", answers.last().unwrap());
    }
    assert_eq!(answers, ["(draw 3 3)", "(draw 3 2)", "(draw 3 1)"]);
    assert_eq!(ask(address, &format!("( STOP whole {last} )")), "done");
    wait_until("the end of the match", || received().last().is_some_and(|event| event.starts_with("over")));
    assert_eq!(
        received(),
        [
            "begin 20",
            "choose",
            "(draw 3 3) noop",
            "noop (draw 1 1)",
            "choose",
            "(draw 3 2) noop",
            "noop (draw 1 2)",
            "choose",
            "over true",
        ]
    );

    events.lock().unwrap().clear();
    assert_eq!(ask(address, &start("broken")), "ready");
    assert_eq!(ask(address, "( ABORT broken )"), "aborted");
    wait_until("the end of the match", || received().last().is_some_and(|event| event == "over false"));
    interrupt.store(true, Ordering::Relaxed);
    running.join().unwrap().unwrap();
}
