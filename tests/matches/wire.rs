//! A player process under test, and raw bytes sent to it without the tool's own client.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The longest time for an answer: much longer than any should take, so that load makes no test fail.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A running `ggp serve`.
pub(crate) struct Player {
    child: Child,
    pub(crate) address: String,
    log: Arc<Mutex<String>>,
}

impl Player {
    /// Starts a player with more arguments, at any free port unless they name one.
    pub(crate) fn start(arguments: &[&str]) -> Player {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
        command.arg("serve");
        if !arguments.contains(&"--port") {
            command.args(["--port", "0"]);
        }
        if !arguments.contains(&"--player") {
            command.args(["--player", "uct?nodes=200"]);
        }
        let command = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim_end().rsplit_once("http://").unwrap_or_else(|| panic!("{line}")).1.to_owned();
        let log = Arc::<Mutex<String>>::default();
        let (lines, kept) = (BufReader::new(child.stderr.take().unwrap()), log.clone());
        std::thread::spawn(move || {
            lines.lines().map_while(Result::ok).for_each(|line| {
                kept.lock().unwrap().push_str(&(line + "\n"));
            });
        });
        Player { child, address, log }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The number of its threads; works on Linux only.
    pub(crate) fn threads(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/task", self.id())).unwrap().count()
    }

    /// Its standard error so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Waits until a line with these words is written to standard error.
    pub(crate) fn logs(&self, words: &str) {
        for _ in 0..PATIENCE.as_millis() / 20 {
            if self.log().contains(words) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("`{words}` is not in the log:\n{}", self.log());
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes and returns everything that comes back.
    pub(crate) fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        all(&mut stream)
    }

    /// Sends a message and returns the body of the answer.
    pub(crate) fn ask(&self, message: &str) -> String {
        let head = format!("POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n", message.len());
        body(&self.raw((head + message).as_bytes()))
    }

    pub(crate) fn begin(&self, id: &str, game: &str, role: &str, clocks: &str) -> String {
        self.ask(&format!("( START {id} {role} ({}) {clocks})", rules(game)))
    }

    /// Plays a very short match, to check that the player still works.
    pub(crate) fn still_plays(&self) {
        assert_eq!(self.begin("still", "tic_tac_toe", "crosses", "5 5"), "ready", "{}", self.log());
        let action = self.ask("( PLAY still NIL )");
        assert!(action.starts_with("(draw "), "{action}\n{}", self.log());
        assert_eq!(self.ask(&format!("( STOP still ({action} noop) )")), "done");
        assert_eq!(self.ask("( INFO )"), "( ( name ggp ) ( status available ) ( species alien ) )");
    }

    /// Waits for the end; returns the exit status.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Kills the process, as a computer failure would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a stream to its end.
pub(crate) fn all(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    // A connection that was reset may still have delivered an answer.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

/// The part of an answer after the HTTP head.
pub(crate) fn body(answer: &str) -> String {
    answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {answer:?}")).1.to_owned()
}

/// The rules of a game on one line.
pub(crate) fn rules(game: &str) -> String {
    let text = std::fs::read_to_string(format!("games/{game}.kif")).unwrap();
    let bare = text.lines().map(|line| line.split(';').next().unwrap_or(""));
    bare.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}
