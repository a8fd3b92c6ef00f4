//! The outcomes of a sweep over many descriptions, one row each.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Layout, counted, grouped};

/// The outcome of a description's analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SweepVerdict {
    /// The analysis succeeded.
    Ok,
    /// Its rules have errors.
    Refused,
    /// The analysis ended with an error outside the rules.
    Failed,
    /// The analysis exceeded the time limit.
    TimedOut,
    /// The analysis exceeded the memory limit.
    OutOfMemory,
    /// The program crashed.
    Crashed,
}

impl SweepVerdict {
    /// All of them.
    pub const ALL: [SweepVerdict; 6] = [
        SweepVerdict::Ok,
        SweepVerdict::Refused,
        SweepVerdict::Failed,
        SweepVerdict::TimedOut,
        SweepVerdict::OutOfMemory,
        SweepVerdict::Crashed,
    ];

    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            SweepVerdict::Ok => "ok",
            SweepVerdict::Refused => "refused",
            SweepVerdict::Failed => "failed",
            SweepVerdict::TimedOut => "timed out",
            SweepVerdict::OutOfMemory => "out of memory",
            SweepVerdict::Crashed => "crashed",
        }
    }
}

/// A row: one description.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepRow {
    /// The file.
    pub path: String,
    /// SHA-256 of its bytes; empty if it can't be read.
    pub sha256: String,
    /// The outcome of the analysis.
    pub verdict: SweepVerdict,
    /// The reason in one line; empty after success.
    pub reason: String,
    /// The codes of the errors in its rules.
    pub codes: Vec<String>,
    /// The results of the analysis.
    pub found: Option<SweepFindings>,
    /// Time, memory and speed.
    pub timing: SweepTiming,
}

/// The results of a game's analysis, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepFindings {
    /// `network` or `relational`.
    pub machine: String,
    /// Number of roles.
    pub roles: u64,
    /// The number of random playouts.
    pub playouts: u64,
    /// The number of states in them.
    pub states: u64,
    /// The stages that left something out.
    pub incomplete: Vec<String>,
    /// The number of findings of each kind.
    pub findings: BTreeMap<String, u64>,
    /// The number of measured features.
    pub features: u64,
    /// The number of evaluation functions of each kind.
    pub functions: BTreeMap<String, u64>,
    /// The measures of quality by name, as far as the game allows them; `docs/guide/analyze.md` defines them.
    #[serde(default)]
    pub quality: BTreeMap<String, f64>,
}

/// Time, memory and speed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepTiming {
    /// The time of the analysis, in seconds.
    pub seconds: f64,
    /// Peak memory in MiB; null if the system doesn't report it.
    pub peak_mib: Option<f64>,
    /// Seconds of loading and of each stage, in order.
    pub stages: Vec<(String, f64)>,
    /// Peak memory after loading and after each stage, in MiB.
    pub stages_peak_mib: Vec<f64>,
    /// For each machine its states per second and its set-up time in seconds.
    pub machines: Vec<(String, f64, f64)>,
}

/// A flat row of `sweep.csv`.
#[derive(Serialize)]
struct FlatRow<'a> {
    path: &'a str,
    sha256: &'a str,
    verdict: &'static str,
    reason: &'a str,
    codes: String,
    machine: &'a str,
    roles: Option<u64>,
    playouts: Option<u64>,
    states: Option<u64>,
    incomplete: String,
    findings: String,
    features: Option<u64>,
    functions: String,
    quality: String,
}

/// A flat row of `timing.csv`.
#[derive(Serialize)]
struct FlatTiming<'a> {
    path: &'a str,
    seconds: f64,
    peak_mib: Option<f64>,
    stages: String,
    stages_peak_mib: String,
    lanes: Option<f64>,
    lanes_setup: Option<f64>,
    network: Option<f64>,
    network_setup: Option<f64>,
    relational: Option<f64>,
    relational_setup: Option<f64>,
    chosen: Option<f64>,
    chosen_setup: Option<f64>,
}

