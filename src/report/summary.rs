//! A summary of several analyses, one row per game.

use crate::structure::finding::{FluentKind, Structures};

use super::analysis::Analysis;
use super::layout::{Layout, counted, grouped};

/// The outcome of one game's analysis.
#[derive(Clone, Debug)]
pub struct GameOutcome {
    /// The path of the file, as on the command line.
    pub path: String,
    /// The analysis, or a line with the reason why there is none.
    pub result: Result<Analysis, String>,
}

const COLUMNS: [&str; 9] =
    ["game", "roles", "turns", "boards", "quantities", "counters", "orders", "playouts", "seconds"];

/// The summary as a table: the analysed games, then the broken ones.
pub fn render(outcomes: &[GameOutcome], layout: Layout) -> String {
    let mut out = String::new();
    let analysed: Vec<&Analysis> =
        outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok()).collect();
    if !analysed.is_empty() {
        out.push_str(&layout.heading("Summary"));
        out.push('\n');
        out.push_str(&layout.table(&COLUMNS, analysed.iter().map(|analysis| row(analysis)).collect()));
    }
    let broken = outcomes.len() - analysed.len();
    if broken > 0 {
        out.push_str(&layout.heading("Not analysed"));
        out.push('\n');
        let rows = outcomes.iter().filter_map(|outcome| {
            outcome.result.as_ref().err().map(|error| vec![outcome.path.clone(), error.clone()])
        });
        out.push_str(&layout.table(&["game", "why"], rows.collect()));
    }
    out.push_str(
        &layout.remark(&format!(
            "{} analysed, {broken} broken",
            counted(analysed.len() as u64, "game", "games")
        )),
    );
    out.push('\n');
    out
}

fn row(analysis: &Analysis) -> Vec<String> {
    let Structures { fluents, successors, orders, .. } = &analysis.structures;
    let of = |kind| fluents.iter().filter(|fluent| fluent.kind == kind).count().to_string();
    vec![
        analysis.game.name.clone(),
        analysis.game.roles.len().to_string(),
        analysis.structures.turns.to_string(),
        of(FluentKind::Board),
        of(FluentKind::Quantity),
        of(FluentKind::Counter),
        (successors.len() + orders.len()).to_string(),
        grouped(analysis.simulation.playouts),
        format!("{:.1}", analysis.simulation.timing.seconds),
    ]
}
