//! An interrupted or killed study resumes, and gives the same results.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use assert_cmd::cargo::CommandCargoExt;
use ggp::simulate::Choices;
use serde_json::Value;

use crate::lines::{has_line, numbers};

struct Workspace {
    folder: tempfile::TempDir,
}

impl Workspace {
    /// A folder with a study of some of the games and of one game with errors.
    fn new() -> Workspace {
        let folder = tempfile::tempdir().unwrap();
        let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
        for game in ["tic_tac_toe", "nim", "lights_out", "rock_paper_scissors", "buttons_and_lights"] {
            let file = Path::new(game).with_extension("kif");
            std::fs::copy(games.join(&file), folder.path().join(&file)).unwrap();
        }
        std::fs::write(folder.path().join("broken.kif"), "(role a)\n(<= (goal a ?x) (true b))\n").unwrap();
        let workspace = Workspace { folder };
        workspace.write("study.toml", STUDY);
        workspace
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, out: &str, more: &[&str]) -> Command {
        let mut command = Command::cargo_bin("ggp").unwrap();
        command.args(["study", "study.toml", "--out", out]).args(more).current_dir(self.folder.path());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs to the end; returns status, standard output and standard error.
    fn run(&self, out: &str, more: &[&str]) -> (i32, String, String) {
        let output = self.command(out, more).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// The results without the parts that depend on the computer.
    fn results(&self, out: &str) -> (String, String, String, Vec<Value>) {
        let file = |name: &str| self.read(&format!("{out}/{name}"));
        let page = file("README.md");
        let page = page.split("## Made on").next().unwrap().to_owned();
        let log = file("log.jsonl");
        let lines = log.lines().map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line.as_object_mut().unwrap().remove("seconds");
            line
        });
        (file("functions.csv"), file("study.json"), page, lines.collect())
    }
}

const STUDY: &str = r#"
kind = "judge"
games = ["*.kif"]
seed = 3
[budget]
states = 30
playouts = 20
guided = 1
play = 20
exact = 2000
"#;

#[test]
fn a_killed_study_gives_the_same_results() {
    let workspace = Workspace::new();
    let (status, printed, _) = workspace.run("undisturbed", &[]);
    assert_eq!(status, 1, "a faulty game gives the exit status 1");
    let first = printed.lines().next().unwrap();
    assert!(has_line(first, &["broken", "broken.kif", "4"]) && first.contains("GDL"), "{printed}");
    assert!(printed.lines().any(|line| numbers(line) == [5, 1]), "{printed}");
    let wanted = workspace.results("undisturbed");
    assert_eq!(wanted.3.len(), 7);
    assert!(wanted.2.find("## Broken games").unwrap() < wanted.2.find("## By game").unwrap());

    let mut choices = Choices::new(11, 0);
    for kills in 0..4 {
        let out = format!("killed-{kills}");
        for _ in 0..=kills {
            let mut child = workspace.command(&out, &["--threads", "2"]).spawn().unwrap();
            // This test needs random moments.
            std::thread::sleep(Duration::from_millis(20 + 15 * choices.below(60) as u64));
            // The study may have ended before.
            let _ = child.kill();
            child.wait().unwrap();
        }
        // Also cuts the last line of the log short.
        let log = workspace.path(&format!("{out}/log.jsonl"));
        if let Ok(bytes) = std::fs::read(&log) {
            std::fs::write(&log, &bytes[..bytes.len() - choices.below(bytes.len().min(50))]).unwrap();
        }
        assert_eq!(workspace.run(&out, &["--threads", "1"]).0, 1);
        assert_eq!(workspace.results(&out), wanted, "after {} kills", kills + 1);
    }
}

#[test]
fn finished_work_is_kept_and_changed_studies_are_rejected() {
    let workspace = Workspace::new();
    workspace.run("out", &[]);
    let before = workspace.read("out/log.jsonl");
    let (_, _, stderr) = workspace.run("out", &[]);
    assert!(stderr.lines().any(|line| numbers(line) == [6, 6]), "{stderr}");
    assert_eq!(workspace.read("out/log.jsonl"), before);

    workspace.write("study.toml", &STUDY.replace("seed = 3", "seed = 4"));
    let (status, _, stderr) = workspace.run("out", &[]);
    assert_eq!(status, 1);
    assert!(has_line(&stderr, &["out/log.jsonl", "--fresh"]), "{stderr}");
    assert_eq!(workspace.read("out/log.jsonl"), before);
    assert_eq!(workspace.run("out", &["--fresh"]).0, 1);
    assert_ne!(workspace.read("out/log.jsonl"), before);
}

