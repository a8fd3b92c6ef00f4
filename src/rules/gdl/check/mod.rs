//! The restrictions of the language, each with a stable code. One file a group: its codes with their
//! explanation, and the function that looks for them. Faults of the text itself and of safety are found while
//! reading and normalising. `ggp explain GDL007` prints the explanation of a code.

pub mod completeness;
pub mod goals;
pub mod information;
pub mod lint;
mod misspelling;
pub mod notation;
pub mod playable;
pub mod safety;
pub mod stratification;
pub(crate) mod subject;
pub mod syntax;
pub mod tolerated;
pub mod usage;
pub mod vocabulary;

use super::diagnostic::{Code, Diagnostics, Severity};
use subject::Subject;

/// What a code means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// Its severity, the same wherever it comes up.
    pub severity: Severity,
    /// A few words.
    pub title: &'static str,
    /// Why it is a fault, and what is done about it.
    pub cause: &'static str,
    /// A text that has it.
    pub example: &'static str,
    /// The same text, mended.
    pub mended: &'static str,
    /// How to mend it.
    pub remedy: &'static str,
}

/// A group of codes.
pub struct Group {
    /// What they are about.
    pub name: &'static str,
    /// Its codes, ascending.
    pub entries: &'static [Entry],
    /// Looks for the faults that are not found while reading.
    check: fn(&Subject<'_>, &mut Diagnostics),
}

/// Every group, in the order of codes.
pub const GROUPS: &[Group] = &[
    syntax::GROUP,
    vocabulary::GROUP,
    safety::GROUP,
    stratification::GROUP,
    completeness::GROUP,
    goals::GROUP,
    lint::GROUP,
    usage::GROUP,
    information::GROUP,
    tolerated::GROUP,
    notation::GROUP,
    playable::GROUP,
];

/// Looks for every fault that is not found while reading.
pub(crate) fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    GROUPS.iter().for_each(|group| (group.check)(subject, diagnostics));
}

/// The check of a group whose faults are all found while reading.
fn found_while_reading(_: &Subject<'_>, _: &mut Diagnostics) {}

/// Every code, ascending.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    GROUPS.iter().flat_map(|group| group.entries)
}

/// The entry of a code of the table.
pub(crate) fn entry(code: Code) -> &'static Entry {
    entries().find(|entry| entry.code == code).expect("every code that is reported stands in the table")
}

/// The entry of a code as a person writes it (`GDL007`, `gdl7`), if there is one.
pub fn find(text: &str) -> Option<&'static Entry> {
    let lower = text.trim().to_ascii_lowercase();
    let digits = lower.strip_prefix("gdl").unwrap_or(&lower);
    let number = digits.parse().ok()?;
    entries().find(|entry| entry.code == Code(number))
}
