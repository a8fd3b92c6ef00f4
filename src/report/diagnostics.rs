//! Diagnostics of descriptions, as text with source lines or as JSON.

use std::fmt::Write;
use std::path::PathBuf;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceSpan,
};
use miette::{SourceCode, SpanContents};
use serde_json::{Value, json};

use crate::gdl::Source;
use crate::gdl::check::{self, Entry};
use crate::gdl::diagnostic::{Diagnostic, Label, Severity};
use crate::gdl::source::Span;

use super::layout::Layout;

/// A file that was checked.
#[derive(Debug)]
pub enum CheckedFile {
    /// The file was read and has these faults.
    Read(Source, Vec<Diagnostic>),
    /// The file could not be read, for this reason.
    Unreadable(PathBuf, String),
}

impl CheckedFile {
    /// Number of faults of a severity; an unreadable file counts as one error.
    pub fn count(&self, severity: Severity) -> usize {
        match self {
            CheckedFile::Read(_, faults) => faults.iter().filter(|fault| fault.severity == severity).count(),
            CheckedFile::Unreadable(..) => usize::from(severity == Severity::Error),
        }
    }
}

/// The width at which messages are wrapped.
const WIDTH: usize = 110;
/// Of a long line, at most this many bytes are shown on either side of the place.
const AROUND: usize = 100;
/// If the lines of all places together have more bytes, places are shown one by one.
const MAX_SHOWN: usize = 4096;

/// All faults with their source lines, and a summary line per file. A fault with many harmless places takes one line.
pub fn text(checked: &[CheckedFile], color: bool) -> String {
    render(checked, color, false)
}

/// Like [`text`], with the source line of every place.
pub fn text_of_all_places(checked: &[CheckedFile], color: bool) -> String {
    render(checked, color, true)
}

fn render(checked: &[CheckedFile], color: bool, all: bool) -> String {
    let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler =
        GraphicalReportHandler::new_themed(theme).with_context_lines(1).with_width(WIDTH).with_links(false);
    let mut out = String::new();
    for game in checked {
        match game {
            CheckedFile::Unreadable(path, reason) => {
                let _ = writeln!(out, "{}: error: {reason}", path.display());
            }
            CheckedFile::Read(source, faults) => {
                let shown = printable(source.text());
                let render = |out: &mut String, fault: &Diagnostic| {
                    let rendered = MietteFault { excerpt: Excerpt { source, text: &shown }, fault };
                    // Writing to a string can't fail, and `Excerpt` always returns lines.
                    let _ = handler.render_report(out, &rendered);
                    out.push('\n');
                };
                for fault in faults {
                    match (fault.folded, all) {
                        (false, _) => render(&mut out, fault),
                        (true, true) => places(fault).iter().for_each(|place| render(&mut out, place)),
                        (true, false) => out.push_str(&one_line(source, fault)),
                    }
                }
                let (errors, warnings) = (game.count(Severity::Error), game.count(Severity::Warning));
                let _ = writeln!(out, "{}: {}", source.title(), summary(errors, warnings));
            }
        }
    }
    out
}

/// The number of places that a one-line fault names.
const NAMED: usize = 3;

/// A fault with many places on one line.
fn one_line(source: &Source, fault: &Diagnostic) -> String {
    let place = |label: &Label| format!("{} on line {}", label.text, source.position(label.span.start).0);
    let named: Vec<String> = fault.labels.iter().take(NAMED).map(place).collect();
    let rest = match fault.labels.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (severity, code) = (fault.severity.name(), fault.code);
    let named = named.join(", ");
    let line = format!("{severity} {code}: {} ({named}{rest}); `ggp check --all` shows each", fault.message);
    printable(&line) + "\n\n"
}

/// Splits a one-line fault into a fault per place.
fn places(fault: &Diagnostic) -> Vec<Diagnostic> {
    let of = |label: &Label| Diagnostic {
        message: format!("{} occurs only once in its rule", label.text),
        labels: vec![Label { span: label.span, text: "once".to_owned() }],
        expected: String::new(),
        folded: false,
        ..fault.clone()
    };
    fault.labels.iter().map(of).collect()
}

