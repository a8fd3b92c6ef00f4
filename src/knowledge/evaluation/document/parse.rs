//! Reading a document and checking it part by part.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::error::{DocumentError, LoadError, Place};
use super::{Document, MAX_BYTES, SCHEMA, checksum};

/// What is looked at first, whatever else a document holds.
#[derive(Deserialize)]
struct Head {
    schema: Option<Value>,
}

impl Document {
    /// Reads a document from a file.
    ///
    /// # Errors
    /// The file can't be read, or is no document that can be used.
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
        document.edited = document.checksum != checksum::of(&value);
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

/// Parameters in one spelling of their numbers, for comparing and for messages.
fn spelled(parameters: serde_json::Map<String, Value>) -> String {
    let mut text = String::new();
    checksum::write(&Value::Object(parameters), &mut text);
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
