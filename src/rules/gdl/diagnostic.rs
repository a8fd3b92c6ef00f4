//! Faults of a description as data. `report::diagnostics` renders them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashSet;

use super::check::{self, playable, safety, vocabulary};
use super::source::Span;

/// The stable number of a kind of fault, written `GDL007`. [`super::check::find`] gives its explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u16);

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "GDL{:03}", self.0)
    }
}

/// The severity of a fault, fixed for each code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The game can be played; the message says how the rules are read.
    Warning,
    /// The game can't be played.
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
    /// Its code.
    pub code: Code,
    /// The severity of its code.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The place of the fault, then related places. Never empty.
    pub labels: Vec<Label>,
    /// Whether the labels are separate places of one harmless fault. Reports then print one line for all of them.
    pub folded: bool,
    /// What is correct at this place; may be empty.
    pub expected: String,
    /// How to correct it, in the imperative.
    pub help: String,
}

impl Diagnostic {
    /// The place of the fault.
    pub fn span(&self) -> Span {
        self.labels.first().map_or(Span::default(), |label| label.span)
    }
}

/// The maximum number of listed faults of one code. Further ones are only counted.
pub const MAX_PER_CODE: usize = 100;

/// Collects the faults of a description.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    /// The last fault that `add` did not list; its caller may still change it.
    unlisted: Option<Diagnostic>,
    counts: BTreeMap<Code, usize>,
    places: FxHashSet<(Code, Span)>,
}

impl Diagnostics {
    /// Adds a fault with the severity and the remedy of its code's entry. The caller can add labels, an expectation and a more
    /// specific remedy to the returned fault.
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
        // The alternatives of one rule can have the same fault at the same place.
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

    /// Removes faults that follow from another one, given the places of all statements. In a head with the wrong number of
    /// arguments or a logical word, conditions may have been read as terms. A missing argument may be the one that binds a
    /// variable of the statement. If the head is unsafe, the condition that corrects it also binds the variable for `not`
    /// and `distinct`.
    pub(super) fn remove_consequences(&mut self, statements: &[Span]) {
        use safety::{DISTINCT_WITHOUT_BINDER, NEGATION_WITHOUT_BINDER, UNSAFE_HEAD};
        use vocabulary::{KEYWORD_ARITY, LOGICAL_HEAD, RELATION_ARITY, RESERVED_NAME};
        let list = self.list.iter().map(|fault| (fault.code, fault.span()));
        let causes: Vec<(Code, Span)> = list
            .filter(|(code, _)| matches!(*code, KEYWORD_ARITY | LOGICAL_HEAD | RELATION_ARITY | UNSAFE_HEAD))
            .map(|(code, place)| match code {
                RELATION_ARITY | UNSAFE_HEAD => (code, enclosing(statements, place).unwrap_or(place)),
                _ => (code, place),
            })
            .collect();
        let counts = &mut self.counts;
        self.list.retain(|fault| {
            let place = fault.span();
            let within = |area: &Span| area.start <= place.start && place.end <= area.end;
            let remove = causes.iter().any(|(cause, area)| {
                let follows = match *cause {
                    KEYWORD_ARITY | LOGICAL_HEAD => {
                        matches!(fault.code, RESERVED_NAME | UNSAFE_HEAD | playable::NOT_A_ROLE)
                    }
                    RELATION_ARITY => {
                        matches!(fault.code, UNSAFE_HEAD | NEGATION_WITHOUT_BINDER | DISTINCT_WITHOUT_BINDER)
                    }
                    _ => matches!(fault.code, NEGATION_WITHOUT_BINDER | DISTINCT_WITHOUT_BINDER),
                };
                follows && within(area)
            });
            if remove && let Some(count) = counts.get_mut(&fault.code) {
                *count -= 1;
            }
            !remove
        });
    }

    /// Whether an error was added.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Whether a fault of this code was added.
    pub fn has(&self, code: Code) -> bool {
        self.counts.contains_key(&code)
    }

    /// All faults: errors first, folded ones last, otherwise in the order of places. If a code has more than
    /// [`MAX_PER_CODE`] faults, the message of the last listed one gives the number of those that are not listed.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        for diagnostic in self.list.iter_mut().rev() {
            let count = self.counts.entry(diagnostic.code).or_default();
            if *count > MAX_PER_CODE {
                diagnostic.message += &format!(" (and {} more of this kind)", *count - MAX_PER_CODE);
                *count = 0;
            }
        }
        self.list.sort_by_key(|fault| (Reverse(fault.severity), fault.folded, fault.span(), fault.code));
        self.list
    }
}

/// The statement around a place; statements are in the order of the text.
fn enclosing(statements: &[Span], place: Span) -> Option<Span> {
    let after = statements.partition_point(|statement| statement.start <= place.start);
    statements[..after].last().copied()
}

impl Diagnostic {
    /// Adds a note to the place of the fault.
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

    /// Sets what is correct at this place.
    pub fn expected(&mut self, text: impl Into<String>) -> &mut Diagnostic {
        self.expected = text.into();
        self
    }

    /// Replaces the remedy of the code by one for this place.
    pub fn help(&mut self, text: impl Into<String>) -> &mut Diagnostic {
        self.help = text.into();
        self
    }
}
