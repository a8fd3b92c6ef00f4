//! What grounding came to, one row a game: set-up time, memory, and the network before and after folding.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Layout, grouped};
use crate::ground::Metrics;

/// One game made into a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The game.
    pub game: String,
    /// `network`, or `relational` where a budget was passed; empty where the game can't be run.
    pub machine: String,
    /// Seconds from the text to a machine that is ready.
    pub seconds: f64,
    /// Most memory held meanwhile, in MiB; null where the system doesn't say.
    pub peak_mib: Option<f64>,
    /// Instances of rules.
    pub instances: Option<u64>,
    /// Nodes of the network as first made, equal ones shared, its inputs counted.
    pub gates_before: Option<u64>,
    /// Conjunctions after folding.
    pub gates: Option<u64>,
    /// Two-input gates that they amount to.
    pub two_input_gates: Option<u64>,
    /// Fluents, the constant ones counted.
    pub fluents: Option<u64>,
    /// Fluents that change.
    pub bits: Option<u64>,
    /// Moves of all roles.
    pub moves: Option<u64>,
    /// Recursive parts that are evaluated until nothing changes.
    pub loops: Option<u64>,
    /// Why there is no network.
    pub reason: String,
}

impl Row {
    /// Takes over what grounding counted.
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

/// All rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Grounding {
    /// The rows, in the order in which the games were named.
    pub rows: Vec<Row>,
}

impl Grounding {
    /// The rows as a table.
    pub fn table(&self, layout: &Layout) -> String {
        let cells = |row: &Row| {
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
            "nodes before",
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
    /// None that is known: the rows are flat.
    pub fn csv(&self) -> Result<String, csv::Error> {
        super::rows::to_csv(&self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_takes_the_counts_and_leaves_the_others_empty() {
        let mut row = Row { game: "g".to_owned(), machine: "network".to_owned(), ..Row::default() };
        row.count(&vec![("gates", 12_345), ("moves", 7)]);
        let failed = Row { game: "h".to_owned(), reason: "too large".to_owned(), ..Row::default() };
        let all = Grounding { rows: vec![row, failed] };
        let table = all.table(&Layout::plain());
        assert!(table.contains("12,345") && table.contains("h: no machine: too large"), "{table}");
        let csv = all.csv().unwrap();
        assert_eq!(csv.lines().nth(1), Some("g,network,0.0,,,,12345,,,,7,,"));
    }
}
