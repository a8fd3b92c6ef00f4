//! `ggp analyze` writes the documented document, and the same bytes for the same seed. It writes one folder per
//! game and continues after a game with errors.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

use crate::lines::numbers;
use crate::waiting::{wait_for_handler, wait_for_work};

const GAME: &str = "games/tic_tac_toe.kif";

const FILES: [&str; 10] = [
    "analysis.json",
    "evaluations",
    "features.csv",
    "functions.csv",
    "properties.csv",
    "quality.csv",
    "report.html",
    "simulation.csv",
    "structures.csv",
    "witnesses.jsonl",
];

fn ggp() -> Command {
    Command::cargo_bin("ggp").unwrap()
}

fn document(arguments: &[&str]) -> Value {
    let run = ggp()
        .args(["analyze", GAME, "--format", "json", "--playouts", "300", "--effort", "0"])
        .args(arguments)
        .assert();
    serde_json::from_slice(&run.success().get_output().stdout).unwrap()
}

fn without_timing(mut document: Value) -> String {
    document["simulation"].as_object_mut().unwrap().remove("timing");
    document.as_object_mut().unwrap().remove("timing");
    document.to_string()
}

#[test]
fn feature_rows_use_the_view_of_the_first_opponent() {
    for (game, first, second) in [
        ("tic_tac_toe", "crosses", "noughts"),
        ("connect_four_4x4", "first", "second"),
        ("nim", "left", "right"),
    ] {
        let arguments = [
            "analyze",
            game,
            "--playouts",
            "1500",
            "--proof-work",
            "0",
            "--effort",
            "0",
            "--features",
            "--functions",
            "mobility",
        ];
        let run = ggp().env("COLUMNS", "300").args(arguments).assert().success();
        let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        let rows: Vec<&str> = text.lines().skip_while(|line| *line != "Best features").skip(2).collect();
        let rows: Vec<&str> = rows.into_iter().take_while(|line| line.contains(" to ")).collect();
        // A row ends with the interval and the role.
        let roles = rows.iter().filter_map(|row| row.rsplit(") ").next());
        let roles: Vec<&str> = roles.map(|end| end.split([',', ';']).next().unwrap_or(end).trim()).collect();
        assert!(!roles.contains(&second), "{game}: {rows:#?}");
        assert!(game == "nim" || roles.contains(&first), "{text}");
    }
}

#[test]
fn the_document_has_the_documented_keys() {
    let document = document(&[]);
    assert_eq!(document["schema"], "ggp.analysis/1");
    assert_eq!(document["game"]["name"], "tic_tac_toe");
    assert_eq!(document["game"]["path"], GAME);
    assert_eq!(document["game"]["sha256"], ggp::gdl::identity::sha256(&std::fs::read(GAME).unwrap()));
    assert_eq!(document["simulation"]["playouts"], 300);
    for key in ["seed", "states", "timing"] {
        assert!(!document["simulation"][key].is_null(), "{key}");
    }
    for key in ["seconds", "states_per_second"] {
        assert!(document["simulation"]["timing"][key].is_number(), "{key}");
    }
    for key in ["successors", "orders", "fluents", "teams", "turns", "zero_sum", "noops"] {
        assert!(!document["structures"][key].is_null(), "{key}");
    }
    for fluent in document["structures"]["fluents"].as_array().unwrap() {
        let kind = fluent["kind"].as_str().unwrap();
        for key in ["counter", "quantity", "control"] {
            assert_eq!(fluent.get(key).is_some(), kind == key, "{fluent}");
        }
        assert!(fluent["evidence"]["methods"].is_array(), "{fluent}");
    }
}

#[test]
fn documents_do_not_depend_on_threads() {
    let [one, two, again] = ["1", "2", "2"].map(|threads| without_timing(document(&["--threads", threads])));
    assert!(one == two && two == again);
    assert_ne!(one, without_timing(document(&["--seed", "2"])));
}

fn listing(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn faulty_games_are_reported_and_others_continue() {
    let folder = tempfile::tempdir().unwrap();
    let (broken, out) = (folder.path().join("broken.kif"), folder.path().join("out"));
    std::fs::write(&broken, "(role (").unwrap();
    let absent = folder.path().join("absent.kif");
    let run = ggp()
        .args(["analyze", "--playouts", "50"])
        .args([GAME.as_ref(), broken.as_path(), absent.as_path(), "games/nim.kif".as_ref()])
        .arg("--out")
        .arg(&out)
        .assert()
        .code(1);
    // A description with errors that can be read gets a page that lists the errors.
    assert_eq!(listing(&out), ["broken", "nim", "tic_tac_toe"]);
    assert_eq!(listing(&out.join("broken")), ["report.html"]);
    assert_eq!(listing(&out.join("nim")), FILES);
    let printed = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    assert_eq!(printed.lines().last().map(numbers), Some(vec![2, 2]), "{printed}");
    let notes = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(notes.contains("broken.kif") && notes.contains("absent.kif"), "{notes}");
}

#[test]
fn a_single_game_is_written_into_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    ggp().args(["analyze", GAME, "--playouts", "50", "--out"]).arg(folder.path()).assert().success();
    assert_eq!(listing(folder.path()), FILES);
}

