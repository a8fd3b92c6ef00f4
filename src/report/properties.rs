//! The properties of a game, for the analysis document, CSV and tables.

use schemars::JsonSchema;
use serde::Serialize;

use crate::machine::Machine;
use crate::property::{ProofMethod, Property, PropertyName, Record, Subject};
use crate::structure::finding::ProofStatus;

/// The reason code of a property that is unknown because no game ended.
const NO_GAME_ENDED: &str = "no-game-ended";

/// The result for a property of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PropertySummary {
    /// The property.
    pub name: PropertyName,
    /// The role; null for a property of the whole game.
    pub role: Option<String>,
    /// Whether it holds: `proved`, `refuted`, or `open`.
    pub status: ProofStatus,
    /// The method of the proof or refutation; null if open.
    pub method: Option<ProofMethod>,
    /// The reason, as a sentence.
    pub because: String,
    /// The data of that sentence: its code, its numbers and the keys of the counts behind them.
    pub reason: Record,
    /// The depth of the induction in steps; null without induction.
    pub k: Option<u32>,
    /// The number of lemmas that were proved with it; null without induction.
    pub lemmas: Option<usize>,
    /// The upper bound on the joint moves of a game; null if none is known.
    pub longest: Option<u64>,
    /// Whether a game of that length exists; null if no bound is known.
    pub longest_attained: Option<bool>,
    /// The joint moves of an example or counterexample from the initial state; null if there is none.
    pub witness: Option<Vec<Vec<String>>>,
    /// The number of states of random play that were checked; 0 unless the property is open.
    pub states: u64,
}

/// Translates properties to the terms of the rules.
pub fn summaries(properties: &[Property], machine: &dyn Machine) -> Vec<PropertySummary> {
    let roles = &machine.description().roles;
    let joint = |joint: &Vec<_>| joint.iter().map(|&action| machine.move_text(action)).collect();
    let names: Vec<String> = roles.iter().map(|&role| machine.term_text(role)).collect();
    let summary = |property: &Property| {
        let role = property.role.map(|role| names[role].as_str());
        let alone = if let [name] = &names[..] { Some(name.as_str()) } else { None };
        let steps = property.witness.as_ref().map(Vec::len);
        let subject = Subject { name: property.name, role, player: role.or(alone), steps };
        PropertySummary {
            name: property.name,
            role: role.map(str::to_owned),
            status: property.status,
            method: property.method,
            because: property.reason.sentence(&subject, machine),
            reason: property.reason.record(&subject),
            k: property.k,
            lemmas: property.lemmas,
            longest: property.longest,
            longest_attained: property.is_attained,
            witness: property.witness.as_ref().map(|moves| moves.iter().map(joint).collect()),
            states: property.states,
        }
    };
    properties.iter().map(summary).collect()
}

/// A row of `properties.csv`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PropertyRow {
    /// The game.
    pub game: String,
    /// The property.
    pub property: PropertyName,
    /// The role; empty for a property of the whole game.
    pub role: String,
    /// `proved`, `refuted` or `open`.
    pub status: ProofStatus,
    /// The method of the proof or refutation.
    pub method: Option<ProofMethod>,
    /// The depth of the induction in steps.
    pub k: Option<u32>,
    /// The number of lemmas that were proved with it.
    pub lemmas: Option<usize>,
    /// The upper bound on the joint moves of a game.
    pub longest: Option<u64>,
    /// The joint moves of an example or counterexample, `;` after each.
    pub witness: String,
    /// The number of states of random play that were checked.
    pub states: u64,
    /// The reason, as a sentence.
    pub because: String,
}

/// The rows of a game, one per property.
pub fn property_rows(game: &str, properties: &[PropertySummary]) -> Vec<PropertyRow> {
    let joint = |joint: &Vec<String>| format!("{};", joint.join(" "));
    let row = |property: &PropertySummary| PropertyRow {
        game: game.to_owned(),
        property: property.name,
        role: property.role.clone().unwrap_or_default(),
        status: property.status,
        method: property.method,
        k: property.k,
        lemmas: property.lemmas,
        longest: property.longest,
        witness: property.witness.iter().flatten().map(joint).collect::<Vec<_>>().join(" "),
        states: property.states,
        because: property.because.clone(),
    };
    properties.iter().map(row).collect()
}

/// The examples and counterexamples of a game as match records for `ggp replay`, one per line.
///
/// # Errors
/// Serialization fails; no known input causes this.
pub fn witnesses(
    game: &str,
    roles: &[&str],
    properties: &[PropertySummary],
) -> Result<String, serde_json::Error> {
    let mut out = String::new();
    for property in properties {
        let Some(moves) = &property.witness else { continue };
        let of = property.role.iter().map(|role| format!(".{role}")).collect::<String>();
        let record = serde_json::json!({
            "match_id": format!("{}{of}", property.name),
            "kif": format!("{game}.kif"),
            "roles": roles,
            "moves": moves,
        });
        out.push_str(&serde_json::to_string(&record)?);
        out.push('\n');
    }
    Ok(out)
}

/// The rows of the table. Roles with the same result share a row.
pub fn table(properties: &[PropertySummary]) -> Vec<Vec<String>> {
    named_rows(properties).into_iter().map(|row| row.1).collect()
}

/// The rows of the table, each with its property.
pub(super) fn named_rows(properties: &[PropertySummary]) -> Vec<(PropertyName, Vec<String>)> {
    let mut rows: Vec<(PropertyName, Vec<String>)> = Vec::new();
    // Skips properties that an earlier row covers.
    let status =
        |name| properties.iter().find(|property| property.name == name).map(|property| property.status);
    let is_new = |property: &&PropertySummary| match property.name {
        PropertyName::FiniteLength => status(PropertyName::Termination) != Some(property.status),
        PropertyName::Simultaneity => status(PropertyName::Alternation) == Some(ProofStatus::Open),
        _ => true,
    };
    let distinct: Vec<PropertySummary> = properties.iter().filter(is_new).cloned().collect();
    let mut rest = &distinct[..];
    while let Some(first) = rest.first() {
        let end = rest.iter().position(|other| other.name != first.name).unwrap_or(rest.len());
        let (same, others) = rest.split_at(end);
        rest = others;
        let alike = |other: &PropertySummary| other.status == first.status && other.because == first.because;
        if same.len() > 1 && same.iter().all(alike) {
            let all = if same.len() == 2 { "both roles" } else { "all roles" };
            rows.push((first.name, row(first, &format!(" of {all}"))));
        } else {
            let of = |role: &String| format!(" of {role}");
            rows.extend(
                same.iter().map(|one| (one.name, row(one, &one.role.as_ref().map(of).unwrap_or_default()))),
            );
        }
    }
    rows
}

fn row(property: &PropertySummary, role: &str) -> Vec<String> {
    let status = match property.status {
        ProofStatus::Proved => "proved",
        ProofStatus::Refuted => "refuted",
        ProofStatus::Open if property.reason.code == NO_GAME_ENDED => "unknown",
        ProofStatus::Open => "not refuted",
    };
    vec![format!("{}{role}", property.name.words()), status.into(), property.because.clone()]
}