fn pairs<V: std::fmt::Display>(list: impl IntoIterator<Item = (impl std::fmt::Display, V)>) -> String {
    list.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(";")
}

/// The measures that order the ranking of games, each with 1 if more is better, else -1.
pub(super) const RANKED: [(&str, f64); 6] = [
    ("balance", 1.0),
    ("completion", 1.0),
    ("decisiveness", 1.0),
    ("drama", 1.0),
    ("skill-depth", 1.0),
    ("drawishness", -1.0),
];

/// The columns of the ranking: after the rank, the game and the mean rank, the measures by name.
const RANKING_COLUMNS: [&str; 11] = [
    "rank",
    "game",
    "mean rank",
    "balance",
    "drawishness",
    "completion",
    "length",
    "decisiveness",
    "drama",
    "lead changes",
    "skill depth",
];

/// A game in the ranking.
pub(super) struct RankedGame<'a> {
    pub(super) row: &'a SweepRow,
    /// The mean of its ranks in the measures of [`RANKED`]; 1 is the best.
    pub(super) mean_rank: f64,
}

impl RankedGame<'_> {
    /// A measure of quality by its name in documents.
    pub(super) fn value(&self, name: &str) -> Option<f64> {
        self.row.found.as_ref()?.quality.get(name).copied()
    }
}

/// The value of a measure as text.
pub(super) fn measure_text(value: f64) -> String {
    if value.abs() >= 10.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// All rows, in the order of their paths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweep {
    /// The rows.
    pub rows: Vec<SweepRow>,
}

impl Sweep {
    /// The number of rows with this outcome.
    pub fn count(&self, verdict: SweepVerdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }

    /// The results that depend only on rules, seed and limits, as CSV.
    ///
    /// # Errors
    /// Serialization fails; no known input causes this.
    pub fn csv(&self) -> Result<String, csv::Error> {
        let rows = self.rows.iter().map(|row| {
            let found = row.found.as_ref();
            FlatRow {
                path: &row.path,
                sha256: &row.sha256,
                verdict: row.verdict.name(),
                reason: &row.reason,
                codes: row.codes.join(" "),
                machine: found.map_or("", |found| &found.machine),
                roles: found.map(|found| found.roles),
                playouts: found.map(|found| found.playouts),
                states: found.map(|found| found.states),
                incomplete: found.map(|found| found.incomplete.join(" ")).unwrap_or_default(),
                findings: found.map(|found| pairs(&found.findings)).unwrap_or_default(),
                features: found.map(|found| found.features),
                functions: found.map(|found| pairs(&found.functions)).unwrap_or_default(),
                quality: found.map(|found| pairs(&found.quality)).unwrap_or_default(),
            }
        });
        super::csv_text::to_csv(&rows.collect::<Vec<_>>())
    }

    /// The times, memory and speeds as CSV.
    ///
    /// # Errors
    /// Serialization fails; no known input causes this.
    pub fn timing_csv(&self) -> Result<String, csv::Error> {
        let rows = self.rows.iter().map(|SweepRow { path, timing, .. }| {
            let machine = |name: &str| timing.machines.iter().find(|(machine, ..)| machine == name);
            let speed = |name: &str| machine(name).map(|&(_, speed, _)| speed.round());
            let setup = |name: &str| machine(name).map(|&(.., setup)| setup);
            FlatTiming {
                path,
                seconds: timing.seconds,
                peak_mib: timing.peak_mib,
                stages: pairs(timing.stages.iter().map(|(name, seconds)| (name, format!("{seconds:.3}")))),
                stages_peak_mib: pairs(
                    timing
                        .stages
                        .iter()
                        .zip(&timing.stages_peak_mib)
                        .map(|((name, _), peak)| (name, format!("{peak:.0}"))),
                ),
                lanes: speed("lanes"),
                lanes_setup: setup("lanes"),
                network: speed("network"),
                network_setup: setup("network"),
                relational: speed("relational"),
                relational_setup: setup("relational"),
                chosen: speed("chosen"),
                chosen_setup: setup("chosen"),
            }
        });
        super::csv_text::to_csv(&rows.collect::<Vec<_>>())
    }

