//! Features as CSV rows, and the best ones as a table.

use serde::Serialize;

use crate::feature::{Correlation, MeasuredFeature, SampleExtent};
use crate::statistics::SIGNIFICANCE;

use super::analysis::Analysis;
use super::layout::{Layout, grouped};

/// Features in the table.
const BEST: usize = 8;

/// A row of `features.csv`: a feature and a role whose goal value it is compared with. What has no value is empty.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeatureRow {
    /// The game's name.
    pub game: String,
    /// The feature's name.
    pub id: String,
    /// The family: `kuhlmann`, `mobility`, `novelty`, `material`, `expression` or `goal-progress`.
    pub family: String,
    /// The role that the feature is about.
    pub about: String,
    /// What it counts.
    pub formula: String,
    /// The least value by the domains.
    pub range_low: f64,
    /// The greatest value by the domains.
    pub range_high: f64,
    /// The least value seen.
    pub observed_low: f64,
    /// The greatest value seen.
    pub observed_high: f64,
    /// Mean.
    pub mean: f64,
    /// Variance over the game.
    pub variance: f64,
    /// Mean variance within sequences.
    pub within: f64,
    /// Stability.
    pub stability: Option<f64>,
    /// The role whose goal value is compared with.
    pub role: String,
    /// Playouts that count.
    pub playouts: u64,
    /// Correlation.
    pub correlation: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// p-value.
    pub p: Option<f64>,
    /// p-value corrected by Holm's method.
    pub p_holm: Option<f64>,
}

/// The rows of all features, in the order of the document.
pub fn feature_rows(analysis: &Analysis) -> Vec<FeatureRow> {
    let mut rows = Vec::new();
    for measured in &analysis.features {
        for with in &measured.correlations {
            rows.push(row(&analysis.game.name, measured, with));
        }
    }
    rows
}

fn row(game: &str, measured: &MeasuredFeature, with: &Correlation) -> FeatureRow {
    let feature = &measured.feature;
    FeatureRow {
        game: game.to_owned(),
        id: feature.id.clone(),
        family: feature.family.name().to_owned(),
        about: feature.role.clone().unwrap_or_default(),
        formula: feature.formula.clone(),
        range_low: feature.range[0],
        range_high: feature.range[1],
        observed_low: measured.observed[0],
        observed_high: measured.observed[1],
        mean: measured.mean,
        variance: measured.variance,
        within: measured.within,
        stability: measured.stability,
        role: with.role.clone(),
        playouts: with.playouts,
        correlation: with.correlation,
        low: with.low,
        high: with.high,
        p: with.p,
        p_holm: with.p_holm,
    }
}

/// The role whose goal value a feature goes with best.
fn best_role(measured: &MeasuredFeature) -> Option<&Correlation> {
    let strength = |with: &&Correlation| with.correlation.map_or(0.0, f64::abs);
    // The first of equals: `max_by` would give the last.
    measured.correlations.iter().rev().max_by(|a, b| strength(a).total_cmp(&strength(b)))
}

/// min(S, |correlation|), by which Walędzik and Mańdziuk choose.
fn worth(measured: &MeasuredFeature) -> f64 {
    let correlation = best_role(measured).and_then(|with| with.correlation).unwrap_or(0.0);
    measured.stability.unwrap_or(0.0).min(correlation.abs())
}

/// Characters of a formula in the table: three lines of a narrow terminal. Documents and CSV have all of it.
const LONGEST_FORMULA: usize = 110;

/// A formula that a row of the table can hold, cut between two words.
fn shortened(formula: &str) -> String {
    let Some((cut, _)) = formula.char_indices().nth(LONGEST_FORMULA) else { return formula.to_owned() };
    let end = formula[..cut].rfind(' ').unwrap_or(cut);
    format!("{} …", &formula[..end])
}

/// The header and rows of the best features, best first; none that is worth nothing.
pub(super) fn best(features: &[MeasuredFeature]) -> (&'static [&'static str], Vec<Vec<String>>) {
    let mut sorted: Vec<&MeasuredFeature> =
        features.iter().filter(|measured| worth(measured) > 0.0).collect();
    sorted.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
    let row = |measured: &&MeasuredFeature| {
        let with = best_role(measured);
        let goal = with.map_or(String::new(), |with| {
            let (low, high) = (with.low.unwrap_or(-1.0), with.high.unwrap_or(1.0));
            let value = with.correlation.unwrap_or(0.0);
            format!("{value:+.2} ({low:+.2} to {high:+.2}) {}", with.role)
        });
        let [low, high] = measured.observed;
        vec![
            shortened(&measured.feature.formula),
            format!("{} to {}", short(low), short(high)),
            // Plus 0, so that what rounds to nothing has no sign.
            format!("{:.2}", (measured.mean * 100.0).round() / 100.0 + 0.0),
            measured.stability.map_or(String::new(), |stability| format!("{stability:.2}")),
            goal,
        ]
    };
    (&["feature", "seen", "mean", "stability", "goal value of"], sorted.iter().take(BEST).map(row).collect())
}

/// What the table rests on.
pub(super) fn remark(features: &[MeasuredFeature], extent: &SampleExtent, layout: Layout) -> String {
    let significant = |measured: &&MeasuredFeature| {
        measured.correlations.iter().any(|with| with.p_holm.is_some_and(|p| p < SIGNIFICANCE))
    };
    let count = features.iter().filter(significant).count();
    let text = format!(
        "{count} of {} features correlate with a goal value (p < 0.05 after Holm), on {} states of {} playouts.",
        grouped(features.len() as u64),
        grouped(extent.states),
        grouped(extent.sequences)
    );
    layout.paragraph("  ", &text)
}

/// A number without needless digits.
fn short(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number}") } else { format!("{number:.2}") }
}
