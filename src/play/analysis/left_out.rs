//! Removes functions that are useless or too large, and reports them.

use crate::evaluation::{Function, FunctionStatistics, Functions};
use crate::simulate::StopReason;

use super::stage::because;

/// Removes functions that were constant in all sampled states, with a note. Fuzzy functions stay, because random play may
/// not approach their goals.
pub(super) fn leave_out_constants(functions: &mut Functions, statistics: &mut Vec<FunctionStatistics>) {
    let constant = |function: &Function, of: &FunctionStatistics| {
        !matches!(function, Function::Fuzzy(_)) && of.is_constant()
    };
    let list = std::mem::take(&mut functions.list);
    let measured = list.into_iter().zip(std::mem::take(statistics));
    let (left_out, kept): (Vec<_>, Vec<_>) = measured.partition(|(function, of)| constant(function, of));
    (functions.list, *statistics) = kept.into_iter().unzip();
    if !left_out.is_empty() {
        let names: Vec<String> = left_out.iter().map(|(function, _)| function.id()).collect();
        let names = listed(&names);
        functions.notes.push(format!("left out, as they had one value in every sampled state: {names}"));
    }
}

/// The notes of a stage as one sentence; none without notes.
pub(super) fn sentence(notes: &[String]) -> Option<String> {
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// The first names of a list, and the number of others.
pub(super) fn listed(names: &[String]) -> String {
    const LISTED: usize = 5;
    let first = names[..names.len().min(LISTED)].join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// A note about the completed part of a stage.
pub(super) fn cut(done: u64, wanted: u64, what: &str, reason: StopReason) -> String {
    match wanted {
        u64::MAX => format!("{done} {what}: {}", because(reason)),
        _ => format!("{done} of {wanted} {what}: {}", because(reason)),
    }
}
