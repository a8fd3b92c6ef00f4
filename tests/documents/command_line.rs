//! Promise: `ggp --help` lists every subcommand once, grouped by purpose, and the short help of each has at most 20 options.

use std::fs;
use std::process::Command;

/// The output of the program on standard output.
pub(crate) fn help(arguments: &[&str]) -> String {
    let output = Command::new(assert_cmd::cargo::cargo_bin("ggp")).args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The groups of `ggp --help`: titles and names of subcommands.
fn groups() -> Vec<(String, Vec<String>)> {
    let help = help(&["--help"]);
    let list = help.split("Understand a game:").nth(1).unwrap().split("\nOptions:").next().unwrap();
    let list = format!("Understand a game:{list}");
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for line in list.lines() {
        if let Some(title) = line.strip_suffix(':') {
            groups.push((title.to_owned(), Vec::new()));
        } else if let Some(name) = line.split_whitespace().next() {
            groups.last_mut().unwrap().1.push(name.to_owned());
        }
    }
    groups
}

/// The subcommands of `ggp --help`.
pub(crate) fn subcommands() -> Vec<String> {
    groups().into_iter().flat_map(|(_, names)| names).collect()
}

#[test]
fn help_lists_every_subcommand_once() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    help(&["man", "--out", out]);
    // Manual pages are generated from what clap knows; hidden subcommands have none.
    let pages =
        fs::read_dir(folder.path()).unwrap().map(|page| page.unwrap().file_name().into_string().unwrap());
    let name = |page: String| Some(page.strip_prefix("ggp-")?.strip_suffix(".1")?.to_owned());
    let page_of_subcommand = |name: &String| !name.contains('-');
    let mut registered: Vec<String> =
        pages.filter_map(name).filter(|name| name != "help").filter(page_of_subcommand).collect();
    let mut listed = subcommands();
    registered.sort();
    listed.sort();
    assert_eq!(listed, registered);
}

#[test]
fn old_forms_work_and_print_a_note() {
    for (old, new, exit, note) in [
        ("explain GDL007", "check --explain GDL007", 0, "note: ggp explain is now ggp check --explain"),
        ("explain", "check --explain", 0, "note: ggp explain is now ggp check --explain"),
        ("ground nim --dot", "check nim --dot", 0, "note: ggp ground is now ggp check --ground"),
        (
            "check-player 127.0.0.1:1",
            "check --player 127.0.0.1:1",
            1,
            "note: ggp check-player is now ggp check --player",
        ),
        (
            "host nim --role left=random --id m --format text",
            "play nim --id m",
            0,
            "note: --role is now --player",
        ),
        ("check nim --format text", "check nim", 0, "note: --format text is now --format table"),
        ("play nim --startclock 1", "play nim", 0, "note: --startclock is now --start-clock"),
        (
            "eval nim fuzzy.left --fuzzy-norm product --format json",
            "eval nim fuzzy.left(norm=product) --format json",
            0,
            "note: --fuzzy-norm is now an option of the function: fuzzy(norm=...)",
        ),
    ] {
        let run = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            Command::new(assert_cmd::cargo::cargo_bin("ggp")).args(words).output().unwrap()
        };
        let (of_old, of_new) = (run(old), run(new));
        let said = String::from_utf8(of_old.stderr).unwrap();
        assert_eq!((of_old.status.code(), of_new.status.code()), (Some(exit), Some(exit)), "{old}: {said}");
        assert_eq!(String::from_utf8_lossy(&of_old.stdout), String::from_utf8_lossy(&of_new.stdout), "{old}");
        assert!(said.lines().any(|line| line == note), "{old}: {said}");
    }
}

/// The most options of a short help.
const MOST_OPTIONS: usize = 20;

#[test]
fn short_help_is_short() {
    for name in subcommands() {
        let help = help(&[&name, "-h"]);
        let options = help.lines().filter(|line| line.trim_start().starts_with('-')).count();
        assert!(options <= MOST_OPTIONS, "ggp {name} -h has {options} options; use hide_short_help\n{help}");
    }
}

#[test]
fn common_subcommands_come_first_and_lines_are_short() {
    let titles: Vec<String> = groups().into_iter().map(|(title, _)| title).collect();
    let purposes = ["Understand a game", "Play", "Compare", "Build on it", "Run at scale", "Housekeeping"];
    assert_eq!(titles, purposes);
    let common =
        ["games", "check", "analyze", "show", "simulate", "eval", "solve", "play", "players", "tournament"];
    assert_eq!(subcommands()[..10], common);
    let help = help(&["--help"]);
    let list = help.split("\nOptions:").next().unwrap();
    assert_eq!(list.lines().filter(|line| line.chars().count() > 80).collect::<Vec<_>>(), [""; 0]);
}
