//! Promise: rooms import only rooms above them, so that no imports go round in a circle, and a file stays short. The
//! order is the table in ARCHITECTURE.md.

use std::fs;
use std::path::{Path, PathBuf};

/// Lines of the longest file that is still read at one sitting.
const LONGEST: usize = 650;

/// The folders of rooms in the order of the table: rows that begin with "| `src/CRATE/NAME/`", or "| `src/NAME/`" for a room of
/// the crate `ggp` and for one that is a crate.
fn folders() -> Vec<PathBuf> {
    let text = fs::read_to_string("ARCHITECTURE.md").unwrap();
    let table = text.split("\n## ").find(|part| part.starts_with("The rooms")).unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `src/"));
    rows.map(|row| Path::new("src").join(&row[..row.find('`').unwrap()])).collect()
}

/// Their names, in the same order.
fn rooms() -> Vec<String> {
    folders().iter().map(|folder| folder.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            out.push(path);
        }
    }
}

/// The rooms a line of code names: `crate::room` and `crate::{room, room::..}`, comments left aside.
fn named<'r>(text: &str, rooms: &'r [String]) -> Vec<(&'r str, usize)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        for start in code.match_indices("crate::").map(|(at, found)| at + found.len()) {
            let rest = &code[start..];
            let words: Vec<&str> = match rest.strip_prefix('{') {
                Some(list) => list.split(',').map(str::trim).collect(),
                None => vec![rest],
            };
            for word in words {
                let end = word.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(word.len());
                if let Some(room) = rooms.iter().find(|room| **room == word[..end]) {
                    found.push((room.as_str(), number + 1));
                }
            }
        }
    }
    found
}

#[test]
fn no_arrow_runs_back() {
    let rooms = rooms();
    assert!(rooms.len() >= 7, "the table of rooms in ARCHITECTURE.md was not found");
    let mut wrong = Vec::new();
    for (place, (room, folder)) in rooms.iter().zip(folders()).enumerate() {
        let mut files = Vec::new();
        assert!(folder.is_dir(), "ARCHITECTURE.md names {} and it is not there", folder.display());
        sources(&folder, &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            for (other, line) in named(&text, &rooms) {
                if rooms.iter().position(|r| r == other) > Some(place) {
                    wrong.push(format!("{}:{line}: `{room}` imports `{other}`", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that run back:\n{}", wrong.join("\n"));
}

#[test]
fn every_folder_of_the_source_is_a_room() {
    let rooms = folders();
    let inside = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let others =
        |path: &PathBuf| path.is_dir() && !rooms.contains(path) && !path.ends_with("proptest-regressions");
    for folder in inside(Path::new("src")).filter(others) {
        assert!(
            folder.join("Cargo.toml").is_file(),
            "{} is no crate, and no room in ARCHITECTURE.md",
            folder.display()
        );
        for room in inside(&folder).filter(|path| path.is_dir()) {
            assert!(rooms.contains(&room), "{} is not in the table of ARCHITECTURE.md", room.display());
        }
    }
}

#[test]
fn no_file_of_the_source_is_long() {
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files);
    let lines = |file: &PathBuf| fs::read_to_string(file).unwrap().lines().count();
    let long: Vec<String> = files
        .iter()
        .map(|file| (file, lines(file)))
        .filter(|(_, lines)| *lines > LONGEST)
        .map(|(file, lines)| format!("{}: {lines} lines", file.display()))
        .collect();
    assert!(
        long.is_empty(),
        "files of more than {LONGEST} lines hold more than one idea:\n{}",
        long.join("\n")
    );
}

/// A file that no `main.rs` names is compiled by nobody: its tests would be lost without a word.
#[test]
fn every_file_of_tests_is_a_module_of_a_binary() {
    let mut files = Vec::new();
    sources(Path::new("tests"), &mut files);
    let (binaries, modules): (Vec<PathBuf>, Vec<PathBuf>) =
        files.into_iter().partition(|file| file.ends_with("main.rs"));
    assert!(binaries.len() >= 6, "the binaries of tests/ were not found");
    let folders = modules.iter().filter(|file| file.ends_with("mod.rs"));
    let declared: Vec<(PathBuf, String)> = (binaries.iter().chain(folders))
        .map(|file| (file.parent().unwrap().to_path_buf(), fs::read_to_string(file).unwrap()))
        .collect();
    for file in modules {
        // A folder is a module by its `mod.rs`.
        let whole = if file.ends_with("mod.rs") { file.parent().unwrap() } else { &file };
        let (folder, name) = (whole.parent().unwrap(), whole.file_stem().unwrap().to_str().unwrap());
        let shared = folder.ends_with("shared");
        let line = format!("mod {name};");
        let named = declared
            .iter()
            .filter(|(place, _)| shared || place == folder)
            .any(|(_, text)| text.lines().any(|found| found == line));
        assert!(named, "{} is a module of no binary", file.display());
    }
}
