//! Evaluation functions on a page: their statistics and calibration, the explanation of a value, and weights on the board.

use std::collections::BTreeMap;

use super::super::analysis::Analysis;
use super::super::cells::Contents;
use super::super::evaluations::{EvaluationSummary, guided_play_remark};
use super::super::layout::{counted, significant};
use super::super::one_ply::EndsComparison;
use super::super::tree::Tree;
use super::charts::{IntervalRow, calibration, intervals};
use super::markup::{Markup, escaped};
use super::material::{FactWeights, PageMaterial};
use super::picture;
use super::scene::Scene;
use super::sections::cut_formula;
use super::tables::{Badge, Field, Table, columns};
use super::viewer::{BoardDrawing, boards};

/// The most rows of the table, and of the chart of play.
const FUNCTIONS: usize = 150;
const PLAYED: usize = 10;

/// The most boards with weights per function.
const WEIGHED: usize = 4;

/// A drawing with its title and caption.
pub(super) struct Figure {
    pub(super) title: String,
    pub(super) drawing: Markup,
    pub(super) caption: String,
}

/// The section on evaluation functions.
pub(super) struct FunctionSection {
    pub(super) table: Table,
    /// The results of games of the best function.
    pub(super) guided: Option<String>,
    /// The chart of play one move ahead.
    pub(super) played: Option<Figure>,
    pub(super) calibrated: Vec<Figure>,
    /// The step of the explained state in the game.
    pub(super) step: usize,
    /// The boards of that state.
    pub(super) state: Vec<BoardDrawing>,
    pub(super) explained: Vec<Figure>,
    pub(super) weights: Vec<Figure>,
}

/// The sentence on games of the best function, if any were played.
fn guided_sentence(analysis: &Analysis) -> Option<String> {
    let guided = analysis.guided_play.as_ref()?;
    let those = guided_play_remark(&analysis.evaluations, guided);
    Some(format!(
        "In good play every role follows one function: its team raises it, the others lower it, and a tenth of the moves are \
         random. {those}"
    ))
}

/// The section, best functions first; `None` without functions.
pub(super) fn functions(
    analysis: &Analysis,
    shown: &PageMaterial,
    scene: &Scene<'_>,
) -> Option<FunctionSection> {
    (!analysis.evaluations.is_empty()).then(|| FunctionSection {
        table: table(&analysis.evaluations).without_empty_numbers(),
        guided: guided_sentence(analysis),
        played: play_figure(analysis, shown),
        calibrated: calibration_figures(shown),
        step: shown.explained.first().map_or(0, |found| found.step),
        state: shown.explained.first().map_or(Vec::new(), |found| {
            let state = shown.play.states.get(found.step);
            let mut drawn = state.map_or(Vec::new(), |state| boards(scene, &scene.frame(&state.facts)));
            // The initial state explains the axes.
            drawn.iter_mut().for_each(|board| board.caption.clear());
            drawn
        }),
        explained: explanation_figures(shown),
        weights: weight_figures(shown, scene),
    })
}

