//! `ggp eval` evaluates states and moves, explains the value, and answers the requests of a player. For an unusable
//! function, state or move the error names the expected form.

use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::lines::has_line;

const GAME: &str = "games/tic_tac_toe.kif";

fn ggp(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("ggp").unwrap();
    command.arg("eval").args(arguments);
    command
}

fn printed(arguments: &[&str]) -> String {
    String::from_utf8(ggp(arguments).assert().success().get_output().stdout.clone()).unwrap()
}

fn json_of(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(&[arguments, &["--format", "json"]].concat())).unwrap()
}

fn assert_rejected(arguments: &[&str], expected: &[&str]) {
    let run = ggp(arguments).assert().code(1);
    let error = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(expected.iter().all(|words| error.contains(words)), "{arguments:?}: {error}");
}

fn documents(game: &str, folder: &Path) {
    let mut command = Command::cargo_bin("ggp").unwrap();
    command.args(["analyze", game, "--playouts", "300", "--out"]).arg(folder).assert().success();
}

#[test]
fn every_form_of_a_state_has_the_same_value() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace.jsonl");
    let mut simulate = Command::cargo_bin("ggp").unwrap();
    simulate.args(["simulate", GAME, "--playouts", "1", "--trace"]).arg(&trace).assert().success();
    let lines = std::fs::read_to_string(&trace).unwrap();
    let steps: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let third = &steps[4];
    assert_eq!((&third["type"], &third["step"]), (&json!("step"), &json!(3)));

    let atoms: Vec<&str> =
        third["state"].as_array().unwrap().iter().map(|atom| atom.as_str().unwrap()).collect();
    let kif = format!("({})", atoms.join(" "));
    let held: String = atoms.iter().map(|atom| format!("(TRUE {atom})\n")).collect();
    let joint: Vec<&Value> = steps[1..4].iter().map(|step| &step["move"]).collect();
    let all = serde_json::to_string(&joint).unwrap();
    let lists: String = joint
        .iter()
        .map(|joint| {
            format!(
                "({}) ",
                joint.as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect::<Vec<_>>().join(" ")
            )
        })
        .collect();
    let own: String = joint
        .iter()
        .map(|joint| {
            joint
                .as_array()
                .unwrap()
                .iter()
                .map(|m| m.as_str().unwrap())
                .find(|m| *m != "noop")
                .unwrap()
                .to_owned()
                + " "
        })
        .collect();
    let file = folder.path().join("state.kif");
    std::fs::write(&file, &kif).unwrap();
    let at_file = format!("@{}", file.display());

    let function = "fuzzy.crosses";
    let wanted = json_of(&[GAME, function, "--state", &third.to_string()]);
    assert_eq!(wanted["state"].as_array().unwrap().len(), atoms.len());
    for (option, text) in [
        ("--state", kif.as_str()),
        ("--state", &atoms.join(" ")),
        ("--state", &held),
        ("--state", &third["state"].to_string()),
        ("--state", &at_file),
        ("--moves", &all),
        ("--moves", &lists),
        ("--moves", &own),
    ] {
        assert_eq!(json_of(&[GAME, function, option, text]), wanted, "{option} {text}");
    }
    let from_input =
        ggp(&[GAME, function, "--format", "json", "--state", "-"]).write_stdin(kif).assert().success();
    assert_eq!(serde_json::from_slice::<Value>(&from_input.get_output().stdout).unwrap(), wanted);
    // The relational machine reads the same states and gives the same values.
    let relational = json_of(&[GAME, function, "--backend", "relational", "--moves", &own]);
    assert_eq!(relational["value"], wanted["value"]);
    let by_state = json_of(&[GAME, function, "--backend", "relational", "--state", &atoms.join(" ")]);
    assert_eq!(by_state["value"], wanted["value"]);
}

