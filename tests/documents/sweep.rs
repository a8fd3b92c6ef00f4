//! `ggp sweep` writes a row for every description, even if its analysis fails, and it resumes.

use std::path::Path;

use assert_cmd::Command;

use crate::lines::{has_line, numbers};
use crate::waiting::{wait_for_work, wait_until};

fn sweep(paths: &[&Path], out: &Path, options: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("ggp").unwrap();
    command.arg("sweep").args(paths).arg("--out").arg(out).args(["--playouts", "200", "--speeds", "0"]);
    command.args(options).assert()
}

fn verdicts(out: &Path) -> Vec<(String, String, String)> {
    let mut csv = csv::Reader::from_path(out.join("sweep.csv")).unwrap();
    let rows = csv.records().map(Result::unwrap);
    let name = |path: &str| Path::new(path).file_stem().unwrap().to_string_lossy().into_owned();
    rows.map(|row| (name(&row[0]), row[2].to_owned(), format!("{}{}", &row[3], &row[4]))).collect()
}

#[test]
fn a_second_sweep_adds_new_rows_only() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, out) = (folder.path().join("archive"), folder.path().join("out"));
    std::fs::create_dir_all(archive.join("deep")).unwrap();
    for (game, path) in [("nim", "nim.kif"), ("tic_tac_toe", "deep/tic_tac_toe.KIF")] {
        std::fs::copy(format!("games/{game}.kif"), archive.join(path)).unwrap();
    }
    std::fs::write(archive.join("broken.kif"), "(role a) (<= (next (at ?x)) (true (at ?y)))").unwrap();
    std::fs::write(archive.join("notes.txt"), "no description").unwrap();

    sweep(&[&archive], &out, &[]).success();
    let rows = verdicts(&out);
    let names: Vec<(&str, &str)> = rows.iter().map(|(name, verdict, _)| (&**name, &**verdict)).collect();
    assert_eq!(names, [("broken", "refused"), ("tic_tac_toe", "ok"), ("nim", "ok")]);
    assert!(rows[0].2.contains("GDL026"), "{rows:?}");
    let csv = std::fs::read_to_string(out.join("sweep.csv")).unwrap();
    assert!(csv.contains("board=1") && csv.contains("fuzzy=2"), "{csv}");
    let log = std::fs::read_to_string(out.join("log.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 4, "the head line, and three descriptions");

    // A second run analyses nothing.
    sweep(&[&archive], &out, &["--threads", "1"]).success();
    assert_eq!(std::fs::read_to_string(out.join("log.jsonl")).unwrap(), log);
    assert_eq!(std::fs::read_to_string(out.join("sweep.csv")).unwrap(), csv);
    // A changed game is analysed again.
    std::fs::copy("games/tic_tac_toe.kif", archive.join("nim.kif")).unwrap();
    sweep(&[&archive], &out, &[]).success();
    assert_eq!(std::fs::read_to_string(out.join("log.jsonl")).unwrap().lines().count(), 5);
    let page = std::fs::read_to_string(out.join("README.md")).unwrap();
    assert!(page.lines().any(|line| numbers(line).starts_with(&[3, 2, 1])), "{page}");
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("id=\"ranked\"") && page.contains("id=\"analysed\"") && page.contains("GDL026"));
    assert!(page.contains("--playouts 200") && !page.contains("src="), "the page names its command");
    let rows = verdicts(&out);
    let count = |verdict: &str| rows.iter().filter(|row| row.1 == verdict).count();
    assert_eq!((rows.len(), count("ok"), count("refused")), (3, 2, 1));

    let other = sweep(&[&archive], &out, &["--seed", "2"]).code(1);
    let stderr = String::from_utf8_lossy(&other.get_output().stderr).into_owned();
    assert!(stderr.contains("--seed 1") && stderr.contains("--fresh"), "{stderr}");
}

#[test]
fn time_and_memory_limits_are_reported_in_rows() {
    let folder = tempfile::tempdir().unwrap();
    let chess = Path::new("games/chess.kif");
    for (options, verdict) in
        [(["--seconds-per-game", "0.2"], "timed out"), (["--memory", "1"], "out of memory")]
    {
        let out = folder.path().join(verdict);
        sweep(&[chess], &out, &options).code(1);
        assert_eq!(verdicts(&out)[0].1, verdict);
    }
    let stderr = sweep(&[Path::new("games/no_such")], folder.path(), &[]).code(1);
    assert!(has_line(&String::from_utf8_lossy(&stderr.get_output().stderr), &["games/no_such"]));
}

/// An unfinished analysis has no row, and the next run repeats it.
#[cfg(unix)]
#[test]
fn an_interrupted_sweep_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let games = ["games/chess.kif", "games/halma.kif", "games/nim.kif"];
    let run = std::process::Command::new(assert_cmd::cargo::cargo_bin("ggp"))
        .arg("sweep")
        .args(games)
        .args(["--speeds", "0", "--seconds-per-game", "300", "--playouts", "300", "--threads", "1", "--out"])
        .arg(folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the head of the log", || std::fs::read_to_string(&log).is_ok_and(|log| log.contains('\n')));
    // Interrupts the first analysis, which runs in a process of its own.
    wait_for_work(run.id(), std::time::Duration::from_millis(200));
    let kill = std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(run.wait_with_output().unwrap().status.code(), Some(130));
    let before = std::fs::read_to_string(&log).unwrap_or_default();
    assert!(before.lines().count() < 4 && !before.contains("\"failed\""), "{before}");
    let mut resumed = Command::cargo_bin("ggp").unwrap();
    resumed
        .arg("sweep")
        .args(games)
        .args(["--speeds", "0", "--seconds-per-game", "300", "--playouts", "300", "--out"])
        .arg(folder.path())
        .assert()
        .success();
    let after = std::fs::read_to_string(&log).unwrap();
    assert!(after.starts_with(&before) && after.lines().count() == 4, "{after}");
}

/// Merged parts have the rows of one run, in the same order.
#[test]
fn merged_sweep_parts_equal_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let games = ["nim", "tic_tac_toe", "lights_out"].map(|game| format!("games/{game}.kif"));
    let paths: Vec<&Path> = games.iter().map(Path::new).collect();
    sweep(&paths, &whole, &["--threads", "1"]).success();
    let mut logs = Vec::new();
    for part in ["2/2", "1/2"] {
        sweep(&paths, &parts, &["--part", part]).success();
        logs.push(parts.join(format!("part-{}-of-2.jsonl", &part[..1])).display().to_string());
    }
    assert!(!parts.join("log.jsonl").exists() && !parts.join("sweep.csv").exists());
    let early = sweep(&paths, &folder.path().join("early"), &["--merge", &logs[0]]).success();
    let stderr = String::from_utf8_lossy(&early.get_output().stderr).into_owned();
    assert!(stderr.lines().any(|line| numbers(line) == [2]), "{stderr}");
    sweep(&paths, &parts, &["--merge", &logs[0], &logs[1]]).success();
    let csv = |out: &Path| std::fs::read_to_string(out.join("sweep.csv")).unwrap();
    assert_eq!(csv(&parts), csv(&whole));
    let paths = |out: &Path| -> Vec<String> {
        let log = std::fs::read_to_string(out.join("log.jsonl")).unwrap();
        let row = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["path"].to_string();
        log.lines().skip(1).map(row).collect()
    };
    assert_eq!(paths(&parts), paths(&whole));
}
