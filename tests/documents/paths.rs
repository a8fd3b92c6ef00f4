//! Every file that the project's documents name exists, and so does every page that they link to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Top-level folders whose paths the documents write in full.
const TOP: [&str; 11] =
    ["src", "games", "analyses", "reports", "tests", "benches", "docs", "examples", "fuzz", "python", ".ci"];

fn documents() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(PathBuf::from).into();
    for folder in ["docs", "docs/guide"] {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        found.extend(files.filter(|path| path.extension().is_some_and(|end| end == "md")));
    }
    found.sort();
    found
}

/// A text without its fenced blocks.
fn prose(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Expands `a/{b,c}.rs` to `a/b.rs` and `a/c.rs`.
fn spelled_out(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (names, after) = rest.split_once('}').unwrap_or_else(|| panic!("`{path}` has no `}}`"));
    names.split(',').map(|name| format!("{before}{name}{after}")).collect()
}

/// Whether a path is a pattern: capitals mean any name, as in `games/NAME.kif`, and `*` means many.
fn is_pattern(path: &str) -> bool {
    let capitals = |part: &str| part.len() > 1 && part.chars().all(|letter| letter.is_ascii_uppercase());
    path.contains('*') || path.split(['/', '.']).any(capitals)
}

/// The files and folders of the project that a text names in backticks.
fn named(text: &str) -> Vec<String> {
    let prose = prose(text);
    let marked = prose.split('`').skip(1).step_by(2);
    let in_full = marked.filter(|mark| {
        let top = mark.split('/').next().unwrap();
        mark.contains('/') && TOP.contains(&top) && !mark.contains(char::is_whitespace)
    });
    in_full.filter(|mark| !is_pattern(mark)).flat_map(spelled_out).collect()
}

/// The targets of a page's links, except those to other sites.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let ends = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    ends.map(|(link, _)| link.to_owned()).filter(|link| !link.contains("://")).collect()
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let text = prose(text);
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let title = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    let letters = |title: String| -> String {
        let kept = title.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    };
    title.map(letters).collect()
}

/// Removes `.` and `..` from a path without looking at the file system.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(out.pop(), "{} leads out of the project", path.display()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[test]
fn every_named_file_exists() {
    let (mut looked_at, mut missing) = (0, Vec::new());
    for document in documents() {
        for path in named(&fs::read_to_string(&document).unwrap()) {
            if !Path::new(&path).exists() {
                missing.push(format!("{} names `{path}`", document.display()));
            }
            looked_at += 1;
        }
    }
    assert_eq!(missing, [""; 0]);
    assert!(looked_at > 100, "only {looked_at} files are named");
}

#[test]
fn every_link_has_a_target() {
    for document in documents() {
        let folder = document.parent().unwrap();
        for link in links(&fs::read_to_string(&document).unwrap()) {
            let (path, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(path, at)| (path, Some(at)));
            let target = if path.is_empty() { document.clone() } else { plain(&folder.join(path)) };
            assert!(target.exists(), "{} links to {link}", document.display());
            if let Some(anchor) = anchor {
                let known = anchors(&fs::read_to_string(&target).unwrap());
                assert!(
                    known.contains(anchor),
                    "{} links to {link}; there are {known:?}",
                    document.display()
                );
            }
        }
    }
}