#[test]
fn moves_are_ranked_by_value() {
    let moves = json_of(&[GAME, "fuzzy", "--role", "crosses", "--all-moves"]);
    let moves = moves.as_array().unwrap();
    assert_eq!(moves.len(), 9);
    assert_eq!(moves[0]["move"], "(draw 2 2)");
    assert!(moves.windows(2).all(|pair| pair[0]["value"].as_f64() >= pair[1]["value"].as_f64()));
    assert!(moves.iter().all(|found| found.get("least").is_none() && found.get("terminal").is_none()));

    let before = "(draw 1 1) (draw 2 1) (draw 1 2) (draw 2 2)";
    for function in ["fuzzy.crosses", "novelty.min.novelty.crosses"] {
        let moves = json_of(&[GAME, function, "--all-moves", "--moves", before]);
        assert_eq!(moves[0]["move"], "(draw 1 3)", "{function}");
        assert_eq!((&moves[0]["goal"], &moves[0]["terminal"]), (&json!(100.0), &json!(1.0)));
    }
    let ended = json_of(&[GAME, "fuzzy.crosses", "--moves", &format!("{before} (draw 1 3)")]);
    assert_eq!((&ended["terminal"], &ended["goal"]), (&json!(true), &json!(100)));
    let over =
        ggp(&[GAME, "fuzzy.crosses", "--all-moves", "--moves", &format!("{before} (draw 1 3)")]).assert();
    assert!(String::from_utf8_lossy(&over.success().get_output().stderr).contains("terminal"));
}

#[test]
fn simultaneous_moves_have_their_mean_value() {
    let game = "games/rock_paper_scissors.kif";
    let moves = json_of(&[game, "fuzzy.left_hand", "--all-moves"]);
    for found in moves.as_array().unwrap() {
        let [least, value, most] = ["least", "value", "most"].map(|key| found[key].as_f64().unwrap());
        assert!(least < value && value < most, "{found}");
        assert_eq!(found["replies"], 3);
        let action = found["move"].as_str().unwrap();
        let single: Vec<f64> = ["rock", "paper", "scissors"]
            .iter()
            .map(|reply| {
                let joint = format!("({action} (show {reply}))");
                json_of(&[game, "fuzzy.left_hand", "--moves", &joint])["value"].as_f64().unwrap()
            })
            .collect();
        assert!((single.iter().sum::<f64>() / 3.0 - value).abs() < 1e-12);
    }
    let text = printed(&[game, "fuzzy.left_hand", "--all-moves", "--mover", "right_hand"]);
    assert!(has_line(&text, &["right_hand", "left_hand"]) && has_line(&text, &["3"]), "{text}");
}

#[test]
fn explanations_show_terms_and_boards() {
    let text = printed(&[GAME, "fuzzy.crosses", "--moves", "(draw 2 2) (draw 1 2)", "--explain"]);
    for expected in ["mark/3", "argument 1 across, 2 up", "goal 100", "goal 50", "end of the game", "✓", "├ "]
    {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
    assert!(text.contains("  2  n c .\n") || text.contains("  2  . c .\n"), "{text}");
    assert!(!text.contains('\u{1b}'));
    let document = json_of(&[GAME, "material.max.material-ahead.crosses.crosses", "--explain"]);
    let feature = &document["explanation"]["feature"];
    assert_eq!(feature["value"], document["value"]);
    let members = feature["feature"]["members"].as_array().unwrap();
    let parts: Vec<f64> = members.iter().map(|part| part["value"].as_f64().unwrap()).collect();
    assert_eq!(parts[0] - parts[1], feature["feature"]["value"].as_f64().unwrap());
}

#[test]
fn documents_are_evaluated_and_edits_marked() {
    let folder = tempfile::tempdir().unwrap();
    documents(GAME, folder.path());
    let path = folder.path().join("evaluations/fuzzy.crosses.json");
    let name = path.to_str().unwrap();
    // The initial state is symmetric, so its value does not depend on the parameters. Evaluate a later state.
    let found = json_of(&[GAME, name, "--moves", "(draw 1 1)"]);
    assert!(found.get("edited").is_none());
    assert_eq!(found["range"], json!([0.0, 1.0]));

    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"p\": 0.8", "\"p\": 0.9")).unwrap();
    let run = ggp(&[GAME, name, "--moves", "(draw 1 1)", "--format", "json"]).assert().success();
    let edited: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    assert_eq!(edited["edited"], true);
    assert_ne!(edited["value"], found["value"]);
    assert!(String::from_utf8_lossy(&run.get_output().stderr).contains("edited"));

    assert_rejected(&["games/nim.kif", name], &["`tic_tac_toe`", "`nim`", name]);
    assert_rejected(&[GAME, name, "--role", "noughts"], &["for crosses, not for noughts"]);
    std::fs::write(&path, text.replacen("0.8", "NaN", 1)).unwrap();
    assert_rejected(&[GAME, name], &[&format!("{name}:"), "no NaN"]);
    std::fs::write(&path, text.replace("(mark 2 2 cross)", "(mark 2 4 cross)")).unwrap();
    assert_rejected(&[GAME, name], &[name, "(mark 2 4 cross)"]);
    std::fs::write(&path, "").unwrap();
    assert_rejected(&[GAME, name], &[name, "it is empty"]);
    assert_rejected(&[GAME, "nowhere/fuzzy.json"], &["nowhere/fuzzy.json"]);
}

