//! In games whose terms grow from state to state, every command respects its time limit and 2 GiB of memory. It ends soon
//! after an interrupt, and reports omitted parts.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::NamedTempFile;

/// The most memory of a command, in MiB.
const MOST_MEMORY: u64 = 2048;

/// The most time of a command without a time limit, on a busy machine and in a debug build.
const PATIENCE: Duration = Duration::from_secs(60);

/// A game that never ends. Its state is one term `?x`, which every step replaces by `step`, a term of `?x` and the first
/// role's move `?m`. With `all`, a fact keeps every previous term.
fn growing(step: &str, all: bool, moves: usize, roles: usize) -> NamedTempFile {
    let mut rules = String::from("(init (at z))\n(<= terminal (true (at end)))\n");
    rules += &format!("(<= (next (at {step})) (true (at ?x)) (does r0 ?m))\n");
    rules += "(<= (last ?m) (true (at (list ?m ?x)))) (<= (last ?m) (true (at (tree ?x ?x ?m))))\n";
    if all {
        rules += "(<= (next (kept ?x)) (true (kept ?x))) (<= (next (kept ?x)) (true (at ?x)))\n";
    }
    for role in 0..roles {
        rules += &format!("(role r{role}) (<= (goal r{role} 100) (last m{role})) ");
        rules += &format!("(<= (goal r{role} 0) (not (last m{role})))\n");
        for action in 0..moves {
            rules += &format!("(legal r{role} m{action}) ");
        }
    }
    let mut file = tempfile::Builder::new().suffix(".kif").tempfile().unwrap();
    file.write_all(rules.as_bytes()).unwrap();
    file
}

const COUNTER: &str = "(s ?x)";
const LIST: &str = "(list ?m ?x)";
const TREE: &str = "(tree ?x ?x ?m)";

struct Ended {
    code: Option<i32>,
    output: String,
    took: Duration,
    /// The time from the interrupt to the end.
    answered: Duration,
    peak: u64,
}

/// The most memory that a process has used so far, in MiB.
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes >> 10)
}

/// Runs the binary, and interrupts it after a while if `interrupt` is set.
fn run(arguments: &[&str], game: &NamedTempFile, interrupt: Option<Duration>) -> Ended {
    let output = NamedTempFile::new().unwrap();
    let begun = Instant::now();
    let mut run = Command::new(assert_cmd::cargo::cargo_bin("ggp"))
        .args(arguments)
        .arg(game.path())
        .stdout(output.reopen().unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut most, mut asked) = (0, None);
    let code = loop {
        most = most.max(peak(run.id()).unwrap_or(0));
        if let Some(status) = run.try_wait().unwrap() {
            break status.code();
        }
        if asked.is_none() && interrupt.is_some_and(|after| begun.elapsed() > after) {
            let kill = ["-INT", &run.id().to_string()];
            assert!(Command::new("kill").args(kill).status().unwrap().success());
            asked = Some(Instant::now());
        }
        if begun.elapsed() > PATIENCE || most > MOST_MEMORY {
            run.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Ended {
        code,
        output: std::fs::read_to_string(output.path()).unwrap(),
        took: begun.elapsed(),
        answered: asked.map_or(Duration::ZERO, |asked| asked.elapsed()),
        peak: most,
    }
}

fn document(ended: &Ended) -> Value {
    serde_json::from_str(&ended.output).unwrap_or_else(|error| panic!("{error}: {}", ended.output))
}

fn kinds(faults: &Value) -> Vec<&str> {
    faults.as_array().unwrap().iter().filter_map(|fault| fault["kind"].as_str()).collect()
}

#[test]
#[ignore = "takes a quarter of a minute"]
fn an_analysis_ends_and_reports_omissions() {
    for (step, moves, roles) in [(COUNTER, 1, 1), (LIST, 2, 2), (TREE, 2, 1)] {
        let game = growing(step, false, moves, roles);
        let ended = run(&["analyze", "--format", "json"], &game, None);
        let (code, peak) = (ended.code, ended.peak);
        println!("{step} {moves} {roles}: {:?}, {peak} MiB", ended.took);
        assert_eq!(code, Some(0), "{step} {moves} {roles}: {peak} MiB after {:?}", ended.took);
        let document = document(&ended);
        assert_eq!(document["simulation"]["terminal"]["count"], 0);
        let stages = document["stages"].as_array().unwrap();
        let detect = stages.iter().find(|stage| stage["name"] == "detect").unwrap();
        // A tree that doubles is too large to be written after a few steps.
        let outgrown = kinds(&document["simulation"]["faults"]).contains(&"failed");
        assert_eq!(outgrown, step == TREE, "{}", document["simulation"]["faults"]);
        let left_out = detect["complete"] == false && detect["note"].as_str().unwrap().contains("terms grow");
        assert!(outgrown || left_out, "{detect}");
    }
}

#[test]
fn memory_does_not_grow_from_playout_to_playout() {
    let game = growing(LIST, false, 2, 1);
    let play = |playouts: &str| {
        let ended = run(&["simulate", "--playouts", playouts], &game, None);
        assert_eq!(ended.code, Some(0), "{} MiB after {:?}", ended.peak, ended.took);
        ended.peak
    };
    let (some, many) = (play("200"), play("800"));
    println!("{some} MiB, {many} MiB");
    assert!(many < some + 40, "{some} MiB for 200 playouts, {many} MiB for 800");
}

#[test]
fn results_do_not_depend_on_threads() {
    let game = growing("(pair (list ?m ?x) (s ?x))", false, 2, 1);
    let play = |threads: &str| {
        let ended = run(&["simulate", "--threads", threads, "--format", "json"], &game, None);
        let mut document = document(&ended);
        document["simulation"].as_object_mut().unwrap().remove("timing");
        document.as_object_mut().unwrap().remove("timing");
        document
    };
    assert_eq!(play("1"), play("3"));
}

#[test]
#[ignore = "takes a quarter of a minute"]
fn solving_respects_time_limit_and_interrupt() {
    for (step, all, roles) in [(LIST, true, 1), (LIST, false, 2), (TREE, false, 2)] {
        let game = growing(step, all, 2, roles);
        let ended = run(&["solve", "--seconds", "2", "--format", "json"], &game, None);
        println!("{step} {all} {roles}: {:?}, {} MiB", ended.took, ended.peak);
        assert_eq!(ended.code, Some(5), "not proved: {}", ended.output);
        // Loading takes more time.
        assert!(ended.took < Duration::from_secs(8), "{step} {all} {roles}: {:?}", ended.took);
        let notes = document(&ended)["notes"].to_string();
        assert!(notes.contains("terms grow") || step == TREE, "{notes}");
        let ended = run(&["solve"], &game, Some(Duration::from_millis(1200)));
        if ended.answered > Duration::ZERO {
            println!("answered after {:?}", ended.answered);
            assert!(ended.answered < Duration::from_millis(1000), "{:?}", ended.answered);
            assert_eq!(ended.code, Some(130));
        }
    }
}

#[test]
fn matches_end_within_limits() {
    for step in [LIST, COUNTER, TREE] {
        let (game, to) =
            (growing(step, false, 1 + usize::from(step == LIST), 1), tempfile::tempdir().unwrap());
        let players = ["tournament", "--players", "random", "uct", "--rounds", "1", "--nodes", "20"];
        let out = ["--max-steps", "200", "--out", to.path().to_str().unwrap(), "--games"];
        let ended = run(&[&players[..], &out].concat(), &game, None);
        assert_eq!(ended.code, Some(0), "{} MiB after {:?}: {}", ended.peak, ended.took, ended.output);
    }
}
