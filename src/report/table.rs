//! The analysis of a game as text: the game, its play, and every kind of structure with its evidence.

use crate::analysis::{Stage, StageReport, SymmetrySummary};
use crate::structure::evidence::Evidence;
use crate::structure::finding::Structures;
use crate::structure::vocabulary::Kif;

use super::analysis::Analysis;
use super::coverage;
use super::evaluations;
use super::features;
use super::findings::{self, FindingGroup, FindingRow};
use super::goals;
use super::layout::{Layout, counted, fewer, grouped};
use super::properties;
use super::quality;
use super::random_play;
use super::structure_rows::methods;

/// The parts of an analysis that are printed as tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Random play, structures, properties, and what was cut short.
    pub evidence: bool,
    /// The best features.
    pub features: bool,
    /// The best evaluation functions.
    pub functions: bool,
    /// The measures of quality.
    pub quality: bool,
}

impl Parts {
    /// All parts.
    pub const ALL: Parts = Parts { evidence: true, features: true, functions: true, quality: true };

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self == Parts::default()
    }
}

/// All tables below a header, each line ended.
pub fn render(analysis: &Analysis, layout: Layout) -> String {
    header(analysis, layout) + &render_parts(analysis, Parts::ALL, layout)
}

/// The tables of some parts, each line ended.
pub fn render_parts(analysis: &Analysis, parts: Parts, layout: Layout) -> String {
    let mut out = String::new();
    if parts.evidence {
        out.push_str(&evidence(analysis, layout));
    }
    if parts.quality {
        out.push_str(&quality::table(analysis, layout));
    }
    if parts.features {
        let (columns, best) = features::best(&analysis.features, &analysis.structures);
        section(&mut out, layout, "Best features", columns, best);
        out.push_str(&features::remark(&analysis.features, &analysis.feature_sample, layout));
    }
    if parts.functions && !analysis.evaluations.is_empty() {
        out.push_str(&functions(analysis, layout));
    }
    let cut: Vec<Vec<String>> = analysis.stages.iter().filter_map(cut_short).collect();
    section(&mut out, layout, "Cut short", &["stage", "what was done"], cut);
    out.push('\n');
    out.push_str(&closing(&analysis.structures, layout));
    out
}

/// Random play, structures and properties.
fn evidence(analysis: &Analysis, layout: Layout) -> String {
    let structures = &analysis.structures;
    let mut out = format!("\n{}\n", layout.heading("Random play"));
    out.push_str(&random_play::render(&analysis.simulation, layout));
    for sentence in goals::sentences(&analysis.goals) {
        out.push_str(&layout.paragraph("  ", &sentence));
    }
    for FindingGroup { title, columns, findings } in findings::groups(structures) {
        let columns: Vec<&str> = columns.iter().copied().chain(["evidence"]).collect();
        let row = |finding: FindingRow<'_>| {
            let evidence = found_by(finding.evidence);
            finding.words.into_iter().chain([evidence]).collect()
        };
        section(&mut out, layout, title, &columns, findings.into_iter().map(row).collect());
    }
    out.push_str(&symmetry(analysis.symmetry.as_ref(), layout));
    let rows = properties::table(&analysis.properties);
    section(&mut out, layout, "Properties", &["property", "", "because"], rows);
    out
}

/// The symmetries of a game, a sentence a line; empty if it has none.
fn symmetry(symmetry: Option<&SymmetrySummary>, layout: Layout) -> String {
    let Some(symmetry) = symmetry.filter(|of| !of.sentences.is_empty() || !of.complete) else {
        return String::new();
    };
    let mut sentences = symmetry.sentences.clone();
    match symmetry.images {
        Some(1) => {}
        Some(images) => {
            let images = grouped(images);
            sentences.push(format!(
                "Each state has up to {images} images that keep every role, including itself."
            ));
        }
        None => sentences.push("Some states have more than 2^64 images that keep every role.".to_owned()),
    }
    if !symmetry.complete {
        sentences.push("The search for symmetries reached its limit of work: there may be more.".to_owned());
    }
    let lines: String = sentences.iter().map(|sentence| layout.paragraph("  ", sentence)).collect();
    format!("\n{}\n{lines}", layout.heading("Symmetry"))
}

