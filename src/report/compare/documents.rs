//! Splits documents into facts. Documents are read as untyped JSON, so that documents of earlier versions with other keys can
//! be compared as well.

use serde_json::Value;

use crate::arena::canonical_line;

use super::CompareError;
use super::facts::DocumentFacts;

/// A kind of document that can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ComparedKind")]
pub enum DocumentKind {
    /// Analyses of `ggp analyze`.
    Analyses,
    /// Judged functions of `ggp judge`, or of a study.
    Judgements,
    /// Tournaments.
    Tournaments,
    /// The rows of sweeps.
    Sweeps,
}

impl DocumentKind {
    /// The name, in the plural.
    pub fn name(self) -> &'static str {
        match self {
            DocumentKind::Analyses => "analyses",
            DocumentKind::Judgements => "judged functions",
            DocumentKind::Tournaments => "tournaments",
            DocumentKind::Sweeps => "sweeps",
        }
    }
}

/// The elements of a list; none for other values.
fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The text of a string; empty for other values.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A player as on the command line. A spelling of an earlier version is replaced by the current one.
fn player_text(value: &Value) -> String {
    canonical_line(text(value))
}

/// The facts of one or several documents of one kind.
pub(super) fn facts(documents: &[Value]) -> Result<(DocumentKind, DocumentFacts), CompareError> {
    let mut facts = DocumentFacts::default();
    let mut found: Option<DocumentKind> = None;
    // The first line of a sweep's log has only the settings.
    let selected: Vec<&Value> =
        documents.iter().filter(|one| text(&one["schema"]) != "ggp.sweep-log/1").collect();
    for document in &selected {
        let kind = kind(document)?;
        if found.is_some_and(|found| found != kind) {
            return Err(CompareError::Mixed);
        }
        found = Some(kind);
        facts.prefix = match selected.len() {
            0 | 1 => String::new(),
            _ => format!("{}: ", label(document)),
        };
        match kind {
            DocumentKind::Analyses => analysis(document, &mut facts),
            DocumentKind::Judgements if document["games"].is_array() => {
                list(&document["games"]).for_each(|game| {
                    facts.prefix = format!("{}: ", text(&game["game"]["name"]));
                    judgements(&game["verdict"], &mut facts);
                })
            }
            DocumentKind::Judgements => judgements(document, &mut facts),
            DocumentKind::Tournaments => tournament(document, &mut facts),
            DocumentKind::Sweeps => {
                facts.prefix.clear();
                sweep_row(document, &mut facts);
            }
        }
    }
    Ok((found.ok_or(CompareError::Empty)?, facts))
}

/// A label that distinguishes a document from the others on its side of the comparison: the game of an analysis, or the
/// limits per move of a tournament.
fn label(document: &Value) -> String {
    let thinking = &document["plan"]["thinking"];
    let nodes = thinking["nodes"].as_u64().map(|nodes| format!("{nodes} nodes"));
    let clock = thinking["play"].as_f64().map(|play| format!("{play} s"));
    let parts: Vec<String> = clock.into_iter().chain(nodes).collect();
    if parts.is_empty() { text(&document["game"]["name"]).to_owned() } else { parts.join(", ") }
}

/// The kind of a document.
fn kind(document: &Value) -> Result<DocumentKind, CompareError> {
    match text(&document["schema"]) {
        "ggp.analysis/1" => Ok(DocumentKind::Analyses),
        "ggp.judge/1" => Ok(DocumentKind::Judgements),
        "ggp.study/1" if document["games"].is_array() => Ok(DocumentKind::Judgements),
        "ggp.tournament/1" => Ok(DocumentKind::Tournaments),
        "" if document["path"].is_string() && document["verdict"].is_string() => Ok(DocumentKind::Sweeps),
        "" => Err(CompareError::Unknown("without a schema".to_owned())),
        other => Err(CompareError::Unknown(format!("of the schema {other}"))),
    }
}

/// The lists of structures, and the key that names their elements.
const STRUCTURES: [(&str, &str); 6] = [
    ("successors", "relation"),
    ("orders", "relation"),
    ("chains", "name"),
    ("cycles", "name"),
    ("partial_orders", "relation"),
    ("fluents", "fluent"),
];