fn summary(errors: usize, warnings: usize) -> String {
    let count = |number: usize, word: &str| format!("{number} {word}{}", if number == 1 { "" } else { "s" });
    match (errors, warnings) {
        (0, 0) => "ok".into(),
        (0, _) => format!("no errors, {}", count(warnings, "warning")),
        (_, 0) => count(errors, "error"),
        _ => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    }
}

/// All faults as one JSON document (`ggp.check/1`), lines and columns counted from 1.
///
/// # Errors
/// Serialization fails; no known input causes this.
pub fn json(checked: &[CheckedFile]) -> serde_json::Result<String> {
    let games: Vec<Value> = checked.iter().map(game_json).collect();
    let mut text = serde_json::to_string_pretty(&json!({ "schema": "ggp.check/1", "games": games }))?;
    text.push('\n');
    Ok(text)
}

fn game_json(game: &CheckedFile) -> Value {
    let (errors, warnings) = (game.count(Severity::Error), game.count(Severity::Warning));
    match game {
        CheckedFile::Unreadable(path, reason) => json!({
            "path": path.display().to_string(),
            "unreadable": reason,
            "errors": errors,
            "warnings": warnings,
            "diagnostics": [],
        }),
        CheckedFile::Read(source, faults) => json!({
            "name": source.name(),
            "path": source.title(),
            "errors": errors,
            "warnings": warnings,
            "diagnostics": faults.iter().map(|fault| fault_json(source, fault)).collect::<Vec<_>>(),
        }),
    }
}

fn fault_json(source: &Source, fault: &Diagnostic) -> Value {
    let place = |span: Span| {
        let ((line, column), (end_line, end_column)) =
            (source.position(span.start), source.position(span.end));
        (line, column, end_line, end_column)
    };
    let (line, column, end_line, end_column) = place(fault.span());
    let related = fault.labels.iter().skip(1).map(|label| {
        let (line, column, end_line, end_column) = place(label.span);
        json!({ "line": line, "column": column, "end_line": end_line, "end_column": end_column, "text": label.text })
    });
    let related: Vec<Value> = related.collect();
    json!({
        "code": fault.code.to_string(),
        "severity": fault.severity.name(),
        "title": check::find(&fault.code.to_string()).map_or("", |entry| entry.title),
        "message": fault.message,
        "file": source.title(),
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "source": excerpt_text(source, fault.span()),
        "expected": fault.expected,
        "help": fault.help,
        "related": related,
    })
}

/// The explanation of a code: title, severity, cause, example and remedy.
pub fn explanation(entry: &Entry) -> String {
    let mut out = format!("{}: {} ({})\n\n", entry.code, entry.title, entry.severity.name());
    wrap(entry.cause, &mut out);
    for (title, text) in [("Example", entry.example), ("Corrected", entry.corrected)] {
        let _ = write!(out, "\n{title}:\n\n");
        text.lines().for_each(|line| {
            let _ = writeln!(out, "    {}", printable(line));
        });
    }
    out.push('\n');
    wrap(&format!("Remedy: {}.", entry.remedy), &mut out);
    out
}

