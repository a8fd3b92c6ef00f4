//! Every command of the README and the guide runs and prints the output that is shown there.
//!
//! `TRYCMD=overwrite cargo test --test documents readme::` updates the shown output.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use assert_cmd::assert::OutputAssertExt;

use crate::nats::Server as Nats;

/// The folder that commands of the pages write to.
const OUTPUT: &str = "target/guide";

/// The NATS server that the guide names.
const CLUSTER: &str = "nats://localhost:4222";

/// The set-up commands of the README. They are not run here: the first is compared below, and the second would run this test
/// again.
const SET_UP: [&str; 2] = ["cargo run --release -- analyze games/connect_four.kif", "cargo test"];

/// A page whose commands build on each other in an empty folder; `first_hour.rs` runs it.
const ELSEWHERE: &str = "docs/guide/first_hour.md";

/// The pages whose commands are run here.
fn run_here() -> Vec<PathBuf> {
    pages().into_iter().filter(|page| page != Path::new(ELSEWHERE)).collect()
}

/// The README and the pages of the guide.
fn pages() -> Vec<PathBuf> {
    let guide = fs::read_dir("docs/guide").unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        guide.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.sort();
    pages.insert(0, "README.md".into());
    pages
}

/// The fenced blocks of a page, each with its language.
fn blocks(page: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(page).unwrap();
    let mut found = Vec::new();
    let mut inside: Option<(String, String)> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut inside) {
            (Some(language), None) => inside = Some((language.to_owned(), String::new())),
            (Some(_), Some(_)) => found.extend(inside.take()),
            (None, Some((_, block))) => block.push_str(&format!("{line}\n")),
            (None, None) => {}
        }
    }
    assert_eq!(inside, None, "{}: a block has no end", page.display());
    found
}

/// The commands of a page whose output is not shown.
fn commands(page: &Path) -> Vec<String> {
    let blocks = blocks(page).into_iter().filter(|(language, _)| language == "sh");
    blocks.flat_map(|(_, block)| block.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// A server that runs until the page ends.
struct Server(Child);

impl Server {
    /// Starts the server at any free port, and returns its address.
    fn start(words: &[String]) -> (Server, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
        command.args(words).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = Server(command.spawn().unwrap());
        let mut line = String::new();
        BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (_, address) = line.trim_end().rsplit_once("http://").unwrap_or_else(|| panic!("{line}"));
        (server, address.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn shown_output_equals_printed_output() {
    fs::remove_dir_all(OUTPUT).ok();
    fs::create_dir_all(OUTPUT).unwrap();
    let cases = trycmd::TestCases::new();
    run_here().iter().for_each(|page| {
        cases.case(page);
    });
}

#[test]
fn commands_without_shown_output_run() {
    for page in run_here() {
        // The output of a page's commands goes to a folder of its own.
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().to_str().unwrap();
        // Pages name the default port; here the server uses any free one.
        let (mut servers, mut served) = (Vec::new(), String::from("localhost:9147"));
        // Commands that need a NATS server get one of their own, if it is installed.
        let named = commands(&page).iter().any(|command| command.contains(CLUSTER));
        let nats = (named && cfg!(has_nats)).then(|| Nats::start(&[]));
        for command in commands(&page).iter().filter(|command| !SET_UP.contains(&command.as_str())) {
            let words = shlex::split(command).unwrap();
            assert_eq!(words[0], "ggp", "{}: `{command}` is not a command of the tool", page.display());
            if command.contains(CLUSTER) && nats.is_none() {
                continue;
            }
            let cluster = nats.as_ref().map_or_else(String::new, Nats::url);
            let words: Vec<String> = words[1..]
                .iter()
                .map(|word| word.replace(CLUSTER, &cluster))
                .map(|word| word.replace(OUTPUT, output).replace("localhost:9147", &served))
                .map(|word| if word == "9147" { "0".to_owned() } else { word })
                .collect();
            if words[0] == "worker" {
                let mut worker = Command::new(env!("CARGO_BIN_EXE_ggp"));
                worker.args(&words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                servers.push(Server(worker.spawn().unwrap()));
                continue;
            }
            if words[0] == "serve" {
                let (server, address) = Server::start(&words);
                servers.push(server);
                served = address;
                continue;
            }
            let mut run = Command::new(env!("CARGO_BIN_EXE_ggp"));
            run.args(&words).stdin(Stdio::null()).assert().success();
        }
    }
}

#[test]
fn the_readme_is_short_and_starts_with_the_set_up() {
    let readme = Path::new("README.md");
    let lines = fs::read_to_string(readme).unwrap().lines().count();
    assert!(lines <= 150, "README.md has {lines} lines: move everything after the first steps to docs/guide");
    assert_eq!(commands(readme)[..2], SET_UP);
    // The first command is run in the block that shows its output.
    let shown = SET_UP[0].replace("cargo run --release --", "$ ggp");
    let first = blocks(readme).into_iter().find(|(language, _)| language == "console").unwrap().1;
    assert_eq!(first.lines().next(), Some(shown.as_str()));
}

#[test]
fn every_command_of_the_pages_is_tested() {
    for page in pages() {
        for (language, block) in blocks(&page) {
            if language == "console" || language == "sh" {
                continue;
            }
            let command = block.lines().find(|line| line.trim_start_matches("$ ").starts_with("ggp "));
            // Lines of tables and dependencies are not commands.
            let command = command.filter(|line| !line.contains("  ") && !line.starts_with("ggp = "));
            assert_eq!(command, None, "{}: in a block that is not run", page.display());
        }
    }
}

#[test]
fn the_guide_lists_all_its_pages() {
    for list in ["docs/guide/README.md", "docs/guide/SUMMARY.md"] {
        let text = fs::read_to_string(list).unwrap();
        for page in pages().iter().filter(|page| page.starts_with("docs/guide")) {
            let name = page.file_name().unwrap().to_str().unwrap();
            let is_list = ["README.md", "SUMMARY.md"].contains(&name);
            assert!(is_list || text.contains(&format!("]({name})")), "{list} does not name {name}");
        }
    }
}

#[test]
fn shown_study_files_equal_the_tested_files() {
    let study = fs::read_to_string("docs/guide/study.toml").unwrap();
    let pages = pages();
    let shown: Vec<String> = pages
        .iter()
        .flat_map(|page| blocks(page))
        .filter(|(language, _)| language == "toml")
        .map(|(_, block)| block)
        .collect();
    assert_eq!(shown.len(), 1);
    assert!(study.ends_with(&shown[0]), "docs/guide/study.toml is not what the guide shows:\n{study}");
}
