//! Evaluation functions as documents.
//!
//! # What it does
//! A [`Document`] contains one evaluation function with everything that is needed to run it on the same game. It also
//! has the structures that it is built from, and its quality in random play. `docs/evaluations.md` describes the
//! format for authors of players.
//!
//! # How
//! Documents are JSON, read by [`Document::parse`]. The game is recognised by its rules (see
//! [`identity`](crate::gdl::identity)), so a copy with another layout is the same game. A checksum over the content
//! shows whether a document was edited after it was made.
//!
//! # Guarantee
//! Every part of a parsed document is checked: numbers are finite, ranges are in order, and role, kind, parameters
//! and goal values agree with the function. [`Function::bind`] checks whether fluents and moves exist in the game.

mod error;
mod support;

pub use error::{DocumentError, LoadError, TextPosition};
pub use support::Support;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::gdl::identity::sha256;
use crate::gdl::{Description, Negation};
use crate::machine::Machine;
use crate::structure::finding::Structures;

use super::function::Function;
use super::function_statistics::FunctionStatistics;
use super::kind::Kind;
use super::scaled_feature::rewards;

/// The name and version of the schema. It changes if a key changes its meaning or is removed.
pub const SCHEMA: &str = "ggp.evaluation/1";

/// A larger document, in bytes, is rejected with `DocumentError::TooLarge`.
pub const MAX_BYTES: usize = 64 << 20;

/// An evaluation function with its evidence and quality.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "An evaluation function with all that is known of it.")]
pub struct Document {
    /// Always `ggp.evaluation/1`.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// The name of the function among those of the game.
    pub id: String,
    /// The kind of function.
    pub kind: Kind,
    /// The role whose goal value is estimated, as in the rules.
    pub role: String,
    /// The game.
    pub game: GameIdentity,
    /// The function as a formula in KIF terms, for readers.
    pub formula: String,
    /// The parameters that it was made with; the same as in `function`.
    pub parameters: Map<String, Value>,
    /// The least and the greatest value of the function.
    pub range: [f64; 2],
    /// The least and the greatest goal value that the role can end with.
    pub rewards: [i32; 2],
    /// The structures that it is built from, each with its evidence.
    pub evidence: Vec<Support>,
    /// Sentences on what was left out or could not be unrolled.
    pub notes: Vec<String>,
    /// Statistics in random play; null if it was not measured.
    pub quality: Option<FunctionStatistics>,
    /// The function itself.
    pub function: Function,
    /// SHA-256 over everything else, which shows whether the document was edited.
    pub checksum: String,
    /// Whether the document was edited after it was made: the checksum differs.
    #[serde(skip)]
    pub edited: bool,
}

/// The key that is read first, to recognise the schema.
#[derive(Deserialize)]
struct SchemaKey {
    schema: Option<Value>,
}

/// The identity of the game that a function is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GameIdentity {
    /// The file name without its ending, for readers only.
    pub name: String,
    /// SHA-256 of the file's bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// SHA-256 of the rules in a normal form, which ignores layout, comments, the order of rules and the names of
    /// variables.
    pub rules: String,
    /// The reading of negated literals in the rules; omitted if it is that of the language.
    #[serde(default, skip_serializing_if = "Negation::is_language")]
    pub negation: Negation,
}

impl GameIdentity {
    /// The identity of a game that was read from these bytes.
    pub fn new(bytes: &[u8], description: &Description) -> GameIdentity {
        GameIdentity {
            name: description.name.clone(),
            sha256: sha256(bytes),
            rules: description.fingerprint.clone(),
            negation: description.negation,
        }
    }

    /// Whether both games have the same rules.
    pub fn is_same(&self, other: &GameIdentity) -> bool {
        self.rules == other.rules || self.sha256 == other.sha256 && self.negation == other.negation
    }
}

