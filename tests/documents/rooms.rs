//! Rooms import only rooms above them, so there are no import cycles between rooms, and few files are long. The order is
//! that of the table in ARCHITECTURE.md.

use std::fs;
use std::path::{Path, PathBuf};

/// The number of lines above which a file is long. At most [`LONG_FILES`] files are long, so that a type can stay in one
/// file.
const LONG: usize = 900;
const LONG_FILES: usize = 10;

/// The folders of rooms in the order of the table. A row begins with "| `src/CRATE/NAME/`". A room of the crate `ggp`, or
/// one that is a crate, has "| `src/NAME/`".
fn folders() -> Vec<PathBuf> {
    let text = fs::read_to_string("ARCHITECTURE.md").unwrap();
    let table = text.split("\n## ").find(|part| part.starts_with("The rooms")).unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `src/"));
    rows.map(|row| Path::new("src").join(&row[..row.find('`').unwrap()])).collect()
}

/// The names of the rooms, in the same order.
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

/// The rooms that code names, as `crate::room` or `crate::{room, room::..}`, with line numbers. Comments are ignored.
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
fn rooms_import_only_rooms_above() {
    let rooms = rooms();
    assert!(rooms.len() >= 7, "the table of rooms in ARCHITECTURE.md was not found");
    let mut wrong = Vec::new();
    for (index, (room, folder)) in rooms.iter().zip(folders()).enumerate() {
        let mut files = Vec::new();
        assert!(folder.is_dir(), "ARCHITECTURE.md names {}, which does not exist", folder.display());
        sources(&folder, &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            for (other, line) in named(&text, &rooms) {
                if rooms.iter().position(|r| r == other) > Some(index) {
                    wrong.push(format!("{}:{line}: `{room}` imports `{other}`", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "imports of rooms below:\n{}", wrong.join("\n"));
}

/// The paths of the `use` items of a file, except those of its tests and its re-exports.
fn imports(text: &str) -> Vec<Vec<String>> {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap()).collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    for item in code.split("\nuse ").skip(1) {
        let item = item.split(';').next().unwrap().replace(char::is_whitespace, " ");
        expand(&mut Vec::new(), &item, &mut found);
    }
    found
}

/// Expands the braces of an import.
fn expand(before: &mut Vec<String>, item: &str, found: &mut Vec<Vec<String>>) {
    let item = item.trim();
    if let Some((head, list)) = item.split_once('{') {
        let depth = before.len();
        before.extend(head.split("::").map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()));
        let (mut level, mut start) = (0, 0);
        let list = &list[..list.rfind('}').unwrap()];
        for (at, letter) in list.char_indices().chain([(list.len(), ',')]) {
            match letter {
                '{' => level += 1,
                '}' => level -= 1,
                ',' if level == 0 => {
                    expand(before, &list[start..at], found);
                    start = at + 1;
                }
                _ => {}
            }
        }
        before.truncate(depth);
    } else if !item.is_empty() {
        let words = item.split(" as ").next().unwrap().split("::").map(|word| word.trim().to_owned());
        found.push(before.iter().cloned().chain(words).collect());
    }
}

/// The file of a room to which the longest module prefix of a path refers.
fn leads_to(modules: &[Vec<String>], from: &[String], room: &str, path: &[String]) -> Option<usize> {
    let mut at = from.to_vec();
    let mut words = path.iter();
    let first = words.next()?;
    match first.as_str() {
        "crate" => {
            at.clear();
            words.by_ref().find(|word| *word == room)?;
        }
        "super" => drop(at.pop()),
        "self" => {}
        _ => at.push(first.clone()),
    }
    for word in words {
        let mut next = at.clone();
        match word.as_str() {
            "super" => drop(next.pop()),
            _ => next.push(word.clone()),
        }
        if !modules.contains(&next) {
            break;
        }
        at = next;
    }
    modules.iter().position(|module| *module == at)
}

/// The import cycles of a folder: groups of files that import each other.
fn cycles(folder: &Path) -> Vec<Vec<String>> {
    let mut files = Vec::new();
    sources(folder, &mut files);
    files.sort();
    let module = |file: &PathBuf| -> Vec<String> {
        let inside = file.strip_prefix(folder).unwrap().with_extension("");
        let words = inside.iter().map(|word| word.to_str().unwrap().to_owned());
        words.filter(|word| word != "mod" && word != "lib").collect()
    };
    let modules: Vec<Vec<String>> = files.iter().map(module).collect();
    let room = folder.file_name().unwrap().to_str().unwrap();
    let mut reaches = vec![vec![false; files.len()]; files.len()];
    for (number, file) in files.iter().enumerate() {
        for path in imports(&fs::read_to_string(file).unwrap()) {
            if let Some(other) =
                leads_to(&modules, &modules[number], room, &path).filter(|&other| other != number)
            {
                reaches[number][other] = true;
            }
        }
    }
    for middle in 0..files.len() {
        for from in 0..files.len() {
            if reaches[from][middle] {
                let onwards = reaches[middle].clone();
                reaches[from].iter_mut().zip(onwards).for_each(|(reached, onwards)| *reached |= onwards);
            }
        }
    }
    let mut found: Vec<Vec<usize>> = Vec::new();
    for file in (0..files.len()).filter(|&file| reaches[file][file]) {
        match found.iter_mut().find(|group| reaches[file][group[0]] && reaches[group[0]][file]) {
            Some(group) => group.push(file),
            None => found.push(vec![file]),
        }
    }
    let name = |&file: &usize| modules[file].join("::");
    found.into_iter().map(|group| group.iter().map(name).collect()).collect()
}

/// The rooms with import cycles between their files, and the numbers of cycles. Other rooms have none.
const KNOWN_CYCLES: [(&str, usize); 5] = [
    ("src/rules/gdl", 1),
    ("src/simulation/machine", 4),
    ("src/knowledge/evaluation", 1),
    ("src/report", 1),
    ("src/cli", 2),
];

/// `cargo test --test documents rooms::files_of -- --nocapture` prints the import cycles of all rooms.
#[test]
fn files_of_a_folder_have_no_new_import_cycles() {
    let mut wrong = Vec::new();
    for folder in folders() {
        let found = cycles(&folder);
        let files: usize = found.iter().map(Vec::len).sum();
        println!("{}: {} import cycles with {files} files", folder.display(), found.len());
        found.iter().for_each(|group| println!("    {}", group.join(" ")));
        let known =
            KNOWN_CYCLES.iter().find(|(room, _)| folder == Path::new(room)).map_or(0, |&(_, known)| known);
        if found.len() > known {
            wrong.push(format!("{} has {} import cycles, {known} are known", folder.display(), found.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_source_folder_is_a_room() {
    let rooms = folders();
    let inside = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let others =
        |path: &PathBuf| path.is_dir() && !rooms.contains(path) && !path.ends_with("proptest-regressions");
    for folder in inside(Path::new("src")).filter(others) {
        assert!(
            folder.join("Cargo.toml").is_file(),
            "{} is neither a crate nor a room in ARCHITECTURE.md",
            folder.display()
        );
        for room in inside(&folder).filter(|path| path.is_dir()) {
            assert!(rooms.contains(&room), "{} is not in the table of ARCHITECTURE.md", room.display());
        }
    }
}

#[test]
fn few_source_files_are_long() {
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files);
    let lines = |file: &PathBuf| fs::read_to_string(file).unwrap().lines().count();
    let long: Vec<String> = files
        .iter()
        .map(|file| (file, lines(file)))
        .filter(|(_, lines)| *lines > LONG)
        .map(|(file, lines)| format!("{}: {lines} lines", file.display()))
        .collect();
    assert!(long.len() <= LONG_FILES, "files of more than {LONG} lines:\n{}", long.join("\n"));
}

/// A file that no `main.rs` names is not compiled, and its tests would silently not run.
#[test]
fn every_test_file_belongs_to_a_binary() {
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
            .filter(|(declaring, _)| shared || declaring == folder)
            .any(|(_, text)| text.lines().any(|found| found == line));
        assert!(named, "{} is not a module of any binary", file.display());
    }
}
