//! Hashes the sources, so that a cluster distinguishes builds of one version.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    // The published crate does not contain the other folders.
    let root = own.ancestors().nth(2).filter(|root| root.join("src/cluster").is_dir());
    let hash = match root {
        Some(root) => hash(root, &["src", "games", "Cargo.toml", "Cargo.lock"])?,
        None => hash(&own, &["."])?,
    };
    println!("cargo:rustc-env=GGP_SOURCES={hash:016x}");
    Ok(())
}

/// A hash of all sources: workers take no units of a program with another hash. FNV-1a over the files in the order of their
/// names; it does not protect against forgery.
fn hash(root: &Path, parts: &[&str]) -> io::Result<u64> {
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = parts.iter().map(|part| root.join(part)).collect();
    open.iter().for_each(|part| println!("cargo:rerun-if-changed={}", part.display()));
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                open.push(entry?.path());
            }
        } else if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for path in files {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        for byte in name.bytes().chain(fs::read(&path)?) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(hash)
}
