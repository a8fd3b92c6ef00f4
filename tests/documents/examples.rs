//! The programs in `examples/` are short, they compile and run, and they print the promised results.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The largest number of lines of an example.
const MOST_LINES: usize = 40;

/// Much longer than any answer should take, so that a busy machine makes no test fail.
const PATIENCE: Duration = Duration::from_secs(120);

const NAMES: [&str; 5] = ["analyze", "many_games", "own_detector", "own_function", "serve_own_player"];

/// The compiled program of an example. `cargo test` compiles all examples. If only this test was started and the program is
/// missing or older than the library, it is compiled here.
fn program(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_ggp")).parent().unwrap();
    let path = folder.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    let modified = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let inputs = [folder.join("libggp.rlib"), Path::new("examples").join(name).with_extension("rs")];
    let newest = inputs.iter().filter_map(|input| modified(input)).max();
    if modified(&path).is_none_or(|time| newest.is_some_and(|newest| newest > time)) {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--example", name]);
        if cfg!(feature = "cluster") {
            build.args(["--features", "cluster"]);
        }
        assert!(build.status().unwrap().success(), "{name} does not compile");
    }
    path
}

/// The output of an example, whose exit status must be 0.
fn printed(name: &str, arguments: &[&str]) -> String {
    let output = Command::new(program(name)).args(arguments).output().unwrap();
    assert!(output.status.success(), "{name}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(|sign: char| !(sign.is_ascii_digit() || "-.".contains(sign)))
        .filter_map(|word| word.trim_end_matches('.').parse().ok())
        .collect()
}

#[test]
fn examples_are_short() {
    let mut found: Vec<String> = Vec::new();
    for entry in fs::read_dir("examples").unwrap() {
        let path = entry.unwrap().path();
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= MOST_LINES, "{}: {lines} lines", path.display());
        found.push(path.file_stem().unwrap().to_str().unwrap().to_owned());
    }
    found.sort();
    assert_eq!(found, NAMES);
    let guide = fs::read_to_string("docs/guide/extend.md").unwrap();
    for name in NAMES {
        assert!(guide.contains(&format!("examples/{name}.rs")), "the guide does not name {name}");
    }
}

#[test]
fn a_game_is_analysed() {
    let text = printed("analyze", &[]);
    for name in ["crosses", "noughts", "mark/3: Board", "to_move/1: Control", "2000", "true"] {
        assert!(text.contains(name), "{name} is missing:\n{text}");
    }
    let functions: Vec<&str> = text.lines().filter(|line| line.contains(" for ")).collect();
    assert_eq!(functions.len(), 5, "{text}");
    let values: Vec<f64> = functions.iter().map(|line| numbers(line)[0]).collect();
    assert!(values.is_sorted_by(|a, b| a >= b) && values[0] > 0.1 && values[0] <= 1.0, "{text}");
}

#[test]
fn alpha_beta_wins_with_a_user_defined_function() {
    let text = printed("own_function", &[]);
    let numbers = numbers(&text);
    assert_eq!(numbers[numbers.len() - 2..], [100.0, 0.0], "{text}");
}

#[test]
fn a_user_defined_detector_finds_constant_facts() {
    let text = printed("own_detector", &[]);
    for (relation, facts) in [("control/1", 1.0), ("man/3", 20.0), ("step/1", 1.0)] {
        let line = text.lines().find(|line| line.starts_with(relation));
        let line = line.unwrap_or_else(|| panic!("{relation} is missing:\n{text}"));
        assert_eq!(numbers(line)[1], facts, "{text}");
    }
}

#[test]
fn many_games_are_played_to_their_end() {
    let numbers = numbers(&printed("many_games", &[]));
    let [games, moves, steps, red, yellow, draws] = numbers[..] else { panic!("{numbers:?}") };
    assert_eq!((games, red + yellow + draws), (512.0, 512.0));
    assert!(moves >= 7.0 * games && steps <= 42.0 && moves <= steps * games, "{numbers:?}");
    assert!(red > yellow, "the player that begins wins more random games: {numbers:?}");
}

/// A server that ends with the test.
struct Served(Child, String);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Served {
    /// The body of the answer to a message.
    fn ask(&self, message: &str) -> String {
        let mut stream = TcpStream::connect(&self.1).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n{message}", message.len()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }
}

#[test]
fn a_user_defined_player_is_served() {
    let mut child =
        Command::new(program("serve_own_player")).arg("0").stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim_end().rsplit_once("http://").unwrap().1.to_owned();
    let served = Served(child, address);
    assert!(served.ask("( INFO )").contains("available"));
    // Three moves: after `b` the other player has one reply, after `a` and `c` two.
    let rules = "(role x) (role o) (init (at s)) \
        (<= (legal x ?m) (true (at s)) (move ?m)) (move a) (move b) (move c) \
        (<= (legal x wait) (not (true (at s)))) (<= (legal o wait) (true (at s))) \
        (<= (legal o one) (not (true (at s)))) (<= (legal o two) (true (at a))) (<= (legal o two) (true (at c))) \
        (<= (next (at ?m)) (true (at s)) (does x ?m)) (<= (next done) (not (true (at s)))) \
        (<= terminal (true done)) (goal x 50) (goal o 50)";
    assert_eq!(served.ask(&format!("( START m x ({rules}) 10 10 )")), "ready");
    assert_eq!(served.ask("( PLAY m NIL )"), "b");
    assert_eq!(served.ask("( PLAY m (b wait) )"), "wait");
    assert_eq!(served.ask("( STOP m (wait one) )"), "done");
    assert!(served.ask("( INFO )").contains("available"));
}
