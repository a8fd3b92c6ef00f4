//! Findings, properties and features of a page as tables and charts.

use crate::feature::{Correlation, GoalValueSource, MeasuredFeature};
use crate::property::PropertyName;
use crate::structure::evidence::Evidence;
use crate::structure::finding::{Method, ProofStatus};
use crate::structure::vocabulary::Kif;

use super::super::analysis::Analysis;
use super::super::features::{guided_of, point_of_view, select_features, short, shown_correlation};
use super::super::findings::{FindingGroup, FindingRow, groups};
use super::super::layout::{counted, fewer, plural, significant};
use super::super::properties;
use super::super::verdict::help_texts;
use super::charts::{Dot, scatter};
use super::markup::Markup;
use super::tables::{Badge, Field, Table, columns};

/// The properties whose refutation is a fault of the game.
pub(super) const ALARMING: [PropertyName; 4] = [
    PropertyName::Termination,
    PropertyName::Playability,
    PropertyName::UniqueGoal,
    PropertyName::WeakWinnability,
];

/// The most rows of the table of features, and dots of their plot.
const FEATURES: usize = 250;
const DOTS: usize = 1500;

/// The evidence of a finding as badges.
fn badges(evidence: &Evidence<Kif>) -> Vec<Badge> {
    let mut out = Vec::new();
    let proof = evidence.proof.as_ref().filter(|proof| proof.status == ProofStatus::Proved);
    let without_induction = proof.is_some_and(|proof| proof.k == 0);
    if evidence.methods.contains(&Method::Proof) || proof.is_some() && !without_induction {
        out.push(Badge::new("good", "proved"));
    } else if without_induction && !evidence.methods.contains(&Method::Enumeration) {
        out.push(Badge::new("good", "certain"));
    } else if evidence.methods.contains(&Method::Simulation) && evidence.playouts > 0 {
        let playouts = counted(evidence.playouts, "playout", "playouts");
        out.push(Badge::new("seen", format!("in {playouts}, not proved")));
    } else if evidence.methods.contains(&Method::Enumeration) {
        out.push(Badge::new("good", "all facts enumerated"));
    } else {
        out.push(Badge::new("seen", "by the form of the rules"));
    }
    out
}

/// The text of a finding's evidence, without its badge.
fn evidence_text(evidence: &Evidence<Kif>) -> String {
    let mut text = evidence.reason.clone();
    if !evidence.is_proved() && evidence.counterexample_bound > 0.0 {
        let bound = fewer(evidence.counterexample_bound, evidence.playouts);
        text.push_str(&format!("; it fails in {bound} random games (95 % confidence)"));
    }
    text
}

/// A table for each kind of finding.
pub(super) fn findings(analysis: &Analysis) -> Vec<(&'static str, Table)> {
    let table = |FindingGroup { title, columns: names, findings }: FindingGroup<'_>| {
        let mut titles: Vec<&'static str> = names.to_vec();
        titles.push("how it is known");
        let row = |FindingRow { words, evidence }: FindingRow<'_>| {
            let known = Field { badges: badges(evidence), text: evidence_text(evidence), ..Field::default() };
            words.into_iter().map(Field::text).chain([known]).collect()
        };
        let rows = findings.into_iter().map(row).collect();
        (
            title,
            Table {
                id: "".into(),
                caption: String::new(),
                columns: columns(&titles),
                rows,
                left_out: String::new(),
            },
        )
    };
    groups(&analysis.structures).into_iter().map(table).collect()
}

/// The properties of the game; `None` if proofs were off.
pub(super) fn properties(analysis: &Analysis) -> Option<Table> {
    let row = |(property, row): (PropertyName, Vec<String>)| {
        let [name, status, because] = <[String; 3]>::try_from(row).unwrap_or_default();
        let (class, status) = match status.as_str() {
            "proved" => ("good", status),
            "refuted" if ALARMING.contains(&property) => ("bad", status),
            "refuted" => ("seen", "does not hold".to_owned()),
            _ => ("seen", status),
        };
        let badge = Field { badges: vec![Badge::new(class, status)], ..Field::default() };
        vec![Field::text(name), badge, Field::text(because)]
    };
    let rows: Vec<Vec<Field>> = properties::named_rows(&analysis.properties).into_iter().map(row).collect();
    (!rows.is_empty()).then(|| Table {
        id: "properties".into(),
        caption: String::new(),
        columns: columns(&["property", "status", "because"]),
        rows,
        left_out: String::new(),
    })
}

/// The section on features.
pub(super) struct FeatureSection {
    pub(super) remark: String,
    pub(super) table: Table,
    pub(super) plot: Markup,
    pub(super) plot_caption: String,
}

