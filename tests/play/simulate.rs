//! `ggp simulate` gives the same result for the same seed on any number of threads, reports values that depend on
//! the computer separately, and writes traces that `ggp replay` confirms.

use std::path::Path;

use assert_cmd::Command;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};
use ggp::simulate::{Budget, Context, SimulateError, simulate};
use serde_json::{Value, json};

use crate::lines::has_line;
use crate::waiting::wait_until;

fn ggp(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> String {
    String::from_utf8(ggp(arguments).assert().success().get_output().stdout.clone()).unwrap()
}

fn document(arguments: &[&str]) -> Value {
    let mut document: Value = serde_json::from_str(&output(arguments)).unwrap();
    assert!(document["simulation"]["timing"]["states_per_second"].as_f64().unwrap() > 0.0);
    document["simulation"]["timing"] = Value::Null;
    document
}

const GAME: &str = "games/tic_tac_toe.kif";

#[test]
fn results_do_not_depend_on_threads_or_back_end() {
    let run = |threads: &str, backend: &str| {
        let backend = ["--backend", backend];
        let arguments = ["simulate", GAME, "--playouts", "300", "--format", "json", "--threads", threads];
        document(&[&arguments[..], &backend[..]].concat())
    };
    let one = run("1", "network");
    assert_eq!(one, run("3", "network"));
    let mut relational = run("2", "relational");
    assert_eq!(relational["game"]["machine"], "relational");
    // The two machines count work in different units.
    relational["game"]["machine"] = one["game"]["machine"].clone();
    relational["simulation"]["work"] = one["simulation"]["work"].clone();
    assert_eq!(one, relational);
    assert_eq!(one["schema"], "ggp.simulation/1");
    assert_eq!(one["simulation"]["playouts"], 300);
    assert_eq!(one["simulation"]["roles"].as_array().unwrap().len(), 2);
}

#[test]
fn csv_and_table_have_the_same_numbers() {
    let csv = output(&["simulate", GAME, "--playouts", "50", "--format", "csv"]);
    assert!(csv.contains("playouts,50"), "{csv}");
    assert_eq!(csv, output(&["simulate", GAME, "--playouts", "50", "--format", "csv", "--threads", "1"]));
    let table = output(&["simulate", GAME, "--playouts", "50"]);
    assert!(table.contains("50, seed 1") && table.contains("Goal values"), "{table}");
}

fn trace(path: &Path, more: &[&str]) -> String {
    let path = path.to_str().unwrap();
    output(&[&["simulate", GAME, "--trace", path], more].concat());
    path.to_owned()
}

#[test]
fn traces_replay_and_altered_traces_differ() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(&folder.path().join("trace.jsonl"), &["--playouts", "20"]);
    let report = output(&["replay", GAME, &path, "--backend", "both", "--format", "json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    for (index, backend) in ["network", "relational"].iter().enumerate() {
        let compared = &report["comparisons"][index];
        assert_eq!((compared["backend"].as_str(), compared["playouts"].as_u64()), (Some(*backend), Some(20)));
        assert_eq!(compared["differences"], 0);
    }

    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let gone = lines[3]["state"].as_array_mut().unwrap().remove(0);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, text).unwrap();
    let assert = ggp(&["replay", GAME, &path, "--format", "json"]).assert().code(4);
    let report: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    let first = &report["comparisons"][0]["first"][0];
    assert!(first["source"].as_str().unwrap().ends_with("trace.jsonl"), "{report}");
    assert_eq!(
        (&first["playout"], &first["step"], &first["aspect"]),
        (&json!(0), &json!(2), &json!("state"))
    );
    assert_eq!((&first["missing"], &first["extra"]), (&json!([]), &json!([gone])));
}

#[test]
fn single_playouts_equal_those_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let all = trace(&folder.path().join("all.jsonl"), &["--playouts", "30", "--seed", "9"]);
    let one = trace(&folder.path().join("one.jsonl"), &["--playouts", "1", "--seed", "9", "--first", "17"]);
    let all = std::fs::read_to_string(all).unwrap();
    let one = std::fs::read_to_string(one).unwrap();
    let of_17: Vec<&str> = all.lines().filter(|line| line.contains("\"playout\":17,")).collect();
    assert_eq!(of_17, one.lines().skip(1).collect::<Vec<_>>());

    let packed = trace(&folder.path().join("all.jsonl.gz"), &["--playouts", "30", "--seed", "9"]);
    let mut unpacked = String::new();
    let mut reader = flate2::read::GzDecoder::new(std::fs::File::open(&packed).unwrap());
    std::io::Read::read_to_string(&mut reader, &mut unpacked).unwrap();
    assert_eq!(all, unpacked);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "only the traces are left");
}

