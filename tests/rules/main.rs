//! How rules are read: text, checks, normal form, grounding.
//! A module for each promise.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

#[path = "../shared/listed.rs"]
mod listed;

mod case;
mod checks;
mod grounding;
mod growth;
mod input;
mod negation;
mod normalise;
mod reader;
mod reader_properties;
mod tolerated;

/// The corpus of real games; none, with a message, if the variable is not set.
#[allow(clippy::print_stdout, reason = "a test that is left out says so")]
fn corpus() -> Option<std::path::PathBuf> {
    let corpus = std::env::var_os("GGP_CORPUS").map(Into::into);
    if corpus.is_none() {
        println!("GGP_CORPUS is not set: the corpus is not read");
    }
    corpus
}
