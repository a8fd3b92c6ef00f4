//! One description of a sweep: analysed and measured by commands of this program, in processes of their own.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::gdl::diagnostic::Severity;
use crate::gdl::identity::sha256;
use crate::gdl::read;
use crate::report::sweep::{SweepFindings, SweepRow, SweepTiming, SweepVerdict};

use super::super::game;
use super::process::{End, Ended, ProcessLimits, run};

/// Exit status of a program that panicked.
const PANICKED: i32 = 101;

/// The row of a game; `None` after an interrupt.
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
    let ended = run(command, limits)?;
    if matches!(ended.end, End::Interrupted) {
        return Ok(None);
    }
    row.timing.seconds = ended.seconds;
    row.timing.peak_mib = ended.peak_mib;
    (row.verdict, row.reason) = verdict(&ended, limits);
    if row.verdict == SweepVerdict::Failed {
        row.codes = codes(path);
        if !row.codes.is_empty() {
            row.verdict = SweepVerdict::Refused;
        }
    }
    if let Ok(document) = serde_json::from_slice::<Value>(&ended.output) {
        row.found = Some(found(&document));
        take_timing(&document, &mut row.timing);
    } else if row.verdict == SweepVerdict::Ok {
        (row.verdict, row.reason) = (SweepVerdict::Failed, "its analysis is no document".to_owned());
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
        // Four machines are made, one after the other.
        let ended = run(command, ProcessLimits { seconds: 4.0 * limits.seconds, ..limits })?;
        if matches!(ended.end, End::Interrupted) {
            return Ok(None);
        }
        if let Ok(document) = serde_json::from_slice::<Value>(&ended.output) {
            row.timing.machines = speeds_of(&document);
        }
    }
    Ok(Some(row))
}

/// How an analysis ended, and why.
fn verdict(ended: &Ended, limits: ProcessLimits) -> (SweepVerdict, String) {
    let said = || {
        let line = ended.errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        line.trim_start_matches("error: ").to_owned()
    };
    match &ended.end {
        End::Exited(status) => match status.code() {
            Some(0) => (SweepVerdict::Ok, String::new()),
            Some(PANICKED) => {
                let panic = ended.errors.lines().find(|line| line.contains("panicked at"));
                (SweepVerdict::Crashed, panic.map_or_else(said, str::to_owned))
            }
            Some(_) => (SweepVerdict::Failed, said()),
            None => (SweepVerdict::Crashed, format!("it was ended by a signal ({status})")),
        },
        End::TimedOut { killed: false } => (SweepVerdict::TimedOut, format!("over {} s", limits.seconds)),
        End::TimedOut { killed: true } => (
            SweepVerdict::Crashed,
            format!("over {} s, and it did not end when it was asked", limits.seconds),
        ),
        End::OutOfMemory => (SweepVerdict::OutOfMemory, format!("over {} MiB", limits.memory_mib)),
        End::Interrupted => (SweepVerdict::Failed, "interrupted".to_owned()),
    }
}

/// The codes of the errors in a description, each once.
fn codes(path: &Path) -> Vec<String> {
    let Ok(source) = game::source(path) else { return Vec::new() };
    let reading = read(&source);
    let errors = reading.diagnostics.iter().filter(|fault| fault.severity == Severity::Error);
    let mut codes: Vec<String> = errors.map(|fault| fault.code.to_string()).collect();
    codes.sort();
    codes.dedup();
    codes
}

/// What a document says of a game.
fn found(document: &Value) -> SweepFindings {
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
    }
}

fn take_timing(document: &Value, timing: &mut SweepTiming) {
    let told = &document["timing"];
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    timing.stages.push(("loading".to_owned(), number(&told["loading_seconds"])));
    for stage in told["stages"].as_array().into_iter().flatten() {
        let name = stage["name"].as_str().unwrap_or_default().to_owned();
        timing.stages.push((name, number(&stage["seconds"])));
    }
    timing.stages_peak_mib = told["peak_mib"].as_array().into_iter().flatten().map(number).collect();
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
        let ended = |end: End, errors: &str| {
            let ended =
                Ended { end, output: Vec::new(), errors: errors.to_owned(), seconds: 1.0, peak_mib: None };
            verdict(&ended, limits)
        };
        let exited = |status: i32| End::Exited(ExitStatus::from_raw(status << 8));
        let panicked = "note: x\nthread 'main' panicked at src/a.rs:1:2:\nno\n";
        assert_eq!(
            ended(exited(101), panicked),
            (SweepVerdict::Crashed, "thread 'main' panicked at src/a.rs:1:2:".to_owned())
        );
        assert_eq!(ended(End::Exited(ExitStatus::from_raw(9)), "").0, SweepVerdict::Crashed);
        assert_eq!(ended(End::TimedOut { killed: true }, "").0, SweepVerdict::Crashed);
        assert_eq!(ended(exited(1), "error: why\n\n"), (SweepVerdict::Failed, "why".to_owned()));
        assert_eq!(ended(exited(0), "note: slow\n"), (SweepVerdict::Ok, String::new()));
    }
}
