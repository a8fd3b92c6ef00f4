//! The warnings at the top of a page, which are faults of the game, and the limits of the analysis at its end.

use crate::analysis::Stage;
use crate::simulate::{FaultKind, StopReason};
use crate::structure::finding::ProofStatus;

use super::super::analysis::Analysis;
use super::super::layout::{counted, percent};
use super::super::random_play::{fault_name, no_game_ended};
use super::super::verdict;
use super::material::PageMaterial;
use super::sections::ALARMING;

/// A warning.
pub(super) struct Warning {
    /// `bad` for a fault of the game, `open` for a part that was cut short.
    pub(super) class: &'static str,
    /// The title.
    pub(super) title: String,
    pub(super) text: String,
}

/// The faults of the game, which its author can repair.
pub(super) fn warnings(analysis: &Analysis) -> Vec<Warning> {
    let seen = &analysis.simulation;
    let bad = |title: String, text: String| Warning { class: "bad", title, text };
    let mut out = Vec::new();
    if let Some(text) = no_game_ended(seen) {
        out.push(bad("No game ended".to_owned(), sentence(&text)));
    }
    for fault in seen.faults.iter().filter(|fault| fault.kind != FaultKind::GoalFell) {
        let role = fault.role.as_ref().map_or(String::new(), |role| format!("{role}: "));
        let share = fault.playouts as f64 / (seen.playouts + seen.unfinished).max(1) as f64;
        let playouts = counted(fault.playouts, "playout", "playouts");
        let name = fault_name(fault.kind);
        out.push(bad(format!("{role}{name}"), format!("In {playouts} of random play ({}).", percent(share))));
    }
    for property in analysis.properties.iter().filter(|property| property.status == ProofStatus::Refuted) {
        if ALARMING.contains(&property.name) {
            let of = property.role.as_ref().map_or(String::new(), |role| format!(" of {role}"));
            out.push(bad(format!("Refuted: {}{of}", property.name.words()), sentence(&property.because)));
        }
    }
    out
}

/// The limits of the analysis that cut a part of it short, each a sentence.
pub(super) fn limits(analysis: &Analysis, shown: &PageMaterial) -> Vec<String> {
    let seen = &analysis.simulation;
    let mut out = Vec::new();
    if seen.cut_off.count > 0 {
        out.push(format!(
            "{} truncated after {} ({} of all); they have no goal values.",
            counted(seen.cut_off.count, "playout was", "playouts were"),
            counted(u64::from(seen.max_steps), "joint move", "joint moves"),
            percent(seen.cut_off.share)
        ));
    }
    let stopped = match seen.stopped {
        StopReason::Playouts => None,
        StopReason::Work => Some("Random play was stopped early because the game is large"),
        StopReason::Seconds => Some("Random play ended at the time limit"),
        StopReason::Interrupted => Some("Random play was interrupted"),
    };
    let noted = analysis.stages.iter().any(|stage| stage.name == Stage::Detect && stage.note.is_some());
    if let Some(text) = stopped.filter(|_| !noted) {
        out.push(format!("{text}: {}.", counted(seen.playouts, "playout", "playouts")));
    }
    for stage in &analysis.stages {
        let note = stage.note.as_ref();
        out.extend(note.map(|note| format!("{}: {}", stage.name.title(), sentence(note))));
    }
    out.extend(verdict::left_out(analysis).map(|note| format!("The verdict: {}", sentence(&note))));
    out.extend(shown.notes.iter().map(|note| format!("This page: {}", sentence(note))));
    out
}

/// Goal values that fall before the end, as a sentence.
pub(super) fn falling_goals(analysis: &Analysis) -> Option<String> {
    let fell = analysis.simulation.faults.iter().filter(|fault| fault.kind == FaultKind::GoalFell);
    let fell: Vec<String> = fell.filter_map(|fault| fault.role.clone()).collect();
    (!fell.is_empty()).then(|| {
        format!(
            "Goal values of states before the end also fall, for {}: only those at the end count.",
            fell.join(", ")
        )
    })
}

/// The notes on omitted features and functions, each a sentence.
pub(super) fn left_out(analysis: &Analysis) -> Vec<String> {
    let notes = analysis.feature_sample.notes.iter().chain(&analysis.evaluation_notes);
    notes.map(|note| sentence(note)).collect()
}

/// Ends a remark with a full stop.
fn sentence(text: &str) -> String {
    let end = if text.ends_with(['.', ':', ';']) { "" } else { "." };
    format!("{text}{end}")
}
