//! The checked-in schemas are those of the program: `docs/analysis.schema.json` for `ggp analyze --format json`, and others
//! for evaluation functions, tournaments and comparisons. The documents match their schemas, and `docs/functions.md` is the
//! page of the kinds of evaluation functions.
//!
//! `GGP_BLESS=1 cargo test --test documents schema::` writes these files again.

use assert_cmd::Command;
use ggp::evaluation::kinds;
use ggp::report::{analysis, compare, evaluation_files, tournament};
use serde_json::Value;

#[test]
fn checked_in_schemas_are_current() {
    for (file, made) in [
        ("docs/analysis.schema.json", analysis::schema().unwrap()),
        ("docs/evaluation.schema.json", evaluation_files::schema().unwrap()),
        ("docs/tournament.schema.json", tournament::schema().unwrap()),
        ("docs/comparison.schema.json", compare::schema().unwrap()),
        ("docs/functions.md", kinds::functions_page()),
    ] {
        if std::env::var_os("GGP_BLESS").is_some() {
            std::fs::create_dir_all("docs").unwrap();
            std::fs::write(file, &made).unwrap();
        }
        let kept = std::fs::read_to_string(file).unwrap_or_default();
        assert!(kept == made, "{file} is stale: run `GGP_BLESS=1 cargo test --test documents schema::`");
    }
}

/// Follows references. Of `anyOf` it takes the branch that is not null, of `oneOf` the branch of the kind of the value.
fn resolve<'s>(value: &Value, schema: &'s Value, root: &'s Value) -> &'s Value {
    if let Some(name) = schema["$ref"].as_str() {
        return resolve(value, &root["$defs"][name.rsplit('/').next().unwrap()], root);
    }
    if let (Some(branches), true) = (schema["oneOf"].as_array(), value["kind"].is_string()) {
        let of_kind = |branch: &&Value| branch["properties"]["kind"]["const"] == value["kind"];
        return branches.iter().find(of_kind).unwrap_or_else(|| panic!("no kind {}", value["kind"]));
    }
    // A variant with one value has a single key.
    if let (Some(branches), Some(map)) = (schema["oneOf"].as_array(), value.as_object()) {
        let has_keys = |branch: &&Value| map.keys().all(|key| branch["properties"][key].is_object());
        return branches.iter().find(has_keys).unwrap_or_else(|| panic!("no variant for {value}"));
    }
    match schema["anyOf"].as_array() {
        Some(branches) => resolve(value, branches.iter().find(|b| b["type"] != "null").unwrap(), root),
        None => schema,
    }
}

/// Checks that the schema knows every key of the document, and that all required keys exist.
fn check_value(value: &Value, schema: &Value, root: &Value, path: &str) {
    let schema = resolve(value, schema, root);
    match value {
        Value::Object(map) => {
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(map.contains_key(required.as_str().unwrap()), "{path} lacks {required}");
            }
            for (key, value) in map {
                let known = [&schema["properties"][key], &schema["additionalProperties"]];
                let known = known.into_iter().find(|schema| schema.is_object());
                let known = known.unwrap_or_else(|| panic!("{path}/{key} is not in the schema"));
                check_value(value, known, root, &format!("{path}/{key}"));
            }
        }
        Value::Array(values) => {
            values.iter().for_each(|value| check_value(value, &schema["items"], root, path));
        }
        _ => {}
    }
}

#[test]
fn documents_match_the_schema() {
    let schema: Value = serde_json::from_str(&analysis::schema().unwrap()).unwrap();
    for game in ["connect_four", "eight_puzzle", "king_rook_endgame", "nim"] {
        let path = format!("games/{game}.kif");
        let arguments = ["analyze", &path, "--playouts", "50", "--format", "json"];
        let run = Command::cargo_bin("ggp").unwrap().args(arguments).assert().success();
        let document: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
        check_value(&document, &schema, &schema, game);
    }
}

#[test]
fn tournaments_match_their_schema() {
    let schema: Value = serde_json::from_str(&tournament::schema().unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = "--games games/nim.kif games/eight_puzzle.kif --players random uct --nodes 20 --rounds 3 --sprt 0,99,.1,.1";
    let mut run = Command::cargo_bin("ggp").unwrap();
    run.arg("tournament").args(options.split(' ')).args(["--format", "json", "--out"]).arg(folder.path());
    let document: Value = serde_json::from_slice(&run.assert().success().get_output().stdout).unwrap();
    check_value(&document, &schema, &schema, "tournament");
    assert_eq!(document["schema"], "ggp.tournament/1");
}

#[test]
fn comparisons_match_their_schema() {
    let schema: Value = serde_json::from_str(&compare::schema().unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for seed in ["1", "2"] {
        let games = std::path::absolute("games/nim.kif").unwrap();
        let study = format!(
            "kind = \"matches\"\ngames = [{games:?}]\nseed = {seed}\n[matches]\nplayers = [\"random\", \"uct\"]\n\
             nodes = [10, 20]\nrounds = 6\n"
        );
        let file = folder.path().join("study.toml");
        std::fs::write(&file, study).unwrap();
        let mut run = Command::cargo_bin("ggp").unwrap();
        run.arg("study").arg(&file).arg("--out").arg(folder.path().join(seed)).assert().success();
    }
    let mut run = Command::cargo_bin("ggp").unwrap();
    run.arg("compare").args(["1", "2"].map(|seed| folder.path().join(seed))).args(["--format", "json"]);
    let document: Value = serde_json::from_slice(&run.output().unwrap().stdout).unwrap();
    check_value(&document, &schema, &schema, "comparison");
    assert_eq!(
        (document["schema"].as_str(), document["kind"].as_str()),
        (Some("ggp.comparison/1"), Some("tournaments"))
    );
    let names: Vec<&str> =
        document["differences"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert!(["10 nodes: uct", "20 nodes: uct"].iter().all(|name| names.contains(name)), "{names:?}");
}