impl Document {
    /// The document of a function that was made for a game.
    pub fn new(
        game: &GameIdentity,
        machine: &dyn Machine,
        structures: &Structures,
        function: Function,
        quality: Option<FunctionStatistics>,
    ) -> Document {
        let evidence = support::of(&function, structures, machine);
        Document::with_evidence(game, machine, evidence, function, quality)
    }

    /// The document of a function that was not made from structures of this game, so it has no evidence.
    pub fn of_others(game: &GameIdentity, machine: &dyn Machine, function: Function) -> Document {
        Document::with_evidence(game, machine, Vec::new(), function, None)
    }

    fn with_evidence(
        game: &GameIdentity,
        machine: &dyn Machine,
        evidence: Vec<Support>,
        function: Function,
        quality: Option<FunctionStatistics>,
    ) -> Document {
        let roles = &machine.description().roles;
        let number = roles.iter().position(|&role| machine.term_text(role) == function.role());
        let mut document = Document {
            schema: SCHEMA.to_owned(),
            id: function.id(),
            kind: function.kind(),
            role: function.role().to_owned(),
            game: game.clone(),
            formula: function.formula(),
            parameters: function.parameters(),
            range: function.range(),
            rewards: function.rewards().unwrap_or_else(|| rewards(machine, number.unwrap_or(0))),
            evidence,
            notes: support::notes(&function),
            quality,
            function,
            checksum: String::new(),
            edited: false,
        };
        document.checksum =
            serde_json::to_value(&document).map_or_else(|_| String::new(), |value| checksum(&value));
        document
    }

    /// Checks that the document is for a game.
    ///
    /// # Errors
    /// It is for another game; the error names both.
    pub fn is_for(&self, game: &GameIdentity) -> Result<(), DocumentError> {
        if self.game.is_same(game) {
            return Ok(());
        }
        Err(DocumentError::OtherGame { of: Box::new(self.game.clone()), game: Box::new(game.clone()) })
    }

    /// Reads a document from a file.
    ///
    /// # Errors
    /// The file can't be read, or is not a usable document.
    pub fn load(path: &Path) -> Result<Document, LoadError> {
        let within = |error: DocumentError| LoadError { path: path.to_owned(), error };
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes));
        read.map_err(|error| within(DocumentError::Unreadable(error.to_string())))?;
        Document::parse(&bytes).map_err(within)
    }

    /// Parses a document.
    ///
    /// # Errors
    /// The document can't be used; the error says what is wrong, and where.
    pub fn parse(bytes: &[u8]) -> Result<Document, DocumentError> {
        if bytes.len() > MAX_BYTES {
            return Err(DocumentError::TooLarge);
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| DocumentError::NotText(byte_position(bytes, error.valid_up_to())))?;
        // Some editors write a byte order mark at the start.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(DocumentError::Empty);
        }
        let value: Value = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        let head = SchemaKey::deserialize(&value).map_err(|_| DocumentError::NoDocument)?;
        match head.schema {
            None => return Err(DocumentError::NoDocument),
            Some(Value::String(schema)) if schema == SCHEMA => {}
            Some(Value::String(found)) => return Err(DocumentError::Schema { found }),
            Some(other) => return Err(DocumentError::Schema { found: other.to_string() }),
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        let mut document: Document = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let path = error.path().to_string();
            let inner = error.into_inner();
            DocumentError::Part { place: place(&inner), path, what: message_without_position(&inner) }
        })?;
        document.edited = document.checksum != checksum(&value);
        document.check()?;
        Ok(document)
    }

    /// Checks that the parts agree with the function.
    fn check(&mut self) -> Result<(), DocumentError> {
        self.function.validate()?;
        let contradiction = |part, found: String, expected: String| {
            if found == expected {
                return Ok(());
            }
            Err(DocumentError::Contradiction { part, found, expected })
        };
        contradiction("kind", self.kind.to_string(), self.function.kind().to_string())?;
        contradiction("role", self.role.clone(), self.function.role().to_owned())?;
        contradiction(
            "parameters",
            parameter_text(self.parameters.clone()),
            parameter_text(self.function.parameters()),
        )?;
        if let Some(rewards) = self.function.rewards() {
            contradiction("rewards", format!("{:?}", self.rewards), format!("{rewards:?}"))?;
        }
        let [low, high] = self.rewards.map(f64::from);
        if low > high {
            return Err(DocumentError::Range { part: "rewards", low, high });
        }
        let [low, high] = self.range;
        if low > high {
            return Err(DocumentError::Range { part: "range", low, high });
        }
        // The range is computed again, so that users can edit a weight without computing it.
        self.range = self.function.range();
        Ok(())
    }
}

