//! `ggp play` manages matches between remote players. It measures their clocks, plays for those that do not answer
//! correctly, and records all errors; `ggp check --player` reports how well a player behaves.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::lines::has_line;
use crate::waiting::wait_until;
use crate::wire::Player;
use assert_cmd::Command;
use serde_json::Value;

pub(crate) fn ggp(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("ggp").unwrap().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Manages a match; returns the exit status, the record and standard error.
fn host(game: &str, arguments: &[&str]) -> (i32, Value, String) {
    let game = format!("games/{game}.kif");
    let (status, record, stderr) =
        ggp(&[&["play", "--managed", &game, "--format", "json"], arguments].concat());
    let json = serde_json::from_str(&record).unwrap_or_else(|_| panic!("{record}\n{stderr}"));
    (status, json, stderr)
}

/// The reaction of a fake player to a message.
pub(crate) type Behaviour = fn(&str) -> Reaction;

pub(crate) enum Reaction {
    Answers(&'static str),
    Ignores,
    /// Answers one byte at a time, and never completely.
    AnswersSlowly,
    /// Closes the connection.
    Disconnects,
}

/// A fake player that records the messages it gets.
pub(crate) struct FakePlayer {
    pub(crate) address: String,
    received: Arc<Mutex<Vec<String>>>,
}

impl FakePlayer {
    pub(crate) fn start(behaviour: Behaviour) -> FakePlayer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let received = Arc::<Mutex<Vec<String>>>::default();
        let messages = received.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let messages = messages.clone();
                std::thread::spawn(move || answer(stream, behaviour, &messages));
            }
        });
        FakePlayer { address, received }
    }

    pub(crate) fn received(&self) -> Vec<String> {
        self.received.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, behaviour: Behaviour, received: &Mutex<Vec<String>>) {
    let mut request = Vec::new();
    let mut piece = [0; 4096];
    let message = loop {
        let count = stream.read(&mut piece).unwrap_or(0);
        if count == 0 {
            return;
        }
        request.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&request).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap_or("0");
        if body.len() >= length.parse::<usize>().unwrap() {
            break body.to_owned();
        }
    };
    received.lock().unwrap().push(message.clone());
    match behaviour(&message) {
        Reaction::Answers(text) => {
            let _ = stream.write_all(format!("HTTP/1.0 200 OK\r\n\r\n{text}").as_bytes());
        }
        Reaction::Ignores => std::thread::sleep(Duration::from_secs(600)),
        Reaction::AnswersSlowly => {
            while stream.write_all(b"H").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        Reaction::Disconnects => {}
    }
}

/// Plays a scrambled game between several `ggp serve` processes.
fn against_serve(game: &str, roles: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.json");
    let players: Vec<Player> = roles.iter().map(|_| Player::start(&["--player", "uct?nodes=100"])).collect();
    let named: Vec<String> = roles
        .iter()
        .zip(&players)
        .map(|(role, player)| format!("{role}=http://{}", player.address))
        .collect();
    let mut arguments = vec!["--scramble", "7", "--start-clock", "20", "--play-clock", "20", "--out"];
    arguments.push(record.to_str().unwrap());
    named.iter().for_each(|role| arguments.extend(["--player", role]));
    let (status, json, stderr) = host(game, &arguments);
    let logs: String = players.iter().map(Player::log).collect();
    assert_eq!(status, 0, "{game}: {stderr}{logs}");
    assert_eq!(logs, "", "{game}");
    assert_eq!(
        (&json["isCompleted"], &json["scrambled"]),
        (&Value::Bool(true), &Value::Bool(true)),
        "{game}"
    );
    // The identifier must not reveal which game it is.
    assert!(!json["matchId"].as_str().unwrap().contains(game), "{json}");
    let errors = json["errors"].as_array().unwrap();
    assert_eq!(errors.len(), json["moves"].as_array().unwrap().len() + 1, "{game}");
    assert!(errors.iter().flat_map(|step| step.as_array().unwrap()).all(|error| error == ""), "{game}");
    let path = format!("games/{game}.kif");
    let (status, _, stderr) = ggp(&["replay", &path, record.to_str().unwrap()]);
    assert_eq!(status, 0, "{game}: {stderr}");
}

