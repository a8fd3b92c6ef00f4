//! The registry of algorithms. Each algorithm has a file with its name, its games, its options, and the code that makes a
//! player. Every list of algorithms is made from [`ALGORITHMS`], and `docs/players.md` from the documentation of the
//! files.

mod alphabeta;
mod auto;
mod bestfirst;
mod bidirectional;
mod candidate;
mod context;
mod ensemble;
mod entry;
mod greedy;
mod guct;
mod ida;
mod maxn;
mod mixed;
mod mtdf;
mod options;
mod random;
mod uct;

pub(super) use auto::{LEARN, PREPARE};
pub use candidate::{Candidate, GameClass};
pub use context::{PlayerContext, PlayerMaker};
pub use entry::{About, Algorithm, AlgorithmEntry, FunctionUse, Games};

/// All algorithms, in the order in which they are listed.
pub const ALGORITHMS: &[AlgorithmEntry] = &[
    AlgorithmEntry::of::<random::Random>(),
    AlgorithmEntry::of::<greedy::Greedy>(),
    AlgorithmEntry::of::<alphabeta::AlphaBeta>(),
    AlgorithmEntry::of::<mtdf::Mtdf>(),
    AlgorithmEntry::of::<mixed::Mixed>(),
    AlgorithmEntry::of::<maxn::Maxn>(),
    AlgorithmEntry::of::<ensemble::Ensemble>(),
    AlgorithmEntry::of::<uct::Uct>(),
    AlgorithmEntry::of::<guct::Guct>(),
    AlgorithmEntry::of::<auto::Auto>(),
    AlgorithmEntry::of::<bestfirst::BestFirst>(),
    AlgorithmEntry::of::<ida::Ida>(),
    AlgorithmEntry::of::<bidirectional::Bidirectional>(),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::catalog::{CatalogEntry, HEADINGS, OptionValues, headings};

    /// Files of this folder that are not algorithms.
    const OTHERS: [&str; 5] = ["mod", "entry", "candidate", "context", "options"];

    #[test]
    fn every_file_is_in_the_registry() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/arena/algorithm");
        let files = std::fs::read_dir(folder).expect("the folder of this file");
        let names = files.map(|file| {
            let path = file.expect("a file of the folder").path();
            path.file_stem().expect("files have names").to_string_lossy().into_owned()
        });
        let files: BTreeSet<String> = names.filter(|name| !OTHERS.contains(&name.as_str())).collect();
        let entries: BTreeSet<String> = ALGORITHMS.iter().map(|entry| entry.name().to_owned()).collect();
        assert_eq!(files, entries);
        assert_eq!(ALGORITHMS.len(), entries.len(), "no name is there twice");
    }

    #[test]
    fn every_algorithm_has_all_headings_in_order() {
        for entry in ALGORITHMS {
            let text = entry.documentation();
            assert_eq!(headings(&text), HEADINGS, "{}", entry.name());
            assert!(text.starts_with("# "), "{} begins with a heading", entry.name());
        }
    }

    #[test]
    fn every_option_default_can_be_parsed() {
        for entry in ALGORITHMS {
            let options = entry.options();
            assert!(!entry.title().is_empty() && !entry.about().handles.is_empty(), "{}", entry.name());
            let said: Vec<String> =
                options.iter().map(|option| format!("{}={}", option.name, option.default)).collect();
            let read = OptionValues::read(entry.name(), &options, &said.join("&"));
            assert_eq!(read.expect("all are options").to_string(), said.join("&"));
            assert!(options.iter().all(|option| !option.help.is_empty()), "{}", entry.name());
        }
    }
}
