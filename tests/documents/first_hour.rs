//! The first hour of the guide works in an empty folder with only the program and a shell. The test runs every command of
//! the page in order, and compares the output.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const PAGE: &str = "docs/guide/first_hour.md";

#[derive(Debug)]
enum Step {
    /// Write a file.
    Save { name: String, text: String },
    /// Run a command, and compare its output if the page shows it.
    Run { command: String, shown: Option<String> },
    /// Run a program in Python.
    Python(String),
}

fn steps() -> Vec<Step> {
    let text = fs::read_to_string(PAGE).unwrap();
    let (mut steps, mut prose) = (Vec::new(), String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            prose.push_str(&format!("{line}\n"));
            continue;
        };
        let block: String =
            lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
        match language {
            // The last file name before the block is the name of the file.
            "lisp" => {
                let name = prose.trim_end().trim_end_matches("`:").rsplit('`').next().unwrap().to_owned();
                steps.push(Step::Save { name, text: block });
            }
            "sh" => {
                let run = |line: &str| Step::Run { command: line.to_owned(), shown: None };
                steps.extend(block.lines().map(run));
            }
            "console" => {
                let (command, shown) = block.split_once('\n').unwrap();
                let command = command.strip_prefix("$ ").unwrap().to_owned();
                steps.push(Step::Run { command, shown: Some(shown.to_owned()) });
            }
            "python" => steps.push(Step::Python(block)),
            other => panic!("a block of {other} is not followed"),
        }
    }
    steps
}

/// Whether the printed lines match the shown ones, in which `...` means any number of lines and `[..]` any part of a line.
fn output_matches(shown: &[&str], printed: &[&str]) -> bool {
    match (shown, printed) {
        ([], []) => true,
        (["...", rest @ ..], _) => (0..=printed.len()).any(|from| output_matches(rest, &printed[from..])),
        ([first, shown @ ..], [line, printed @ ..]) => {
            line_matches(first, line) && output_matches(shown, printed)
        }
        _ => false,
    }
}

fn line_matches(shown: &str, line: &str) -> bool {
    let Some((begin, rest)) = shown.split_once("[..]") else { return shown == line };
    line.strip_prefix(begin).is_some_and(|line| rest.is_empty() || line.ends_with(rest))
}

/// A process that runs until the page ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // The process is the program itself: `exec` replaced the shell.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// A reader who follows the page.
struct Reader {
    folder: TempDir,
    /// A free port that replaces the port of the page.
    port: u16,
    running: Vec<Running>,
}

impl Reader {
    fn shell(&self, command: &str) -> Command {
        let program = assert_cmd::cargo::cargo_bin("ggp");
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", program.parent().unwrap().display());
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command.replace("9147", &self.port.to_string()));
        shell.current_dir(self.folder.path()).env("PATH", path).env("HOME", self.folder.path());
        shell.env_remove("XDG_CONFIG_HOME");
        shell
    }

    fn follow(&mut self, step: Step) {
        match step {
            Step::Save { name, text } => fs::write(self.folder.path().join(name), text).unwrap(),
            Step::Python(program) => self.python(&program),
            Step::Run { command, shown: None } if command.ends_with('&') => {
                let mut shell = self.shell(&format!("exec {}", command.trim_end_matches('&')));
                let child =
                    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
                self.running.push(Running(child));
                let begun = Instant::now();
                while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
                    assert!(begun.elapsed() < Duration::from_secs(60), "{command} does not listen");
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
            Step::Run { command, shown } => {
                // A human player chooses the first three moves of the list in turn, if they are legal.
                let input = self.folder.path().join(".input");
                fs::write(&input, "1\n2\n3\n".repeat(50)).unwrap();
                let output = self.shell(&command).stdin(fs::File::open(&input).unwrap()).output().unwrap();
                let (printed, stderr) =
                    (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
                assert!(output.status.success(), "{command}: {printed}{stderr}");
                let Some(shown) = shown else { return };
                let (shown, printed): (Vec<&str>, Vec<&str>) =
                    (shown.lines().collect(), printed.lines().collect());
                assert!(output_matches(&shown, &printed), "{command} prints\n{}", printed.join("\n"));
            }
        }
    }

    /// Runs the program if pandas is installed. All columns that it names must exist in any case.
    fn python(&self, program: &str) {
        let (_, rest) = program.split_once("read_csv(\"").unwrap();
        let (file, rest) = rest.split_once('"').unwrap();
        let table = fs::read_to_string(self.folder.path().join(file)).unwrap();
        let columns: Vec<&str> = table.lines().next().unwrap().split(',').collect();
        let (_, named) = rest.split_once("[[").unwrap();
        for column in named.split_once("]]").unwrap().0.split(", ") {
            assert!(columns.contains(&column.trim_matches('"')), "{file} has no column {column}");
        }
        if self.shell("python3 -c 'import pandas'").stderr(Stdio::null()).status().unwrap().success() {
            fs::write(self.folder.path().join("notebook.py"), program).unwrap();
            assert!(self.shell("python3 notebook.py").stdout(Stdio::null()).status().unwrap().success());
        } else {
            println!("pandas is not installed: the program of the page was not run");
        }
    }
}

#[test]
fn the_page_works_in_an_empty_folder() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut reader = Reader { folder: tempfile::tempdir().unwrap(), port, running: Vec::new() };
    let steps = steps();
    assert!(steps.len() > 12, "{steps:?}");
    steps.into_iter().for_each(|step| reader.follow(step));
    for file in ["drop_three/report.html", "game.html", "findings.csv", "hosted.json"] {
        assert!(Path::new(&reader.folder.path().join(file)).is_file(), "{file}");
    }
}

#[test]
fn dots_match_lines_and_parts_of_lines() {
    assert!(output_matches(&["a", "...", "d [..] f"], &["a", "b", "c", "d e f"]));
    assert!(!output_matches(&["a", "...", "e"], &["a", "b"]) && !output_matches(&["a"], &["a", "b"]));
}
