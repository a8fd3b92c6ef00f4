//! Promise: players are lines of text, play legal matches, and leave records that can be replayed.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use assert_cmd::Command;
use serde_json::Value;

fn ggp(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("ggp").unwrap().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Plays a match and replays its record.
fn played(game: &str, players: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.json");
    let path = format!("games/{game}.kif");
    let mut arguments = vec!["play", &path, "--playouts", "500", "--playclock", "60", "--out"];
    arguments.push(record.to_str().unwrap());
    players.iter().for_each(|player| arguments.extend(["--player", player]));
    let (status, _, errors) = ggp(&arguments);
    assert_eq!(status, 0, "{game}: {errors}");
    let (status, _, errors) = ggp(&["replay", &path, record.to_str().unwrap()]);
    assert_eq!(status, 0, "{game}: {errors}");
    let text = std::fs::read_to_string(&record).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn matches_of_every_kind_of_game_leave_records_that_replay() {
    let matches: [(&str, &[&str]); 6] = [
        ("tic_tac_toe", &["crosses=alphabeta:fuzzy?depth=3", "noughts=guct:statistical?nodes=3000"]),
        ("connect_four", &["red=mtdf:kuhlmann?depth=3", "yellow=uct?nodes=3000"]),
        ("rock_paper_scissors", &["left_hand=uct?nodes=500"]),
        ("three_player_race", &["hare=alphabeta:fuzzy?depth=3"]),
        ("eight_puzzle", &["solver=alphabeta:fuzzy?depth=4"]),
        ("reversi", &["black=alphabeta:mobility?depth=2", "white=alphabeta:material?depth=2"]),
    ];
    for (game, players) in matches {
        let record = played(game, players);
        assert_eq!(record["isCompleted"], true, "{game}");
        let errors = record["errors"].as_array().unwrap().iter().flat_map(|step| step.as_array().unwrap());
        assert!(errors.into_iter().all(|error| error == ""), "{game}");
    }
}

#[test]
fn looking_ahead_beats_random_play() {
    let mut won = 0;
    for seed in ["1", "2", "3", "4"] {
        let arguments =
            ["play", "games/connect_four.kif", "--playouts", "500", "--format", "json", "--seed", seed];
        let (status, text, _) =
            ggp(&[&arguments[..], &["--playclock", "60", "--player", "yellow=alphabeta:fuzzy?depth=4"]]
                .concat());
        assert_eq!(status, 0);
        let record: Value = serde_json::from_str(&text).unwrap();
        won += usize::from(record["goalValues"][1] == 100);
    }
    assert!(won >= 3, "{won} of 4");
}

#[test]
fn wrong_players_are_told_what_is_right() {
    let error = |player: &str| {
        let (status, _, errors) =
            ggp(&["play", "games/tic_tac_toe.kif", "--playouts", "100", "--player", player]);
        assert_eq!(status, 1, "{player}");
        errors
    };
    assert!(error("crosses=alphabet:fuzzy").contains("`alphabeta`"));
    assert!(error("cross=random").contains("crosses, noughts"));
    assert!(error("crosses").contains("ROLE=PLAYER"));
    assert!(error("crosses=alphabeta:fizzy").contains("no evaluation function `fizzy`"));
    assert!(error("crosses=alphabeta:missing.json").contains("missing.json"));
    assert!(error("crosses=uct?nods=3").contains("`nodes`"));
}

#[test]
fn players_are_listed_with_their_options() {
    let (status, text, _) = ggp(&["players"]);
    assert_eq!(status, 0);
    for word in ["random", "alphabeta:FUNCTION", "mtdf:FUNCTION", "uct", "guct:FUNCTION", "cutoff"] {
        assert!(text.contains(word), "{word}");
    }
}
