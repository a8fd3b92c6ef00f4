//! Lists of games for tests.

#![allow(dead_code, reason = "each binary of tests uses a part")]

use std::path::{Path, PathBuf};

/// Games of the corpus with many moves, roles or fluents.
const LARGE: [&str; 5] =
    ["lines_of_action", "cubicup_3player", "pacman3p", "tictactoe_3d_6player", "skirmish"];

/// The games of a folder, sorted by name.
fn of_folder(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut games: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "kif")).collect();
    games.sort();
    games
}

pub(crate) fn own_games() -> Vec<PathBuf> {
    of_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("games"))
}

/// The folder of open games in the corpus; `None` if `GGP_CORPUS` is not set.
fn open() -> Option<PathBuf> {
    std::env::var_os("GGP_CORPUS").map(|corpus| Path::new(&corpus).join("open"))
}

/// All games of the corpus; none without it.
pub(crate) fn real_games() -> Vec<PathBuf> {
    open().map_or_else(Vec::new, |folder| of_folder(&folder))
}

/// Games of the corpus by name; none without the corpus.
pub(crate) fn real_games_named(names: &[&str]) -> Vec<PathBuf> {
    let files = |folder: PathBuf| names.iter().map(|name| folder.join(name).with_extension("kif")).collect();
    open().map_or_else(Vec::new, files)
}

/// The games of `games/`, and all games of the corpus if there is one.
pub(crate) fn all_games() -> Vec<PathBuf> {
    [own_games(), real_games()].concat()
}

/// The games of `games/`, and a few large games of the corpus if there is one.
pub(crate) fn own_and_large_games() -> Vec<PathBuf> {
    [own_games(), real_games_named(&LARGE)].concat()
}
