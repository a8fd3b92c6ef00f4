//! The checksum: SHA-256 over a document's JSON in one spelling, without the checksum itself.

use serde_json::Value;

use crate::gdl::identity::sha256;

use super::Document;

/// The key that is left out.
const KEY: &str = "checksum";

impl Document {
    /// The checksum that the document should have.
    pub(super) fn computed_checksum(&self) -> String {
        serde_json::to_value(self).map_or_else(|_| String::new(), |value| of(&value))
    }
}

/// The checksum of a document: keys sorted, no white space, every number as the shortest decimal of its nearest double.
pub(super) fn of(document: &Value) -> String {
    let mut text = String::new();
    match document {
        Value::Object(map) => {
            let mut rest = map.clone();
            rest.remove(KEY);
            write(&Value::Object(rest), &mut text);
        }
        other => write(other, &mut text),
    }
    sha256(text.as_bytes())
}

pub(super) fn write(value: &Value, out: &mut String) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn checksum(text: &str) -> String {
        of(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn layout_is_nothing_and_content_is_everything() {
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
