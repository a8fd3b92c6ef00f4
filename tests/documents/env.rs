//! `ggp env` answers requests about a game for programs in any language. A request that cannot be answered gets an
//! error, and the next one is answered as usual.

use assert_cmd::Command;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};
use serde_json::{Value, json};

use crate::lines::has_line;

const GAME: &str = "games/tic_tac_toe.kif";

fn answers(game: &str, arguments: &[&str], requests: &[Value]) -> Vec<Value> {
    let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let mut command = Command::cargo_bin("ggp").unwrap();
    let run = command.args(["env", game, "--serve"]).args(arguments).write_stdin(lines).assert().success();
    let printed = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn env_plays_like_the_machine() {
    let rules = read(&Source::load(GAME).unwrap()).description.unwrap();
    let loaded = load(rules, Backend::Auto, &Limits::default()).unwrap();
    let machine = &*loaded.machine;
    let mut cursor = machine.cursor();
    let mut state = json!(null);
    for number in 0..20 {
        let request = if number == 0 { json!({}) } else { json!({ "state": state }) };
        let request = json!({ "successors": true, "id": number, "state": request["state"] });
        let answer = &answers(GAME, &[], &[request])[0];
        assert_eq!(answer["id"], number);
        assert_eq!(answer["terminal"], cursor.terminal());
        if cursor.terminal() {
            let goals = [cursor.goals(0)[0], cursor.goals(1)[0]];
            assert_eq!(answer["goals"], json!({ "crosses": goals[0], "noughts": goals[1] }));
            assert_eq!((&answer["legal"], &answer["successors"]), (&json!({}), &json!([])));
            return;
        }
        for (role, name) in ["crosses", "noughts"].into_iter().enumerate() {
            let legal: Vec<String> = cursor.legal(role).iter().map(|&m| machine.move_text(m)).collect();
            assert_eq!(answer["legal"][name], json!(legal));
        }
        let successors = answer["successors"].as_array().unwrap();
        let joint = [cursor.legal(0)[0], cursor.legal(1)[0]];
        assert_eq!(successors.len(), cursor.legal(0).len() * cursor.legal(1).len());
        assert_eq!(successors[0]["moves"], json!(joint.map(|m| machine.move_text(m))));
        cursor.advance(&joint).unwrap();
        assert_eq!(successors[0]["terminal"], cursor.terminal());
        state = successors[0]["state"].clone();
    }
    panic!("a game of nine moves goes on");
}

#[test]
fn requests_return_moves_values_and_random_play() {
    let functions = ["--functions", "fuzzy.crosses", "--functions", "fuzzy.noughts"];
    let requests = [
        json!({ "id": "a", "moves": ["(draw 2 2)", "(draw 1 1)"] }),
        json!({ "moves": "(draw 2 2) (draw 1 1)", "values": true }),
        json!({ "moves": "(draw 2 2)", "successors": ["(draw 1 1)", "(draw 3 2)"], "values": true }),
        json!({ "samples": { "playouts": 2000, "states": 5 } }),
        json!({ "samples": { "playouts": 2000, "states": 5, "seed": 1 } }),
        json!({ "samples": { "playouts": 2000, "states": 5, "seed": 2 } }),
        json!({ "moves": "(draw 2 2)", "samples": { "playouts": 2000 } }),
    ];
    let found = answers(GAME, &functions, &requests);
    assert_eq!((&found[0]["id"], &found[0]["to_move"]), (&json!("a"), &json!(["crosses"])));
    assert_eq!(found[0]["state"], found[1]["state"]);
    assert_eq!((found[0].get("values"), found[0].get("successors")), (None, None));
    let values = found[1]["values"].as_object().unwrap();
    assert_eq!(values.keys().collect::<Vec<_>>(), ["fuzzy.crosses", "fuzzy.noughts"]);
    let listed = found[2]["successors"].as_array().unwrap();
    assert_eq!(listed.len(), 2);
    assert_eq!(listed[0]["state"], found[1]["state"]);
    assert_eq!(listed[0]["values"], found[1]["values"]);
    assert_eq!(found[3], found[4]);
    assert_ne!(found[3], found[5]);
    let mean = found[3]["samples"]["mean_goals"]["crosses"].as_f64().unwrap();
    // Crosses win 58.5 % of random playouts, and 12.7 % are draws.
    assert!((mean - 64.8).abs() < 4.0, "{mean}");
    assert_eq!(found[3]["samples"]["states"].as_array().unwrap().len(), 5);
    assert!(found[6]["samples"]["mean_goals"]["crosses"].as_f64() > Some(mean));
}

#[test]
fn errors_are_answered_and_later_requests_work() {
    let requests = [
        json!({ "id": 1, "state": "(mark 9 9 cross)" }),
        json!({ "id": 2, "moves": "(draw 4 4)" }),
        json!({ "id": 3, "succesors": true }),
        json!({ "id": 4, "successors": 7 }),
        json!({ "id": 5, "samples": { "playouts": 100_000_000 } }),
        json!([1, 2]),
        json!({ "id": 6 }),
    ];
    let found = answers(GAME, &[], &requests);
    let expected = [
        "did you mean",
        "is not a legal move",
        "succesors",
        "a list of joint moves",
        "at most",
        "no request",
    ];
    for (answer, expected) in found.iter().zip(expected) {
        let error = answer["error"].as_str().unwrap();
        assert!(error.contains(expected), "{error}");
        assert_eq!(answer.as_object().unwrap().len(), 2);
    }
    let numbers: Vec<&Value> = found.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(json!(numbers), json!([1, 2, 3, 4, 5, null, 6]));
    assert_eq!(found[6]["to_move"], json!(["crosses"]));
}

#[test]
fn simultaneous_and_relational_games_are_served() {
    let game = "games/rock_paper_scissors.kif";
    let requests =
        [json!({ "successors": true }), json!({ "successors": [["(show rock)", "(show paper)"]] })];
    let found = answers(game, &[], &requests);
    assert_eq!(found[0]["to_move"].as_array().unwrap().len(), 2);
    assert_eq!(found[0]["successors"].as_array().unwrap().len(), 9);
    assert_eq!(found[1]["successors"].as_array().unwrap().len(), 1);
    assert_eq!(answers(game, &["--backend", "relational"], &requests), found);
}

#[test]
fn a_single_request_needs_no_server() {
    let mut command = Command::cargo_bin("ggp").unwrap();
    let run = command
        .args(["env", GAME, "--moves", "(draw 2 2)", "--functions", "fuzzy.crosses"])
        .assert()
        .success();
    let printed: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    let request = json!({ "moves": "(draw 2 2)", "values": true });
    assert_eq!(printed, answers(GAME, &["--functions", "fuzzy.crosses"], &[request])[0]);
}

/// Runs a client program; the page of the guide must show exactly this program.
fn run_client(language: &str, client: &str, program: &str, rest: &[&str]) {
    let page = std::fs::read_to_string("docs/guide/env.md").unwrap();
    let binary = assert_cmd::cargo::cargo_bin("ggp");
    let shown = page.split(&format!("```{language}\n")).nth(1).unwrap().split("```").next().unwrap();
    assert!(shown == std::fs::read_to_string(client).unwrap(), "the page shows another client than {client}");
    let run = Command::new(program).arg(client).arg(&binary).arg(GAME).args(rest).assert().success();
    let printed = String::from_utf8_lossy(&run.get_output().stdout).replace('\'', "\"");
    let goals: Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
    let sum = goals["crosses"].as_i64().unwrap() + goals["noughts"].as_i64().unwrap();
    assert_eq!(sum, 100, "{client}: {printed}");
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 is not installed")]
fn the_python_client_of_the_page_runs() {
    run_client("python", "docs/env_client.py", "python3", &["fuzzy.crosses"]);
}

#[test]
#[cfg_attr(not(has_node), ignore = "node is not installed")]
fn the_javascript_client_of_the_page_runs() {
    run_client("js", "docs/env_client.js", "node", &[]);
}

#[test]
fn too_many_joint_moves_are_counted_only() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("crowd.kif");
    let roles: String = (0..8).map(|role| format!("(role r{role}) ")).collect();
    let numbers: String = (0..100).map(|number| format!("(number {number}) ")).collect();
    let rules = format!(
        "{roles}{numbers}(init going) (<= (legal ?r (say ?n)) (role ?r) (number ?n)) \
         (<= (next over) (does r0 (say 0))) (<= terminal (true over)) (<= (goal ?r 100) (role ?r))"
    );
    std::fs::write(&game, rules).unwrap();
    let joint =
        json!([["(say 1)", "(say 2)", "(say 3)", "(say 4)", "(say 5)", "(say 6)", "(say 7)", "(say 8)"]]);
    let requests = [json!({ "successors": true }), json!({ "successors": joint })];
    let found = answers(game.to_str().unwrap(), &[], &requests);
    let error = found[0]["error"].as_str().unwrap();
    assert!(has_line(error, &["10,000,000,000,000,000"]), "{error}");
    assert_eq!(found[1]["successors"].as_array().unwrap().len(), 1, "{}", found[1]);
}
