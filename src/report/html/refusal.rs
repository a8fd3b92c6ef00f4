//! The page of a game that can't be analysed: the errors and how to correct them.

use askama::Template;

use crate::gdl::diagnostic::Severity;

use super::super::diagnostics::{self, CheckedFile};
use super::super::layout::counted;
use super::document::PageError;
use super::glossary::with_terms;
use super::markup::Markup;
use super::page::{SCRIPT, style};
use super::warnings::Warning;

/// The maximum number of errors on the page.
const MAX_ERRORS: usize = 50;

#[derive(Template)]
#[template(path = "refused.html")]
struct RefusedPage<'a> {
    name: &'a str,
    path: &'a str,
    reason: String,
    faults: Vec<Warning>,
    /// The number of errors beyond [`MAX_ERRORS`].
    left: usize,
    /// The faults with their source lines.
    lines: String,
    style: Markup,
    script: Markup,
    symbols: Markup,
}

/// Renders a page with the reason why a game was refused; `checked` has the errors of its rules, if they are the reason.
///
/// # Errors
/// Rendering fails; no known input causes this.
pub fn refused_page(
    name: &str,
    path: &str,
    reason: &str,
    checked: Option<CheckedFile>,
) -> Result<String, PageError> {
    let (mut faults, mut left, mut lines) = (Vec::new(), 0, String::new());
    if let Some(CheckedFile::Read(source, mut found)) = checked {
        found.retain(|fault| fault.severity == Severity::Error);
        left = found.len().saturating_sub(MAX_ERRORS);
        found.truncate(MAX_ERRORS);
        let fault = |fault: &crate::gdl::diagnostic::Diagnostic| {
            let (line, column) = source.position(fault.span().start);
            Warning {
                class: "bad",
                title: format!("{} in line {line}, column {column}", fault.code),
                text: format!("{} {}", as_sentence(&fault.message), as_sentence(&fault.help)),
            }
        };
        faults = found.iter().map(fault).collect();
        lines = diagnostics::text(&[CheckedFile::Read(source, found)], false);
    }
    let reason = match faults.len() + left {
        0 => reason.to_owned(),
        count => format!("Its rules have {}.", counted(count as u64, "error", "errors")),
    };
    let page = RefusedPage {
        name,
        path,
        reason,
        faults,
        left,
        lines,
        style: style(),
        script: Markup::of(SCRIPT.to_owned()),
        symbols: Markup::of(String::new()),
    };
    Ok(with_terms(page.render()?) + "\n")
}

/// Adds a capital letter and a full stop.
fn as_sentence(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    let first = letters.next().map_or(String::new(), |letter| letter.to_uppercase().collect());
    let stop = if text.is_empty() || text.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}
