//! Promise: `docs/analysis.schema.json` is the schema of the document `ggp analyze --format json` writes.
//!
//! `GGP_BLESS=1 cargo test --release --test schema` writes it anew.

use ggp::report::analysis::schema;

const FILE: &str = "docs/analysis.schema.json";

#[test]
fn the_checked_in_schema_is_the_programs() {
    let made = schema().unwrap();
    if std::env::var_os("GGP_BLESS").is_some() {
        std::fs::create_dir_all("docs").unwrap();
        std::fs::write(FILE, &made).unwrap();
    }
    let kept = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(kept == made, "{FILE} is stale: run `GGP_BLESS=1 cargo test --release --test schema`");
}