#[test]
fn unusable_inputs_are_rejected_with_the_expected_form() {
    for (arguments, expected) in [
        (&["fuzy"][..], &["no evaluation function `fuzy`", "fuzzy.crosses"][..]),
        (&["fuzzy"], &["fuzzy.crosses, fuzzy.noughts", "--role crosses or --role noughts"]),
        (&["kuhlmann.max.count.mark._._.circle"], &["kuhlmann.max.count.mark._._.cross"]),
        (&["fuzzy", "--role", "circles"], &["`circles`", "crosses, noughts"]),
        (&["fuzzy.crosses", "--role", "noughts"], &["for crosses, not for noughts"]),
        (&["fuzzy.crosses", "--state", "(mark 1 4 cross)"], &["`(mark 1 4 cross)`", "`(mark 1 1 cross)`"]),
        (&["fuzzy.crosses", "--state", "((mark 1 1 cross)"], &["line 1, column 1", "no matching"]),
        (&["fuzzy.crosses", "--state", "(mark ?x 1 cross)"], &["`?x` is a variable"]),
        (&["fuzzy.crosses", "--state", "[1]"], &["a list of atoms"]),
        (&["fuzzy.crosses", "--state", "{\"state\": "], &["not valid JSON"]),
        (&["fuzzy.crosses", "--state", "@nowhere.kif"], &["nowhere.kif"]),
        (&["fuzzy.crosses", "--moves", "(draw 2 2) (draw 2 2)"], &["step 2", "`(draw 2 2)`", "noughts"]),
        (
            &["fuzzy.crosses", "--moves", "((draw 2 2) (draw 1 1))"],
            &["step 1", "`(draw 1 1)`", "noughts", "`noop`"],
        ),
        (&["fuzzy.crosses", "--moves", "((draw 2 2))"], &["step 1", "`(draw 2 2)`"]),
        (
            &["fuzzy.crosses", "--backend", "relational", "--state", "(mark 1 4 cross)"],
            &["`(mark 1 4 cross)`", "(mark 1 "],
        ),
    ] {
        if arguments.contains(&"((draw 2 2))") {
            // A single role's move may have extra parentheses.
            ggp(&[&[GAME], arguments].concat()).assert().success();
            continue;
        }
        assert_rejected(&[&[GAME], arguments].concat(), expected);
    }
    assert_rejected(
        &["games/rock_paper_scissors.kif", "fuzzy.left_hand", "--moves", "(show rock)"],
        &["left_hand", "right_hand", "((show rock) (show rock))"],
    );
    for arguments in [
        &[][..],
        &[GAME],
        &[GAME, "fuzzy", "--mover", "crosses"],
        &[GAME, "fuzzy", "--all-moves", "--explain"],
        &[GAME, "fuzzy", "--serve", "--state", "x"],
        &[GAME, "fuzzy", "--fuzzy-norm", "sum"],
        &[GAME, "fuzzy.crosses", "--fuzzy-threshold", "0.3"],
    ] {
        ggp(arguments).assert().code(2);
    }
}

#[test]
fn parameters_change_values() {
    let value = |arguments: &[&str]| {
        json_of(&[&[GAME, "fuzzy.crosses", "--moves", "(draw 1 1)"], arguments].concat())["value"].clone()
    };
    assert_ne!(value(&["--fuzzy-p", "0.95"]), value(&[]));
    assert_ne!(value(&["--fuzzy-norm", "yager:4"]), value(&["--fuzzy-norm", "minimum"]));
}

#[test]
fn tables_and_rows_are_printed() {
    let csv = printed(&[GAME, "fuzzy.crosses", "--format", "csv"]);
    assert!(
        csv.starts_with(
            "game,id,kind,role,edited,value,low,high,terminal,goal\ntic_tac_toe,fuzzy.crosses,fuzzy,"
        ),
        "{csv}"
    );
    let moves = printed(&[GAME, "fuzzy.crosses", "--all-moves", "--format", "csv"]);
    assert!(moves.starts_with("move,value,least,most,replies,terminal,goal\n(draw 2 2),"), "{moves}");
    assert_eq!(moves.lines().count(), 10);
    let table = printed(&[GAME, "fuzzy.crosses"]);
    assert!(table.contains("(0 to 1)") && table.contains("crosses is to move"), "{table}");
}