/// Wraps a paragraph at [`WIDTH`] characters.
fn wrap(paragraph: &str, out: &mut String) {
    let mut column = 0;
    for word in paragraph.split_whitespace() {
        let width = word.chars().count();
        if column > 0 {
            let fits = column + 1 + width <= WIDTH;
            out.push(if fits { ' ' } else { '\n' });
            column = if fits { column + 1 } else { 0 };
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
}

/// A table of all codes.
pub fn codes(layout: Layout) -> String {
    let of_group = |group: &check::Group| {
        let row = |entry: &Entry| {
            vec![
                entry.code.to_string(),
                entry.severity.name().to_owned(),
                group.name.to_owned(),
                entry.title.to_owned(),
            ]
        };
        group.entries.iter().map(row).collect::<Vec<_>>()
    };
    let rows = check::GROUPS.iter().flat_map(of_group).collect();
    layout.table(&["code", "severity", "about", "title"], rows)
        + "\n`ggp check --explain CODE` prints cause, example and remedy.\n"
}

/// Replaces control characters by `?` so that a terminal doesn't obey them, and a lone CR by a line break. The number of
/// bytes stays the same.
fn printable(text: &str) -> String {
    let mut characters = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        out.push(match character {
            '\r' if characters.peek() != Some(&'\n') => '\n',
            '\r' | '\n' | '\t' => character,
            _ if character.is_ascii_control() => '?',
            _ => character,
        });
    }
    out
}

/// The part that is shown of the line on which a place begins: all of it, or the surroundings if the line is long.
fn window(source: &Source, offset: u32) -> (usize, usize) {
    let (line, _) = source.position(offset);
    let (start, text) = (source.line_start(line), source.text());
    let end = start + source.line(line).len();
    if end - start <= 2 * AROUND {
        return (start, end);
    }
    let from = text.floor_char_boundary((offset as usize).saturating_sub(AROUND));
    let to = text.ceil_char_boundary((offset as usize + AROUND).min(text.len()));
    (from.clamp(start, end), to.clamp(start, end))
}

fn excerpt_text(source: &Source, span: Span) -> String {
    let (start, end) = window(source, span.start);
    printable(&source.text()[start..end])
}

/// The source text for `miette`: long lines are cut around the place.
struct Excerpt<'a> {
    source: &'a Source,
    /// The text with control characters replaced, byte for byte.
    text: &'a str,
}

impl SourceCode for Excerpt<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (start, end) = (span.offset(), span.offset() + span.len());
        // Without context, `miette` asks for the place itself to print its line and column.
        let (from, to) = if before == 0 {
            (start, end)
        } else {
            (window(self.source, start as u32).0, window(self.source, end as u32).1.max(end))
        };
        if to > self.text.len() || to - from > MAX_SHOWN {
            return Err(MietteError::OutOfBounds);
        }
        let (line, column) = self.source.position(from as u32);
        let data = &self.text[from..to];
        let shown = SourceSpan::new(from.into(), to - from);
        let (name, lines) = (self.source.title(), data.lines().count());
        let data = data.as_bytes();
        Ok(Box::new(MietteSpanContents::new_named(name, data, shown, line - 1, column - 1, lines)))
    }
}

/// A fault as a `miette::Diagnostic`.
struct MietteFault<'a> {
    excerpt: Excerpt<'a>,
    fault: &'a Diagnostic,
}

impl MietteFault<'_> {
    /// A place, cut to the visible part of its first line.
    fn cut(&self, span: Span) -> SourceSpan {
        let end = window(self.excerpt.source, span.start).1.min(span.end as usize).max(span.start as usize);
        SourceSpan::new((span.start as usize).into(), end - span.start as usize)
    }
}

impl std::fmt::Debug for MietteFault<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.fault.fmt(out)
    }
}

impl std::fmt::Display for MietteFault<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&printable(&self.fault.message))
    }
}

impl std::error::Error for MietteFault<'_> {}

impl miette::Diagnostic for MietteFault<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Some(Box::new(format!("{} {}", self.fault.severity.name(), self.fault.code)))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.fault.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        let Diagnostic { expected, help, .. } = self.fault;
        let text = match (expected.is_empty(), help.is_empty()) {
            (true, true) => return None,
            (true, false) => help.clone(),
            (false, true) => format!("expected {expected}"),
            (false, false) => format!("expected {expected}\n{help}"),
        };
        Some(Box::new(text))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.fault.labels.iter().enumerate().map(|(index, label)| {
            let text = (!label.text.is_empty() || index > 0).then(|| label.text.clone());
            let span = self.cut(label.span);
            if index == 0 {
                LabeledSpan::new_primary_with_span(text.or_else(|| Some("here".into())), span)
            } else {
                LabeledSpan::new_with_span(text, span)
            }
        })))
    }
}