#[test]
fn several_games_are_json_lines_or_one_table() {
    let several = ["analyze", GAME, "games/nim.kif", "--playouts", "50", "--format"];
    let json = ggp().args(several).arg("json").assert().success();
    let lines = String::from_utf8_lossy(&json.get_output().stdout).into_owned();
    let names: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["game"]["name"].clone())
        .collect();
    assert_eq!(names, ["tic_tac_toe", "nim"]);
    let csv = ggp().args(several).arg("csv").assert().success();
    let mut reader = csv::Reader::from_reader(csv.get_output().stdout.as_slice());
    let games: std::collections::BTreeSet<String> =
        reader.records().map(|record| record.unwrap()[0].to_string()).collect();
    assert_eq!(games.into_iter().collect::<Vec<_>>(), ["nim", "tic_tac_toe"]);
}

#[test]
fn a_table_for_a_pipe_has_no_colour() {
    let run = ggp().args(["analyze", GAME, "--playouts", "50"]).assert().success();
    assert!(!run.get_output().stdout.contains(&0x1b));
}

#[test]
fn a_time_limit_ends_a_run() {
    let run = ggp().args(["analyze", GAME, "--seconds", "0.2", "--format", "json"]).assert().success();
    let document: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    assert_eq!(document["simulation"]["stopped"], "seconds");
}

#[test]
fn usage_errors_exit_with_2() {
    for arguments in [
        &["analyze"][..],
        &["analyze", GAME, "--playouts", "0"],
        &["analyze", GAME, "--seconds", "0"],
        &["analyze", GAME, "--seconds", "1", "--playouts", "5"],
        &["analyze", GAME, "--format", "xml"],
    ] {
        ggp().args(arguments).assert().code(2);
    }
}

