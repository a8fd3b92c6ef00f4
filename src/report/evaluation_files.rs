//! Writes a game's evaluation functions as files: one document per function, and a list.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::evaluation::document::SCHEMA;
use crate::evaluation::{Document, Kind};
use crate::gdl::identity::sha256;

use super::analysis::with_title;
use super::files::write_whole;
use super::json::pretty;

/// The name of the list's file.
const INDEX: &str = "index.json";

/// The most characters of a function's name in a file name.
const LONGEST: usize = 80;

/// A function in `index.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexEntry {
    /// The file name, in the folder of the list.
    pub file: String,
    /// The function's name.
    pub id: String,
    /// The kind of the function.
    pub kind: Kind,
    /// The role for which it values states.
    pub role: String,
    /// The least and the greatest possible value.
    pub range: [f64; 2],
    /// The correlation with the role's goal value after random play; null if it was not measured.
    pub correlation: Option<f64>,
    /// The stability, from 0 to 1; null if the value never changes.
    pub stability: Option<f64>,
}

/// A document as JSON, with a line break at the end.
///
/// # Errors
/// Serialization fails; no known input causes this.
///
/// # Example
///
/// Makes a function, writes it as a document, reads it back and values a state:
///
/// ```
/// use ggp::analysis::{AnalysisContext, Kinds, LoadedGame, Plan, analyze};
/// use ggp::evaluation::{Document, Kind};
/// use ggp::feature::StateEvaluator;
/// use ggp::gdl::{Source, read};
/// use ggp::ground::Limits;
/// use ggp::machine::{Backend, load};
/// use ggp::report::evaluation_files::to_json;
/// use ggp::simulate::StateReader;
///
/// let source = Source::load("games/tic_tac_toe.kif")?;
/// let rules = read(&source).description.expect("the rules have no errors");
/// let loaded = load(rules, Backend::Auto, &Limits::default())?;
/// let game = LoadedGame::new("games/tic_tac_toe.kif".to_owned(), &source, loaded);
/// let machine = game.machine();
///
/// // How far does a state fulfil a role's goals? One such function for each role.
/// let kinds = Kinds::Only(vec![Kind::Fuzzy]);
/// let plan = Plan { playouts: Some(200), kinds, features: false, ..Plan::default() };
/// let analysis = analyze(&game.game(), &plan, &AnalysisContext::default())?;
/// let text = to_json(&analysis.documents(machine)[0])?;
///
/// let document = Document::parse(text.as_bytes())?;
/// document.is_for(&game.identity)?;
/// assert_eq!((document.id.as_str(), document.range), ("fuzzy.crosses", [0.0, 1.0]));
/// let mut function = document.function.bind(machine)?;
/// let states = StateReader::new(machine);
/// let mut evaluator = StateEvaluator::new(machine);
/// let mut value = |text: &str| -> Result<f64, Box<dyn std::error::Error>> {
///     Ok(function.value(&evaluator.at(&states.read(text)?)?))
/// };
/// let open = "(mark 1 1 cross) (mark 2 2 cross) (mark 3 3 empty) (mark 1 2 nought) (mark 1 3 empty)
///             (mark 2 1 empty) (mark 2 3 empty) (mark 3 1 nought) (mark 3 2 empty) (to_move crosses)";
/// let won = open.replace("(mark 3 3 empty)", "(mark 3 3 cross)");
/// assert!(value(open)? < 0.75 && value(&won)? > 0.75);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_json(document: &Document) -> Result<String, serde_json::Error> {
    Ok(pretty(&serde_json::to_value(document)?))
}

/// Documents as JSON Lines.
///
/// # Errors
/// Serialization fails; no known input causes this.
pub fn to_json_lines(documents: &[Document]) -> Result<String, serde_json::Error> {
    documents.iter().map(|document| Ok(serde_json::to_string(document)? + "\n")).collect()
}

/// The JSON Schema of a document, with a line break at the end.
///
/// # Errors
/// Serialization fails; no known input causes this.
pub fn schema() -> Result<String, serde_json::Error> {
    with_title(schemars::schema_for!(Document), SCHEMA)
}