#[test]
fn five_games_are_played_over_http() {
    against_serve("tic_tac_toe", &["crosses", "noughts"]);
    against_serve("nim", &["left", "right"]);
    against_serve("rock_paper_scissors", &["left_hand", "right_hand"]);
    against_serve("three_player_race", &["hare", "fox", "tortoise"]);
    against_serve("bidding_tic_tac_toe", &["cross", "ring"]);
}

/// The recorded errors if the first role reacts like this.
fn error_of(behaviour: Behaviour) -> (i32, Value, String) {
    let fake = FakePlayer::start(behaviour);
    let role = format!("crosses={}", fake.address);
    let clocks = ["--start-clock", "0.2", "--play-clock", "0.2", "--grace", "0.1"];
    let (status, json, stderr) = host("tic_tac_toe", &[&["--player", &role], &clocks[..]].concat());
    assert_eq!(json["isCompleted"], true);
    (status, json["errors"].clone(), stderr)
}

#[test]
fn host_replaces_moves_of_faulty_players() {
    let (status, errors, stderr) = error_of(|_| Reaction::Ignores);
    assert_eq!((status, &errors[0][0], &errors[1][0]), (6, &"TO".into(), &"TO".into()), "{stderr}");
    assert!(has_line(&stderr, &["crosses", "TO", "START", "1"]), "{stderr}");
    let (status, errors, _) = error_of(|_| Reaction::AnswersSlowly);
    assert_eq!((status, &errors[1][0]), (6, &"TO".into()));
    let (status, errors, _) = error_of(|_| Reaction::Disconnects);
    assert_eq!((status, &errors[1][0]), (6, &"CE".into()));
    let (status, errors, stderr) = error_of(|_| Reaction::Answers("( Mark 9 9 )"));
    assert_eq!((status, &errors[0][0], &errors[1][0]), (6, &"".into(), &"IL (mark 9 9)".into()));
    assert!(stderr.contains("`(mark 9 9)`"), "{stderr}");
    let (status, json, _) = host("tic_tac_toe", &["--player", "crosses=127.0.0.1:1", "--play-clock", "0.2"]);
    assert_eq!((status, &json["errors"][0][0], &json["errors"][1][0]), (6, &"CE".into(), &"CE".into()));
    assert_eq!(json["errors"][1][1], "");
}

