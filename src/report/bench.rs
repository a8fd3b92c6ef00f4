//! Speeds of the machines side by side, as a table and as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::layout::Layout;

/// What one machine did on one game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    /// The game.
    pub game: String,
    /// `lanes`, `network` or `relational`.
    pub machine: String,
    /// Threads that played.
    pub threads: usize,
    /// States a second of processor time, summed over the threads.
    pub states_per_cpu_second: f64,
    /// States a second of wall-clock time.
    pub states_per_second: f64,
    /// Playouts a second of processor time.
    pub playouts_per_cpu_second: f64,
    /// Seconds from the text to a machine that is ready.
    pub setup_seconds: f64,
    /// Most memory held while it was made and played, in MiB; null where the system doesn't say.
    pub peak_mib: Option<f64>,
}

/// All rows.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bench {
    /// The rows, by game and machine.
    pub rows: Vec<Row>,
}

/// A large number with a unit a person can read.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{:.2} G", v / 1e9),
        v if v >= 1e6 => format!("{:.2} M", v / 1e6),
        v if v >= 1e3 => format!("{:.2} k", v / 1e3),
        v => format!("{v:.1}"),
    }
}

impl Bench {
    /// The rows as a table; the last column says how many times as fast as the game's network on as many threads.
    pub fn table(&self, layout: &Layout) -> String {
        let cells = |row: &Row| {
            let same = |other: &&Row| {
                (&other.game, other.threads, other.machine.as_str()) == (&row.game, row.threads, "network")
            };
            let network = self.rows.iter().find(same);
            vec![
                row.game.clone(),
                row.machine.clone(),
                row.threads.to_string(),
                short(row.states_per_cpu_second),
                short(row.playouts_per_cpu_second),
                format!("{:.4}", row.setup_seconds),
                row.peak_mib.map_or_else(String::new, |peak| format!("{peak:.0}")),
                network.map_or_else(String::new, |network| {
                    format!("{:.1}x", row.states_per_cpu_second / network.states_per_cpu_second)
                }),
            ]
        };
        let header = [
            "game",
            "machine",
            "threads",
            "states/CPU s",
            "playouts/CPU s",
            "set-up s",
            "MiB",
            "against network",
        ];
        layout.table(&header, self.rows.iter().map(cells).collect())
    }
}
