//! Analyses one description of a sweep and measures its speed, with separate processes of this program.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::gdl::diagnostic::Severity;
use crate::gdl::identity::sha256;
use crate::gdl::read;
use crate::report::sweep::{SweepFindings, SweepRow, SweepTiming, SweepVerdict};

use super::super::game;
use super::process::{ExitReason, ProcessLimits, ProcessResult, run};

/// Exit status of a Rust program that panicked.
const PANICKED: i32 = 101;

/// Analyses a game. Returns `None` after an interrupt.
pub(super) fn row(
    path: &Path,
    limits: ProcessLimits,
    speeds: Option<f64>,
    options: &[String],
) -> anyhow::Result<Option<SweepRow>> {
    let program = std::env::current_exe()?;
    let mut row = SweepRow {
        path: path.display().to_string(),
        sha256: std::fs::read(path).map(|bytes| sha256(&bytes)).unwrap_or_default(),
        verdict: SweepVerdict::Failed,
        reason: String::new(),
        codes: Vec::new(),
        found: None,
        timing: SweepTiming::default(),
    };
    let mut command = Command::new(&program);
    command
        .args(["--no-config", "analyze", "--threads", "1", "--format", "json"])
        .args(options)
        .arg("--")
        .arg(path);
    let result = run(command, limits)?;
    if matches!(result.reason, ExitReason::Interrupted) {
        return Ok(None);
    }
    row.timing.seconds = result.seconds;
    row.timing.peak_mib = result.peak_mib;
    (row.verdict, row.reason) = verdict(&result, limits);
    if row.verdict == SweepVerdict::Failed {
        row.codes = codes(path);
        if !row.codes.is_empty() {
            row.verdict = SweepVerdict::Refused;
        }
    }
    if let Ok(document) = serde_json::from_slice::<Value>(&result.output) {
        row.found = Some(extract_findings(&document));
        take_timing(&document, &mut row.timing);
    } else if row.verdict == SweepVerdict::Ok {
        (row.verdict, row.reason) =
            (SweepVerdict::Failed, "`ggp analyze` did not print a JSON document".to_owned());
    }
    if let (Some(seconds), SweepVerdict::Ok) = (speeds, row.verdict) {
        let mut command = Command::new(&program);
        command.args([
            "--no-config",
            "bench",
            "--rounds",
            "1",
            "--format",
            "json",
            "--seconds-per-machine",
            &seconds.to_string(),
        ]);
        command.args(["--machines", "lanes,network,relational,chosen"]).arg("--").arg(path);
        // The process builds four machines, one after the other.
        let result = run(command, ProcessLimits { seconds: 4.0 * limits.seconds, ..limits })?;
        if matches!(result.reason, ExitReason::Interrupted) {
            return Ok(None);
        }
        if let Ok(document) = serde_json::from_slice::<Value>(&result.output) {
            row.timing.machines = speeds_of(&document);
        }
    }
    Ok(Some(row))
}

/// The verdict on an analysis, and the reason if it failed.
fn verdict(result: &ProcessResult, limits: ProcessLimits) -> (SweepVerdict, String) {
    let last_error = || {
        let line = result.errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        line.trim_start_matches("error: ").to_owned()
    };
    match &result.reason {
        ExitReason::Exited(status) => match status.code() {
            Some(0) => (SweepVerdict::Ok, String::new()),
            Some(PANICKED) => {
                let panic = result.errors.lines().find(|line| line.contains("panicked at"));
                (SweepVerdict::Crashed, panic.map_or_else(last_error, str::to_owned))
            }
            Some(_) => (SweepVerdict::Failed, last_error()),
            None => (SweepVerdict::Crashed, format!("ended by a signal ({status})")),
        },
        ExitReason::TimedOut { killed: false } => {
            (SweepVerdict::TimedOut, format!("over {} s", limits.seconds))
        }
        ExitReason::TimedOut { killed: true } => {
            (SweepVerdict::Crashed, format!("over {} s, and it did not end when asked to", limits.seconds))
        }
        ExitReason::OutOfMemory => (SweepVerdict::OutOfMemory, format!("over {} MiB", limits.memory_mib)),
        ExitReason::Interrupted => (SweepVerdict::Failed, "interrupted".to_owned()),
    }
}