#[test]
fn players_receive_the_protocol_messages() {
    let fake = FakePlayer::start(|message| match message.split(' ').nth(1) {
        Some("PLAY") => Reaction::Answers("nil"),
        _ => Reaction::Answers("ready"),
    });
    let role = format!("noughts={}", fake.address);
    host("tic_tac_toe", &["--player", &role, "--id", "m.1", "--start-clock", "3", "--play-clock", "2"]);
    let received = fake.received();
    assert!(
        received[0].starts_with("( START m.1 noughts ((role crosses) (role noughts) ("),
        "{}",
        received[0]
    );
    assert!(received[0].ends_with(") 3 2)"), "{}", received[0]);
    assert_eq!(received[1], "( PLAY m.1 NIL )");
    assert!(received[2].starts_with("( PLAY m.1 ((draw "), "{}", received[2]);
    assert!(received.last().unwrap().starts_with("( STOP m.1 ("), "{received:?}");

    let fake = FakePlayer::start(|_| Reaction::Answers("nil"));
    let role = format!("noughts={}", fake.address);
    host("tic_tac_toe", &["--player", &role, "--scramble", "1", "--start-clock", "3"]);
    let messages: String = fake.received().concat();
    for word in ["noughts", "cross", "draw", "mark", "noop", "?player"] {
        assert!(!messages.contains(word), "{word} in {messages}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_aborts_the_match() {
    let fake =
        FakePlayer::start(
            |message| if message.contains("PLAY") { Reaction::Ignores } else { Reaction::Answers("ok") },
        );
    let role = format!("crosses={}", fake.address);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_ggp"))
        .args(["play", "--managed", "games/tic_tac_toe.kif", "--player", &role, "--play-clock", "3600"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_until("a PLAY message", || fake.received().iter().any(|message| message.contains("PLAY")));
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(fake.received().last().unwrap().starts_with("( ABORT tic_tac_toe."), "{:?}", fake.received());
}

#[test]
fn recorded_moves_repeat_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.json");
    let out = record.to_str().unwrap();
    let (status, first, _) = host("connect_four_4x4", &["--seed", "3", "--out", out]);
    assert_eq!(status, 0);
    let file = format!("recorded:{out}");
    let roles = [format!("first={file}"), format!("second={file}#{}", first["matchId"].as_str().unwrap())];
    let (status, second, stderr) =
        host("connect_four_4x4", &["--player", &roles[0], "--player", &roles[1], "--seed", "4"]);
    assert_eq!(status, 0, "{stderr}");
    assert_eq!((&first["moves"], &first["goalValues"]), (&second["moves"], &second["goalValues"]));
}

#[test]
fn local_players_join_a_hosted_match() {
    let (status, json, stderr) = host(
        "tic_tac_toe",
        &[
            "--player",
            "crosses=alphabeta:fuzzy?depth=3",
            "--player",
            "noughts=uct?nodes=200",
            "--playouts",
            "500",
        ],
    );
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(json["playerNamesFromHost"][0], "alphabeta:fuzzy,depth=3");
    let (status, text, _) = ggp(&["play", "--managed", "games/tic_tac_toe.kif"]);
    assert!(status == 0 && text.contains("the end after") && text.contains("noughts (random)"), "{text}");
}

#[test]
fn busy_is_distinguished_from_faulty() {
    // A player takes one match at a time, so it takes only one role of this match.
    let player = Player::start(&[]);
    let roles = ["crosses", "noughts"].map(|role| format!("{role}={}", player.address));
    let (status, json, stderr) = host(
        "tic_tac_toe",
        &["--player", &roles[0], "--player", &roles[1], "--start-clock", "20", "--play-clock", "20"],
    );
    assert_eq!(status, 6, "{stderr}");
    assert!(has_line(&stderr, &["busy", "START"]), "{stderr}");
    assert_eq!(json["errors"][0], serde_json::json!(["", ""]));
    player.still_plays();
}

#[test]
fn invalid_roles_are_rejected_with_a_suggestion() {
    let run = |role: &str| ggp(&["play", "--managed", "games/tic_tac_toe.kif", "--player", role]);
    let error = |role: &str| {
        let (status, _, errors) = run(role);
        assert_eq!(status, 1, "{role}");
        errors
    };
    assert!(error("crosses").contains("ROLE=PLAYER"));
    assert!(error("cross=random").contains("crosses, noughts"));
    assert!(error("crosses=https://localhost").contains("http://HOST:PORT"));
    assert!(error("crosses=no-such-host.invalid:80").contains("can't be found"));
    assert!(error("crosses=recorded:missing.json").contains("missing.json"));
    let (status, _, errors) = run("crosses=frob");
    assert!(status == 2 && errors.contains("no player `frob`"), "{errors}");
}

#[test]
fn check_player_reports_conformance() {
    let player = Player::start(&["--player", "uct"]);
    let (status, text, stderr) = ggp(&["check", "--player", &player.address]);
    assert_eq!(status, 0, "{text}{stderr}");
    assert!(!text.contains("fails") && !text.contains("differs"), "{text}");
    player.still_plays();
    let fake = FakePlayer::start(|message| match message.split(' ').nth(1) {
        Some("INFO") => Reaction::Answers("available"),
        _ => Reaction::Answers("ready"),
    });
    let (status, text, _) = ggp(&["check", "--player", &fake.address]);
    assert_eq!(status, 6, "{text}");
    assert!(text.contains("no legal move within 2 s") && text.contains("tests that managers need"), "{text}");
    let (status, text, _) = ggp(&["check", "--player", "127.0.0.1:1"]);
    assert!(status == 1 && text.contains("can't be reached"), "{text}");
}

/// Matches of the corpus, played again with the recorded moves.
#[test]
#[cfg_attr(not(has_corpus), ignore = "GGP_CORPUS names no corpus")]
fn recorded_moves_lead_to_the_recorded_goals() {
    let corpus = std::env::var_os("GGP_CORPUS").expect("GGP_CORPUS names the corpus");
    let corpus = Path::new(&corpus);
    let file = corpus.join("matches/verified.jsonl.gz");
    let bytes = std::fs::read(&file).unwrap();
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    let mut games: std::collections::BTreeMap<String, Vec<Value>> = std::collections::BTreeMap::new();
    for line in text.lines() {
        let recorded: Value = serde_json::from_str(line).unwrap();
        games.entry(recorded["kif"].as_str().unwrap().to_owned()).or_default().push(recorded);
    }
    let mut matches = 0;
    for (kif, recorded) in games {
        let path = corpus.join("open").join(&kif);
        for recorded in recorded {
            let id = recorded["match_id"].as_str().unwrap();
            let roles: Vec<String> = recorded["roles"]
                .as_array()
                .unwrap()
                .iter()
                .map(|role| format!("{}=recorded:{}#{id}", role.as_str().unwrap(), file.display()))
                .collect();
            let mut arguments = vec!["play", "--managed", path.to_str().unwrap(), "--format", "json"];
            roles.iter().for_each(|role| arguments.extend(["--player", role]));
            let (status, json, stderr) = ggp(&arguments);
            assert_eq!(status, 0, "{kif} {id}: {stderr}");
            let json: Value = serde_json::from_str(&json).unwrap();
            assert_eq!(json["goalValues"], recorded["recorded_goals"], "{kif} {id}");
            matches += 1;
        }
    }
    assert!(matches > 100, "{matches}");
}

/// All faulty moves in the matches of a tournament.
fn faults_of(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder.join("matches")).unwrap() {
        let record: Value =
            serde_json::from_str(&std::fs::read_to_string(entry.unwrap().path()).unwrap()).unwrap();
        assert_eq!(record["isCompleted"], true);
        let errors = record["errors"].as_array().unwrap().iter().flat_map(|step| step.as_array().unwrap());
        found
            .extend(errors.map(|error| error.as_str().unwrap().to_owned()).filter(|error| !error.is_empty()));
    }
    found
}

#[test]
fn remote_players_take_part_in_tournaments() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let player = Player::start(&["--player", "uct?nodes=100"]);
    let url = format!("http://{}", player.address);
    let arguments = [
        "tournament",
        "--games",
        "games/tic_tac_toe.kif",
        "games/rock_paper_scissors.kif",
        "--players",
        &url,
        "random",
        "--start-clock",
        "20",
        "--play-clock",
        "20",
        "--rounds",
        "2",
        "--threads",
        "2",
        "--force",
        "--records",
        "--out",
        out,
    ];
    let (status, text, stderr) = ggp(&arguments);
    assert_eq!(status, 0, "{stderr}{}", player.log());
    assert!(text.contains(&url), "{text}");
    assert_eq!(faults_of(folder.path()), [""; 0], "{}", player.log());
    player.still_plays();
    let (status, _, stderr) = ggp(&[
        "tournament",
        "--games",
        "games/nim.kif",
        "--players",
        &url,
        "random",
        "--nodes",
        "9",
        "--out",
        out,
    ]);
    assert!(status == 2 && stderr.contains("needs a clock"), "{stderr}");
}
