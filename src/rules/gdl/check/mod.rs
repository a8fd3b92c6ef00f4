//! The restrictions of GDL, each with a stable code. Each file holds one [`Group`]: its codes, their explanations, and the
//! function that checks them. The codes of some groups are reported earlier, by the reader or by `normalise`.
//! `ggp check --explain GDL007` prints the explanation of a code. `tests/documents/mistakes.rs` makes the commonest mistakes.

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
mod suggestion;
pub mod syntax;
pub mod tolerated;
pub mod unplayable;
pub mod usage;
pub mod vocabulary;
pub mod words;

use super::diagnostic::{Code, Diagnostics, Severity};
use subject::Subject;

/// The explanation of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// Its severity, the same for every fault of this code.
    pub severity: Severity,
    /// A few words that name the fault.
    pub title: &'static str,
    /// Why it is a fault, and how `ggp` treats it.
    pub cause: &'static str,
    /// A text with this fault.
    pub example: &'static str,
    /// The same text without the fault.
    pub corrected: &'static str,
    /// How to correct it, in the imperative.
    pub remedy: &'static str,
}

/// A group of codes.
pub struct Group {
    /// The subject of its codes.
    pub name: &'static str,
    /// Its codes in ascending order.
    pub entries: &'static [Entry],
    /// Reports the faults of the group that were not reported earlier.
    check: fn(&Subject<'_>, &mut Diagnostics),
}

/// All groups, in the order of their codes.
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
    words::GROUP,
    unplayable::GROUP,
];

/// Runs the checks of all groups.
pub(crate) fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    GROUPS.iter().for_each(|group| (group.check)(subject, diagnostics));
}

/// The check of a group whose faults are all reported elsewhere.
fn found_while_reading(_: &Subject<'_>, _: &mut Diagnostics) {}

/// All entries in ascending order of their codes.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    GROUPS.iter().flat_map(|group| group.entries)
}

/// The entry of a code in [`GROUPS`].
pub(crate) fn entry(code: Code) -> &'static Entry {
    entries().find(|entry| entry.code == code).expect("every reported code is in GROUPS")
}

/// Parses a code such as `GDL007`, `gdl7` or `7` and returns its entry, or `None` if there is no such code.
pub fn find(text: &str) -> Option<&'static Entry> {
    let lower = text.trim().to_ascii_lowercase();
    let digits = lower.strip_prefix("gdl").unwrap_or(&lower);
    let number = digits.parse().ok()?;
    entries().find(|entry| entry.code == Code(number))
}