#[test]
fn schema_and_completions_are_printed() {
    let schema = ggp().arg("schema").assert().success();
    let printed = String::from_utf8(schema.get_output().stdout.clone()).unwrap();
    let kept = std::fs::read_to_string("docs/analysis.schema.json").unwrap();
    assert!(printed == kept, "docs/analysis.schema.json is stale");
    for shell in ["bash", "zsh", "fish"] {
        assert!(!ggp().args(["completions", shell]).assert().success().get_output().stdout.is_empty());
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_prints_partial_results() {
    use std::process::{Command, Stdio};
    let run = Command::new(assert_cmd::cargo::cargo_bin("ggp"))
        .args(["analyze", "games/chess.kif", "--playouts", "1000000", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_handler(run.id());
    // Loading takes a fraction of this time; the whole run would take hundreds of times as long.
    wait_for_work(run.id(), std::time::Duration::from_secs(1));
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["simulation"]["stopped"], "interrupted");
    assert!(document["simulation"]["playouts"].as_u64() > Some(0), "{}", document["simulation"]["playouts"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"));
}

#[test]
#[ignore = "takes a quarter of a minute"]
fn memory_bounds_the_network_and_the_functions() {
    let stages = |game: &str, memory: &str| {
        let run = ggp()
            .args(["analyze", game, "--playouts", "20", "--format", "json", "--memory", memory])
            .assert()
            .success();
        let document: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
        let note = |name: &str| {
            let stages = document["stages"].as_array().unwrap();
            let stage = stages.iter().find(|stage| stage["name"] == name).unwrap();
            stage["note"].as_str().unwrap_or_default().to_owned()
        };
        let functions = document["evaluations"].as_array().unwrap().len();
        (
            document["game"]["machine"].as_str().unwrap().to_owned(),
            note("detect"),
            note("functions"),
            functions,
        )
    };
    let (machine, detect, functions, all) = stages("games/connect_four.kif", "4GiB");
    assert_eq!((machine.as_str(), detect.as_str(), functions.as_str()), ("network", "", ""));
    let (machine, detect, functions, fewer) = stages("games/connect_four.kif", "1MiB");
    assert_eq!((machine.as_str(), detect.as_str()), ("network", ""));
    assert!(functions.contains("fuzzy.red") && functions.contains("128 KiB of memory"), "{functions}");
    assert!(fewer < all);
    let (machine, detect, ..) = stages("games/chess.kif", "2");
    assert_eq!(machine, "relational");
    assert!(detect.contains("1 MiB"), "{detect}");
}

/// A game that is won with one to four coins and lost with none or with five or more. Few random games have five coins, so
/// more coins look better. A player who takes one with every move always loses.
const GREED: &str = "
    (role miser) (init (coins 0)) (init (turn 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
    (idle a) (idle b) (idle c) (idle d) (idle e)
    (<= (legal miser ?m) (idle ?m))
    (legal miser take)
    (<= (next (coins ?n)) (true (coins ?m)) (does miser take) (succ ?m ?n))
    (<= (next (coins ?n)) (true (coins ?n)) (does miser ?m) (idle ?m))
    (<= (next (turn ?n)) (true (turn ?m)) (succ ?m ?n))
    (<= terminal (true (turn 7)))
    (<= lost (true (coins 0)))
    (<= lost (true (coins 5)))
    (<= lost (true (coins 6)))
    (<= lost (true (coins 7)))
    (<= (goal miser 100) (not lost))
    (<= (goal miser 0) lost)";

#[test]
fn functions_worse_than_random_are_marked_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let (game, out) = (folder.path().join("greed.kif"), folder.path().join("out"));
    std::fs::write(&game, GREED).unwrap();
    let analyze = || {
        let mut command = ggp();
        command.arg("analyze").arg(&game).args(["--playouts", "2000", "--plain", "--effort", "0", "--all"]);
        command
    };
    analyze().arg("--out").arg(&out).assert().success();
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let document: Value = serde_json::from_str(&read("analysis.json")).unwrap();
    let goals = document["simulation"]["roles"][0]["goal_mean"]["mean"].as_f64().unwrap();
    let mut warned = Vec::new();
    for function in document["evaluations"].as_array().unwrap() {
        let played = &function["one_ply"];
        if played["worse_than_random"] == true {
            assert!(played["over_random"]["high"].as_f64().unwrap() < 0.0, "{function}");
            assert!(played["high"].as_f64().unwrap() < goals, "{function}");
            warned.push(function["id"].as_str().unwrap());
        } else if played.is_object() {
            assert!(played["goal"].as_f64().unwrap() > 0.0, "{function}");
        }
    }
    assert!(!warned.is_empty(), "a function that takes all coins always loses");

    let table = String::from_utf8(analyze().assert().success().get_output().stdout.clone()).unwrap();
    let mut reader = csv::Reader::from_reader(std::fs::File::open(out.join("functions.csv")).unwrap());
    let columns = reader.headers().unwrap().clone();
    let column = |name: &str| columns.iter().position(|known| known == name).unwrap();
    let (id, worse) = (column("id"), column("worse_than_random"));
    let in_csv: Vec<String> = (reader.records().map(Result::unwrap))
        .filter(|row| &row[worse] == "true")
        .map(|row| row[id].to_owned())
        .collect();
    let page = read("report.html");
    assert_eq!(in_csv.len(), warned.len());
    assert_eq!(page.matches("plays worse than random").count(), warned.len());
    for function in warned {
        assert!(in_csv.iter().any(|known| known == function), "{function}");
        let row = table.lines().find(|line| line.contains(function)).expect("it is listed");
        assert!(row.contains("worse") || table.contains("plays worse than random"), "{row}");
    }
}

/// Two doors, one of which wins. Only the initial state is not terminal.
const DOORS: &str = "
    (role guest) (role host) (init (turn guest))
    (legal guest (open left)) (legal guest (open right)) (legal host wait)
    (<= (next (behind ?d)) (does guest (open ?d)))
    (<= terminal (not (true (turn guest))))
    (<= (goal guest 100) (true (behind left)))
    (<= (goal guest 0) (not (true (behind left))))
    (<= (goal host 100) (true (behind right)))
    (<= (goal host 0) (not (true (behind right))))";

#[test]
fn constant_functions_are_flagged_and_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    let (game, out) = (folder.path().join("doors.kif"), folder.path().join("out"));
    std::fs::write(&game, DOORS).unwrap();
    let run = ggp().arg("analyze").arg(&game).arg("--out").arg(&out).args(["--playouts", "500"]).assert();
    let table = String::from_utf8(run.success().get_output().stdout.clone()).unwrap();
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let document: Value = serde_json::from_str(&read("analysis.json")).unwrap();
    let mut constant = 0;
    for function in document["evaluations"].as_array().unwrap() {
        let observed = &function["quality"]["observed"];
        assert_eq!(function["constant"], observed.is_array() && observed[0] == observed[1], "{function}");
        if function["constant"] == true {
            constant += 1;
            assert!(function["one_ply"].is_null(), "{function}");
            let id = function["id"].as_str().unwrap();
            assert!(!read("functions.csv").contains(id), "{id}");
            let listed = table.lines().any(|line| line.trim_start().starts_with(&format!("{id}  ")));
            assert!(!listed, "{table}");
        }
    }
    assert!(constant > 0, "{document}");
}