/// The codes of the errors in a description, without duplicates.
fn codes(path: &Path) -> Vec<String> {
    let Ok(source) = game::source(path) else { return Vec::new() };
    let reading = read(&source);
    let errors = reading.diagnostics.iter().filter(|fault| fault.severity == Severity::Error);
    let mut codes: Vec<String> = errors.map(|fault| fault.code.to_string()).collect();
    codes.sort();
    codes.dedup();
    codes
}

/// Extracts the findings from the JSON document of `ggp analyze`.
fn extract_findings(document: &Value) -> SweepFindings {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let structures = &document["structures"];
    let mut findings = BTreeMap::new();
    let mut add = |kind: &str, number: usize| *findings.entry(kind.to_owned()).or_default() += number as u64;
    add("successors", list(&structures["successors"]).len());
    add("orders", list(&structures["orders"]).len());
    for fluent in list(&structures["fluents"]) {
        add(fluent["kind"].as_str().unwrap_or("other"), 1);
        add("markers", list(&fluent["markers"]).len());
        add("pieces", list(&fluent["pieces"]).len());
    }
    add("noops", structures["noops"].as_object().map_or(0, |noops| noops.len()));
    let mut functions = BTreeMap::new();
    for function in list(&document["evaluations"]) {
        *functions.entry(function["kind"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
    }
    let incomplete = list(&document["stages"]).into_iter().filter(|stage| stage["complete"] == false);
    SweepFindings {
        machine: document["game"]["machine"].as_str().unwrap_or_default().to_owned(),
        roles: list(&document["game"]["roles"]).len() as u64,
        playouts: document["simulation"]["playouts"].as_u64().unwrap_or(0),
        states: document["simulation"]["states"].as_u64().unwrap_or(0),
        incomplete: incomplete.filter_map(|stage| Some(stage["name"].as_str()?.to_owned())).collect(),
        findings: findings.into_iter().filter(|&(_, number)| number > 0).collect(),
        features: list(&document["features"]).len() as u64,
        functions,
        quality: list(&document["verdict"]["quality"])
            .iter()
            .filter_map(|measure| Some((measure["name"].as_str()?.to_owned(), measure["value"].as_f64()?)))
            .collect(),
    }
}

fn take_timing(document: &Value, timing: &mut SweepTiming) {
    let section = &document["timing"];
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    timing.stages.push(("loading".to_owned(), number(&section["loading_seconds"])));
    for stage in section["stages"].as_array().into_iter().flatten() {
        let name = stage["name"].as_str().unwrap_or_default().to_owned();
        timing.stages.push((name, number(&stage["seconds"])));
    }
    timing.stages_peak_mib = section["peak_mib"].as_array().into_iter().flatten().map(number).collect();
}

fn speeds_of(document: &Value) -> Vec<(String, f64, f64)> {
    let rows = document["rows"].as_array().into_iter().flatten();
    rows.filter_map(|row| {
        let machine = row["machine"].as_str()?.to_owned();
        Some((machine, row["states_per_second"].as_f64()?, row["setup_seconds"].as_f64()?))
    })
    .collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    #[test]
    fn a_panic_and_a_signal_are_crashes() {
        let limits = ProcessLimits { seconds: 60.0, memory_mib: 4096.0 };
        let result = |reason: ExitReason, errors: &str| {
            let result = ProcessResult {
                reason,
                output: Vec::new(),
                errors: errors.to_owned(),
                seconds: 1.0,
                peak_mib: None,
            };
            verdict(&result, limits)
        };
        let exited = |status: i32| ExitReason::Exited(ExitStatus::from_raw(status << 8));
        let panicked = "note: x\nthread 'main' panicked at src/a.rs:1:2:\nno\n";
        assert_eq!(
            result(exited(101), panicked),
            (SweepVerdict::Crashed, "thread 'main' panicked at src/a.rs:1:2:".to_owned())
        );
        assert_eq!(result(ExitReason::Exited(ExitStatus::from_raw(9)), "").0, SweepVerdict::Crashed);
        assert_eq!(result(ExitReason::TimedOut { killed: true }, "").0, SweepVerdict::Crashed);
        assert_eq!(result(exited(1), "error: why\n\n"), (SweepVerdict::Failed, "why".to_owned()));
        assert_eq!(result(exited(0), "note: slow\n"), (SweepVerdict::Ok, String::new()));
    }
}
