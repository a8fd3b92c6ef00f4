//! Games by their names: those in folders, and those that the program holds in itself. The build script puts
//! `games/` and `docs/guide/` into the program.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use crate::catalog::nearest;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
}

pub(super) use embedded::{GAMES, PAGES};

/// How a description's file ends.
const END: &str = "kif";

/// The least similarity, from 0 to 1, of a name to the name that is suggested.
const ALIKE: f64 = 0.5;

/// Folders that were configured, looked into before `games/`.
static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Says where games lie besides `games/`, once, before the command begins.
pub(super) fn set_folders(folders: Vec<PathBuf>) {
    let _ = FOLDERS.set(folders);
}

/// The folders that are looked into, in their order.
pub(super) fn folders() -> Vec<PathBuf> {
    let configured = FOLDERS.get().map_or(&[][..], Vec::as_slice);
    configured.iter().cloned().chain([PathBuf::from("games")]).collect()
}

/// The file that a word of the command line means: a file of that name, a game of that name here or in one of the
/// [folders], or the name of a file that only the program [itself](embedded) has. What is none of these is left as it is.
pub(super) fn place(word: &OsStr) -> PathBuf {
    let path = PathBuf::from(word);
    if word == "-" || path.is_file() || single(&path).is_none() {
        return path;
    }
    let mut ended = OsString::from(word);
    ended.push(format!(".{END}"));
    let names = [path.clone(), PathBuf::from(ended)];
    let found = std::iter::once(PathBuf::new())
        .chain(folders())
        .flat_map(|folder| names.each_ref().map(|name| folder.join(name)))
        .find(|path| path.is_file());
    found.unwrap_or_else(|| match names.iter().find(|name| embedded(name).is_some()) {
        Some(name) => name.with_extension(END),
        None => path,
    })
}

/// The text of a game that the program holds in itself, by the name of its file.
pub(super) fn embedded(path: &Path) -> Option<&'static str> {
    let name = single(path)?.strip_suffix(".kif")?;
    GAMES.iter().find(|(known, _)| *known == name).map(|&(_, text)| text)
}

/// The name of a path that is nothing but a name.
fn single(path: &Path) -> Option<&str> {
    let mut parts = path.components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) => name.to_str(),
        _ => None,
    }
}

/// Every game that can be named, with where it is from, sorted; of one name the one that is meant by it.
pub(super) fn games() -> Vec<(String, Option<PathBuf>)> {
    let mut found: Vec<(String, Option<PathBuf>)> = Vec::new();
    for folder in folders() {
        found.extend(in_folder(&folder).into_iter().map(|(name, path)| (name, Some(path))));
    }
    found.extend(GAMES.iter().map(|&(name, _)| (name.to_owned(), None)));
    // Stable: of one name the first stays.
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    found
}

/// The games in a folder; empty if it can't be read.
fn in_folder(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let descriptions = entries.filter(|path| path.extension().is_some_and(|end| end == END));
    let mut found: Vec<(String, PathBuf)> =
        descriptions.filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path))).collect();
    found.sort();
    found
}

/// The end of an error message about a missing game: the nearest name, if one is similar.
pub(super) fn hint(path: &Path) -> String {
    let alike = |name: &str, names: Vec<String>| {
        let nearest = nearest(name, names.iter().map(String::as_str)).to_owned();
        (strsim::normalized_damerau_levenshtein(name, &nearest) >= ALIKE).then_some(nearest)
    };
    match single(path) {
        Some(name) => {
            let stem = name.strip_suffix(".kif").unwrap_or(name);
            let here = in_folder(Path::new(".")).into_iter().map(|(name, _)| name).collect();
            let file = alike(stem, here).map(|near| format!("{near}.{END}"));
            let near = file.or_else(|| alike(stem, games().into_iter().map(|(name, _)| name).collect()));
            let near = near.map_or_else(String::new, |near| format!("; nearest to it is `{near}`"));
            format!("{near} (`ggp games` lists all games that have a name)")
        }
        None => {
            let (Some(folder), Some(name)) = (path.parent(), path.file_stem().and_then(OsStr::to_str)) else {
                return String::new();
            };
            let near = alike(name, in_folder(folder).into_iter().map(|(name, _)| name).collect());
            near.map_or_else(String::new, |near| {
                format!("; nearest to it is {}", folder.join(near).with_extension(END).display())
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_refer_to_files_then_folders_then_built_in_games() {
        assert_eq!(place(OsStr::new("nim")), Path::new("games/nim.kif"));
        assert_eq!(place(OsStr::new("nim.kif")), Path::new("games/nim.kif"));
        assert_eq!(place(OsStr::new("Cargo.toml")), Path::new("Cargo.toml"));
        assert_eq!(place(OsStr::new("./nim")), Path::new("./nim"));
        assert_eq!(place(OsStr::new("no_such")), Path::new("no_such"));
        assert_eq!(place(OsStr::new("-")), Path::new("-"));
    }

    #[test]
    fn the_program_contains_all_project_games() {
        let names: Vec<String> = in_folder(Path::new("games")).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, GAMES.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>());
        let text = std::fs::read_to_string("games/hex.kif").unwrap();
        assert_eq!(embedded(Path::new("hex.kif")), Some(text.as_str()));
        assert_eq!(embedded(Path::new("games/hex.kif")), None);
    }

    #[test]
    fn unknown_games_get_the_nearest_name() {
        assert!(hint(Path::new("connect_fuor")).contains("`connect_four`"));
        assert!(hint(Path::new("games/nimm.kif")).ends_with("games/nim.kif"));
        assert_eq!(hint(Path::new("games/no_such_game.kif")), "");
    }
}