#[test]
fn errors_of_a_study_file_have_a_position() {
    let workspace = Workspace::new();
    workspace.write("study.toml", &STUDY.replace("states = 30", "stats = 30"));
    let (status, printed, stderr) = workspace.run("out", &[]);
    assert_eq!((status, printed.as_str()), (1, ""));
    assert!(stderr.contains("unknown field `stats`") && stderr.contains("`states`"), "{stderr}");
    assert!(stderr.contains("study.toml:6:1"), "{stderr}");
    assert!(!workspace.path("out").exists());
}

#[test]
fn grids_of_settings_are_judged_together() {
    let workspace = Workspace::new();
    let grid = "functions = []\nseed = 3\n[[fuzzy]]\nthreshold = [0.6, 0.7]\nnorm = [{ family = \"product\" }, { family = \"yager\", q = 4 }]\n";
    let text = STUDY.replace("\"*.kif\"", "\"tic_tac_toe.kif\"").replace("seed = 3\n", grid);
    // The grid is a list of tables, which must come after all keys.
    let (head, tables) = text.split_once("[[fuzzy]]").unwrap();
    let (fuzzy, budget) = tables.split_once("[budget]").unwrap();
    workspace.write("study.toml", &format!("{head}[budget]{budget}[[fuzzy]]{fuzzy}"));
    let (status, printed, stderr) = workspace.run("out", &[]);
    assert_eq!(status, 0, "{printed}{stderr}");
    let table = workspace.read("out/functions.csv");
    let rows = |wanted: &str| table.lines().filter(|line| line.contains(wanted)).count();
    assert_eq!((rows("t 0.6, product"), rows("t 0.7, yager 4"), rows(",ends,")), (2, 2, 2));
    assert_eq!(table.lines().count(), 1 + 2 * 4 + 2);
}

const MATCHES: &str = r#"
kind = "matches"
games = ["nim.kif", "tic_tac_toe.kif"]
seed = 3
[matches]
players = ["alphabeta:fuzzy", "uct"]
against = ["random"]
nodes = [20, 100]
rounds = 30
sprt = { elo0 = 0, elo1 = 150, alpha = 0.05, beta = 0.05 }
"#;

#[test]
fn match_studies_compare_players_and_resume() {
    let workspace = Workspace::new();
    workspace.write("study.toml", MATCHES);
    let (status, printed, stderr) = workspace.run("undisturbed", &[]);
    assert_eq!(status, 0, "{stderr}");
    assert!(printed.contains("0 left at most"), "{printed}");
    let results = |out: &str| {
        let page = workspace.read(&format!("{out}/README.md"));
        let csv = |nodes: u32| workspace.read(&format!("{out}/nodes-{nodes}/pairings.csv"));
        (page.split("## Made on").next().unwrap().to_owned(), csv(20), csv(100))
    };
    let wanted = results("undisturbed");
    assert!(wanted.0.contains("### Against random\n\n| game | alphabeta:fuzzy | uct |"), "{}", wanted.0);
    assert!(wanted.0.contains(" better |") && wanted.0.contains("| *better in games* | "), "{}", wanted.0);
    assert!(wanted.0.lines().any(|line| numbers(line).starts_with(&[50, 2, 2])), "{}", wanted.0);

    let mut choices = Choices::new(5, 0);
    for _ in 0..3 {
        let mut child = workspace.command("killed", &["--threads", "2", "--force"]).spawn().unwrap();
        // This test needs random moments.
        std::thread::sleep(Duration::from_millis(100 + 15 * choices.below(40) as u64));
        let _ = child.kill();
        child.wait().unwrap();
    }
    assert_eq!(workspace.run("killed", &["--threads", "1"]).0, 0);
    assert_eq!(results("killed"), wanted);

    workspace.write("study.toml", &MATCHES.replace("seed = 3", "seed = 4"));
    let (status, _, stderr) = workspace.run("killed", &[]);
    assert_eq!(status, 1);
    assert!(has_line(&stderr, &["seed", "3", "4", "--fresh"]), "{stderr}");
}

