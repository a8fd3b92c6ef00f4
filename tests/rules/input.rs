//! Files in common encodings are read. Files in other notations get one message that names the problem.

use assert_cmd::Command;
use ggp::gdl::diagnostic::{Code, Severity};
use ggp::gdl::{Reading, Source, check, read};
use serde_json::Value;

const GAME: &str = "(role ann)
(init (step 1))
(succ 1 2)
(succ 2 3)
(legal ann go)
(<= (next (step ?y)) (does ann go) (true (step ?x)) (succ ?x ?y))
(<= terminal (true (step 3)))
(goal ann 100)
";

fn reading(bytes: impl Into<Vec<u8>>) -> Reading {
    read(&Source::from_bytes("game", bytes))
}

fn codes(reading: &Reading) -> Vec<Code> {
    reading.diagnostics.iter().map(|fault| fault.code).collect()
}

/// Runs `ggp check --format json` on a text; returns the exit status and the document of the game.
fn check_text(text: &str, options: &[&str]) -> (i32, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.kif");
    std::fs::write(&path, text).unwrap();
    let mut command = Command::cargo_bin("ggp").unwrap();
    command.timeout(std::time::Duration::from_secs(60));
    let output = command.args(["check", "--format", "json"]).args(options).arg(&path).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code().unwrap(), document["games"][0].clone())
}

