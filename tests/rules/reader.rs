//! The program gives a verdict for any bytes and never crashes.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

fn ggp() -> Command {
    let mut command = Command::cargo_bin("ggp").expect("cargo builds the binary for its tests");
    command.timeout(std::time::Duration::from_secs(60));
    command
}

fn check(name: &str, bytes: impl AsRef<[u8]>) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("the file is written");
    run(&path)
}

fn run(path: &Path) -> (i32, String) {
    let output = ggp().arg("check").arg(path).output().expect("the binary runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    (output.status.code().expect("no signal"), String::from_utf8_lossy(&output.stdout).into_owned())
}

const GAME: &str = "(role a) (init (step 1)) (succ 1 2) (succ 2 3) (legal a go)
(<= (next (step ?y)) (does a go) (true (step ?x)) (succ ?x ?y))
(<= terminal (true (step 3))) (goal a 100)
";

#[test]
fn a_valid_game_is_accepted() {
    let (exit, text) = check("good.kif", GAME);
    assert_eq!(exit, 0, "{text}");
    assert!(text.ends_with("good.kif: ok\n"), "{text}");
}

#[test]
fn a_million_open_parentheses_are_one_error() {
    let (exit, text) = check("open.kif", "(".repeat(1_000_000));
    assert_eq!(exit, 1);
    assert_eq!(text.matches("error GDL").count(), 1, "{text}");
    assert!(text.contains("GDL008"), "{text}");
    assert!(text.len() < 4_000, "a long line is cut");
}

#[test]
fn a_million_closing_parentheses_are_a_warning() {
    let (exit, text) = check("close.kif", format!("{GAME}{}", ")".repeat(1_000_000)));
    assert_eq!(exit, 0, "{text}");
    assert!(text.contains("GDL007"), "{text}");
}

#[test]
fn fifty_megabytes_are_rejected() {
    let (exit, text) = check("large.kif", "(p 1)\n".repeat(50_000_000 / 6));
    assert_eq!(exit, 1);
    assert!(text.contains("GDL001"), "{text}");
}

#[test]
fn nul_bytes_and_invalid_utf_8_are_reported_with_their_position() {
    let (exit, text) = check("nul.kif", format!("{GAME}(p \0)"));
    assert_eq!(exit, 1);
    assert!(text.contains("GDL004") && text.contains("nul.kif:4:4"), "{text}");
    let (exit, text) = check("bytes.kif", [GAME.as_bytes(), b"(p caf\xe9)"].concat());
    assert_eq!(exit, 1);
    assert!(text.contains("GDL002") && text.contains("bytes.kif:4:7"), "{text}");
    let (exit, text) = check("comment.kif", [GAME.as_bytes(), b"; caf\xe9"].concat());
    assert_eq!(exit, 0, "{text}");
    assert!(text.contains("GDL003"), "{text}");
}

#[test]
fn truncated_files_show_the_open_parentheses() {
    let (exit, text) = check("cut.kif", &GAME[..GAME.len() - 40]);
    assert_eq!(exit, 1);
    assert!(text.contains("GDL005"), "{text}");
}

#[test]
fn all_errors_of_a_file_are_reported_together() {
    let text = "(role a)\n(<= (legal a (move ?x))\n(<= (p ?x) (not))\n(<= (r ?x) (p 1))\n(goal a win)\n(<= q (not q))\n";
    let (exit, text) = check("many.kif", text);
    assert_eq!(exit, 1);
    for code in ["GDL005", "GDL012", "GDL026", "GDL030", "GDL039"] {
        assert!(text.contains(code), "{code} in {text}");
    }
}

/// An error: its code, its help, and the line and column of each label.
type ListedError = (String, String, Vec<(usize, usize)>);

/// The errors of a text.
fn errors(text: &str) -> Vec<ListedError> {
    let source = ggp::gdl::Source::from_text("text", text);
    let place = |at: u32| {
        let before = &text[..at as usize];
        (before.matches('\n').count() + 1, before.len() - before.rfind('\n').map_or(0, |end| end + 1) + 1)
    };
    let errors = ggp::gdl::read(&source).diagnostics.into_iter();
    let errors = errors.filter(|fault| fault.severity == ggp::gdl::diagnostic::Severity::Error);
    let labels = |fault: &ggp::gdl::diagnostic::Diagnostic| {
        fault.labels.iter().map(|label| place(label.span.start)).collect()
    };
    errors.map(|fault| (fault.code.to_string(), fault.help.clone(), labels(&fault))).collect()
}

#[test]
fn rules_in_one_list_need_only_the_outer_parentheses_removed() {
    for text in [format!("(\n{GAME})\n"), format!("(\n{})", GAME.replace(") (", ")\n("))] {
        let found = errors(&text);
        let [(code, help, _)] = &found[..] else { panic!("{found:?}") };
        assert_eq!((code.as_str(), help.as_str()), ("GDL010", "remove the outer parentheses"));
    }
    let found = errors(&format!("(\n{GAME}"));
    let [(code, help, labels)] = &found[..] else { panic!("{found:?}") };
    assert_eq!((code.as_str(), &labels[..]), ("GDL005", &[(1, 1)][..]));
    assert!(help.starts_with("remove this `(`"), "{help}");
}

#[test]
fn a_missing_parenthesis_is_one_error_at_the_likeliest_place() {
    for (rule, place) in [
        ("(<= (next (step 1))\n    (true (step 2)\n    (does a go))", (5, 18)),
        ("(<= (next (step 1)) (true (step 2) (does a go))", (4, 34)),
        ("(<= (next (step 1) (true (step 2)) (does a go))", (4, 18)),
        ("(<= (next (step 1)) (true (step 2 (does a go)))", (4, 33)),
        ("(<= (next (step 1)) (not (true (step 2)) (does a go))", (4, 40)),
        ("(<= (next (step 1))\n    (succ 1 2\n    (does a go))", (5, 13)),
        ("(<= (next (step 1)) (true (step 2)) (does a go)", (4, 47)),
    ] {
        for text in [format!("{GAME}{rule}\n"), format!("{GAME}{rule}\n\n(<= (p) (true (step 1)))\n")] {
            let found = errors(&text);
            let [(code, _, labels)] = &found[..] else { panic!("{text}: {found:?}") };
            assert_eq!((code.as_str(), &labels[..]), ("GDL005", &[(4, 1), place][..]), "{text}");
        }
    }
    let two = "(<= (p 1) (true (q 1))\n\n(<= (p 2) (true (q 2))\n\n(<= (p 3) (true (q 3)))\n";
    let found = errors(&format!("{GAME}{two}"));
    let labels: Vec<_> = found.iter().flat_map(|(_, _, labels)| labels).copied().collect();
    assert_eq!(labels, [(4, 1), (4, 22), (6, 1), (6, 22)], "each fault has its own end: {found:?}");
}

#[test]
fn messages_name_what_the_author_wrote() {
    for (more, expected, unexpected) in [
        ("(role ”b”)", "write `b`", "”b`"),
        (
            "(<= (legal ?p pass) (does ?q take) (role ?p))",
            "`(legal ?p pass)` depends on `(does ?q take)`",
            "(does role",
        ),
        (
            "(num (s 0)) (<= (num (s ?x)) (num ?x) (num ?y))",
            "can grow without end: nothing limits",
            "is not bounded",
        ),
        ("(<= (num ?x) (succ ?x ?y) (num ?y)) (num 3)", "only its own rule uses `num/1`", "no rule uses"),
        ("(only 1) (<= (next (step ?z)) (only ?y))", "GDL026", "GDL043"),
        ("(only 1) (<= (next (step 1)) (only 1) (true (step 1)", "GDL005", "GDL043"),
    ] {
        let (_, text) = check("more.kif", format!("{GAME}{more}\n"));
        assert!(text.contains(expected) && !text.contains(unexpected), "{more}: {text}");
    }
    let (_, text) = check(
        "leagl.kif",
        GAME.replace("(legal a go)", "(<= (leagl a go) (true (step 1)))\n(<= (legal a go) (true (step 2)))"),
    );
    assert!(text.contains("`leagl` may be a misspelling of `legal`"), "{text}");
    assert!(text.contains("the first rule for `legal` of `a`"), "{text}");
}

/// A rule with a variable for a whole fluent or move is left out, with a warning, if the variable cannot have a value.
#[test]
fn rules_without_instances_are_reported() {
    // With the game's own legal move the rest can be played; without it, the game has no legal move.
    let without = GAME.replace("(legal a go)", "");
    for (rule, code) in [
        ("(<= (legal a ?m) (extra ?m))", "GDL044"),
        ("(<= (legal a ?m) (extra ?m) (succ ?m 2))", "GDL044"),
        ("(<= (legal a ?m) (succ ?m 3) (succ 1 ?n) (first ?m)) (first go)", "GDL044"),
        ("(<= (legal a ?m) (first ?m)) (<= (first ?m) (second ?m))", "GDL044"),
        ("(<= (next ?f) (true ?f) (kept ?f))", "GDL044"),
        ("(<= (legal a ?m) (true (step 1)))", "GDL026"),
        ("(<= (legal a ?m) (not (extra ?m)))", "GDL026"),
        ("(<= (legal a ?m) (distinct ?m go))", "GDL026"),
        ("(<= (next ?f) (true (step 1)))", "GDL026"),
    ] {
        let is_error = code == "GDL026";
        let (exit, text) = check("rule.kif", format!("{GAME}{rule}\n"));
        assert_eq!(exit, i32::from(is_error), "{rule}: {text}");
        assert!(text.contains(code) && text.contains("rule.kif:4:"), "{rule}: {text}");
        let (exit, text) = check("rule.kif", format!("{without}{rule}\n"));
        assert_eq!(exit, 1, "{rule}: {text}");
        assert!(text.contains(code), "{rule}: {text}");
        let none = !rule.starts_with("(<= (legal");
        assert_eq!(text.contains("GDL034"), none || !is_error, "{rule}: {text}");
    }
}

#[test]
fn every_line_ending_is_recognised() {
    for end in ["\r", "\n", "\r\n"] {
        let (exit, text) = check("ends.kif", format!("{GAME}; a comment\n(p ?x)\n").replace('\n', end));
        assert_eq!(exit, 1);
        assert!(text.contains("ends.kif:5:4"), "{end:?}: {text}");
    }
}

#[test]
fn json_has_code_position_and_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("j.kif");
    fs::write(&path, format!("{GAME}(<= (p ?x)\n    (q ?y))\n")).expect("the file is written");
    let output = ggp().args(["check", "--format", "json"]).arg(&path).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(1));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a JSON document");
    assert_eq!(document["schema"], "ggp.check/1");
    let faults = document["games"][0]["diagnostics"].as_array().expect("a list");
    let fault = faults.iter().find(|fault| fault["code"] == "GDL026").expect("the unsafe head");
    assert_eq!((&fault["line"], &fault["column"]), (&4.into(), &8.into()));
    assert_eq!(fault["source"], "(<= (p ?x)");
    assert_eq!(fault["severity"], "error");
}

#[test]
fn exit_codes_are_the_documented_ones() {
    for (arguments, exit) in [
        (vec!["check"], 2),
        (vec!["check", "--no-such-option", "x"], 2),
        (vec!["check", "no/such/file.kif"], 1),
        (vec!["check", "--explain"], 0),
        (vec!["check", "--explain", "GDL007"], 0),
        (vec!["check", "--explain", "gdl26"], 0),
        (vec!["explain", "GDL999"], 1),
        (vec!["--version"], 0),
        (vec!["no-such-command"], 2),
    ] {
        let output = ggp().args(&arguments).output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}");
    }
}
