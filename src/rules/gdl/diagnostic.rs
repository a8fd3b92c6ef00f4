//! What is wrong with a description: structured; rendered elsewhere.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashSet;

use super::check;
use super::source::Span;

/// The stable number of a kind of fault, written `GDL007`. [`super::check::find`] explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u16);

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "GDL{:03}", self.0)
    }
}

/// How bad a fault is. It is fixed for every code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The rules can be run, with the meaning the message states.
    Warning,
    /// The rules have no meaning that can be run.
    Error,
}

impl Severity {
    /// `warning` or `error`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A place in the text with a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The note; may be empty.
    pub text: String,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its kind.
    pub code: Code,
    /// Its severity, that of the code.
    pub severity: Severity,
    /// What is wrong, in a sentence.
    pub message: String,
    /// Where: the first label is the place itself, the others are related places. At least one.
    pub labels: Vec<Label>,
    /// Whether every label is a place of the same harmless fault: reports then name it on one line.
    pub folded: bool,
    /// What would have been right here.
    pub expected: String,
    /// How to mend it.
    pub help: String,
}

impl Diagnostic {
    /// The place itself.
    pub fn span(&self) -> Span {
        self.labels.first().map_or(Span::default(), |label| label.span)
    }
}

/// Faults of one code past this number are counted, not listed.
pub const MAX_PER_CODE: usize = 100;

/// Collects the faults of a description.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    unlisted: Option<Diagnostic>,
    counts: BTreeMap<Code, usize>,
    places: FxHashSet<(Code, Span)>,
}

impl Diagnostics {
    /// Adds a fault. The severity and the remedy are those of the code's entry. Labels, expectation and a
    /// remedy of its own can be added to what is returned.
    pub fn add(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        let entry = check::entry(code);
        let diagnostic = Diagnostic {
            code,
            severity: entry.severity,
            message: message.into(),
            labels: vec![Label { span, text: String::new() }],
            folded: false,
            expected: String::new(),
            help: entry.remedy.into(),
        };
        // The alternatives of one rule can show the same fault at the same place.
        if !self.places.insert((code, span)) {
            return self.unlisted.insert(diagnostic);
        }
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count > MAX_PER_CODE {
            return self.unlisted.insert(diagnostic);
        }
        self.list.push(diagnostic);
        self.list.last_mut().expect("one was pushed above")
    }

    /// The faults that are listed, in the order in which they were added.
    pub(super) fn listed(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Whether an error was added.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Whether a fault of this code was added.
    pub fn has(&self, code: Code) -> bool {
        self.counts.contains_key(&code)
    }

    /// All faults: errors first, each severity by place. The last of a code that has too many says how many are not listed.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        for diagnostic in self.list.iter_mut().rev() {
            let count = self.counts.entry(diagnostic.code).or_default();
            if *count > MAX_PER_CODE {
                diagnostic.message += &format!(" (and {} more of this kind)", *count - MAX_PER_CODE);
                *count = 0;
            }
        }
        self.list.sort_by_key(|fault| (Reverse(fault.severity), fault.span(), fault.code));
        self.list
    }
}

impl Diagnostic {
    /// Adds a note to the place itself.
    pub fn note(&mut self, text: impl Into<String>) -> &mut Diagnostic {
        if let Some(label) = self.labels.first_mut() {
            label.text = text.into();
        }
        self
    }

    /// Adds a related place.
    pub fn label(&mut self, span: Span, text: impl Into<String>) -> &mut Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says what would have been right.
    pub fn expected(&mut self, text: impl Into<String>) -> &mut Diagnostic {
        self.expected = text.into();
        self
    }

    /// Says how to mend this very place.
    pub fn help(&mut self, text: impl Into<String>) -> &mut Diagnostic {
        self.help = text.into();
        self
    }
}
