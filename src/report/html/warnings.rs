//! The warnings at the top of a page: faults of the game, and parts that were cut short.

use crate::analysis::Stage;
use crate::property::PropertyName;
use crate::simulate::{FaultKind, StopReason};
use crate::structure::finding::ProofStatus;

use super::super::analysis::Analysis;
use super::super::goals;
use super::super::layout::{counted, percent};
use super::super::random_play::{fault_name, no_game_ended};
use super::material::PageMaterial;

/// A warning.
pub(super) struct Warning {
    /// `bad` for a fault of the game, `open` for a part that was cut short.
    pub(super) class: &'static str,
    /// The title.
    pub(super) title: String,
    pub(super) text: String,
}

/// All warnings, faults of the game first.
pub(super) fn warnings(analysis: &Analysis, shown: &PageMaterial) -> Vec<Warning> {
    let seen = &analysis.simulation;
    let bad = |title: String, text: String| Warning { class: "bad", title, text };
    let open = |title: &str, text: String| Warning { class: "open", title: title.to_owned(), text };
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
    // Refuted cooperation and alternation are not faults of a game.
    let important = [
        PropertyName::Termination,
        PropertyName::Playability,
        PropertyName::UniqueGoal,
        PropertyName::WeakWinnability,
        PropertyName::FiniteLength,
    ];
    for property in analysis.properties.iter().filter(|property| property.status == ProofStatus::Refuted) {
        if important.contains(&property.name) {
            let of = property.role.as_ref().map_or(String::new(), |role| format!(" of {role}"));
            out.push(bad(format!("Refuted: {}{of}", property.name.words()), sentence(&property.because)));
        }
    }
    let fell = seen.faults.iter().filter(|fault| fault.kind == FaultKind::GoalFell);
    let fell: Vec<String> = fell.filter_map(|fault| fault.role.clone()).collect();
    if !fell.is_empty() {
        let text = format!(
            "Goal values of states before the end also fall, for {}: only those at the end count.",
            fell.join(", ")
        );
        out.push(open("Goal values are final only at the end", text));
    }
    for text in goals::sentences(&analysis.goals) {
        out.push(open("Goals that play did not reach", sentence(&text)));
    }
    if seen.cut_off.count > 0 {
        let count = counted(seen.cut_off.count, "playout was", "playouts were");
        let text = format!(
            "{count} truncated after {} ({} of all); they have no goal values.",
            counted(u64::from(seen.max_steps), "joint move", "joint moves"),
            percent(seen.cut_off.share)
        );
        out.push(open("Playouts were truncated", text));
    }
    let stopped = match seen.stopped {
        StopReason::Playouts => None,
        StopReason::Work => Some("random play was stopped early because the game is large"),
        StopReason::Seconds => Some("random play ended at the time limit"),
        StopReason::Interrupted => Some("random play was interrupted"),
    };
    let noted = analysis.stages.iter().any(|stage| stage.name == Stage::Detect && stage.note.is_some());
    if let Some(text) = stopped.filter(|_| !noted) {
        let text = format!("{text}: {}.", counted(seen.playouts, "playout", "playouts"));
        out.push(open("Random play was cut short", sentence(&text)));
    }
    for stage in &analysis.stages {
        if let Some(note) = &stage.note {
            out.push(open(stage.name.title(), sentence(note)));
        }
    }
    out.extend(shown.notes.iter().map(|note| open("This page", sentence(note))));
    out
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