/// Merged parts of both kinds of study equal the results of one run.
#[test]
fn merged_study_parts_equal_one_run() {
    let workspace = Workspace::new();
    workspace.run("whole", &[]);
    let judged = |part: u32| format!("parts/part-{part}-of-3.jsonl");
    for part in [2, 3, 1] {
        let (_, printed, stderr) = workspace.run("parts", &["--part", &format!("{part}/3")]);
        assert!(printed.contains(&format!("part {part}/3: 2 games")), "{printed}{stderr}");
    }
    let (status, _, stderr) = workspace.run("parts", &["--merge", &judged(3), &judged(2)]);
    assert!(status == 0 && stderr.lines().any(|line| numbers(line).starts_with(&[0, 6])), "{stderr}");
    let (status, _, stderr) = workspace.run("parts", &["--merge", &judged(3), &judged(1), &judged(2)]);
    assert!(status == 1 && stderr.lines().any(|line| numbers(line) == [6]), "a game is broken: {stderr}");
    assert_eq!(workspace.results("parts"), workspace.results("whole"));

    workspace.write("study.toml", MATCHES);
    workspace.run("all", &["--threads", "1"]);
    let mut logs = Vec::new();
    for part in 1..=2 {
        let (status, _, stderr) = workspace.run("dealt", &["--part", &format!("{part}/2")]);
        assert_eq!(status, 0, "{stderr}");
        logs.extend([20, 100].map(|nodes| format!("dealt/nodes-{nodes}/part-{part}-of-2.jsonl")));
    }
    let mut merge = vec!["--merge"];
    merge.extend(logs.iter().map(String::as_str));
    let (status, _, stderr) = workspace.run("dealt", &merge);
    assert_eq!(status, 0, "{stderr}");
    for nodes in [20, 100] {
        let csv = |out: &str| workspace.read(&format!("{out}/nodes-{nodes}/results.csv"));
        assert_eq!(csv("dealt"), csv("all"));
    }
    let (status, _, stderr) = workspace.run("dealt", &["--merge", &judged(1)]);
    assert!(status == 1 && stderr.contains("part-1-of-3.jsonl"), "{stderr}");
}

#[test]
fn check_reports_outdated_results() {
    let workspace = Workspace::new();
    workspace.write("study.toml", &STUDY.replace("\"*.kif\"", "\"tic_tac_toe.kif\", \"nim.kif\""));
    let (status, _, stderr) = workspace.run("none", &["--check"]);
    assert!(status == 1 && stderr.contains("is no folder of results"), "{stderr}");
    assert_eq!(workspace.run("out", &[]).0, 0);
    let files = || {
        let mut found: Vec<(PathBuf, Vec<u8>)> = std::fs::read_dir(workspace.path("out"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), std::fs::read(path).unwrap()))
            .collect();
        found.sort();
        found
    };
    let before = files();
    let (status, printed, stderr) = workspace.run("out", &["--check"]);
    assert_eq!((status, numbers(&printed)), (0, vec![4]), "{printed}{stderr}");
    assert!(files() == before, "a check changes nothing");

    // Another processor name is not a difference; a changed table and a missing file are.
    let page = workspace.read("out/report.html");
    let (head, foot) = page.split_once("id=\"made-on\"").unwrap();
    let foot = foot.replacen("processor", "quantum processor", 1);
    workspace.write("out/report.html", &format!("{head}id=\"made-on\"{foot}"));
    assert_eq!(workspace.run("out", &["--check"]).0, 0);
    workspace.write(
        "out/functions.csv",
        &workspace.read("out/functions.csv").replacen("tic_tac_toe", "noughts", 1),
    );
    std::fs::remove_file(workspace.path("out/study.json")).unwrap();
    let (status, printed, _) = workspace.run("out", &["--check"]);
    assert!(status == 4 && has_line(&printed, &["out/functions.csv", "2"]), "{printed}");
    assert!(printed.contains("noughts"), "{printed}");
    assert!(printed.contains("study.json"), "{printed}");
    assert!(printed.lines().any(|line| numbers(line) == [2, 4]), "{printed}");
}

