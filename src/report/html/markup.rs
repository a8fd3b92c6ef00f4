//! HTML text, and the escaping of other text. Symbols of rules can be any text, even `<script>`.

use std::fmt;

use askama::filters::{Escaper, Html, HtmlSafe};
use serde::Serialize;

/// HTML that templates insert as it is; they escape all other text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Markup(String);

impl Markup {
    /// Marks text as HTML; parts that come from rules must be [`escaped`].
    pub(super) fn of(text: String) -> Markup {
        Markup(text)
    }
}

impl fmt::Display for Markup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for Markup {}

/// Escapes text for HTML, between tags or in a quoted attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Writing to a string can't fail.
    let _ = Html.write_escaped_str(&mut out, text);
    out
}

/// Writes a value as JSON for a `script` element; no text in it can end the element.
pub(super) fn script_json<T: Serialize>(value: &T) -> Result<Markup, serde_json::Error> {
    let text = serde_json::to_string(value)?;
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", sign as u32)),
            _ => out.push(sign),
        }
    }
    Ok(Markup(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_a_script_or_a_quoted_attribute() {
        let hostile = "</script><!--\u{2028}\"'&";
        let json = script_json(&[hostile]).unwrap().to_string();
        assert!(!json.contains(['<', '>', '&', '\u{2028}']), "{json}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [hostile]);
        assert!(!escaped(hostile).contains(['<', '>', '"', '\'']), "{}", escaped(hostile));
    }
}
