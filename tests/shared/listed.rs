//! Lists of games that tests go through.

#![allow(dead_code, reason = "each binary of tests uses a part")]

use std::path::{Path, PathBuf};

/// Games of the corpus with many moves, roles or fluents.
const LARGE: [&str; 5] =
    ["lines_of_action", "cubicup_3player", "pacman3p", "tictactoe_3d_6player", "skirmish"];

/// The games of a folder, by name.
fn of_folder(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut games: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "kif")).collect();
    games.sort();
    games
}

/// The games of `games/`.
pub(crate) fn own_games() -> Vec<PathBuf> {
    of_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("games"))
}

/// The folder of the corpus's open games, where `GGP_CORPUS` names the corpus.
fn open() -> Option<PathBuf> {
    std::env::var_os("GGP_CORPUS").map(|corpus| Path::new(&corpus).join("open"))
}

/// All games of the corpus; none without it.
pub(crate) fn real_games() -> Vec<PathBuf> {
    open().map_or_else(Vec::new, |folder| of_folder(&folder))
}

/// Games of the corpus by their names; none without it.
pub(crate) fn real_games_named(names: &[&str]) -> Vec<PathBuf> {
    let of = |folder: PathBuf| names.iter().map(|name| folder.join(name).with_extension("kif")).collect();
    open().map_or_else(Vec::new, of)
}

/// The games of `games/`, and with the corpus all of its games.
pub(crate) fn all_games() -> Vec<PathBuf> {
    [own_games(), real_games()].concat()
}

/// The games of `games/`, and with the corpus a few large ones.
pub(crate) fn own_and_large_games() -> Vec<PathBuf> {
    [own_games(), real_games_named(&LARGE)].concat()
}