/// The list of documents with their file names.
pub fn index(documents: &[Document]) -> Vec<IndexEntry> {
    let mut taken = BTreeSet::new();
    let entry = |document: &Document| IndexEntry {
        file: file_name(&document.id, &mut taken),
        id: document.id.clone(),
        kind: document.kind,
        role: document.role.clone(),
        range: document.range,
        correlation: document.quality.as_ref().and_then(|quality| quality.goal.correlation),
        stability: document.quality.as_ref().and_then(|quality| quality.stability),
    };
    documents.iter().map(entry).collect()
}

/// Writes documents and their list into a folder. Removes files that only the previous list names; other files stay. A reader
/// of the list finds all files that it names at any time.
///
/// # Errors
/// The operating system's.
pub fn write_documents(folder: &Path, documents: &[Document]) -> io::Result<()> {
    let list = index(documents);
    for (entry, document) in list.iter().zip(documents) {
        write_whole(&folder.join(&entry.file), &to_json(document)?)?;
    }
    let path = folder.join(INDEX);
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    write_whole(&path, &pretty(&serde_json::to_value(&list)?))?;
    let kept: BTreeSet<&str> = list.iter().map(|entry| entry.file.as_str()).collect();
    for file in named(&before).iter().filter(|file| !kept.contains(file.as_str())) {
        match std::fs::remove_file(folder.join(file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// The files in a list, without names that [`write_documents`] would not write.
fn named(list: &str) -> Vec<String> {
    let Ok(Value::Array(entries)) = serde_json::from_str(list) else { return Vec::new() };
    let files = entries.iter().filter_map(|entry| entry["file"].as_str());
    files.filter(|file| is_plain(file) && file.ends_with(".json")).map(str::to_owned).collect()
}

fn is_plain(name: &str) -> bool {
    name.chars()
        .all(|symbol| symbol.is_ascii_lowercase() || symbol.is_ascii_digit() || "._-".contains(symbol))
        && !name.starts_with('.')
}

/// A file name that is valid on every file system, and unique even if the case of letters is ignored. It is the function's
/// name if that is plain and short, or else its beginning with a part of its hash.
fn file_name(id: &str, taken: &mut BTreeSet<String>) -> String {
    let plain: String =
        id.chars().map(|symbol| if is_plain(&format!("a{symbol}")) { symbol } else { '-' }).collect();
    let hash = sha256(id.as_bytes());
    let mut name = plain.clone();
    let mut digits = 8;
    while name != id
        || plain.len() > LONGEST
        || name.starts_with('.')
        || name.is_empty()
        || taken.contains(&name)
    {
        let start = plain.trim_start_matches(['.', '-']);
        let start = if start.is_empty() { "function" } else { start };
        name = format!("{}-{}", &start[..start.len().min(LONGEST)], &hash[..digits]);
        if !taken.contains(&name) || digits == hash.len() {
            break;
        }
        digits += 1;
    }
    taken.insert(name.clone());
    name + ".json"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(ids: &[&str]) -> Vec<String> {
        let mut taken = BTreeSet::new();
        ids.iter().map(|id| file_name(id, &mut taken)).collect()
    }

    #[test]
    fn plain_names_are_kept() {
        assert_eq!(
            names(&["fuzzy.red", "kuhlmann.max.count.cell._._.b.red"]),
            ["fuzzy.red.json", "kuhlmann.max.count.cell._._.b.red.json"]
        );
    }

    #[test]
    fn file_names_are_safe_and_distinct() {
        let long = "x".repeat(300);
        let ids = [
            "a/b", "a-b", "a\\b", "../b", "fuzzy.é", "fuzzy.ü", "a|b", "con*", "..", "", &long, "A-B", "a-b",
        ];
        let found = names(&ids);
        let different: BTreeSet<String> = found.iter().map(|name| name.to_lowercase()).collect();
        assert_eq!(different.len(), found.len(), "{found:?}");
        for name in &found {
            assert!(is_plain(name) && name.len() <= LONGEST + 80, "{name}");
        }
    }

    #[test]
    fn foreign_lists_name_no_file_outside_the_folder() {
        let list = r#"[{"file":"../other.json"},{"file":"fuzzy.a.json"},{"file":7},{"file":"/etc/x.json"}]"#;
        assert_eq!(named(list), ["fuzzy.a.json"]);
        assert!(named("no list").is_empty());
    }
}
