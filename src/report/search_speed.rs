//! The speed of searches compared with plain expansion of states, as a table and as JSON. A signature shows whether searches
//! visit the same states.

use schemars::JsonSchema;
use serde::Serialize;

use super::layout::Layout;

/// The speed of a player's search on a game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SearchSpeed {
    /// The game.
    pub game: String,
    /// The machine that plays it: `network` or `relational`.
    pub machine: String,
    /// The player.
    pub player: String,
    /// The number of visited states in all searches.
    pub nodes: u64,
    /// The number of visited states up to the last complete depth, summed over all searches; the signature adds it up.
    pub signature: u64,
    /// The mean complete depth, in plies.
    pub depth: f64,
    /// The states saved if the table ignores the game's clock; null if the game has no clock, or if the player does not
    /// have this option.
    pub clock: Option<ClockSaving>,
    /// Visited states per second of processor time.
    pub nodes_per_cpu_second: f64,
    /// Children per second of processor time if all children of a state are computed together, in lanes if that is
    /// faster.
    pub children_per_cpu_second: f64,
    /// Children per second of processor time if a cursor makes them one by one.
    pub single_children_per_cpu_second: f64,
}

/// The numbers of states that a player visits to the same depths with and without the option to ignore the game's clock
/// in its table, where that is sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClockSaving {
    /// With this option.
    pub nodes: u64,
    /// Without this option.
    pub nodes_without: u64,
}

impl ClockSaving {
    /// The share of nodes that is saved; negative if there are more.
    fn share(self) -> f64 {
        1.0 - self.nodes as f64 / self.nodes_without.max(1) as f64
    }
}

/// The document of `ggp bench --search`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SearchSpeeds {
    /// A row per game and player, in the order of the command line.
    pub rows: Vec<SearchSpeed>,
    /// The sum of the rows' signatures: it changes if searches visit other states, but not if they become faster or slower.
    pub signature: u64,
}

/// The line below the table that explains its columns.
const CAPTION: &str = "nodes, children: per second of processor time. x children: nodes divided by children. x lanes: \
                       children divided by children without lanes. clock: share of nodes that a table saves to the \
                       same depth if it ignores the game's clock.";

/// Formats a rate per second.
fn format_rate(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{:.2} M", v / 1e6),
        v if v >= 1e3 => format!("{:.1} k", v / 1e3),
        v => format!("{v:.1}"),
    }
}

impl SearchSpeeds {
    /// Adds a row, and its signature to the sum.
    pub fn push(&mut self, row: SearchSpeed) {
        self.signature = self.signature.wrapping_add(row.signature);
        self.rows.push(row);
    }

    /// The rows as a table, with the signature below.
    pub fn table(&self, layout: &Layout) -> String {
        let cells = |row: &SearchSpeed| {
            vec![
                row.game.clone(),
                row.player.clone(),
                format!("{:.1}", row.depth),
                row.signature.to_string(),
                format_rate(row.nodes_per_cpu_second),
                format_rate(row.children_per_cpu_second),
                format!("{:.2}", row.nodes_per_cpu_second / row.children_per_cpu_second),
                format!("{:.1}", row.children_per_cpu_second / row.single_children_per_cpu_second),
                row.clock.map_or_else(String::new, |saving| format!("{:.1} %", 100.0 * saving.share())),
            ]
        };
        let header =
            ["game", "player", "depth", "signature", "nodes", "children", "x children", "x lanes", "clock"];
        let mut out = layout.table(&header, self.rows.iter().map(cells).collect());
        out.push_str(&format!("\n  signature {}\n{}", self.signature, layout.paragraph("  ", CAPTION)));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_a_sum() {
        let row = |player: &str, signature| SearchSpeed {
            game: "game".to_owned(),
            machine: "network".to_owned(),
            player: player.to_owned(),
            nodes: 5000,
            signature,
            depth: 3.5,
            clock: Some(ClockSaving { nodes: 750, nodes_without: 1000 }),
            nodes_per_cpu_second: 1e6,
            children_per_cpu_second: 4e6,
            single_children_per_cpu_second: 5e5,
        };
        let mut speeds = SearchSpeeds::default();
        speeds.push(row("one", 4000));
        speeds.push(row("other", 321));
        let table = speeds.table(&Layout::plain());
        assert!(table.contains("signature 4321"), "{table}");
        assert!(table.contains("0.25") && table.contains("8.0") && table.contains("25.0 %"), "{table}");
    }
}