/// The section on features, best correlation first; `None` if no feature deserves a row.
pub(super) fn features(analysis: &Analysis) -> Option<FeatureSection> {
    let all = &analysis.features;
    let sorted = select_features(all, &analysis.structures);
    if sorted.is_empty() {
        return None;
    }
    let passes = |of: &MeasuredFeature| {
        shown_correlation(of, point_of_view(&analysis.structures)).is_some_and(Correlation::is_significant)
    };
    let count = all.iter().filter(|measured| passes(measured)).count();
    let extent = &analysis.feature_sample;
    let values = match extent.values {
        GoalValueSource::Outcomes => "the goal value at the end of play",
        GoalValueSource::Exact => "the goal value that can be forced",
    };
    let basis = format!(
        "{} of {}",
        counted(extent.states, "state", "states"),
        counted(extent.sequences, "random playout", "random playouts")
    );
    let basis = match extent.along_way {
        0 => basis,
        count => format!("{basis}, {count} of them on the path that search found"),
    };
    let (plot, shown) = stability_plot(&sorted);
    let helpful: Vec<String> = help_texts(analysis).into_iter().map(|help| help.feature).collect();
    let shown = counted(shown as u64, "feature", "features");
    let left = all.len() - sorted.len().min(FEATURES);
    Some(FeatureSection {
        remark: format!(
            "{count} of {} {} significantly with {values} of some role when only states with the same move number are compared (p < 0.05 after Holm's \
             correction).",
            counted(all.len() as u64, "feature", "features"),
            plural(count as u64, "correlates", "correlate")
        ),
        table: Table {
            id: "features-table".into(),
            caption: match point_of_view(&analysis.structures) {
                Some(role) => {
                    format!("Features with their correlation with the goal value of {role}, over {basis}.")
                }
                None => format!("Features with their strongest correlation and its role, over {basis}."),
            },
            columns: columns(&[
                "feature",
                "family",
                "#values",
                "#mean",
                "#stability",
                "#correlation",
                "95 % interval",
                "#in good play",
                "goal of",
            ]),
            rows: sorted.iter().take(FEATURES).map(|of| feature_row(of, &helpful)).collect(),
            left_out: match left {
                0 => String::new(),
                _ => format!(
                    "{} in features.csv and analysis.json.",
                    counted(left as u64, "more feature is", "more features are")
                ),
            },
        }
        .without_empty_numbers(),
        plot,
        plot_caption: format!(
            "Each dot is a feature ({shown}, over {basis}), by its correlation with the goal value of a role and its stability. \
             Coloured dots are significant. Features at the right and far from 0 are good parts of an evaluation function."
        ),
    })
}

/// A feature as a row of the table.
fn feature_row((measured, with): &(&MeasuredFeature, &Correlation), helpful: &[String]) -> Vec<Field> {
    let number = helpful.iter().position(|id| *id == measured.feature.id);
    let interval = with.low.zip(with.high);
    let interval = interval.map_or(String::new(), |(low, high)| format!("{low:+.2} to {high:+.2}"));
    let good = guided_of(measured, &with.role).and_then(|guided| guided.correlation);
    let against = measured.contradicts(&with.role);
    let [low, high] = measured.observed;
    let doubt = match with.is_significant() {
        true => Vec::new(),
        false => vec![Badge::new("open", "may be chance")],
    };
    vec![
        Field {
            id: number.map(help_id).unwrap_or_default(),
            more: measured.feature.id.clone(),
            ..Field::text(cut_formula(&measured.feature.formula))
        },
        Field::text(measured.feature.family.name()),
        Field { sort: Some(high - low), ..Field::text(format!("{} to {}", short(low), short(high))) },
        Field::number(Some(measured.mean), significant),
        Field::number(measured.stability, |value| format!("{value:.2}")),
        Field { badges: doubt, ..Field::number(with.correlation, |value| format!("{value:+.2}")) },
        Field::text(interval),
        Field {
            badges: if against { vec![Badge::new("bad", "against")] } else { Vec::new() },
            ..Field::number(good, |value| format!("{value:+.2}"))
        },
        Field::text(&with.role),
    ]
}

/// The id of the feature of a help text, by the number of the text.
fn help_id(number: usize) -> String {
    format!("feature-{}", number + 1)
}

/// The sentences on features that help, each with the id of the feature's row; empty if the table does not have it.
pub(super) fn help_links(analysis: &Analysis) -> Vec<(String, String)> {
    let sorted = select_features(&analysis.features, &analysis.structures);
    let listed = |id: &str| sorted.iter().take(FEATURES).any(|(measured, _)| measured.feature.id == id);
    let texts = help_texts(analysis).into_iter().enumerate();
    texts
        .map(|(number, help)| {
            (if listed(&help.feature) { help_id(number) } else { String::new() }, help.text)
        })
        .collect()
}

/// The plot of features by stability and correlation, and the number of dots.
fn stability_plot(sorted: &[(&MeasuredFeature, &Correlation)]) -> (Markup, usize) {
    let dots: Vec<Dot> = (sorted.iter().take(DOTS))
        .filter_map(|(measured, with)| {
            Some(Dot {
                x: measured.stability?,
                y: with.correlation?,
                strong: with.is_significant(),
                title: format!("{}. Goal of {}", cut_formula(&measured.feature.formula), with.role),
            })
        })
        .collect();
    let low = dots.iter().map(|dot| dot.y).fold(0.0, f64::min);
    let high = dots.iter().map(|dot| dot.y).fold(0.0, f64::max);
    let pad = 0.06 * (high - low).max(0.1);
    (scatter(&dots, "stability", "correlation", [[0.0, 1.0], [low - pad, high + pad]]), dots.len())
}

/// The most characters of a formula in a table.
const FORMULA: usize = 140;

/// Cuts a formula to fit into a table.
pub(super) fn cut_formula(formula: &str) -> String {
    match formula.char_indices().nth(FORMULA) {
        Some((end, _)) => {
            let end = formula[..end].rfind(' ').unwrap_or(end);
            format!("{} …", &formula[..end])
        }
        None => formula.to_owned(),
    }
}
