//! Reading rules: text, checks, normal form, grounding. Each module tests one property.

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
mod parts;
mod reader;
mod reader_properties;
mod tolerated_faults;

fn corpus() -> std::path::PathBuf {
    std::env::var_os("GGP_CORPUS").expect("GGP_CORPUS names the corpus").into()
}
