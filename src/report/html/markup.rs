//! Text that is HTML already, and how other text becomes part of it. Words of rules are anything, `<script>` among them.

use std::fmt;

use askama::filters::{Escaper, Html, HtmlSafe};
use serde::Serialize;

/// HTML that was written here: templates take it as it is, and escape all else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Markup(String);

impl Markup {
    /// Takes text for HTML; whatever came from rules in it has to be [`escaped`].
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

/// Text as it stands in HTML, between tags or in a quoted attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Writing to a string can't fail.
    let _ = Html.write_escaped_str(&mut out, text);
    out
}

/// A value as JSON within a `script` element, which no text in it can end.
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