#[test]
fn check_repeats_matches_or_compares_plan_and_log() {
    let workspace = Workspace::new();
    let matches = MATCHES.replace("rounds = 30", "rounds = 2");
    workspace.write("study.toml", &matches);
    assert_eq!(workspace.run("nodes", &[]).0, 0);
    let (status, printed, _) = workspace.run("nodes", &["--check", "--threads", "1"]);
    assert!(status == 0 && printed.lines().any(|line| numbers(line) == [12]), "{printed}");
    let standings = workspace.read("nodes/nodes-20/standings.csv");
    workspace.write("nodes/nodes-20/standings.csv", &standings.replacen("alphabeta", "gammadelta", 1));
    let (status, printed, _) = workspace.run("nodes", &["--check"]);
    let line = standings.lines().position(|line| line.starts_with("alphabeta")).unwrap() + 1;
    let named = format!("nodes-20/standings.csv, line {line}");
    assert!(status == 4 && printed.contains(&named), "{printed}");

    workspace.write("study.toml", &matches.replace("nodes = [20, 100]", "clocks = [[0, 0.01]]"));
    assert_eq!(workspace.run("clock", &[]).0, 0);
    let (status, printed, _) = workspace.run("clock", &["--check"]);
    assert!(status == 0 && printed.lines().any(|line| numbers(line) == [5]), "{printed}");
    // Other rules of a game are another plan.
    let rules = workspace.read("nim.kif");
    workspace.write("nim.kif", &format!("{rules}\n(unused fact)\n"));
    let (status, printed, _) = workspace.run("clock", &["--check"]);
    assert!(status == 4 && has_line(&printed, &["rules", "nim"]), "{printed}");
}

#[test]
fn studies_compare_labels_and_time_machines() {
    let workspace = Workspace::new();
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    for game in ["tic_tac_toe", "nim"] {
        std::fs::copy(games.join(game).with_extension("toml"), workspace.path(game).with_extension("toml"))
            .unwrap();
    }
    let study =
        "kind = \"structures\"\ngames = [\"tic_tac_toe.kif\", \"nim.kif\"]\n[structures]\nplayouts = 2_000\n";
    workspace.write("study.toml", study);
    let (status, printed, stderr) = workspace.run("found", &[]);
    assert!(status == 0 && printed.lines().any(|line| numbers(line) == [2, 0]), "{printed}{stderr}");
    let page = workspace.read("found/README.md");
    assert!(
        page.contains("in 2 games")
            && page.contains(" 0 missed; 0 false.")
            && page.contains("There are no differences."),
        "{page}"
    );
    assert_eq!(workspace.run("found", &["--check"]).0, 0);

    // A label that contradicts a finding is reported with its game.
    let labels = workspace.read("nim.toml");
    workspace.write("nim.toml", &labels.replacen("zero_sum = true", "zero_sum = false", 1));
    workspace.write("study.toml", &study.replace("\"nim.kif\"", "\"nim.kif\", \"lights_out.kif\""));
    let (status, printed, _) = workspace.run("other", &[]);
    assert!(status == 1 && has_line(&printed, &["broken", "lights_out.kif", "labels"]), "{printed}");
    let page = workspace.read("other/README.md");
    assert!(has_line(&page, &["nim", "zero_sum", "\"true\"", "\"false\""]), "{page}");
    assert!(page.contains("1 missed; 1 false"), "{page}");

    workspace.write(
        "study.toml",
        "kind = \"speed\"\ngames = [\"nim.kif\"]\n[speed]\nseconds = 0.05\nrounds = 1\n",
    );
    assert_eq!(workspace.run("fast", &[]).0, 0);
    let table = workspace.read("fast/speeds.csv");
    assert!(table.lines().any(|line| line.starts_with("nim,lanes,1,")), "{table}");
    let (status, printed, _) = workspace.run("fast", &["--check"]);
    assert_eq!(status, 0, "{printed}");
    workspace.write("fast/speeds.csv", &table.replacen("nim,lanes,1,", "nim,lanes,1,9", 1));
    let (status, printed, _) = workspace.run("fast", &["--check"]);
    assert!(status == 4 && printed.contains("speeds.csv"), "{printed}");
}
