//! Generates tables of the games in `games/` and the pages in `docs/guide/`. The program includes them, so an installed
//! program finds them in any folder. This is a build script because a macro that includes a folder does not notice new files
//! in it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let games = table("GAMES", "The games, by name.", &root.join("games"), "kif")?;
    let pages = table("PAGES", "The pages of the guide, by name.", &root.join("docs/guide"), "md")?;
    fs::write(out.join("embedded.rs"), games + &pages)?;
    set_tool_flags();
    Ok(())
}

/// Sets `has_nats` and similar flags for installed tools. A test whose tool is missing is ignored; with `CI=true` a missing
/// tool is an error.
fn set_tool_flags() {
    const TOOLS: [(&str, &[&str]); 7] = [
        ("has_nats", &["nats-server"]),
        ("has_browser", &["chromedriver"]),
        ("has_zsh", &["zsh"]),
        ("has_fish", &["fish"]),
        ("has_npm", &["npm"]),
        ("has_parallel", &["parallel"]),
        ("has_python", &["python3"]),
    ];
    for variable in ["PATH", "CI", "GGP_CORPUS"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let required = env::var_os("CI").is_some_and(|value| value == "true");
    let path = env::var_os("PATH").unwrap_or_default();
    let places =
        || env::split_paths(&path).chain([PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/bin")]);
    let is_installed =
        |names: &[&str]| names.iter().any(|name| places().any(|folder| folder.join(name).is_file()));
    // Without the feature `cluster` no test uses a NATS server.
    let is_needed = |name: &str| name != "has_nats" || env::var_os("CARGO_FEATURE_CLUSTER").is_some();
    let known = TOOLS.map(|(name, programs)| (name, is_needed(name) && (required || is_installed(programs))));
    let others = [
        ("has_node", is_installed(&["node"])),
        ("has_corpus", required || env::var_os("GGP_CORPUS").is_some()),
    ];
    for (name, there) in known.into_iter().chain(others) {
        println!("cargo:rustc-check-cfg=cfg({name})");
        if there {
            println!("cargo:rustc-cfg={name}");
        }
    }
}

/// The source text of a table of the files in a folder with this extension: name and content, sorted by name.
fn table(name: &str, about: &str, folder: &Path, extension: &str) -> io::Result<String> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    let mut text = format!("/// {about}\npub(in crate::cli) static {name}: &[(&str, &str)] = &[\n");
    for path in files {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let _ = writeln!(text, "    ({stem:?}, include_str!({:?})),", path.display().to_string());
    }
    Ok(text + "];\n")
}