fn codes_of(game: &Value) -> Vec<String> {
    let faults = game["diagnostics"].as_array().unwrap();
    faults.iter().map(|fault| fault["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn utf_16_is_read_with_one_warning() {
    for text in [GAME.to_owned(), format!("\u{feff}{GAME}")] {
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            let reading = reading(text.encode_utf16().flat_map(unit).collect::<Vec<u8>>());
            assert_eq!(codes(&reading), [check::notation::UTF16]);
            assert_eq!(reading.description.unwrap().fingerprint, plain().fingerprint);
        }
    }
}

fn plain() -> ggp::gdl::Description {
    reading(GAME).description.unwrap()
}

#[test]
fn binary_files_get_one_message_per_kind() {
    let bytes: Vec<u8> = (0..20_000_u32).map(|number| (number * 7 % 251) as u8).collect();
    let found = codes(&reading(bytes));
    for code in [check::syntax::INVALID_UTF8, check::syntax::CONTROL_CHARACTER] {
        assert_eq!(found.iter().filter(|&&other| other == code).count(), 1, "{found:?}");
    }
}

#[test]
fn other_notations_get_one_message() {
    let infix = "% a comment (role x)\nrole(ann)\ninit(step(1))\nlegal(ann, go)\nnext(step(2)) :- does(ann, go)\n\
                 terminal :- true(step(2)) & ~true(step(1))\ngoal(ann, 100)\n";
    let other = |arrow: &str| GAME.replace("(<= ", &format!("({arrow} "));
    let texts = [infix.to_owned(), other(":-"), other("=>"), other("\u{21d0}"), other("<-")];
    for text in texts {
        let reading = reading(text.clone());
        assert_eq!(codes(&reading), [check::notation::OTHER_NOTATION], "{text}");
        assert!(reading.description.is_none());
    }
    // A relation may have any name.
    let named = format!("{GAME}(=> 2 1)\n(<= (=> ?x ?y) (succ ?y ?x) (-> ?x))\n(-> 1)\n");
    assert!(reading(named).description.is_some());
}

#[test]
#[cfg_attr(not(has_corpus), ignore = "GGP_CORPUS names no corpus")]
fn infix_files_of_the_corpus_get_one_message() {
    let corpus = crate::corpus();
    let more = std::fs::read_dir(corpus.join("epilog")).unwrap().map(|entry| entry.unwrap().path());
    let infix = more.filter(|path| path.extension().is_some_and(|end| end == "hrf"));
    for path in infix.chain([corpus.join("cases/infix.hrf")]) {
        let reading = read(&Source::load(&path).unwrap());
        assert_eq!(codes(&reading), [check::notation::OTHER_NOTATION], "{}", path.display());
    }
    for path in std::fs::read_dir(corpus.join("open")).unwrap().map(|entry| entry.unwrap().path()) {
        if path.extension().is_some_and(|end| end == "kif") {
            let reading = read(&Source::load(&path).unwrap());
            assert!(!codes(&reading).contains(&check::notation::OTHER_NOTATION), "{}", path.display());
        }
    }
}

/// A description of the largest size is read, and one more byte is an error.
#[test]
fn the_size_limit_is_the_stated_one() {
    let fact = "(succ 1 2)\n";
    let facts = fact.repeat((ggp::gdl::source::MAX_TEXT - GAME.len()) / fact.len());
    let reading = read(&Source::from_text("game", format!("{GAME}{facts}")));
    assert!(!codes(&reading).contains(&check::syntax::TOO_LARGE));
    assert!(reading.description.is_some());
    let more = " ".repeat(ggp::gdl::source::MAX_TEXT + 1);
    assert!(codes(&read(&Source::from_text("game", more))).contains(&check::syntax::TOO_LARGE));
}

#[test]
fn large_goal_values_and_words_have_different_messages() {
    let message = |value: &str| {
        let reading = reading(GAME.replace("(goal ann 100)", &format!("(goal ann {value})")));
        let faults = reading.diagnostics.into_iter();
        let fault = faults.into_iter().find(|fault| fault.code == check::goals::GOAL_NO_INTEGER);
        fault.map(|fault| fault.message.replace(value, "VALUE"))
    };
    let (large, word) = (message("99999999999"), message("win"));
    assert!(large.is_some() && word.is_some());
    assert_ne!(large, word);
    assert_eq!(message("-99999999999"), large);
    assert_eq!(message("1000"), None);
}

#[test]
fn errors_come_first_and_single_use_variables_are_folded() {
    let text = format!(
        "(<= (p ?x) (q ?x ?other))\n(<= (q ?a ?b) (r ?a ?b ?c ?d))\n(r 1 2 3 4)\n\
         (<= (s ?x) (q ?x ?column) (r ?x ?colunm ?y ?z))\n{GAME}(<= (t ?unbound) (p 1))\n"
    );
    let reading = reading(text);
    let severities: Vec<Severity> = reading.diagnostics.iter().map(|fault| fault.severity).collect();
    assert_eq!(severities.iter().filter(|severity| **severity == Severity::Error).count(), 1);
    assert_eq!(severities[0], Severity::Error);
    let once = reading.diagnostics.iter().filter(|fault| fault.code == check::lint::VARIABLE_ONCE);
    let (folded, single): (Vec<_>, Vec<_>) = once.partition(|fault| fault.folded);
    let names: Vec<&str> = folded[0].labels.iter().map(|label| label.text.as_str()).collect();
    assert_eq!((folded.len(), names), (1, vec!["?other", "?c", "?d", "?y", "?z"]));
    assert!(single.iter().all(|fault| fault.message.contains("?colu")) && single.len() == 1, "{single:?}");
}

#[test]
fn folded_positions_are_shown_on_request() {
    let text =
        format!("{GAME}(<= (p ?x) (succ ?x ?y))\n(<= (q ?a) (p ?b))\n(q 1)\n").replace("(q ?a)", "(q 2)");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.kif");
    std::fs::write(&path, text).unwrap();
    let printed = |options: &[&str]| {
        let output =
            Command::cargo_bin("ggp").unwrap().arg("check").args(options).arg(&path).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let (short, long) = (printed(&[]), printed(&["--all"]));
    let lines = |text: &str| text.lines().filter(|line| line.contains("GDL040")).count();
    assert_eq!((lines(&short), lines(&long)), (1, 2), "{short}{long}");
    assert!(!short.contains("game.kif:9:") && long.contains("game.kif:9:") && long.contains("game.kif:10:"));
}

#[test]
fn misspelt_relations_get_a_suggestion() {
    for (from, to, meant) in [
        ("(succ ?x ?y))", "(suc ?x ?y))", "succ"),
        ("(true (step 3))", "(true (setp 3))", "step"),
        ("(true (step 3))", "(ture (step 3))", "true"),
        ("(succ ?x ?y))", "(succ ?x ?y) (distict ?x ?y))", "distinct"),
        ("(<= terminal", "(terminl)\n(<= terminal", "terminal"),
        ("(succ 2 3)", "(succ 2 3)\n(suc 3 4)", "succ"),
    ] {
        let text = GAME.replace(from, to);
        assert_ne!(text, GAME);
        let reading = reading(text);
        let hint = format!("did you mean `{meant}`?");
        assert!(reading.diagnostics.iter().any(|fault| fault.message.ends_with(&hint)), "{to}: {reading:?}");
    }
    // A name that resembles no other gets no suggestion.
    let reading = reading(GAME.replace("(succ ?x ?y))", "(follows ?x ?y))"));
    assert!(reading.diagnostics.iter().all(|fault| !fault.message.contains("did you mean")));
}

#[test]
fn a_misspelt_role_and_a_missing_100_are_warnings() {
    let two = format!("(role bob)\n(legal bbo wait)\n(goal bob 50)\n{GAME}");
    let found = codes(&reading(two));
    assert!(found.contains(&check::playable::NOT_A_ROLE) && found.contains(&check::playable::NEVER_100));
    let good = format!(
        "(role bob)\n(legal bob wait)\n(<= (goal bob ?n) (points ?n))\n(points 100)\n(points 0)\n{GAME}"
    );
    let found = codes(&reading(good));
    assert!(!found.contains(&check::playable::NOT_A_ROLE) && !found.contains(&check::playable::NEVER_100));
}

#[test]
fn random_games_reveal_unplayable_rules() {
    let stuck = format!("(role bob)\n(<= (legal bob wait) (true (step 1)))\n(goal bob 100)\n{GAME}");
    let no_goal = GAME.replace("(goal ann 100)", "(<= (goal ann 100) (true (step 1)))");
    let endless = GAME
        .replace("(true (step 3)))", "(true (step 4)))\n(<= (next (step 1)) (true (step 2)))\n(succ 3 4)")
        .replace("(true (step ?x)) (succ ?x ?y))", "(true (step ?x)) (succ ?x ?y) (distinct ?y 4))");
    let several = format!("{GAME}(goal ann 0)\n");
    for (text, code) in [(&stuck, "GDL054"), (&no_goal, "GDL055"), (&several, "GDL055"), (&endless, "GDL056")]
    {
        let (exit, game) = check_text(text, &[]);
        let faults = game["diagnostics"].as_array().unwrap();
        let fault = faults.iter().find(|fault| fault["code"] == code);
        let fault = fault.unwrap_or_else(|| panic!("{code} in {game}"));
        // The warning has its place in the rules and does not change the exit status.
        assert_eq!((exit, &game["errors"]), (0, &0.into()));
        assert!(fault["source"].as_str().is_some_and(|line| !line.is_empty()), "{fault}");
        let (exit, game) = check_text(text, &["--no-play"]);
        assert_eq!(exit, 0);
        assert!(!codes_of(&game).contains(&code.to_owned()));
    }
    let (exit, game) = check_text(GAME, &[]);
    assert_eq!((exit, codes_of(&game)), (0, Vec::new()));
    // Roles that share a rule share its warning.
    let shared = format!("(role bob)\n(legal bob wait)\n{GAME}")
        .replace("(goal ann 100)", "(<= (goal ?r 100) (role ?r) (true (step 1)))");
    let (_, game) = check_text(&shared, &[]);
    assert_eq!(codes_of(&game), ["GDL055"]);
    let message = game["diagnostics"][0]["message"].as_str().unwrap();
    assert!(message.contains("`ann`") && message.contains("`bob`"), "{message}");
}

/// Terms that grow do not delay the check.
#[test]
fn growing_terms_do_not_delay_the_check() {
    let growing = GAME.replace("(<= terminal (true (step 3)))", "(<= terminal (true (step 4)))").replace(
        "(next (step ?y)) (does ann go) (true (step ?x)) (succ ?x ?y)",
        "(next (step (s ?x ?x))) (does ann go) (true (step ?x))",
    );
    let begun = std::time::Instant::now();
    let (exit, _) = check_text(&growing, &[]);
    assert_eq!(exit, 0);
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}
