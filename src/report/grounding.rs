//! The results of grounding, one row per game: set-up time, memory, and the network before and after simplification.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Layout, grouped};
use crate::ground::Metrics;

/// The grounding of one game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroundingRow {
    /// The game.
    pub game: String,
    /// `network`, or `relational` if a limit was exceeded; empty if the game can't be run.
    pub machine: String,
    /// Seconds from reading the text until the machine is ready.
    pub seconds: f64,
    /// Peak memory during that time, in MiB; null if the system doesn't report it.
    pub peak_mib: Option<f64>,
    /// The number of rule instances.
    pub instances: Option<u64>,
    /// Nodes of the network before simplification, inputs included; equal nodes are shared.
    pub gates_before: Option<u64>,
    /// Conjunctions after simplification.
    pub gates: Option<u64>,
    /// These conjunctions, as a number of two-input gates.
    pub two_input_gates: Option<u64>,
    /// All fluents, constant ones included.
    pub fluents: Option<u64>,
    /// Fluents that change.
    pub bits: Option<u64>,
    /// Moves of all roles.
    pub moves: Option<u64>,
    /// Recursive parts, which are evaluated until nothing changes.
    pub loops: Option<u64>,
    /// The reason why there is no network.
    pub reason: String,
}

impl GroundingRow {
    /// Copies the counts of grounding.
    pub fn count(&mut self, metrics: &Metrics) {
        let of = |name: &str| metrics.iter().find(|(metric, _)| *metric == name).map(|&(_, count)| count);
        self.instances = of("rule instances");
        self.gates_before = of("gates before folding");
        self.gates = of("gates");
        self.two_input_gates = of("two-input gates");
        self.fluents = of("fluents");
        self.bits = of("state bits");
        self.moves = of("moves");
        self.loops = of("loops");
    }
}

/// The groundings of several games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Grounding {
    /// The rows, in the order of the command line.
    pub rows: Vec<GroundingRow>,
}

impl Grounding {
    /// The rows as a table.
    pub fn table(&self, layout: &Layout) -> String {
        let cells = |row: &GroundingRow| {
            let count = |count: Option<u64>| count.map_or_else(String::new, grouped);
            vec![
                row.game.clone(),
                format!("{:.3}", row.seconds),
                row.peak_mib.map_or_else(String::new, |peak| format!("{peak:.0}")),
                count(row.instances),
                count(row.gates_before),
                count(row.gates),
                count(row.two_input_gates),
                count(row.bits),
                count(row.moves),
                count(row.loops),
            ]
        };
        let header = [
            "game",
            "s",
            "MiB",
            "rule instances",
            "gates before",
            "gates",
            "two-input",
            "bits",
            "moves",
            "loops",
        ];
        let mut out = layout.table(&header, self.rows.iter().map(cells).collect());
        for row in self.rows.iter().filter(|row| !row.reason.is_empty()) {
            let machine = if row.machine.is_empty() { "no machine" } else { "relational machine" };
            out.push_str(&layout.remark(&format!("{}: {machine}: {}", row.game, row.reason)));
            out.push('\n');
        }
        out
    }

    /// The rows as CSV.
    ///
    /// # Errors
    /// Serialization fails; no known input causes this.
    pub fn csv(&self) -> Result<String, csv::Error> {
        super::csv_text::to_csv(&self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_given_counts_only() {
        let mut row =
            GroundingRow { game: "g".to_owned(), machine: "network".to_owned(), ..GroundingRow::default() };
        row.count(&vec![("gates", 12_345), ("moves", 7)]);
        let failed =
            GroundingRow { game: "h".to_owned(), reason: "too large".to_owned(), ..GroundingRow::default() };
        let all = Grounding { rows: vec![row, failed] };
        let table = all.table(&Layout::plain());
        assert!(table.contains("12,345") && table.contains("h: no machine: too large"), "{table}");
        let csv = all.csv().unwrap();
        assert_eq!(csv.lines().nth(1), Some("g,network,0.0,,,,12345,,,,7,,"));
    }
}
