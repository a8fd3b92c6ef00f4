//! Features as CSV rows, and the best ones as a table.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::feature::{
    Correlation, GoalValueSource, MeasuredFeature, NoCorrelation, Pattern, SampleExtent, Spec,
};
use crate::statistics::SIGNIFICANCE;
use crate::structure::finding::{FluentKind, Structures};
use crate::structure::vocabulary::Kif;

use super::analysis::Analysis;
use super::layout::{Layout, counted, plural};

/// The number of features in the table.
const BEST: usize = 8;

/// A row of `features.csv`: a feature, and a role with whose goal value it is correlated. Missing values are empty.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeatureRow {
    /// The game's name.
    pub game: String,
    /// The feature's name.
    pub id: String,
    /// The family, such as `mobility`; `docs/features.md` lists all.
    pub family: String,
    /// The role that the feature is about.
    pub about: String,
    /// The formula.
    pub formula: String,
    /// The least possible value.
    pub range_low: f64,
    /// The greatest possible value.
    pub range_high: f64,
    /// The least observed value.
    pub observed_low: f64,
    /// The greatest observed value.
    pub observed_high: f64,
    /// The mean.
    pub mean: f64,
    /// Variance over the game.
    pub variance: f64,
    /// Mean variance within sequences.
    pub within: f64,
    /// The stability, from 0 to 1.
    pub stability: Option<f64>,
    /// The role whose goal value is used for the correlation.
    pub role: String,
    /// The number of playouts in the sample.
    pub playouts: u64,
    /// The correlation with the goal value.
    pub correlation: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The p-value.
    pub p: Option<f64>,
    /// The p-value after Holm's correction.
    pub p_holm: Option<f64>,
    /// Correlation on states from games of the best function.
    pub guided: Option<f64>,
    /// The effective number of playouts.
    pub support: u64,
    /// Why there is no correlation.
    pub reason: Option<NoCorrelation>,
    /// Names of features with the same values, separated by spaces.
    pub aliases: String,
}

/// The rows of all features, in the order of the document: one per role, or one for the first role of a zero-sum game of two
/// players.
pub fn feature_rows(analysis: &Analysis) -> Vec<FeatureRow> {
    let view = point_of_view(&analysis.structures);
    let of_role = |with: &&Correlation| view.is_none_or(|role| with.role == role);
    let mut rows = Vec::new();
    for measured in &analysis.features {
        let correlations = measured.correlations.iter().filter(of_role);
        rows.extend(correlations.map(|with| row(&analysis.game.name, measured, with)));
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
        guided: guided_of(measured, &with.role).and_then(|guided| guided.correlation),
        support: with.support,
        reason: with.reason,
        aliases: measured.aliases.join(" "),
    }
}

/// The correlation of a feature with a role's goal value in good play.
pub(super) fn guided_of<'f>(measured: &'f MeasuredFeature, role: &str) -> Option<&'f Correlation> {
    measured.guided.iter().find(|with| with.role == role)
}

/// The role whose goal value all rows use: the first of two players of a zero-sum game. In other games each row has its own
/// role.
pub(super) fn point_of_view(structures: &Structures<Kif>) -> Option<&str> {
    let [first, second] = &structures.teams[..] else { return None };
    let opponents = structures.zero_sum && first.len() == 1 && second.len() == 1;
    first.first().filter(|_| opponents).map(String::as_str)
}

/// A feature's correlation with the goal value of the common role of all rows, or else its strongest correlation.
pub(super) fn shown_correlation<'f>(
    measured: &'f MeasuredFeature,
    point_of_view: Option<&str>,
) -> Option<&'f Correlation> {
    if let Some(role) = point_of_view {
        return measured.correlations.iter().find(|with| with.role == role);
    }
    let strength = |with: &&Correlation| with.correlation.map_or(0.0, f64::abs);
    // The first of several equal ones; `max_by` would return the last.
    measured.correlations.iter().rev().max_by(|a, b| strength(a).total_cmp(&strength(b)))
}

/// Features that deserve a row, best first: those that pass Holm's test and agree with good play, then others that pass it.
/// Features are left out if they only measure step and turn, if their interval includes 0, or if few playouts support them.
pub(super) fn select_features<'f>(
    features: &'f [MeasuredFeature],
    structures: &Structures<Kif>,
) -> Vec<(&'f MeasuredFeature, &'f Correlation)> {
    let view = point_of_view(structures);
    let rows = features.iter().filter(|measured| !measures_turn_only(measured, structures));
    let rows = rows.filter_map(|measured| Some((measured, shown_correlation(measured, view)?)));
    let mut rows: Vec<_> = rows.filter(|(_, with)| with.is_supported()).collect();
    let worth = |(measured, with): &(&MeasuredFeature, &Correlation)| {
        let sure = with.is_significant();
        (sure && !measured.contradicts(&with.role), sure, with.correlation.unwrap_or(0.0).abs())
    };
    rows.sort_by(|a, b| {
        let (a, b) = (worth(a), worth(b));
        b.0.cmp(&a.0).then(b.1.cmp(&a.1)).then(b.2.total_cmp(&a.2))
    });
    // Partners have the same goal progress.
    let mut seen = BTreeSet::new();
    rows.retain(|(measured, with)| {
        let correlation = with.correlation.unwrap_or(0.0);
        let numbers = [measured.mean, measured.variance, correlation.abs(), measured.observed[0]];
        seen.insert((measured.feature.family.name(), numbers.map(f64::to_bits)))
    });
    rows
}