/// A playout in lanes is named by its block. Its trace replays on every machine, and the playout is the same when only it is
/// observed.
#[test]
fn lane_playouts_are_written_as_traces() {
    let folder = tempfile::tempdir().unwrap();
    let games: Vec<String> = std::fs::read_dir("games")
        .unwrap()
        .map(|entry| entry.unwrap().path().to_str().unwrap().to_owned())
        .filter(|path| path.ends_with(".kif"))
        .collect();
    for (number, game) in games.iter().enumerate() {
        // One of the first playouts in the lanes, and one in a lane that started again.
        for (playout, name) in [(number % 512, "0+512"), (512 + 700 + number, "512+1024")] {
            let path = folder.path().join(format!("{number}-{playout}.jsonl"));
            let path = path.to_str().unwrap();
            let name = format!("{name}:{playout}");
            let printed = output(&["simulate", game, "--only", &name, "--trace", path, "--max-steps", "60"]);
            assert!(printed.contains("lanes machine"), "{printed}");
            let report = output(&["replay", game, path, "--format", "json"]);
            let report: Value = serde_json::from_str(&report).unwrap();
            let compared = &report["comparisons"][0];
            assert_eq!(
                (compared["playouts"].as_u64(), compared["differences"].as_u64()),
                (Some(1), Some(0)),
                "{game}"
            );
            assert!(compared["positions"].as_u64().unwrap() > 1, "{game}");
        }
    }
}

#[test]
fn lane_counts_equal_scalar_counts() {
    let run = |more: &[&str]| document(&[&["simulate", GAME, "--format", "json"], more].concat());
    let lanes = run(&["--playouts", "20000", "--threads", "1"]);
    assert_eq!(lanes["game"]["machine"], "lanes");
    assert_eq!(lanes, run(&["--playouts", "20000", "--threads", "2", "--backend", "lanes"]));
    let network = run(&["--playouts", "20000", "--backend", "network"]);
    let mean =
        |document: &Value, pointer: &str| document["simulation"].pointer(pointer).unwrap().as_f64().unwrap();
    for (pointer, error) in
        [("/length/mean", 0.08), ("/roles/0/branching/mean", 0.05), ("/draws/share", 0.02)]
    {
        assert!((mean(&lanes, pointer) - mean(&network, pointer)).abs() < error, "{pointer}");
    }
    // The playout that a fault names shows this fault.
    let fault = &lanes["simulation"]["faults"][0];
    let (block, playout) = (&fault["block"], &fault["first"][0]);
    let only = format!("{}+{}:{playout}", block["first"], block["playouts"]);
    let again = run(&["--only", &only]);
    assert_eq!(again["simulation"]["playouts"], 1);
    assert_eq!(again["simulation"]["faults"][0]["kind"], fault["kind"]);
    assert_eq!(again["simulation"]["faults"][0]["role"], fault["role"]);

    ggp(&["simulate", GAME, "--only", "0+10:10"]).assert().code(2);
    ggp(&["simulate", GAME, "--backend", "lanes", "--trace", "nowhere.jsonl"]).assert().code(1);
    ggp(&["simulate", GAME, "--backend", "relational", "--only", "0+10:3"]).assert().code(1);
}

#[test]
fn back_ends_are_compared_on_request() {
    let printed = output(&["replay", GAME, "--against-each-other", "--playouts", "25"]);
    assert!(printed.contains("network / relational"), "{printed}");
}

