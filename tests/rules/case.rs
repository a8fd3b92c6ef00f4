//! Names that differ only in case are the same name, or different names with `--case-sensitive`.

use assert_cmd::Command;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};

const RULES: &str = "(role ann) (init (at 1)) (nextSpot 1 2) (nextSpot 2 3)
(<= (legal ann (go ?y)) (true (at ?x)) (nextspot ?x ?y)) (LEGAL ann Stay)
(<= (next (at ?Y)) (does ann (go ?Y))) (<= (next (at ?y)) (does ann Stay) (true (at ?y)))
(<= terminal (true (at 3))) (goal ann 100)";

fn first_moves(case_sensitive: bool, backend: Backend) -> Vec<String> {
    let source = Source::from_text("case", RULES).case_sensitive(case_sensitive);
    let description = read(&source).description.expect("the rules have no errors");
    let game = load(description, backend, &Limits::default()).unwrap();
    let cursor = game.machine.cursor();
    cursor.legal(0).iter().map(|&action| game.machine.move_text(action)).collect()
}

#[test]
fn case_sensitivity_decides_whether_names_differ() {
    for backend in [Backend::Network, Backend::Relational] {
        let mut folded = first_moves(false, backend);
        folded.sort();
        assert_eq!(folded, ["(go 2)", "stay"]);
        assert_eq!(first_moves(true, backend), ["stay"]);
    }
}

#[test]
fn every_command_accepts_case_sensitive() {
    let folder = tempfile::tempdir().unwrap();
    let (path, trace) = (folder.path().join("case.kif"), folder.path().join("trace.jsonl"));
    std::fs::write(&path, RULES).unwrap();
    let ggp = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("ggp").unwrap();
        let run = command.args(arguments).arg(&path).output().unwrap();
        (run.status.code(), String::from_utf8_lossy(&run.stdout).into_owned())
    };
    let (_, found) = ggp(&["check"]);
    assert!(
        found.contains("GDL042") && found.contains("`nextSpot`") && found.contains("`nextspot`"),
        "{found}"
    );
    assert!(!ggp(&["check", "--case-sensitive"]).1.contains("GDL042"));
    let trace_option = format!("--trace={}", trace.display());
    let play = ["simulate", "--playouts", "3", "--max-steps", "5", &trace_option];
    assert_eq!(ggp(&play).0, Some(0));
    let replay = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("ggp").unwrap();
        command.arg("replay").args(arguments).args([&path, &trace]).output().unwrap().status.code()
    };
    assert_eq!((replay(&[]), replay(&["--case-sensitive"])), (Some(0), Some(4)));
    assert_eq!(ggp(&[&["--case-sensitive"], &play[..]].concat()).0, Some(0));
    assert_eq!((replay(&[]), replay(&["--case-sensitive"])), (Some(4), Some(0)));
}
