//! Finds games by name, in folders and among the games built into the program. The build script embeds `games/` and
//! `docs/guide/`.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use crate::catalog::nearest;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
}

pub(super) use embedded::{GAMES, PAGES};

/// File name extension of game rules.
const EXTENSION: &str = "kif";

/// Names that are less similar than this (0 to 1) are not suggested.
const MIN_SIMILARITY: f64 = 0.6;

/// The configured folders, searched before `games/`.
static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Sets the additional game folders. Call once, before the command runs.
pub(super) fn set_folders(folders: Vec<PathBuf>) {
    let _ = FOLDERS.set(folders);
}

/// The folders with games, in search order.
pub(super) fn folders() -> Vec<PathBuf> {
    let configured = FOLDERS.get().map_or(&[][..], Vec::as_slice);
    configured.iter().cloned().chain([PathBuf::from("games")]).collect()
}

/// Resolves a command-line argument to a file: the file itself, else a game of that name here or in one of the
/// [folders], else a [built-in](embedded) game. Any other argument is returned unchanged.
pub(super) fn place(word: &OsStr) -> PathBuf {
    let path = PathBuf::from(word);
    if word == "-" || path.is_file() || single(&path).is_none() {
        return path;
    }
    let mut with_extension = OsString::from(word);
    with_extension.push(format!(".{EXTENSION}"));
    let names = [path.clone(), PathBuf::from(with_extension)];
    let found = std::iter::once(PathBuf::new())
        .chain(folders())
        .flat_map(|folder| names.each_ref().map(|name| folder.join(name)))
        .find(|path| path.is_file());
    found.unwrap_or_else(|| match names.iter().find(|name| embedded(name).is_some()) {
        Some(name) => name.with_extension(EXTENSION),
        None => path,
    })
}

/// The rules of a built-in game, by file name.
pub(super) fn embedded(path: &Path) -> Option<&'static str> {
    let name = single(path)?.strip_suffix(".kif")?;
    GAMES.iter().find(|(known, _)| *known == name).map(|&(_, text)| text)
}

/// The file name, if the path has no folder.
fn single(path: &Path) -> Option<&str> {
    let mut parts = path.components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) => name.to_str(),
        _ => None,
    }
}

/// All games with a name, sorted, each with its file (`None`: built in). If several games have the same name, only the
/// one that the name refers to is listed.
pub(super) fn games() -> Vec<(String, Option<PathBuf>)> {
    let mut found: Vec<(String, Option<PathBuf>)> = Vec::new();
    for folder in folders() {
        found.extend(in_folder(&folder).into_iter().map(|(name, path)| (name, Some(path))));
    }
    found.extend(GAMES.iter().map(|&(name, _)| (name.to_owned(), None)));
    // The sort is stable, so `dedup_by` keeps the game that comes first in search order.
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    found
}

/// The games in a folder; empty if it can't be read.
fn in_folder(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let descriptions =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    let mut found: Vec<(String, PathBuf)> =
        descriptions.filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path))).collect();
    found.sort();
    found
}

/// The end of the error message for a missing game, with the nearest name if one is similar.
pub(super) fn hint(path: &Path) -> String {
    let similar = |name: &str, names: Vec<String>| {
        let nearest = nearest(name, names.iter().map(String::as_str)).to_owned();
        (strsim::normalized_damerau_levenshtein(name, &nearest) >= MIN_SIMILARITY).then_some(nearest)
    };
    match single(path) {
        Some(name) => {
            let stem = name.strip_suffix(".kif").unwrap_or(name);
            let here = in_folder(Path::new(".")).into_iter().map(|(name, _)| name).collect();
            let file = similar(stem, here).map(|near| format!("{near}.{EXTENSION}"));
            let near = file.or_else(|| similar(stem, games().into_iter().map(|(name, _)| name).collect()));
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            format!("{near} (`ggp games` lists all games that have a name)")
        }
        None => {
            let (Some(folder), Some(name)) = (path.parent(), path.file_stem().and_then(OsStr::to_str)) else {
                return String::new();
            };
            let near = similar(name, in_folder(folder).into_iter().map(|(name, _)| name).collect());
            near.map_or_else(String::new, |near| {
                format!("; did you mean {}?", folder.join(near).with_extension(EXTENSION).display())
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
        assert!(hint(Path::new("games/nimm.kif")).ends_with("games/nim.kif?"));
        assert_eq!(hint(Path::new("games/no_such_game.kif")), "");
    }
}