fn table(all: &[EvaluationSummary]) -> Table {
    let worth = |of: &EvaluationSummary| {
        let played = of.one_ply.as_ref().map_or(f64::NEG_INFINITY, |played| played.goal);
        let goal = of.quality.as_ref().and_then(|quality| quality.goal.correlation);
        (played, goal.unwrap_or(f64::NEG_INFINITY))
    };
    let mut sorted: Vec<&EvaluationSummary> = all.iter().filter(|of| !of.constant).collect();
    sorted.sort_by(|a, b| {
        let (a, b) = (worth(a), worth(b));
        b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    let row = |of: &&EvaluationSummary| {
        let quality = of.quality.as_ref();
        let seen = quality.and_then(|quality| quality.observed);
        let seen = seen
            .map_or(String::new(), |[low, high]| format!("{} to {}", significant(low), significant(high)));
        let goal = quality.map(|quality| &quality.goal);
        let interval = goal.and_then(|goal| Some(format!("{:+.2} to {:+.2}", goal.low?, goal.high?)));
        let comparison = of.one_ply.as_ref().and_then(|played| played.beside_ends);
        let badge = match comparison {
            _ if of.plays_worse_than_random() => vec![Badge::new("bad", "plays worse than random")],
            Some(EndsComparison::Better) => vec![Badge::new("good", "above ends")],
            Some(EndsComparison::Worse) => vec![Badge::new("bad", "below ends")],
            _ => Vec::new(),
        };
        vec![
            Field { more: cut_formula(&of.formula), ..Field::text(&of.id) },
            Field::text(of.kind.name()),
            Field::text(&of.role),
            Field::text(seen),
            Field::number(quality.and_then(|quality| quality.stability), |value| format!("{value:.2}")),
            Field::number(goal.and_then(|goal| goal.correlation), |value| format!("{value:+.2}")),
            Field::text(interval.unwrap_or_default()),
            Field {
                badges: if of.contradicts() { vec![Badge::new("bad", "against")] } else { Vec::new() },
                ..Field::number(of.guided.as_ref().and_then(|with| with.correlation), |value| {
                    format!("{value:+.2}")
                })
            },
            Field {
                badges: badge,
                ..Field::number(of.one_ply.as_ref().map(|played| played.goal), |value| format!("{value:.0}"))
            },
        ]
    };
    let left = sorted.len().saturating_sub(FUNCTIONS);
    Table {
        id: "functions-table".into(),
        caption: "Evaluation functions, best first. Stability: how steady the value is during a game. Correlation: with the \
                  goal value of its role. Goal in play: mean goal value of a player that looks one move ahead, against \
                  random play; the mark compares it with “ends”, a player that only sees moves that end the game."
            .to_owned(),
        columns: columns(&[
            "function", "kind", "role", "values", "#stability", "#correlation", "95 % interval", "#in good play", "#goal in play",
        ]),
        rows: sorted.iter().take(FUNCTIONS).map(row).collect(),
        left_out: match left {
            0 => String::new(),
            _ => format!(
                "{} in functions.csv and analysis.json.",
                counted(left as u64, "more function is", "more functions are")
            ),
        },
    }
}

/// The chart of play one move ahead, with the results of `ends`.
fn play_figure(analysis: &Analysis, shown: &PageMaterial) -> Option<Figure> {
    let number = |role: &str| shown.roles.iter().position(|known| known == role).unwrap_or(0);
    let ends = |low: Option<f64>, high: Option<f64>| Some([low?, high?]);
    let mut rows: Vec<IntervalRow> = (analysis.evaluations.iter())
        .filter_map(|of| {
            let played = of.one_ply.as_ref()?;
            let (name, series) = (of.id.clone(), number(&of.role));
            Some(IntervalRow { name, series, value: played.goal, ends: ends(played.low, played.high) })
        })
        .collect();
    rows.sort_by(|a, b| b.value.total_cmp(&a.value));
    rows.truncate(PLAYED);
    rows.extend(analysis.ends.iter().map(|found| IntervalRow {
        name: format!("{} with “ends”", found.role),
        series: number(&found.role),
        value: found.goal,
        ends: ends(found.low, found.high),
    }));
    let playouts = analysis
        .evaluations
        .iter()
        .filter_map(|of| of.one_ply.as_ref())
        .map(|played| played.playouts)
        .max()?;
    Some(Figure {
        title: "In play".to_owned(),
        drawing: intervals(&rows, "mean goal value", [0.0, 100.0]),
        caption: format!(
            "The mean goal value of a player that looks one move ahead with a function, with its 95 % interval, over {} \
             against random play. “ends” is a player that only sees moves that end the game.",
            counted(playouts, "match", "matches")
        ),
    })
}

fn calibration_figures(shown: &PageMaterial) -> Vec<Figure> {
    let figure = |curve: &super::material::CalibrationCurve| Figure {
        title: curve.name.clone(),
        drawing: calibration(&curve.bins, curve.role),
        caption: format!(
            "Calibration of {}: the mean goal value of {} in {} from different random playouts, in {} groups of similar values; \
             bars are 95 % intervals. On the dashed line, the value equals the mean goal value.",
            curve.name,
            shown.roles.get(curve.role).map_or("", String::as_str),
            counted(curve.states as u64, "state", "states"),
            curve.bins.len()
        ),
    };
    shown.calibrated.iter().map(figure).collect()
}

fn explanation_figures(shown: &PageMaterial) -> Vec<Figure> {
    let figure = |tree: &super::material::ExplanationTree| {
        let mut out = String::new();
        branch(&tree.tree, 0, &mut out);
        Figure { title: tree.name.clone(), drawing: Markup::of(out), caption: String::new() }
    };
    shown.explained.iter().map(figure).collect()
}

/// Draws a node and its children; the first level is open.
fn branch(tree: &Tree, depth: usize, out: &mut String) {
    let line = escaped(&cut_formula(&tree.line));
    if tree.members.is_empty() && tree.left_out == 0 {
        out.push_str(&format!("<li>{line}</li>"));
        return;
    }
    let open = if depth < 1 { " open" } else { "" };
    out.push_str(&format!("<li><details{open}><summary>{line}</summary><ul>"));
    tree.members.iter().for_each(|member| branch(member, depth + 1, out));
    if tree.left_out > 0 {
        out.push_str(&format!("<li class=\"muted\">{} more</li>", tree.left_out));
    }
    out.push_str("</ul></details></li>");
}

/// The weights of all functions. The first function with a unit names it.
fn weight_figures(shown: &PageMaterial, scene: &Scene<'_>) -> Vec<Figure> {
    let mut units = Vec::new();
    let mut out: Vec<Figure> = Vec::new();
    for sum in &shown.weights {
        let mut figures = weights(sum, scene, shown);
        if let Some(first) = figures.first_mut().filter(|_| !units.contains(&sum.of)) {
            units.push(sum.of);
            first.caption.insert_str(0, &format!("The weights of this kind of function add {}. ", sum.of));
        }
        out.append(&mut figures);
    }
    out
}

/// Draws boards with the weight of an object on each cell, greatest weights first.
fn weights(sum: &FactWeights, scene: &Scene<'_>, shown: &PageMaterial) -> Vec<Figure> {
    // For each board and object, the weight on each cell.
    let mut found: BTreeMap<(usize, Contents), Vec<Option<f64>>> = BTreeMap::new();
    let seen = shown.play.states.iter().flat_map(|state| &state.facts).chain(&shown.sources.known);
    let facts: BTreeMap<String, &super::super::facts::Fact> =
        seen.map(|fact| (fact.to_string(), fact)).collect();
    for fact in facts.values() {
        let words: Vec<&str> = fact.arguments.iter().map(String::as_str).collect();
        let matching =
            sum.terms.iter().filter(|(pattern, _)| pattern.name == fact.name && pattern.matches(&words));
        let weights: Vec<f64> = matching.map(|term| term.1).collect();
        for (number, board) in scene.boards.iter().enumerate() {
            let Some(cell) = board.cell(fact) else { continue };
            if weights.is_empty() {
                continue;
            }
            let cells = board.shape.cells.len();
            let of = found.entry((number, board.board().contents(fact))).or_insert_with(|| vec![None; cells]);
            of[cell] = Some(of[cell].unwrap_or(0.0) + weights.iter().sum::<f64>());
        }
    }
    let greatest = |of: &[Option<f64>]| of.iter().flatten().map(|weight| weight.abs()).fold(0.0, f64::max);
    let most = found.values().map(|of| greatest(of)).fold(0.0, f64::max);
    let mut sorted: Vec<_> = found.iter().collect();
    sorted.retain(|(_, of)| greatest(of) > 0.0);
    sorted.sort_by(|a, b| greatest(b.1).total_cmp(&greatest(a.1)));
    let more = sorted.len().saturating_sub(WEIGHED);
    let mut figures: Vec<Figure> = (sorted.iter().take(WEIGHED))
        .map(|((number, contents), of)| {
            let name = contents.join(" ");
            let label = format!("weights of {name} in {}", sum.name);
            Figure {
                title: format!("{}: {name}", sum.name),
                drawing: picture::weights(&scene.boards[*number], of, most, &label),
                caption: String::new(),
            }
        })
        .collect();
    if let Some(last) = figures.last_mut() {
        if sum.others > 0 {
            let terms = counted(sum.others as u64, "term", "terms");
            last.caption.push_str(&format!("{} has {terms} about other facts. ", sum.name));
        }
        if more > 0 {
            last.caption
                .push_str(&format!("{more} more things in {} with smaller weights are not shown.", sum.name));
        }
    }
    figures
}