    /// The rows as tables: the analysed descriptions, then the others with their reasons.
    pub fn table(&self, layout: Layout) -> String {
        let cells = |row: &SweepRow| {
            let found = row.found.as_ref()?;
            let speed = row.timing.machines.iter().find(|(machine, ..)| machine == "chosen");
            Some(vec![
                row.path.clone(),
                found.machine.clone(),
                format!("{:.1}", row.timing.seconds),
                row.timing.peak_mib.map_or_else(String::new, |peak| format!("{peak:.0}")),
                speed.map_or_else(String::new, |&(_, speed, _)| grouped(speed as u64)),
                grouped(found.playouts),
                found.findings.values().sum::<u64>().to_string(),
                found.functions.values().sum::<u64>().to_string(),
                found.incomplete.join(", "),
            ])
        };
        let header =
            ["game", "machine", "s", "MiB", "states/s", "playouts", "findings", "functions", "cut short"];
        let mut out = layout.table(&header, self.rows.iter().filter_map(cells).collect());
        let others = self.rows.iter().filter(|row| row.verdict != SweepVerdict::Ok);
        let others: Vec<Vec<String>> = others
            .map(|row| {
                let why = if row.codes.is_empty() { row.reason.clone() } else { row.codes.join(" ") };
                vec![row.path.clone(), row.verdict.name().to_owned(), why]
            })
            .collect();
        if !others.is_empty() {
            out.push('\n');
            out.push_str(&layout.table(&["game", "verdict", "why"], others));
        }
        let ranking = self.ranking();
        if ranking.len() > 1 {
            out.push_str(&format!("\n{}\n", layout.heading("Ranking by quality")));
            out.push_str(&layout.table(&RANKING_COLUMNS, ranking));
        }
        out.push_str(&layout.remark(&self.summary()));
        out.push('\n');
        out
    }

