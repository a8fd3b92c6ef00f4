//! Every code fires on its own example and not on the corrected text.

use ggp::gdl::check::{self, Entry, notation, syntax};
use ggp::gdl::diagnostic::{Code, Diagnostic, Severity};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};
use ggp::simulate::{TrialBudget, run_trial};

/// The example of an entry; some are too long for the table, or not text.
fn example(entry: &Entry) -> Vec<u8> {
    match entry.code {
        syntax::TOO_LARGE => vec![b' '; ggp::gdl::source::MAX_TEXT + 1],
        syntax::TOO_DEEP => b"(p ".repeat(600),
        notation::UTF16 => "(role a)".encode_utf16().flat_map(u16::to_le_bytes).collect(),
        syntax::UNFOLDS => unfolding(false).into_bytes(),
        // U+FFFD replaces a byte that is not UTF-8.
        syntax::INVALID_UTF8 | syntax::INVALID_UTF8_IN_COMMENT => entry
            .example
            .replace('\u{fffd}', "?")
            .into_bytes()
            .iter()
            .map(|&b| if b == b'?' { 0xe9 } else { b })
            .collect(),
        _ => entry.example.into(),
    }
}

fn corrected(entry: &Entry) -> String {
    if entry.code == syntax::UNFOLDS { unfolding(true) } else { entry.corrected.into() }
}

/// A rule of eleven disjunctions over a variable that is bound before or after them.
fn unfolding(first: bool) -> String {
    let or = "(or (not (p ?x)) (not (q ?x)))".repeat(11);
    if first { format!("(<= (r ?x) (s ?x) {or})") } else { format!("(<= (r ?x) {or} (s ?x))") }
}

/// The faults of a text, with those that random games show.
fn faults(bytes: impl Into<Vec<u8>>) -> (Vec<Diagnostic>, bool) {
    let reading = read(&Source::from_bytes("example", bytes));
    let (mut faults, readable) = (reading.diagnostics, reading.description.is_some());
    if let Some(description) = reading.description
        && let Ok(game) = load(description, Backend::Relational, &Limits::default())
    {
        faults.extend(run_trial(game.machine.relational().unwrap(), &TrialBudget::default()).faults);
    }
    (faults, readable)
}

fn codes(bytes: impl Into<Vec<u8>>) -> Vec<Code> {
    faults(bytes).0.iter().map(|fault| fault.code).collect()
}

#[test]
fn every_code_fires_on_its_example() {
    for entry in check::entries() {
        let found = codes(example(entry));
        assert!(found.contains(&entry.code), "{} does not fire on its example, but {found:?}", entry.code);
    }
}

#[test]
fn no_code_fires_on_the_corrected_text() {
    for entry in check::entries() {
        let found = codes(corrected(entry));
        assert!(!found.contains(&entry.code), "{} fires on the corrected text", entry.code);
    }
}

#[test]
fn the_table_lists_every_code() {
    let codes: Vec<u16> = check::entries().map(|entry| entry.code.0).collect();
    assert_eq!(codes, (1..=codes.len() as u16).collect::<Vec<_>>(), "codes are numbered without gaps");
    for entry in check::entries() {
        let parts = [entry.title, entry.cause, entry.example, entry.corrected, entry.remedy];
        assert!(parts.iter().all(|part| !part.is_empty()), "{}", entry.code);
        assert_eq!(check::find(&entry.code.to_string()), Some(entry));
    }
}

#[test]
fn severities_agree_with_the_table() {
    for entry in check::entries() {
        let (faults, readable) = faults(example(entry));
        let fault = faults.iter().find(|fault| fault.code == entry.code).expect("it fires");
        assert_eq!(fault.severity, entry.severity);
        // Play finds that a game can't begin, so its rules can be read.
        if fault.severity == Severity::Error && entry.code != check::unplayable::NO_FIRST_MOVE {
            assert!(!readable, "{} leaves no description", entry.code);
        }
    }
}

#[test]
fn an_unstratified_cycle_is_shown_rule_by_rule() {
    let text = "(<= p (not q))\n(<= q r)\n(<= r s)\n(<= s p)\n";
    let reading = read(&Source::from_text("cycle", text));
    let fault = reading.diagnostics.iter().find(|fault| fault.code == Code(30)).expect("the cycle is found");
    let positions: Vec<&str> =
        fault.labels.iter().map(|l| &text[l.span.start as usize..l.span.end as usize]).collect();
    assert_eq!(positions, ["q", "r", "s", "p"]);
}

/// The time is linear in the number of rules: 40,000 of them took over 100 s when each fault searched all rules.
#[test]
fn many_unbound_variables_are_reported_soon() {
    let rules: String =
        (0..40_000).map(|number| format!("(<= (p{number} ?x ?y{number}) (domain ?x))\n")).collect();
    let begin = std::time::Instant::now();
    let (faults, readable) = faults(format!("(role a)\n(domain 1)\n{rules}"));
    assert!(!readable && faults.iter().any(|fault| fault.code == check::safety::UNSAFE_HEAD));
    assert!(begin.elapsed().as_secs() < 20);
}
