//! The results of replays, as text and as the JSON document of `ggp replay`.

use serde::Serialize;

use crate::gdl::Negation;
use crate::simulate::{Aspect, Comparison, Difference};

use super::layout::{Layout, grouped};

/// The name and version of the document; it changes when a key changes its meaning or goes away.
pub const SCHEMA: &str = "ggp.replay/1";

/// The most atoms of a difference that are printed. For the others only their number is printed.
const PRINTED: usize = 12;

/// The comparisons of one game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplayReport {
    /// Always `ggp.replay/1`.
    pub schema: &'static str,
    /// The file with the rules, as it was named on the command line.
    pub game: String,
    /// How negated literals of the rules are evaluated: `language` or `in-place` (`--negation`).
    pub negation: Negation,
    /// The comparisons: one per back end, or one of two back ends with each other.
    pub comparisons: Vec<BackendComparison>,
}

/// The comparison of a back end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BackendComparison {
    /// The back end, or both as `network / relational`.
    pub backend: String,
    /// The result.
    #[serde(flatten)]
    pub found: Comparison,
}

impl ReplayReport {
    /// Makes the report of a game.
    pub fn new(game: String, negation: Negation, comparisons: Vec<BackendComparison>) -> Self {
        ReplayReport { schema: SCHEMA, game, negation, comparisons }
    }

    /// The number of differences of all comparisons.
    pub fn differences(&self) -> u64 {
        self.comparisons.iter().map(|compared| compared.found.differences).sum()
    }

    /// The document as indented JSON, with a line break at the end.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// The text, each line ended.
    pub fn to_table(&self, layout: Layout) -> String {
        let mut out = String::new();
        for BackendComparison { backend, found } in &self.comparisons {
            for difference in &found.first {
                write_difference(&mut out, backend, difference, layout);
            }
            let more = found.differences - found.first.len() as u64;
            if more > 0 {
                out.push_str(&format!("… and {} more differences on {backend}\n", grouped(more)));
            }
        }
        let row = |BackendComparison { backend, found }: &BackendComparison| {
            let unfinished = match found.unfinished {
                0 => String::new(),
                left => format!(" ({} not to the end)", grouped(left)),
            };
            vec![
                backend.clone(),
                format!("{}{unfinished}", grouped(found.playouts)),
                grouped(found.positions),
                grouped(found.steps),
                grouped(found.differences),
            ]
        };
        let columns = ["back end", "playouts", "positions", "steps", "differences"];
        out.push_str(&layout.table(&columns, self.comparisons.iter().map(row).collect()));
        out
    }
}

fn write_difference(out: &mut String, backend: &str, difference: &Difference, layout: Layout) {
    let Difference { source, playout, step, aspect, role, missing, extra } = difference;
    let what = match aspect {
        Aspect::Roles => "roles",
        Aspect::State => "state",
        Aspect::Legal => "legal moves",
        Aspect::Order => "order",
        Aspect::Move => "move that is not legal",
        Aspect::Terminal => "terminal",
        Aspect::Goals => "goals",
        Aspect::Failure => "failure",
    };
    let role = role.as_ref().map_or(String::new(), |role| format!(", role {role}"));
    let place = format!("{source}, playout {playout}, step {step}{role}: {what}");
    out.push_str(&format!("{}  {}\n", layout.strong(&place), layout.remark(backend)));
    for (name, atoms) in [("missing", missing), ("extra", extra)] {
        if atoms.is_empty() {
            continue;
        }
        let more = match atoms.len().saturating_sub(PRINTED) {
            0 => String::new(),
            more => format!(" … and {more} more"),
        };
        let shown = &atoms[..atoms.len().min(PRINTED)];
        out.push_str(&format!("  {name}: {}{more}\n", shown.join(" ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_their_place() {
        let difference = |aspect, role: Option<&str>, missing: &[&str], extra: usize| Difference {
            source: "race.jsonl.gz".to_owned(),
            playout: 3,
            step: 14,
            aspect,
            role: role.map(str::to_owned),
            missing: missing.iter().map(|atom| atom.to_string()).collect(),
            extra: (0..extra).map(|number| format!("(at {number})")).collect(),
        };
        let found = Comparison {
            playouts: 5,
            unfinished: 1,
            steps: 1234,
            positions: 1239,
            differences: 4,
            first: vec![
                difference(Aspect::State, None, &["(control red)"], 14),
                difference(Aspect::Legal, Some("red"), &["noop"], 0),
            ],
        };
        let compared = BackendComparison { backend: "network".to_owned(), found };
        let report = ReplayReport::new("race.kif".to_owned(), Negation::default(), vec![compared]);
        assert_eq!(report.differences(), 4);
        insta::assert_snapshot!(report.to_table(Layout::plain()));
        let value: serde_json::Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
        assert_eq!(value["comparisons"][0]["first"][1]["role"], "red");
    }
}
