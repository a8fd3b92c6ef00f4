//! Evaluation functions as documents.
//!
//! # What it does
//! A [`Document`] carries one evaluation function with everything that is needed to run it on the same game, and what
//! is known of it: the structures that it rests on, and what random play says it is worth. `docs/evaluations.md`
//! describes it for those who write players.
//!
//! # How
//! As JSON, by [`Document::parse`] and the report of this crate. The game is recognised by its rules (see
//! [`identity`](crate::gdl::identity)), so a copy of them with another layout is the same game. A checksum over all that
//! a document says tells whether it was edited after it was made.
//!
//! # Guarantee
//! What was read has been checked part by part: no number is infinite, no range the wrong way round, role, kind,
//! parameters and goal values say what the function itself says. Whether fluents and moves are the game's is checked
//! by [`Function::bind`].

mod error;
mod support;

pub use error::{DocumentError, LoadError, Place};
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
use super::kuhlmann::rewards;

/// The name and version of the document; it changes when a key changes its meaning or goes away.
pub const SCHEMA: &str = "ggp.evaluation/1";

/// Files larger than this (64 MiB) are refused.
pub const MAX_BYTES: usize = 64 << 20;

/// An evaluation function with all that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "An evaluation function with all that is known of it.")]
pub struct Document {
    /// Always `ggp.evaluation/1`.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// Its name among the functions of the game.
    pub id: String,
    /// How it is made.
    pub kind: Kind,
    /// The role whose goal value is estimated, as the rules write it.
    pub role: String,
    /// The game.
    pub game: GameIdentity,
    /// What is computed, in KIF terms; for reading only.
    pub formula: String,
    /// What it was tuned by; the same as in `function`.
    pub parameters: Map<String, Value>,
    /// The least and the greatest value that it can have.
    pub range: [f64; 2],
    /// The least and the greatest goal value that the role can end with.
    pub rewards: [i32; 2],
    /// The structures that it is built from, each with its evidence.
    pub evidence: Vec<Support>,
    /// What was left out or could not be unrolled, in sentences.
    pub notes: Vec<String>,
    /// What random play says it is worth; null where it was not measured.
    pub quality: Option<FunctionStatistics>,
    /// The function itself, part by part.
    pub function: Function,
    /// SHA-256 over everything else, by which an edited document is recognised.
    pub checksum: String,
    /// Whether the checksum is another: the document was edited after it was made.
    #[serde(skip)]
    pub edited: bool,
}

/// The part that is read first, whatever else a document holds.
#[derive(Deserialize)]
struct Head {
    schema: Option<Value>,
}

/// Which game a function is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GameIdentity {
    /// Its name: the file's name without its ending. It decides nothing.
    pub name: String,
    /// SHA-256 of the file's bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// SHA-256 of the rules in one spelling: the same for another layout, other comments, another order of rules and
    /// other names of variables.
    pub rules: String,
    /// When negated literals of the rules are read; left out where that is as the language says.
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

    /// Whether the two have the same rules.
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

    /// The document of a function that others made, of whose structures nothing is known.
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

    /// Whether it is for a game.
    ///
    /// # Errors
    /// It is for another; the error names both.
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

    /// Reads a document.
    ///
    /// # Errors
    /// It is none that can be used; the error says what is wrong, and where.
    pub fn parse(bytes: &[u8]) -> Result<Document, DocumentError> {
        if bytes.len() > MAX_BYTES {
            return Err(DocumentError::TooLarge);
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| DocumentError::NotText(place_of(bytes, error.valid_up_to())))?;
        // Some editors put a mark at the start of a text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(DocumentError::Empty);
        }
        let value: Value = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        let head = Head::deserialize(&value).map_err(|_| DocumentError::NoDocument)?;
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
            DocumentError::Part { place: place(&inner), path, what: sentence(&inner) }
        })?;
        document.edited = document.checksum != checksum(&value);
        document.check()?;
        Ok(document)
    }

    /// Checks that the parts say one thing.
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
        contradiction("parameters", spelled(self.parameters.clone()), spelled(self.function.parameters()))?;
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
        // The range follows from the parts; who changes a weight need not work it out.
        self.range = self.function.range();
        Ok(())
    }
}

/// The checksum of a document: SHA-256 over its JSON without the checksum itself, with sorted keys, without white space, and with
/// every number as the shortest decimal of its nearest double.
fn checksum(document: &Value) -> String {
    let mut text = String::new();
    match document {
        Value::Object(map) => {
            let mut rest = map.clone();
            rest.remove("checksum");
            write(&Value::Object(rest), &mut text);
        }
        other => write(other, &mut text),
    }
    sha256(text.as_bytes())
}

/// Appends a value in this form.
fn write(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => out.push_str(&number.as_f64().unwrap_or(0.0).to_string()),
        Value::Array(list) => {
            out.push('[');
            for (place, item) in list.iter().enumerate() {
                if place > 0 {
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
            for (place, key) in keys.into_iter().enumerate() {
                if place > 0 {
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

/// Parameters in one spelling of their numbers, for comparing and for messages.
fn spelled(parameters: Map<String, Value>) -> String {
    let mut text = String::new();
    write(&Value::Object(parameters), &mut text);
    text
}

fn place(error: &serde_json::Error) -> Place {
    Place { line: error.line().max(1), column: error.column().max(1) }
}

/// The message without the place, which is given apart.
fn sentence(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").filter(|_| error.line() > 0).unwrap_or(text.len());
    text[..end].to_owned()
}

fn not_json(error: &serde_json::Error) -> DocumentError {
    let what = match sentence(error).as_str() {
        "recursion limit exceeded" => "lists and objects stand in each other more than 127 deep".to_owned(),
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
fn place_of(bytes: &[u8], at: usize) -> Place {
    let before = &bytes[..at];
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    Place { line: before.iter().filter(|&&byte| byte == b'\n').count() + 1, column: at - start + 1 }
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
