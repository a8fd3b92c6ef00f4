//! `ggp compare` finds the changes between two results, separates chance from real changes, and reports them by its
//! exit status.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

fn ggp(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("ggp").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn analyses_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (out, seed) in [("first", "1"), ("again", "1"), ("second", "2")] {
        let (status, _, stderr) =
            ggp(path, &["analyze", "nim", "--playouts", "300", "--seed", seed, "--out", out]);
        assert_eq!(status, 0, "{stderr}");
    }
    let (status, text, _) = ggp(path, &["compare", "first", "again", "--format", "json"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, &found["differences"]), (0, &serde_json::json!([])));
    assert_eq!(ggp(path, &["compare", "first", "again"]).0, 0);

    // Other random play changes estimates, hardly any by more than chance, and changes no finding.
    let (_, text, _) = ggp(path, &["compare", "first", "second", "--format", "json"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    let differences = found["differences"].as_array().unwrap();
    let chance = differences.iter().filter(|one| one["what"] == "chance").count();
    assert!(chance > 20, "{text}");
    assert!(!differences.iter().any(|one| one["section"] == "structures"), "{text}");
    // Functions that were learned again are different functions, so their estimates are not compared.
    let changes =
        |name: &str| -> Vec<&Value> { differences.iter().filter(|one| one["name"] == name).collect() };
    for name in ["statistical.left", "statistical.right"] {
        let found = changes(name);
        assert!(matches!(found[..], [one] if one["what"] == "other-function"), "{name}: {found:?}");
    }
    // Functions made from the rules are the same under both seeds.
    assert!(!changes("fuzzy.left").iter().any(|one| one["what"] == "other-function"), "{text}");

    // Other rules have other findings, and the page lists them.
    ggp(path, &["analyze", "tic_tac_toe", "--playouts", "300", "--out", "other"]);
    let (status, text, _) = ggp(path, &["compare", "first", "other", "--out", "page.html"]);
    assert_eq!(status, 4);
    assert!(text.contains("Only in A") && text.contains("heap/2") && text.contains("mark/3"), "{text}");
    let page = fs::read_to_string(path.join("page.html")).unwrap();
    assert!(page.contains("heap/2") && page.contains("class=\"sortable\""));
    // The page contains everything that it needs.
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"));
    // The same differences give the same page.
    ggp(path, &["compare", "first", "other", "--out", "same.html"]);
    assert_eq!(page, fs::read_to_string(path.join("same.html")).unwrap());
}

#[test]
fn tournaments_judgements_and_sweeps_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (seed, players) in [("1", ["random", "greedy:fuzzy"]), ("2", ["random", "alphabeta:fuzzy?depth=1"])] {
        let common = ["--nodes", "30", "--rounds", "4", "--seed", seed, "--out"];
        let out = format!("games{seed}");
        let start = ["tournament", "--games", "tic_tac_toe", "--players", players[0], players[1]];
        let (status, _, stderr) = ggp(path, &[&start[..], &common, &[&out]].concat());
        assert_eq!(status, 0, "{stderr}");
        let judge = ["judge", "tic_tac_toe", "--states", "30", "--play", "20", "--functions", "fuzzy"];
        let (status, text, stderr) = ggp(path, &[&judge[..], &["--format", "json", "--seed", seed]].concat());
        assert_eq!(status, 0, "{stderr}");
        fs::write(path.join(format!("judged{seed}.json")), text).unwrap();
    }
    let (status, text, _) = ggp(path, &["compare", "games1", "games2"]);
    assert!(status == 4 && text.contains("greedy:fuzzy") && text.contains("Only in B"), "{text}");
    let (status, text, stderr) = ggp(path, &["compare", "judged1.json", "judged2.json"]);
    assert!([0, 4].contains(&status) && text.contains("judged functions"), "{text}{stderr}");

    fs::create_dir(path.join("archive")).unwrap();
    let (_, rules, _) = ggp(path, &["games", "nim"]);
    fs::write(path.join("archive/nim.kif"), &rules).unwrap();
    fs::write(path.join("archive/broken.kif"), "(role left").unwrap();
    let sweep = ["sweep", "archive", "--playouts", "100", "--speeds", "0", "--out"];
    ggp(path, &[&sweep[..], &["before"]].concat());
    fs::write(path.join("archive/broken.kif"), &rules).unwrap();
    ggp(path, &[&sweep[..], &["after"]].concat());
    let (status, text, _) = ggp(path, &["compare", "before", "after"]);
    assert!(status == 4 && text.contains("refused") && text.contains("broken.kif"), "{text}");
}

#[test]
fn incomparable_documents_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("row.jsonl"), "{\"path\":\"a.kif\",\"verdict\":\"ok\"}\n").unwrap();
    fs::write(path.join("other.json"), "{\"schema\":\"ggp.evaluation/1\"}").unwrap();
    fs::write(path.join("analysis.json"), "{\"schema\":\"ggp.analysis/1\"}").unwrap();
    fs::write(path.join("text"), "no JSON").unwrap();
    fs::create_dir(path.join("empty")).unwrap();
    for (other, what) in [
        ("analysis.json", "sweeps can't be compared with analyses"),
        ("other.json", "of the schema ggp.evaluation/1"),
        ("text", "line 1"),
        ("missing", "can't be read"),
        ("empty", "has no results"),
    ] {
        let (status, _, stderr) = ggp(path, &["compare", "row.jsonl", other]);
        assert!(status == 1 && stderr.contains(what), "{other}: {stderr}");
    }
}
