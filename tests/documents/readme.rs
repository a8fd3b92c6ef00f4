//! Promise: every command of the README runs, and prints what the README shows.
//!
//! `TRYCMD=overwrite cargo test --release --test documents readme::` writes what is printed now into the README.

use assert_cmd::Command;

/// Commands of the fenced blocks in `language`.
fn commands(text: &str, language: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(after) => inside = !inside && after == language,
            None if inside && !line.is_empty() => found.push(line.to_string()),
            None => {}
        }
    }
    found
}

#[test]
fn what_is_shown_is_what_is_printed() {
    // The README writes a trace there; cargo makes the folder unless it builds elsewhere.
    std::fs::create_dir_all("target").unwrap();
    trycmd::TestCases::new().case("README.md");
}

#[test]
fn the_set_up_commands_run() {
    let text = std::fs::read_to_string("README.md").unwrap();
    let commands = commands(&text, "sh");
    assert_eq!(
        commands[..2],
        ["cargo run --release -- analyze games/connect_four.kif", "cargo test --release"]
    );
    let folder = tempfile::tempdir().unwrap();
    for command in commands.iter().filter(|command| !command.starts_with("cargo test")) {
        let words = command.strip_prefix("cargo run --release -- ").or_else(|| command.strip_prefix("ggp "));
        let words = words.unwrap_or_else(|| panic!("`{command}` is not a command of the tool"));
        // What a command writes goes to a folder of the test's own.
        let words = words.split(' ').map(|word| match word {
            "target/analyses" => folder.path().join("analyses").into_os_string(),
            _ => word.into(),
        });
        Command::cargo_bin("ggp").unwrap().args(words).assert().success();
    }
}
