//! Properties of a game, in the analysis document, as rows and in the table.

use schemars::JsonSchema;
use serde::Serialize;

use crate::machine::Machine;
use crate::property::{ProofMethod, Property, PropertyName, Record, Subject};
use crate::structure::finding::ProofStatus;

/// The code of what is unknown as no game of the run ended.
const NO_GAME_ENDED: &str = "no-game-ended";

/// Whether a game has a property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PropertySummary {
    /// Which.
    pub name: PropertyName,
    /// The role that it is said of; null for the game as a whole.
    pub role: Option<String>,
    /// Whether it holds: `proved`, `refuted`, or `open`.
    pub status: ProofStatus,
    /// How that is known; null where it is open.
    pub method: Option<ProofMethod>,
    /// In a sentence.
    pub because: String,
    /// What that sentence is made from: its code, its numbers and the keys of the counts that these are from.
    pub reason: Record,
    /// How many steps an induction looks back; null where there is none.
    pub k: Option<u32>,
    /// Lemmas that were proved together with it; null where there is no induction.
    pub lemmas: Option<usize>,
    /// Joint moves that no play exceeds; null where that is not known.
    pub longest: Option<u64>,
    /// Whether some play has this length, so that the longest one is known; false for a mere bound, null if no length is known.
    pub longest_attained: Option<bool>,
    /// Joint moves from the initial state that show it, or that it is false; null where no play does.
    pub witness: Option<Vec<Vec<String>>>,
    /// States of random play that were looked at; 0 but where it is open.
    pub states: u64,
}

/// Properties in the words of the rules.
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

/// A property as a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PropertyRow {
    /// The game.
    pub game: String,
    /// Which property.
    pub property: PropertyName,
    /// The role that it is said of; empty for the game as a whole.
    pub role: String,
    /// `proved`, `refuted` or `open`.
    pub status: ProofStatus,
    /// How that is known.
    pub method: Option<ProofMethod>,
    /// How many steps an induction looks back.
    pub k: Option<u32>,
    /// Lemmas that were proved together with it.
    pub lemmas: Option<usize>,
    /// Joint moves that no play exceeds.
    pub longest: Option<u64>,
    /// Joint moves that show it, `;` after each.
    pub witness: String,
    /// States of random play that were looked at.
    pub states: u64,
    /// In a sentence.
    pub because: String,
}

/// A row for each property of a game.
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

/// Plays of a game that show something, as match records that `ggp replay` plays, one a line; with its roles.
///
/// # Errors
/// None that is known.
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

/// Rows of the table: a property of several roles is one row where the same is said of all.
pub fn table(properties: &[PropertySummary]) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    // What is said in the row before is not said again.
    let status = |name| properties.iter().find(|property| property.name == name).map(|found| found.status);
    let is_new = |property: &&PropertySummary| match property.name {
        PropertyName::FiniteLength => status(PropertyName::Termination) != Some(property.status),
        PropertyName::Simultaneity => status(PropertyName::Alternation) == Some(ProofStatus::Open),
        _ => true,
    };
    let told: Vec<PropertySummary> = properties.iter().filter(is_new).cloned().collect();
    let mut rest = &told[..];
    while let Some(first) = rest.first() {
        let end = rest.iter().position(|other| other.name != first.name).unwrap_or(rest.len());
        let (same, others) = rest.split_at(end);
        rest = others;
        let alike = |other: &PropertySummary| other.status == first.status && other.because == first.because;
        if same.len() > 1 && same.iter().all(alike) {
            let all = if same.len() == 2 { "both roles" } else { "all roles" };
            rows.push(row(first, &format!(" of {all}")));
        } else {
            let of = |role: &String| format!(" of {role}");
            rows.extend(same.iter().map(|one| row(one, &one.role.as_ref().map(of).unwrap_or_default())));
        }
    }
    rows
}

fn row(property: &PropertySummary, of: &str) -> Vec<String> {
    let status = match property.status {
        ProofStatus::Proved => "proved",
        ProofStatus::Refuted => "refuted",
        ProofStatus::Open if property.reason.code == NO_GAME_ENDED => "unknown",
        ProofStatus::Open => "not refuted",
    };
    vec![format!("{}{of}", property.name.words()), status.into(), property.because.clone()]
}
