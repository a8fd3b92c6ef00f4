//! Lists of ground atoms as people and programs write them: in KIF, or as JSON.

use serde_json::Value;

use crate::gdl::Source;
use crate::gdl::diagnostic::Diagnostics;
use crate::gdl::tree::{Kind, NodeId, Tree, parse};

use super::text::canonical;

/// Bytes of a text that is compared with others, at most.
const LONGEST: usize = 500;

/// Characters of a text that an error shows.
const SHOWN: usize = 80;

/// A text that is no list of atoms.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AtomError {
    /// The text is no KIF.
    #[error("line {line}, column {column}: {what}")]
    Kif {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        what: String,
    },
    /// A variable stands where a ground term is expected.
    #[error("`?{0}` is a variable; states and moves have none")]
    Variable(String),
    /// A list has no name in front.
    #[error("`{0}` is no atom: a name is expected after `(`")]
    NoName(String),
    /// The text is no JSON.
    #[error("this is no JSON: {0}")]
    Json(String),
    /// The text is JSON of another shape.
    #[error("{expected} is expected as JSON, not {found}")]
    Shape {
        /// What is expected.
        expected: &'static str,
        /// What is written there.
        found: String,
    },
}

/// An expression, in lower case and one spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Atom {
    /// The whole of it.
    pub(super) text: String,
    /// What stands between its parentheses, each part as text; nothing for a word.
    pub(super) parts: Vec<Atom>,
}

impl Atom {
    /// An expression without what says nothing: `(true X)` is `X`.
    pub(super) fn bare(&self) -> &Atom {
        match &self.parts[..] {
            [head, inner] if head.text == "true" => inner,
            _ => self,
        }
    }
}

/// The value as JSON, where the text is meant to be JSON.
pub(super) fn as_json(text: &str) -> Option<Result<Value, AtomError>> {
    let start = text.trim_start();
    let json = start.starts_with('[') || start.starts_with('{');
    json.then(|| serde_json::from_str(text).map_err(|error| AtomError::Json(error.to_string())))
}

/// The expressions of a KIF text.
pub(super) fn atom_list(text: &str) -> Result<Vec<Atom>, AtomError> {
    let source = Source::from_text("text", text);
    let mut faults = Diagnostics::default();
    let tree = parse(&source, &mut faults);
    let severe = |fault: &crate::gdl::diagnostic::Diagnostic| {
        fault.severity == crate::gdl::diagnostic::Severity::Error
    };
    if let Some(fault) = faults.into_sorted().into_iter().find(severe) {
        let start = fault.labels.first().map_or(0, |label| label.span.start);
        let (line, column) = source.position(start);
        return Err(AtomError::Kif { line, column, what: fault.message });
    }
    tree.roots.iter().map(|&root| atom(&tree, root)).collect()
}

fn atom(tree: &Tree, node: NodeId) -> Result<Atom, AtomError> {
    match tree.nodes[node as usize].kind {
        Kind::Word(word) => Ok(Atom { text: tree.symbols.name(word).to_owned(), parts: Vec::new() }),
        Kind::Variable(variable) => Err(AtomError::Variable(short(tree.variables.name(variable)))),
        Kind::List { first, count } => {
            let parts: Result<Vec<Atom>, AtomError> =
                tree.children(first, count).iter().map(|&child| atom(tree, child)).collect();
            let parts = parts?;
            let inside = parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(" ");
            Ok(Atom { text: canonical(&format!("({inside})")), parts })
        }
    }
}

/// Strings of a JSON list.
pub(super) fn strings(value: &Value, expected: &'static str) -> Result<Vec<String>, AtomError> {
    let wrong = |found: &Value| AtomError::Shape { expected, found: short(&found.to_string()) };
    let list = value.as_array().ok_or_else(|| wrong(value))?;
    let string = |atom: &Value| atom.as_str().map(canonical).ok_or_else(|| wrong(atom));
    list.iter().map(string).collect()
}

/// The nearest of some texts to one, nearest first: those that could have been meant.
pub(super) fn nearest<'t>(text: &str, known: impl Iterator<Item = &'t str>, count: usize) -> Vec<String> {
    // What is longer than any atom of a game is near to none, and would take long to compare.
    if text.len() > LONGEST {
        return known.take(count).map(str::to_owned).collect();
    }
    let mut scored: Vec<(f64, &str)> =
        known.map(|other| (strsim::normalized_damerau_levenshtein(text, other), other)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by_key(|(_, other)| *other);
    scored.into_iter().take(count).map(|(_, other)| other.to_owned()).collect()
}

/// The beginning of a text, for errors.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Names in quotes with commas between.
pub(super) fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
