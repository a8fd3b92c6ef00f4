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
    let page_of_subcommand = |name: &String| !name.contains('-') || name == "check-player";
    let mut registered: Vec<String> =
        pages.filter_map(name).filter(|name| name != "help").filter(page_of_subcommand).collect();
    let mut listed = subcommands();
    registered.sort();
    listed.sort();
    assert_eq!(listed, registered);
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