/// The checksum of a document: SHA-256 over its JSON without the checksum, with sorted keys, without white space, and
/// with every number as the shortest decimal of its nearest double.
fn checksum(document: &Value) -> String {
    let mut text = String::new();
    match document {
        Value::Object(map) => {
            let mut without_checksum = map.clone();
            without_checksum.remove("checksum");
            write(&Value::Object(without_checksum), &mut text);
        }
        other => write(other, &mut text),
    }
    sha256(text.as_bytes())
}

/// Appends a value as compact JSON in the form that [`checksum`] describes.
fn write(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => out.push_str(&number.as_f64().unwrap_or(0.0).to_string()),
        Value::Array(list) => {
            out.push('[');
            for (index, item) in list.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            out.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(key.clone()).to_string());
                out.push(':');
                write(&map[key], out);
            }
            out.push('}');
        }
        Value::Null | Value::Bool(_) | Value::String(_) => out.push_str(&value.to_string()),
    }
}

/// Parameters with numbers in a normal form, for comparison and messages.
fn parameter_text(parameters: Map<String, Value>) -> String {
    let mut text = String::new();
    write(&Value::Object(parameters), &mut text);
    text
}

fn place(error: &serde_json::Error) -> TextPosition {
    TextPosition { line: error.line().max(1), column: error.column().max(1) }
}

/// The message of the parser without the position, which is reported separately.
fn message_without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").filter(|_| error.line() > 0).unwrap_or(text.len());
    text[..end].to_owned()
}

fn not_json(error: &serde_json::Error) -> DocumentError {
    let what = match message_without_position(error).as_str() {
        "recursion limit exceeded" => "lists and objects are nested more than 127 deep".to_owned(),
        "number out of range" => "this number is too large for a number of 64 bits".to_owned(),
        "expected value" | "expected ident" => {
            "a value is expected here: a text, a finite number (no NaN, no Infinity), a list, an object, true, false \
             or null"
                .to_owned()
        }
        other => other.to_owned(),
    };
    DocumentError::NotJson { place: place(error), what }
}

/// Line and column of a byte.
fn byte_position(bytes: &[u8], at: usize) -> TextPosition {
    let before = &bytes[..at];
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    TextPosition { line: before.iter().filter(|&&byte| byte == b'\n').count() + 1, column: at - start + 1 }
}

#[cfg(test)]
mod tests {
    fn checksum(text: &str) -> String {
        super::checksum(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn the_checksum_depends_on_the_content_alone() {
        let one = checksum(r#"{"a": [1.0, 2.5], "b": {"x": "y", "z": null}, "checksum": "1"}"#);
        assert_eq!(one, checksum(r#"{"b":{"z":null,"x":"y"},"a":[1,2.50]}"#));
        for other in [
            r#"{"a": [1.0, 2.6], "b": {"x": "y", "z": null}}"#,
            r#"{"a": [2.5, 1.0], "b": {"x": "y", "z": null}}"#,
            r#"{"a": [1.0, 2.5], "b": {"x": "y"}}"#,
            r#"{"a": [1.0, 2.5], "b": {"x": "z", "z": null}}"#,
        ] {
            assert_ne!(one, checksum(other));
        }
    }
}