/// Whether a feature depends only on whose turn it is, or on the number of steps.
fn measures_turn_only(measured: &MeasuredFeature, structures: &Structures<Kif>) -> bool {
    fn patterns<'s>(spec: &'s Spec, found: &mut Vec<&'s str>) -> bool {
        match spec {
            Spec::Count { pattern } | Spec::Index { pattern, .. } => found.push(pattern),
            Spec::Sum { terms } => found.extend(terms.iter().map(|term| term.pattern.as_str())),
            Spec::Total { of } => return of.iter().all(|spec| patterns(spec, found)),
            Spec::Difference { first, second } => return patterns(first, found) && patterns(second, found),
            Spec::Inverse { of } => return patterns(of, found),
            _ => return false,
        }
        true
    }
    let of_turns = |pattern: &str| {
        let Ok(pattern) = Pattern::parse(pattern) else { return false };
        let fluent = format!("{}/{}", pattern.name, pattern.arguments.len());
        let is_clock = |kind| matches!(kind, FluentKind::Control | FluentKind::Counter);
        structures.fluents.iter().any(|found| found.fluent == fluent && is_clock(found.kind))
    };
    let mut found = Vec::new();
    patterns(&measured.feature.spec, &mut found) && found.into_iter().all(of_turns)
}

/// The most characters of a formula in the table: three lines of a narrow terminal. Documents and CSV have all of it.
const LONGEST_FORMULA: usize = 110;

/// Shortens a formula at the end of a word.
fn shorten(formula: &str) -> String {
    let Some((cut, _)) = formula.char_indices().nth(LONGEST_FORMULA) else { return formula.to_owned() };
    let end = formula[..cut].rfind(' ').unwrap_or(cut);
    format!("{} …", &formula[..end])
}

/// The header and rows of the best features, as chosen by [`listed`].
pub(super) fn best(
    features: &[MeasuredFeature],
    structures: &Structures<Kif>,
) -> (&'static [&'static str], Vec<Vec<String>>) {
    let row = |(measured, with): (&MeasuredFeature, &Correlation)| {
        let (low, high) = (with.low.unwrap_or(-1.0), with.high.unwrap_or(1.0));
        let value = with.correlation.unwrap_or(0.0);
        let doubt = match guided_of(measured, &with.role).and_then(|other| other.correlation) {
            _ if !with.is_significant() => ", may be chance".to_owned(),
            Some(good) if measured.contradicts(&with.role) => format!("; {good:+.2} in good play"),
            _ => String::new(),
        };
        let [least, most] = measured.observed;
        vec![
            shorten(&measured.feature.formula),
            format!("{} to {}", short(least), short(most)),
            // Adding 0 removes the sign of a rounded zero.
            format!("{:.2}", (measured.mean * 100.0).round() / 100.0 + 0.0),
            measured.stability.map_or(String::new(), |stability| format!("{stability:.2}")),
            format!("{value:+.2} ({low:+.2} to {high:+.2}) {}{doubt}", with.role),
        ]
    };
    let rows = select_features(features, structures).into_iter().take(BEST).map(row).collect();
    (&["feature", "values", "mean", "stability", "correlation with goal value of"], rows)
}

/// The remark below the table: sample size and number of significant features.
pub(super) fn remark(features: &[MeasuredFeature], extent: &SampleExtent, layout: Layout) -> String {
    let significant = |measured: &&MeasuredFeature| {
        measured.correlations.iter().any(|with| with.p_holm.is_some_and(|p| p < SIGNIFICANCE))
    };
    let count = features.iter().filter(significant).count();
    let values = match extent.values {
        GoalValueSource::Outcomes => "a goal value",
        GoalValueSource::Exact => "the goal value that can be forced",
    };
    let text = format!(
        "{count} of {} {} with {values} when only states with the same move number are compared (p < 0.05 after Holm; sample: {} of {}).",
        counted(features.len() as u64, "feature", "features"),
        plural(count as u64, "correlates", "correlate"),
        counted(extent.states, "state", "states"),
        counted(extent.sequences, "playout", "playouts")
    );
    let text = format!("{text}{}", path_remark(extent));
    layout.paragraph("  ", &text)
}

/// The sentence on playouts that begin on the path found by search; empty if there are none.
fn path_remark(extent: &SampleExtent) -> String {
    match extent.along_way {
        0 => String::new(),
        count => format!(
            " {} on the path that search found, because random play does not reach its goal value.",
            plural(count, "One of these playouts starts", &format!("{count} of these playouts start"))
        ),
    }
}

/// Formats a number with at most two decimals.
pub(super) fn short(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number}") } else { format!("{number:.2}") }
}
