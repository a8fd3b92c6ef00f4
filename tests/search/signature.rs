//! The signature of searches is the same in every run, and changes if they visit other states.
//!
//! The snapshot has the current signature. If it changes, searches behave differently, which must be intended.

use assert_cmd::Command;
use serde_json::Value;

fn bench(players: &str) -> Value {
    let games =
        ["games/tic_tac_toe.kif", "games/connect_four_4x4.kif", "games/breakthrough.kif", "games/nim.kif"];
    let mut arguments = vec!["bench", "--search", "--rounds", "1", "--format", "json", "--players", players];
    arguments.extend(games);
    let output = Command::cargo_bin("ggp").unwrap().args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_search_signature_is_unchanged() {
    let found = bench("alphabeta:fuzzy,alphabeta:statistical");
    let rows = found["rows"].as_array().unwrap();
    let lines = rows.iter().map(|row| {
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        format!("{} {} {}", text("game"), text("player"), row["signature"])
    });
    let lines: Vec<String> = lines.chain([format!("signature {}", found["signature"])]).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_signature_depends_on_the_options() {
    let whole = bench("alphabeta:fuzzy")["signature"].as_u64().unwrap();
    assert_ne!(whole, bench("alphabeta:fuzzy?killers=0")["signature"].as_u64().unwrap());
    assert_eq!(whole, bench("alphabeta:fuzzy")["signature"].as_u64().unwrap());
}

/// Commas separate both players and the options of their functions.
#[test]
fn functions_with_several_options_are_measured() {
    let names = ["alphabeta:fuzzy(p=0.9,opponents=0)", "alphabeta:fuzzy"];
    let found = bench(&names.join(","));
    let names = ["alphabeta:fuzzy,p=0.9,opponents=0", "alphabeta:fuzzy"];
    let players = found["rows"].as_array().unwrap().iter().filter_map(|row| row["player"].as_str());
    assert_eq!(players.collect::<std::collections::BTreeSet<_>>(), names.into());
}
