//! Any bytes give a description or diagnostics, and a printed description reads back as the same rules.
#![no_main]

use ggp::gdl::check::syntax;
use ggp::gdl::domain::Domains;
use ggp::gdl::{Source, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let reading = read(&Source::from_bytes("fuzz", bytes));
    assert!(reading.diagnostics.iter().all(|fault| !fault.labels.is_empty()));
    let Some(description) = reading.description else { return };
    Domains::of(&description);
    let text = description.kif();
    let again = read(&Source::from_text("fuzz", text.as_str()));
    match again.description {
        Some(again) => assert_eq!(again.kif(), text),
        // Normalised rules can be longer than the text they were read from.
        None => assert!(again.diagnostics.iter().any(|fault| fault.code == syntax::TOO_LARGE)),
    }
});