fn serve(input: impl Into<Vec<u8>>) -> Vec<Value> {
    let run = ggp(&[GAME, "fuzzy.crosses", "--serve"]).write_stdin(input).assert().success();
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_request_is_answered() {
    let first = json_of(&[GAME, "fuzzy.crosses"]);
    let state = first["state"].clone();
    let long = format!("{{\"id\": 9, \"state\": \"{}\"}}", " ".repeat(17 << 20));
    let ended = "(draw 1 1) (draw 2 1) (draw 1 2) (draw 2 2) (draw 1 3)";
    let ended = json_of(&[GAME, "fuzzy.crosses", "--moves", ended]);
    let lines = [
        json!({"id": 1, "state": state}).to_string(),
        String::new(),
        json!({"id": {"any": "thing"}}).to_string(),
        json!({"id": 3, "state": "(mark 9 9 cross)"}).to_string(),
        "no JSON".to_owned(),
        json!({"id": 5, "sate": []}).to_string(),
        "7".to_owned(),
        long,
        "  ".to_owned(),
        json!({"id": 8, "state": ended["state"], "moves": true}).to_string(),
        json!({"id": 9, "moves": true}).to_string(),
        json!({"id": 10, "moves": true, "mover": "noughts"}).to_string(),
        json!({"id": 11, "moves": true, "mover": "nobody"}).to_string(),
        json!({"id": 12, "state": "x".repeat(1 << 20)}).to_string(),
        json!({"id": 13, "state": "(".repeat(1 << 20)}).to_string(),
    ];
    let mut input = lines.join("\n").into_bytes();
    input.extend(b"\n{\"id\": \xff}\n{\"id\": 15}");
    let answers = serve(input);
    assert_eq!(answers.len(), 15, "{answers:#?}");
    assert_eq!(answers[0], json!({"id": 1, "value": first["value"], "terminal": false}));
    assert_eq!(answers[1], json!({"id": {"any": "thing"}, "value": first["value"], "terminal": false}));
    let errors = [
        (2, json!(3), "(mark 9 9 cross)"),
        (3, json!(null), "no request"),
        (4, json!(5), "unknown field `sate`"),
        (5, json!(null), "no request"),
        (6, json!(null), "16 MiB"),
        (10, json!(11), "no role `nobody`"),
        (11, json!(12), "no state of the game has `xxx"),
        (12, json!(13), "deep"),
        (13, json!(null), "no request"),
    ];
    for (index, id, expected) in errors {
        let error = answers[index]["error"].as_str().unwrap_or_else(|| panic!("{}", answers[index]));
        assert!(error.contains(expected) && answers[index]["id"] == id, "{}", answers[index]);
        assert_eq!(answers[index].as_object().unwrap().len(), 2);
    }
    assert_eq!(
        (&answers[7]["goal"], &answers[7]["terminal"], &answers[7]["moves"]),
        (&json!(100), &json!(true), &json!([]))
    );
    assert_eq!(answers[8]["moves"], json_of(&[GAME, "fuzzy.crosses", "--all-moves"]));
    assert_eq!(answers[9]["moves"].as_array().unwrap().len(), 1);
    assert_eq!(answers[14]["value"], first["value"]);
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 is not installed")]
fn the_client_of_the_page_runs() {
    let page = std::fs::read_to_string("docs/evaluations.md").unwrap();
    let client = std::fs::read_to_string("docs/client.py").unwrap();
    let shown = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(shown == client, "docs/evaluations.md shows another client than docs/client.py");
    let binary = assert_cmd::cargo::cargo_bin("ggp");
    let run =
        Command::new("python3").arg("docs/client.py").arg(binary).args([GAME, "fuzzy.crosses"]).assert();
    let printed = String::from_utf8_lossy(&run.success().get_output().stdout).into_owned();
    let value = json_of(&[GAME, "fuzzy.crosses"])["value"].to_string();
    assert_eq!(printed, format!("{value} (draw 2 2)\n"));
}

#[test]
fn the_commands_of_the_page_run() {
    let page = std::fs::read_to_string("docs/evaluations.md").unwrap();
    let shown = page.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    for command in shown.lines() {
        // Splits a command into words as a shell does; supports double quotes only.
        let words: Vec<&str> = command
            .split('"')
            .enumerate()
            .flat_map(
                |(index, part)| if index % 2 == 1 { vec![part] } else { part.split_whitespace().collect() },
            )
            .collect();
        assert_eq!(words[..2], ["ggp", "eval"], "{command}");
        ggp(&words[2..]).assert().success();
    }
}