/// The best evaluation functions, with remarks.
fn functions(analysis: &Analysis, layout: Layout) -> String {
    let mut out = String::new();
    let (columns, best) = evaluations::best(&analysis.evaluations, &analysis.ends);
    match best.is_empty() {
        true => out.push_str(&format!("\n{}\n", layout.heading("Evaluation functions"))),
        false => section(&mut out, layout, "Evaluation functions", &columns, best),
    }
    let remark = evaluations::remark(&analysis.evaluations, analysis.timing.evaluations_seconds);
    out.push_str(&layout.paragraph("  ", &remark));
    if let Some(guided) = &analysis.guided_play {
        let remark = evaluations::guided_play_remark(&analysis.evaluations, guided);
        out.push_str(&layout.paragraph("  ", &remark));
    }
    analysis.evaluation_notes.iter().for_each(|note| out.push_str(&layout.paragraph("", note)));
    out
}

fn section(out: &mut String, layout: Layout, title: &str, columns: &[&str], rows: Vec<Vec<String>>) {
    if rows.is_empty() {
        return;
    }
    out.push('\n');
    out.push_str(&layout.heading(title));
    out.push('\n');
    out.push_str(&layout.table(columns, rows));
}

/// A row for a stage that left something out. Random play reports this in its own section.
fn cut_short(stage: &StageReport) -> Option<Vec<String>> {
    let note = stage.note.as_ref().filter(|_| stage.name != Stage::Detect)?;
    Some(vec![stage.name.to_string(), note.clone()])
}

fn header(analysis: &Analysis, layout: Layout) -> String {
    let game = &analysis.game;
    let name = layout.strong(&game.name);
    let chance = match (game.information.random_role, game.information.hidden) {
        (_, true) => "  GDL-II, with hidden moves",
        (true, false) => "  GDL-II: `random` draws its moves",
        (false, false) => "",
    };
    let negation = if game.negation.is_language() { "" } else { "  negations read in place" };
    let about = layout.remark(&format!("{}  {} machine{chance}{negation}", game.path, game.machine));
    match random_play::no_game_ended(&analysis.simulation) {
        Some(headline) => format!("{name}  {headline}\n{about}\n"),
        None => format!("{name}  {about}\n"),
    }
}

/// The methods of evidence and the sentence.
fn found_by(evidence: &Evidence<Kif>) -> String {
    let methods = methods(evidence, " + ");
    match evidence.reason.as_str() {
        "" => methods,
        because => format!("{methods}: {because}"),
    }
}

/// The closing lines: sample size, confidence, and where to read more.
fn closing(structures: &Structures<Kif>, layout: Layout) -> String {
    let mut out = String::new();
    let evidence: Vec<&Evidence<Kif>> = structures.all_evidence().filter(|of| of.playouts > 0).collect();
    if let Some(largest) = evidence.iter().max_by_key(|of| (of.playouts, of.states)) {
        let states = counted(largest.states, "state", "states");
        let playouts = counted(largest.playouts, "random playout", "random playouts");
        let seen: String =
            coverage::sentences(structures, true).iter().map(|sentence| format!(" {sentence}")).collect();
        let text = format!("Random play visited {states} in {playouts}. {}{seen}", bound(&evidence));
        out.push_str(&layout.paragraph("", &text));
    }
    out.push_str(&layout.paragraph(
        "",
        "All findings, with domains and evidence: --format json or csv. Terms: ggp guide glossary.",
    ));
    out
}

/// The largest bound of the unproved findings.
fn bound(evidence: &[&Evidence<Kif>]) -> String {
    let open = evidence.iter().filter(|of| !of.is_proved() && of.counterexample_bound > 0.0);
    let widest = open.max_by(|a, b| a.counterexample_bound.total_cmp(&b.counterexample_bound));
    match widest {
        Some(of) => format!(
            "A finding that is not proved fails in {} random games (95 % confidence).",
            fewer(of.counterexample_bound, of.playouts)
        ),
        None => "Every finding from it is proved, or an example shows it.".to_owned(),
    }
}
