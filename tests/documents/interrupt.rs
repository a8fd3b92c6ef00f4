//! The first Ctrl-C ends an analysis within a second, in every stage, with the results so far. The second ends it
//! at once.

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::NamedTempFile;

use crate::waiting::{wait_for_handler, wait_for_work};

/// The longest time that a run may take to end: the promised second, and time for a busy machine.
const PATIENCE: Duration = Duration::from_millis(2500);

/// Starts an analysis in which every stage takes a while: it plays on the relational machine and learns functions. It writes
/// to a file, because a full pipe that is read only at the end would block it.
fn begin(to: &NamedTempFile) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("ggp"))
        .args(["analyze", "games/breakthrough.kif", "--backend", "relational", "--playouts", "400"])
        .args(["--statistical-sequences", "400", "--statistical-playouts", "10", "--format", "json"])
        .stdout(to.reopen().unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn interrupt(run: &Child) {
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
}

/// Interrupts an analysis after a while, and returns its output; `None` if it had ended before.
fn interrupted(after: Duration) -> Option<String> {
    let written = NamedTempFile::new().unwrap();
    let mut run = begin(&written);
    wait_for_handler(run.id());
    // Each call waits longer, so that the interrupts occur in different stages.
    let begun = Instant::now();
    while begun.elapsed() < after {
        if run.try_wait().unwrap().is_some() {
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt(&run);
    let asked = Instant::now();
    let output = run.wait_with_output().unwrap();
    if output.status.code() == Some(0) {
        return None;
    }
    assert!(asked.elapsed() < PATIENCE, "it took {:?} to end", asked.elapsed());
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"));
    Some(std::fs::read_to_string(written.path()).unwrap())
}

#[test]
fn every_stage_ends_with_partial_results() {
    let mut reached: BTreeSet<String> = BTreeSet::new();
    let mut after = Duration::from_millis(100);
    while reached.len() < 4
        && let Some(written) = interrupted(after)
    {
        after = after.mul_f64(1.3);
        // An analysis without results writes nothing.
        let Ok(document) = serde_json::from_str::<Value>(&written) else { continue };
        let stages = document["stages"].as_array().unwrap();
        for stage in stages {
            assert_eq!(stage["complete"], stage["note"].is_null(), "{stage}");
        }
        reached.extend(stages.last().map(|stage| stage["name"].to_string()));
        let first_cut = stages.iter().find(|stage| stage["complete"] == false);
        reached.extend(first_cut.map(|stage| stage["name"].to_string()));
    }
    assert!(reached.len() >= 3, "only {reached:?} were reached");
}

#[test]
fn the_second_interrupt_ends_the_run_at_once() {
    let written = NamedTempFile::new().unwrap();
    let run = begin(&written);
    wait_for_handler(run.id());
    wait_for_work(run.id(), Duration::from_millis(400));
    interrupt(&run);
    interrupt(&run);
    let asked = Instant::now();
    let output = run.wait_with_output().unwrap();
    assert!(asked.elapsed() < PATIENCE);
    assert_eq!(output.status.code(), Some(130));
}

/// Rules with many instances: an interrupt during grounding must be reported as an interrupt, not as an error.
#[test]
fn interrupts_during_grounding_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let numbers: String = (0..100).map(|n| format!("(n {n})")).collect();
    let rules = format!(
        "(role a) {numbers} (init (s 0)) (<= (legal a (m ?a ?b ?c ?d)) (n ?a) (n ?b) (n ?c) (n ?d))
         (<= (next (s ?a)) (does a (m ?a ?b ?c ?d))) (<= terminal (true (s 1))) (goal a 100)"
    );
    let path = folder.path().join("many.kif");
    std::fs::write(&path, rules).unwrap();
    for command in ["learn", "simulate", "analyze"] {
        let run = Command::new(assert_cmd::cargo::cargo_bin("ggp"))
            .args([command, path.to_str().unwrap()])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_for_handler(run.id());
        // Reading the rules takes much less time.
        wait_for_work(run.id(), Duration::from_millis(500));
        interrupt(&run);
        let asked = Instant::now();
        let output = run.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(asked.elapsed() < PATIENCE, "{command} took {:?} to end: {stderr}", asked.elapsed());
        assert_eq!(output.status.code(), Some(130), "{command}: {stderr}");
        assert!(stderr.contains("interrupted"), "{command}: {stderr}");
    }
}

/// `auto` may try players for 60 s before the first match of a tournament.
#[test]
fn interrupts_end_trial_matches_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let run = Command::new(assert_cmd::cargo::cargo_bin("ggp"))
        .args(["tournament", "--games", "games/connect_four.kif", "--players", "auto?trial=60", "random"])
        .args(["--start-clock", "1", "--play-clock", "0.1", "--rounds", "1", "--out"])
        .arg(folder.path().join("out"))
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Preparing the game takes much less time, so the interrupt comes during trial matches.
    wait_for_work(run.id(), Duration::from_secs(3));
    interrupt(&run);
    let asked = Instant::now();
    let output = run.wait_with_output().unwrap();
    assert!(asked.elapsed() < PATIENCE, "it took {:?} to end", asked.elapsed());
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
}
