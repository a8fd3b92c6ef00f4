//! Lists of ground atoms as text: KIF or JSON.

use serde_json::Value;

use crate::gdl::Source;
use crate::gdl::diagnostic::Diagnostics;
use crate::gdl::tree::{Kind, NodeId, Tree, parse};

use super::text::canonical;

/// Maximum length in bytes of a text for which similar names are searched.
const MAX_COMPARED_BYTES: usize = 500;

/// Maximum number of characters of a text that an error message quotes.
const MAX_QUOTED_CHARACTERS: usize = 80;

/// Why a text is not a list of ground atoms.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AtomError {
    /// The text is not KIF.
    #[error("line {line}, column {column}: {what}")]
    Kif {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The syntax error.
        what: String,
    },
    /// The text has a variable, but states and moves are ground.
    #[error("`?{0}` is a variable; write a ground term, as states and moves have no variables")]
    Variable(String),
    /// A list does not begin with a name.
    #[error("`{0}` is not an atom; write a name after `(`")]
    NoName(String),
    /// The text is not valid JSON.
    #[error("the text is not valid JSON: {0}")]
    Json(String),
    /// The JSON value has another shape.
    #[error("the JSON value is {found}; write {expected}")]
    Shape {
        /// The expected shape.
        expected: &'static str,
        /// The given value.
        found: String,
    },
}

/// A ground atom or a nested list of atoms, in its canonical spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Atom {
    /// The whole expression.
    pub(super) text: String,
    /// The parts between its parentheses; none for a word.
    pub(super) parts: Vec<Atom>,
}

impl Atom {
    /// The expression without the enclosing `true`: `X` for `(true X)`.
    pub(super) fn bare(&self) -> &Atom {
        match &self.parts[..] {
            [head, inner] if head.text == "true" => inner,
            _ => self,
        }
    }
}

/// The parsed JSON value if the text begins like JSON; none if it does not.
pub(super) fn as_json(text: &str) -> Option<Result<Value, AtomError>> {
    let start = text.trim_start();
    let json = start.starts_with('[') || start.starts_with('{');
    json.then(|| serde_json::from_str(text).map_err(|error| AtomError::Json(error.to_string())))
}

/// Parses the expressions of a KIF text.
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

/// Reads a JSON list of strings.
pub(super) fn strings(value: &Value, expected: &'static str) -> Result<Vec<String>, AtomError> {
    let wrong = |found: &Value| AtomError::Shape { expected, found: short(&found.to_string()) };
    let list = value.as_array().ok_or_else(|| wrong(value))?;
    let string = |atom: &Value| atom.as_str().map(canonical).ok_or_else(|| wrong(atom));
    list.iter().map(string).collect()
}

/// Up to `count` of the known texts, most similar first.
pub(super) fn nearest<'t>(text: &str, known: impl Iterator<Item = &'t str>, count: usize) -> Vec<String> {
    // A text longer than any atom resembles none, and comparing it would be slow.
    if text.len() > MAX_COMPARED_BYTES {
        return known.take(count).map(str::to_owned).collect();
    }
    let mut scored: Vec<(f64, &str)> =
        known.map(|other| (strsim::normalized_damerau_levenshtein(text, other), other)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by_key(|(_, other)| *other);
    scored.into_iter().take(count).map(|(_, other)| other.to_owned()).collect()
}

/// The beginning of a text, for error messages.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The names in backquotes, separated by commas.
pub(super) fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
