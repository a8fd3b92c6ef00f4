//! The differences of two verdicts in words: what a change of rules did to a game.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::statistics::SIGNIFICANCE;
use crate::statistics::correction::holm;

use super::super::layout::{Layout, percent, significant};
use super::facts::{FactEstimate, p_value};

/// The difference of a statement of two verdicts.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct VerdictChange {
    /// The subject, such as `first player, random play`.
    pub what: String,
    /// The statement about the first game; null if there is none.
    pub a: Option<String>,
    /// The statement about the second game; null if there is none.
    pub b: Option<String>,
    /// Whether the difference is beyond chance; null if it was not measured but follows from the rules.
    pub beyond_chance: Option<bool>,
}

/// How a number is printed.
#[derive(Clone, Copy)]
enum Unit {
    Share,
    Number,
}

/// A number of a verdict.
struct Measured {
    what: String,
    unit: Unit,
    estimate: FactEstimate,
}

/// What changed from one analysis to the other, as far as both have a verdict.
pub(super) fn verdict_changes(a: &Value, b: &Value) -> Vec<VerdictChange> {
    let mut changes = statements(a, b);
    changes.extend(numbers(a, b));
    changes.extend(rules(a, b));
    changes
}

/// Statements that follow from the rules or were proved.
fn statements(a: &Value, b: &Value) -> Vec<VerdictChange> {
    let winning = |document: &Value| {
        let roles = document["game"]["roles"].as_array().cloned().unwrap_or_default();
        let conditions = document["verdict"]["winning"].as_array().cloned().unwrap_or_default();
        let text = |condition: &Value| {
            let sentences = condition["sentences"].as_array()?;
            let texts: Vec<&str> =
                sentences.iter().filter_map(|sentence| sentence["text"].as_str()).collect();
            let role = roles.get(condition["role"].as_u64()? as usize)?.as_str()?;
            Some(format!("{role}: {}", texts.join(", or ")))
        };
        conditions.iter().filter_map(text).collect::<Vec<_>>().join("; ")
    };
    let best = |document: &Value| {
        let best = &document["verdict"]["best_play"];
        let roles = document["game"]["roles"].as_array().cloned().unwrap_or_default();
        let value = |(role, value): (&Value, &Value)| Some(format!("{} {}", role.as_str()?, value.as_f64()?));
        let values = best["values"].as_array().cloned().unwrap_or_default();
        match best["solved"].as_bool() {
            Some(true) => roles.iter().zip(&values).filter_map(value).collect::<Vec<_>>().join(", "),
            _ => "not known".to_owned(),
        }
    };
    let longest = |document: &Value| {
        let properties = document["properties"].as_array().cloned().unwrap_or_default();
        let bound =
            properties.iter().find(|of| of["name"] == "termination").and_then(|of| of["longest"].as_u64());
        bound.map(|bound| format!("at most {bound} moves"))
    };
    let pairs = [
        ("turns", [a, b].map(|of| of["structures"]["turns"].as_str().unwrap_or_default().to_owned())),
        ("zero-sum", [a, b].map(|of| of["structures"]["zero_sum"].to_string())),
        ("how one wins", [winning(a), winning(b)]),
        ("best play (goal values)", [best(a), best(b)]),
    ];
    // A missing bound is a limit of the analysis, not of the game.
    let bounds = longest(a).zip(longest(b)).map(|(a, b)| ("longest game", [a, b]));
    let differing = pairs.into_iter().chain(bounds).filter(|(_, [a, b])| a != b);
    let change = |(what, [a, b]): (&str, [String; 2])| VerdictChange {
        what: what.to_owned(),
        a: Some(a).filter(|text| !text.is_empty()),
        b: Some(b).filter(|text| !text.is_empty()),
        beyond_chance: None,
    };
    differing.map(change).collect()
}

/// Measured numbers that both documents have and that differ, each with its test after Holm's correction.
fn numbers(a: &Value, b: &Value) -> Vec<VerdictChange> {
    let (first, second) = (measured(a), measured(b));
    let both = first.iter().filter_map(|one| {
        let other = second.iter().find(|other| other.what == one.what)?;
        (one.estimate != other.estimate).then_some((one, other))
    });
    let both: Vec<(&Measured, &Measured)> = both.collect();
    let tests: Vec<f64> =
        both.iter().map(|(one, other)| p_value(&one.estimate, &other.estimate).unwrap_or(1.0)).collect();
    let text = |of: &Measured| match of.unit {
        Unit::Share => percent(of.estimate.value),
        Unit::Number => significant((of.estimate.value * 100.0).round() / 100.0),
    };
    let change = |((one, other), p): (&(&Measured, &Measured), f64)| VerdictChange {
        what: one.what.clone(),
        a: Some(text(one)),
        b: Some(text(other)),
        beyond_chance: Some(p < SIGNIFICANCE),
    };
    both.iter().zip(holm(&tests)).map(change).collect()
}

