//! Speeds of the machines, as a table and as JSON.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::study::GameEntry;

use super::layout::Layout;

/// The speed of one machine on one game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineSpeed {
    /// The game.
    pub game: String,
    /// `lanes`, `lanes-interpreter`, `network`, `relational` or `chosen`; `reference` for a program written by hand.
    pub machine: String,
    /// The number of threads.
    pub threads: usize,
    /// States per second of processor time, summed over the threads. All speeds are from the round with the median speed.
    pub states_per_cpu_second: f64,
    /// States per second of wall-clock time.
    pub states_per_second: f64,
    /// Playouts per second of processor time.
    pub playouts_per_cpu_second: f64,
    /// Seconds from reading the text until the machine is ready.
    pub setup_seconds: f64,
    /// Peak memory while the machine was built and played, in MiB; null if the system doesn't report it.
    pub peak_mib: Option<f64>,
    /// The number of measured rounds.
    pub rounds: usize,
}

/// The speeds of a study as one JSON document; broken games have their reason.
///
/// # Errors
/// A number is not finite.
pub fn study_json(
    study: &str,
    entries: &[GameEntry<Vec<MachineSpeed>>],
    hashes: &[String],
) -> Result<String, serde_json::Error> {
    let game = |(entry, hash): (&GameEntry<Vec<MachineSpeed>>, &String)| json!({ "path": entry.path, "sha256": hash, "broken": entry.broken, "speeds": entry.found });
    let games: Vec<_> = entries.iter().zip(hashes).map(game).collect();
    let version = env!("CARGO_PKG_VERSION");
    let document =
        json!({ "schema": "ggp.speed-study/1", "study": study, "version": version, "games": games });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// The line below the table that explains its numbers.
const CAPTION: &str =
    "states, playouts: per second of processor time. x NAME: the speed divided by that of NAME.";

/// The document of `ggp bench`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bench {
    /// The rows, by game and machine.
    pub rows: Vec<MachineSpeed>,
}

/// Formats a large number with a unit: `3.20 M`.
pub(super) fn short(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{:.2} G", v / 1e9),
        v if v >= 1e6 => format!("{:.2} M", v / 1e6),
        v if v >= 1e3 => format!("{:.2} k", v / 1e3),
        v => format!("{v:.1}"),
    }
}

/// Formats a ratio of speeds with three digits.
fn times(ratio: f64) -> String {
    match ratio {
        r if r >= 100.0 => format!("{r:.0}"),
        r if r >= 10.0 => format!("{r:.1}"),
        r if r >= 1.0 => format!("{r:.2}"),
        r if r >= 0.01 => format!("{r:.3}"),
        r => format!("{r:.5}"),
    }
}

impl Bench {
    /// The ratio of a row's speed to another machine's on the same game with equally many threads.
    fn against(&self, row: &MachineSpeed, machine: &str) -> Option<f64> {
        let other = self.rows.iter().find(|other| {
            (&other.game, other.threads, other.machine.as_str()) == (&row.game, row.threads, machine)
        })?;
        Some(row.states_per_cpu_second / other.states_per_cpu_second)
    }

    /// The ratio of a row's wall-clock speed to that of the same machine on one thread.
    fn against_one_thread(&self, row: &MachineSpeed) -> Option<f64> {
        let one = self
            .rows
            .iter()
            .find(|other| (&other.game, &other.machine, other.threads) == (&row.game, &row.machine, 1))?;
        (row.threads > 1).then(|| row.states_per_second / one.states_per_second)
    }

    /// The rows as a table. The last columns are ratios of speeds; a column without any value is left out.
    pub fn table(&self, layout: &Layout) -> String {
        let column =
            |ratio: &dyn Fn(&MachineSpeed) -> Option<f64>| self.rows.iter().map(ratio).collect::<Vec<_>>();
        let mut ratios = vec![
            ("x network", column(&|row| self.against(row, "network"))),
            ("x reference", column(&|row| self.against(row, "reference"))),
            ("x 1 thread", column(&|row| self.against_one_thread(row))),
        ];
        ratios.retain(|(_, values)| values.iter().any(Option::is_some));
        let cells = |(number, row): (usize, &MachineSpeed)| {
            let mut cells = vec![
                row.game.clone(),
                row.machine.clone(),
                row.threads.to_string(),
                short(row.states_per_cpu_second),
                short(row.playouts_per_cpu_second),
                format!("{:.4}", row.setup_seconds),
                row.peak_mib.map_or_else(String::new, |peak| format!("{peak:.0}")),
            ];
            cells.extend(ratios.iter().map(|(_, values)| values[number].map_or_else(String::new, times)));
            cells
        };
        let mut header = vec!["game", "machine", "threads", "states", "playouts", "set-up s", "MiB"];
        header.extend(ratios.iter().map(|(title, _)| *title));
        let mut out = layout.table(&header, self.rows.iter().enumerate().map(cells).collect());
        out.push_str(&format!("\n{}", layout.paragraph("  ", CAPTION)));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(machine: &str, threads: usize, speed: f64) -> MachineSpeed {
        MachineSpeed {
            game: "game".to_owned(),
            machine: machine.to_owned(),
            threads,
            states_per_cpu_second: speed,
            states_per_second: speed * threads as f64 * 0.9,
            playouts_per_cpu_second: speed / 10.0,
            setup_seconds: 0.5,
            peak_mib: Some(7.0),
            rounds: 5,
        }
    }

    #[test]
    fn a_row_is_compared_with_existing_rows() {
        let rows = vec![
            row("lanes", 1, 9e8),
            row("lanes", 2, 8e8),
            row("network", 1, 3e6),
            row("reference", 1, 3e8),
        ];
        let table = Bench { rows }.table(&Layout::plain());
        let cells: Vec<Vec<&str>> = table
            .lines()
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(cells[0][7..], ["x network", "x reference", "x 1 thread"]);
        assert_eq!(cells[1][7..], ["300", "3.00"]);
        assert_eq!(cells[2][7..], ["1.78"]);
        assert_eq!(cells[3][7..], ["1.00", "0.010"]);
        let alone = Bench { rows: vec![row("lanes", 1, 9e8)] }.table(&Layout::plain());
        assert!(!alone.contains("  x "), "{alone}");
    }
}