    /// The games for several players that have measures of quality, the best first. They are ordered by the mean of their ranks
    /// in the measures of [`RANKED`].
    pub(super) fn ranked(&self) -> Vec<RankedGame<'_>> {
        let games = self.rows.iter().map(|row| RankedGame { row, mean_rank: 0.0 });
        let mut games: Vec<RankedGame<'_>> =
            games.filter(|game| RANKED.iter().all(|&(name, _)| game.value(name).is_some())).collect();
        for (name, sign) in RANKED {
            let values: Vec<f64> = games.iter().map(|game| sign * game.value(name).unwrap_or(0.0)).collect();
            for (game, own) in games.iter_mut().zip(&values) {
                let better = values.iter().filter(|&other| other > own).count() as f64;
                let equal = values.iter().filter(|&other| other == own).count() as f64;
                // Games with equal values share the mean of their ranks.
                game.mean_rank += (better + (equal + 1.0) / 2.0) / RANKED.len() as f64;
            }
        }
        games.sort_by(|a, b| a.mean_rank.total_cmp(&b.mean_rank).then(a.row.path.cmp(&b.row.path)));
        games
    }

    /// The ranking as cells of [`RANKING_COLUMNS`].
    fn ranking(&self) -> Vec<Vec<String>> {
        let cells = |(number, game): (usize, &RankedGame<'_>)| {
            let mut cells =
                vec![(number + 1).to_string(), game.row.path.clone(), format!("{:.1}", game.mean_rank)];
            let shown = RANKING_COLUMNS[cells.len()..].iter();
            cells.extend(
                shown.map(|name| game.value(&name.replace(' ', "-")).map_or(String::new(), measure_text)),
            );
            cells
        };
        self.ranked().iter().enumerate().map(cells).collect()
    }

    /// The number of descriptions with each outcome.
    pub fn summary(&self) -> String {
        let parts: Vec<String> = SweepVerdict::ALL
            .into_iter()
            .filter(|&verdict| verdict == SweepVerdict::Ok || self.count(verdict) > 0)
            .map(|verdict| format!("{} {}", self.count(verdict), verdict.name()))
            .collect();
        format!("{}: {}", counted(self.rows.len() as u64, "description", "descriptions"), parts.join(", "))
    }

    /// The page in Markdown.
    pub fn page(&self, command: &str) -> String {
        let mut out = format!(
            "# Sweep\n\n`{command}`\n\n{}.\n\nWhat the rules decide is in `sweep.csv`, what depends on the computer in \
             `timing.csv`; `log.jsonl` has both.\n\n",
            self.summary()
        );
        out.push_str(
            "| game | verdict | machine | s | MiB | states/s | findings | functions | cut short |\n",
        );
        out.push_str("|---|---|---|--:|--:|--:|--:|--:|---|\n");
        for row in &self.rows {
            let SweepTiming { seconds, peak_mib, machines, .. } = &row.timing;
            let speed = machines.iter().find(|(machine, ..)| machine == "chosen");
            let found = row.found.clone().unwrap_or_default();
            let why = if row.codes.is_empty() { row.reason.clone() } else { row.codes.join(" ") };
            out.push_str(&format!(
                "| {} | {} | {} | {seconds:.1} | {} | {} | {} | {} | {} |\n",
                row.path,
                row.verdict.name(),
                found.machine,
                peak_mib.map_or_else(String::new, |peak| format!("{peak:.0}")),
                speed.map_or_else(String::new, |&(_, speed, _)| grouped(speed as u64)),
                found.findings.values().sum::<u64>(),
                found.functions.values().sum::<u64>(),
                if why.is_empty() { found.incomplete.join(", ") } else { why.replace('|', "\\|") },
            ));
        }
        let ranking = self.ranking();
        if ranking.len() > 1 {
            let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
            out.push_str("\n## Ranking by quality\n\n");
            out.push_str(
                "By the mean of the ranks in balance, completion, decisiveness, drama, skill depth (more is better) and \
                 drawishness (less is better).\n\n",
            );
            out.push_str(&line(&RANKING_COLUMNS.map(str::to_owned)));
            out.push_str(&format!("|--:|---|{}\n", "--:|".repeat(RANKING_COLUMNS.len() - 2)));
            ranking.iter().for_each(|cells| out.push_str(&line(cells)));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str, verdict: SweepVerdict) -> SweepRow {
        let found = SweepFindings {
            machine: "network".to_owned(),
            findings: BTreeMap::from([("boards".to_owned(), 1), ("orders".to_owned(), 2)]),
            ..SweepFindings::default()
        };
        SweepRow {
            path: path.to_owned(),
            sha256: "00".to_owned(),
            verdict,
            reason: if verdict == SweepVerdict::Ok { String::new() } else { "it broke, badly".to_owned() },
            codes: Vec::new(),
            found: (verdict == SweepVerdict::Ok).then_some(found),
            timing: SweepTiming {
                seconds: 1.25,
                machines: vec![("chosen".to_owned(), 1234.4, 0.5)],
                ..SweepTiming::default()
            },
        }
    }

    #[test]
    fn every_verdict_is_a_row_of_each_form() {
        let rows: Vec<SweepRow> =
            SweepVerdict::ALL.into_iter().map(|verdict| row(verdict.name(), verdict)).collect();
        let sweep = Sweep { rows };
        assert_eq!(
            sweep.summary(),
            "6 descriptions: 1 ok, 1 refused, 1 failed, 1 timed out, 1 out of memory, 1 crashed"
        );
        let table = sweep.table(Layout::plain());
        assert!(table.contains("1,234") && table.contains("it broke, badly"), "{table}");
        let csv = sweep.csv().unwrap();
        assert_eq!(csv.lines().count(), 7);
        assert!(csv.contains("boards=1;orders=2") && csv.contains("\"it broke, badly\""), "{csv}");
        assert!(sweep.timing_csv().unwrap().contains("1234.0,0.5"));
        assert_eq!(sweep.page("ggp sweep games").lines().filter(|line| line.starts_with("| ")).count(), 7);
    }
}