fn analysis(document: &Value, facts: &mut DocumentFacts) {
    facts.text("game", "rules", "", &document["game"]["rules"]);
    facts.text("game", "machine", "", &document["game"]["machine"]);
    let simulation = &document["simulation"];
    facts.seed(&simulation["seed"]);
    facts.estimate("random play", "draws", "share", &simulation["draws"]);
    for role in list(&simulation["roles"]) {
        facts.estimate("random play", text(&role["role"]), "mean goal", &role["goal_mean"]);
        facts.estimate("random play", text(&role["role"]), "wins", &role["wins"]);
    }
    let structures = &document["structures"];
    for (key, name_key) in STRUCTURES {
        for finding in list(&structures[key]) {
            let name = text(&finding[name_key]);
            for (aspect, value) in finding.as_object().into_iter().flatten() {
                if aspect != name_key && aspect != "evidence" {
                    facts.text("structures", name, aspect, value);
                }
            }
            facts.text("structures", name, "proof", &finding["evidence"]["proof"]["status"]);
        }
    }
    for name in ["turns", "teams", "zero_sum", "noops"] {
        facts.text("structures", name, "", &structures[name]);
        facts.text("structures", name, "proof", &structures[format!("{name}_evidence")]["proof"]["status"]);
    }
    for property in list(&document["properties"]) {
        let of = property["role"].as_str().map_or_else(String::new, |role| format!(" of {role}"));
        facts.text("properties", &format!("{}{of}", text(&property["name"])), "", &property["status"]);
    }
    for feature in list(&document["features"]) {
        facts.formula("features", feature);
        for with in list(&feature["correlations"]) {
            let aspect = format!("correlation for {}", text(&with["role"]));
            facts.estimate("features", text(&feature["id"]), &aspect, with);
        }
    }
    for function in list(&document["evaluations"]) {
        facts.text("functions", text(&function["id"]), "kind", &function["kind"]);
        facts.formula("functions", function);
        facts.estimate("functions", text(&function["id"]), "correlation", &function["quality"]["goal"]);
        facts.estimate("functions", text(&function["id"]), "goal one move ahead", &function["one_ply"]);
    }
}

fn judgements(document: &Value, facts: &mut DocumentFacts) {
    facts.seed(&document["seed"]);
    for function in list(&document["functions"]) {
        let id = text(&function["id"]);
        facts.text("functions", id, "kind", &function["kind"]);
        facts.formula("functions", function);
        facts.correlation("functions", id, "tau of states", &function["exact"]["states"]);
        facts.correlation("functions", id, "tau of moves", &function["exact"]["moves"]);
        facts.estimate("functions", id, "best move", &function["exact"]["best"]);
        for (key, aspect) in [("random", "random play"), ("guided", "guided play")] {
            for phase in list(&function[key]).filter(|phase| phase["phase"] == "all") {
                facts.correlation("functions", id, &format!("r with {aspect}"), &phase["pearson"]);
            }
        }
        facts.estimate("functions", id, "slope", &function["calibration"]["slope"]);
        facts.estimate("functions", id, "goal in play", &function["play"]["goal"]);
    }
}

fn tournament(document: &Value, facts: &mut DocumentFacts) {
    let (plan, summary) = (&document["plan"], &document["summary"]);
    for key in ["rounds", "opening"] {
        facts.text("plan", key, "", &plan[key]);
    }
    for (key, value) in plan["thinking"].as_object().into_iter().flatten() {
        facts.text("plan", key, "", value);
    }
    for player in list(&summary["standings"]) {
        let name = &player_text(&player["player"]);
        facts.estimate("players", name, "Elo", &player["rating"]);
        facts.estimate("players", name, "score", &player["score"]);
        facts.estimate("players", name, "goal", &player["side"]["goal"]);
    }
    for pairing in list(&summary["pairings"]).chain(list(&summary["games"])) {
        let players: Vec<String> = list(&pairing["players"]).map(player_text).collect();
        let game = pairing["game"].as_str().map_or_else(String::new, |game| format!(" in {game}"));
        facts.estimate(
            "pairings",
            &format!("{}{game}", players.join(" against ")),
            "score",
            &pairing["score"],
        );
    }
}

fn sweep_row(row: &Value, facts: &mut DocumentFacts) {
    let path = text(&row["path"]);
    facts.text("descriptions", path, "verdict", &row["verdict"]);
    facts.text("descriptions", path, "rules", &row["sha256"]);
    // The number of states varies by chance.
    for (key, value) in row["found"].as_object().into_iter().flatten().filter(|(key, _)| *key != "states") {
        match value.as_object() {
            None => facts.text("descriptions", path, key, value),
            Some(counts) => {
                counts.iter().for_each(|(of, number)| {
                    facts.text("descriptions", path, &format!("{key}: {of}"), number)
                });
            }
        }
    }
    facts.measure("seconds", path, &row["timing"]["seconds"]);
    facts.measure("MiB", path, &row["timing"]["peak_mib"]);
    for machine in list(&row["timing"]["machines"]) {
        facts.measure(&format!("states a second, {}", text(&machine[0])), path, &machine[1]);
    }
}
