//! Gathers the games of `games/` and the pages of `docs/guide/` in tables that the program holds in itself, so that an
//! installed one finds them wherever it runs. A build script, as macros that include folders do not see new files in them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let games = table("GAMES", "The games, by name.", &root.join("games"), "kif")?;
    let pages = table("PAGES", "The pages of the guide, by name.", &root.join("docs/guide"), "md")?;
    fs::write(out.join("embedded.rs"), games + &pages)
}

/// A table of the files in a folder that end so: name and text, sorted by name.
fn table(name: &str, about: &str, folder: &Path, end: &str) -> io::Result<String> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|found| found == end));
    files.sort();
    let mut text = format!("/// {about}\npub(in crate::cli) static {name}: &[(&str, &str)] = &[\n");
    for path in files {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let _ = writeln!(text, "    ({stem:?}, include_str!({:?})),", path.display().to_string());
    }
    Ok(text + "];\n")
}