/// The numbers of a verdict with their intervals.
fn measured(document: &Value) -> Vec<Measured> {
    let mut out = Vec::new();
    let mut add = |what: String, unit: Unit, value: &Value| {
        if let Some(estimate) = FactEstimate::of(value) {
            out.push(Measured { what, unit, estimate });
        }
    };
    for (number, of) in document["verdict"]["self_play"].as_array().into_iter().flatten().enumerate() {
        // Budgets differ from game to game, so strengths are compared by their order.
        let strength =
            ["random play", "search", "ten times the search"].get(number).copied().unwrap_or("search");
        let roles = of["roles"].as_array().cloned().unwrap_or_default();
        for (index, role) in roles.iter().enumerate() {
            // The shares of two opponents and of draws add up to 1.
            if roles.len() != 2 || index == 0 {
                let name = role["role"].as_str().unwrap_or_default();
                add(format!("{name} wins, {strength}"), Unit::Share, &role["wins"]);
            }
        }
        if roles.len() > 1 {
            add(format!("draws, {strength}"), Unit::Share, &of["draws"]);
        }
    }
    add("moves, random play".to_owned(), Unit::Number, &with_interval(&document["simulation"]));
    for measure in document["verdict"]["quality"].as_array().into_iter().flatten() {
        let name = measure["name"].as_str().unwrap_or_default();
        // Wins and draws are listed above.
        if !["first-player-advantage", "drawishness", "balance"].contains(&name) {
            add(name.replace('-', " "), Unit::Number, measure);
        }
    }
    for cause in document["verdict"]["endings"]["good"]["causes"].as_array().into_iter().flatten() {
        let text = cause["text"].as_str().unwrap_or_default();
        let games = document["verdict"]["endings"]["good"]["games"].as_u64().unwrap_or(0);
        let count = cause["games"].as_u64().unwrap_or(0);
        let share =
            serde_json::to_value(crate::statistics::interval::wilson(count, games)).unwrap_or_default();
        add(format!("games that end by {text}"), Unit::Share, &share);
    }
    out
}

/// The mean length of random games with an interval from the histogram of lengths.
fn with_interval(simulation: &Value) -> Value {
    let bins = simulation["lengths"].as_array().cloned().unwrap_or_default();
    let of = |bin: &Value| {
        let middle = (bin["from"].as_f64()? + bin["to"].as_f64()?) / 2.0;
        Some((middle, bin["playouts"].as_f64()?))
    };
    let bins: Vec<(f64, f64)> = bins.iter().filter_map(of).collect();
    let games: f64 = bins.iter().map(|(_, games)| games).sum();
    let (Some(mean), true) = (simulation["length"]["mean"].as_f64(), games > 1.0) else { return Value::Null };
    let variance =
        bins.iter().map(|(middle, games)| games * (middle - mean).powi(2)).sum::<f64>() / (games - 1.0);
    let half = crate::statistics::quantile::normal() * (variance / games).sqrt();
    serde_json::json!({ "mean": mean, "low": mean - half, "high": mean + half })
}

/// Rules that fire in one game only, by their texts.
fn rules(a: &Value, b: &Value) -> Vec<VerdictChange> {
    let unfired = |document: &Value| -> Vec<(String, u64)> {
        let rules =
            document["verdict"]["endings"]["unfired"]["rules"].as_array().cloned().unwrap_or_default();
        let of = |rule: &Value| Some((rule["text"].as_str()?.to_owned(), rule["line"].as_u64()?));
        rules.iter().filter_map(of).collect()
    };
    let (first, second) = (unfired(a), unfired(b));
    let missing = |from: &[(String, u64)], other: &[(String, u64)]| -> Vec<u64> {
        let new = from.iter().filter(|(text, _)| !other.iter().any(|(there, _)| there == text));
        let mut lines: Vec<u64> = new.map(|(_, line)| *line).collect();
        lines.dedup();
        lines
    };
    let text = |lines: Vec<u64>| {
        let lines: Vec<String> = lines.iter().map(u64::to_string).collect();
        (!lines.is_empty()).then(|| format!("line {}", lines.join(", ")))
    };
    let (only_a, only_b) = (text(missing(&first, &second)), text(missing(&second, &first)));
    if only_a.is_none() && only_b.is_none() {
        return Vec::new();
    }
    let what = "rules that never fire in random play".to_owned();
    vec![VerdictChange { what, a: only_a, b: only_b, beyond_chance: None }]
}

/// The changes as lines, those beyond chance first; each line is ended.
pub(super) fn to_text(changes: &[VerdictChange], layout: Layout) -> String {
    let side = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
    let row = |change: &VerdictChange| vec![change.what.clone(), side(&change.a), side(&change.b)];
    let mut out = String::new();
    let groups = [
        (
            "Effects of the change of rules",
            changes.iter().filter(|of| of.beyond_chance != Some(false)).collect::<Vec<_>>(),
        ),
        ("Within chance", changes.iter().filter(|of| of.beyond_chance == Some(false)).collect()),
    ];
    for (heading, changes) in groups {
        if !changes.is_empty() {
            out.push_str(&format!("\n{}\n", layout.heading(heading)));
            out.push_str(&layout.table(&["", "A", "B"], changes.into_iter().map(row).collect()));
        }
    }
    out
}