#[test]
fn faults_are_reported_with_a_command_to_reproduce_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flawed.kif");
    // After the left move the game ends without a goal value; after the right move the role has no legal move.
    let rules = "(role r) (init s) (<= (legal r right) (true s)) (<= (legal r left) (true s))
        (<= (next l) (does r left)) (<= (next m) (does r right))
        (<= terminal (true l)) (<= (goal r 100) (true m)) (<= (goal r 0) (true s))";
    std::fs::write(&path, rules).unwrap();
    let path = path.to_str().unwrap();
    let table = output(&["simulate", path, "--playouts", "100"]);
    let found = document(&["simulate", path, "--playouts", "100", "--format", "json"]);
    let faults = found["simulation"]["faults"].as_array().unwrap();
    let mut kinds: Vec<&str> = faults.iter().map(|fault| fault["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["no-goal", "no-legal-move"]);
    let command = table.lines().find(|line| line.trim_start().starts_with("ggp simulate ")).unwrap();
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    let again = ggp(&words).current_dir(folder.path()).assert().success();
    let again = String::from_utf8(again.get_output().stdout.clone()).unwrap();
    assert!(again.contains("1 (100 %)"), "{again}");
}

#[test]
fn unplayable_games_have_a_named_error() {
    let folder = tempfile::tempdir().unwrap();
    let case = |name: &str, rules: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, rules).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let stuck = case(
        "stuck.kif",
        "(role r) (init s) (<= (legal r go) (true t)) (<= (next t) (does r go)) (<= terminal (true u)) \
         (<= (next u) (does r go)) (<= (goal r 0) (true s))",
    );
    let assert = ggp(&["simulate", &stuck]).assert().code(1);
    let errors = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    let description = read(&Source::load(&stuck).unwrap()).description.unwrap();
    let loaded = load(description, Backend::Auto, &Limits::default()).unwrap();
    let error = simulate(&*loaded.machine, &Budget::default(), &Context::default()).unwrap_err();
    assert!(matches!(&error, SimulateError::NoInitialMove { role } if role == "r"), "{error}");
    assert!(errors.contains(&error.to_string()), "{errors}");

    let endless = case(
        "endless.kif",
        "(role r) (init s) (legal r go) (<= (next s) (true s)) (<= terminal (true t)) \
         (<= (next t) (does r stop)) (<= (legal r stop) (true t)) (<= (goal r 0) (true s))",
    );
    let endless = ["simulate", &endless, "--playouts", "3", "--max-steps", "40"];
    let table = output(&endless);
    assert!(has_line(&table, &["3", "40"]), "{table}");
    let found = document(&[&endless[..], &["--format", "json"]].concat());
    assert_eq!(found["simulation"]["warnings"], json!(["never-ended"]));

    ggp(&["simulate", "no-such-file.kif"]).assert().code(1);
    ggp(&["simulate", GAME, "--playouts", "0"]).assert().code(2);
    ggp(&["replay", GAME]).assert().code(2);
    ggp(&["replay", GAME, "no-such-file.jsonl"]).assert().code(1);
}

/// Results go to standard output, and standard error stays empty.
#[test]
fn standard_error_stays_empty() {
    let assert = ggp(&["simulate", GAME, "--playouts", "10", "--format", "json"]).assert().success();
    assert_eq!(String::from_utf8_lossy(&assert.get_output().stderr), "");
}

/// Ctrl-C ends a run with its results so far, a complete trace, and the usual exit status.
#[cfg(unix)]
#[test]
fn an_interrupted_run_prints_partial_results() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.jsonl.gz");
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_ggp"))
        .args(["simulate", GAME, "--seconds", "60", "--format", "json", "--trace"])
        .arg(&path)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The handler exists before the rules are read, and the file grows when playouts are written.
    let written =
        || std::fs::read_dir(folder.path()).unwrap().any(|file| file.unwrap().metadata().unwrap().len() > 0);
    wait_until("playouts in the trace", written);
    let interrupt = std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["simulation"]["stopped"], "interrupted");
    let replayed = output_of_replay(&path);
    let playouts = &document["simulation"];
    let all = playouts["playouts"].as_u64().unwrap() + playouts["unfinished"].as_u64().unwrap();
    assert_eq!(replayed["comparisons"][0]["playouts"].as_u64(), Some(all));
}

#[cfg(unix)]
fn output_of_replay(path: &Path) -> Value {
    serde_json::from_str(&output(&["replay", GAME, path.to_str().unwrap(), "--format", "json"])).unwrap()
}
