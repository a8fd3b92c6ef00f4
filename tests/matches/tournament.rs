//! The result of a tournament depends on its plan only, not on the number of threads or interruptions.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use assert_cmd::cargo::CommandCargoExt;
use ggp::simulate::Choices;
use serde_json::Value;

use crate::lines::{has_line, numbers};
use crate::waiting::wait_until;

/// A folder of results and the options of a tournament.
pub(crate) struct Workspace {
    folder: tempfile::TempDir,
}

impl Workspace {
    pub(crate) fn new() -> Workspace {
        Workspace { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn command(&self, out: &str, options: &str) -> Command {
        let mut command = Command::cargo_bin("ggp").unwrap();
        command.arg("tournament").args(options.split_whitespace()).arg("--out").arg(self.path(out));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs to the end; returns status, standard output and standard error.
    pub(crate) fn run(&self, out: &str, options: &str) -> (i32, String, String) {
        let output = self.command(out, options).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    pub(crate) fn results(&self, out: &str) -> [String; 5] {
        ["results.csv", "standings.csv", "pairings.csv", "roles.csv", "tournament.json"]
            .map(|name| self.read(&format!("{out}/{name}")))
    }

    fn summary(&self, out: &str) -> Value {
        let document: Value = serde_json::from_str(&self.read(&format!("{out}/tournament.json"))).unwrap();
        document["summary"].clone()
    }
}

const SMALL: &str =
    "--games games/tic_tac_toe.kif games/nim.kif --players random uct alphabeta:fuzzy --nodes 200";

/// The number of complete lines of a log.
pub(crate) fn lines(log: &Path) -> usize {
    std::fs::read(log).unwrap_or_default().iter().filter(|&&byte| byte == b'\n').count()
}

#[test]
fn a_tournament_killed_twenty_times_gives_the_same_results() {
    let workspace = Workspace::new();
    let options = format!("{SMALL} --rounds 20");
    let (status, printed, stderr) = workspace.run("undisturbed", &format!("{options} --threads 1"));
    assert_eq!(status, 0, "{stderr}");
    assert!(printed.ends_with("240 matches\n"), "{printed}");

    let options = format!("{options} --threads 2 --force");
    let log = workspace.path("killed/log.jsonl");
    let mut choices = Choices::new(17, 0);
    for kill in 0..20 {
        let before = std::fs::read(&log).unwrap_or_default();
        let mut child = workspace.command("killed", &options).spawn().unwrap();
        // Kills at a random moment after some more matches; the first two kills may come while games are prepared.
        let wanted = lines(&log) + if kill < 2 { 0 } else { choices.below(14) };
        while lines(&log) < wanted && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(choices.below(8000) as u64));
        let seen = lines(&log);
        // The process may have ended before.
        let _ = child.kill();
        child.wait().unwrap();
        assert!(lines(&log) >= seen, "lines were lost");
        let whole = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut after = std::fs::read(&log).unwrap_or_default();
        assert!(after.starts_with(&before[..whole]), "earlier lines of the log changed");
        // Every third kill also cuts the last line short.
        if kill % 3 == 2 && !after.is_empty() {
            after.truncate(after.len() - choices.below(after.len().min(60)));
            std::fs::write(&log, after).unwrap();
        }
    }
    // The count excludes the head of the log.
    let already = lines(&log) as u64 - 1;
    let (status, again, stderr) = workspace.run("killed", &options);
    assert_eq!(status, 0, "{stderr}");
    assert!(stderr.lines().any(|line| numbers(line) == [already]), "{already}: {stderr}");
    assert_eq!(again, printed);
    assert_eq!(workspace.results("killed"), workspace.results("undisturbed"));
}

#[test]
fn an_incomplete_log_line_is_dropped_with_a_note() {
    let workspace = Workspace::new();
    let options = "--games games/nim.kif --players random uct --nodes 50 --rounds 2";
    workspace.run("out", options);
    let results = workspace.results("out");
    let log = workspace.path("out/log.jsonl");
    let bytes = std::fs::read(&log).unwrap();
    std::fs::write(&log, &bytes[..bytes.len() - 7]).unwrap();
    let (status, _, stderr) = workspace.run("out", options);
    assert_eq!(status, 0);
    let whole = bytes[..bytes.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    let dropped = (bytes.len() - 7 - whole) as u64;
    for number in [dropped, 3] {
        assert!(stderr.lines().any(|line| numbers(line) == [number]), "{number}: {stderr}");
    }
    assert_eq!(workspace.results("out"), results);
}

#[test]
fn added_rounds_give_the_results_of_one_run() {
    let workspace = Workspace::new();
    workspace.run("at_once", &format!("{SMALL} --rounds 4"));
    workspace.run("extended", &format!("{SMALL} --rounds 2"));
    let first = workspace.read("extended/results.csv");
    let (status, _, stderr) = workspace.run("extended", &format!("{SMALL} --rounds 4"));
    assert_eq!(status, 0);
    assert!(stderr.lines().any(|line| numbers(line) == [24]), "{stderr}");
    assert_eq!(workspace.results("extended"), workspace.results("at_once"));
    assert!(workspace.read("extended/results.csv").starts_with(&first));
    let log = workspace.read("extended/log.jsonl");
    let (status, _, stderr) = workspace.run("extended", &format!("{SMALL} --rounds 3"));
    assert_eq!(status, 1);
    assert!(stderr.contains("has 4 rounds already"), "{stderr}");
    assert_eq!(workspace.read("extended/log.jsonl"), log);
}

#[test]
fn the_log_of_another_tournament_is_rejected_and_kept() {
    let workspace = Workspace::new();
    let options = "--games games/nim.kif --players random uct --nodes 50 --rounds 2";
    workspace.run("out", options);
    let log = workspace.read("out/log.jsonl");
    for (from, to, what) in [
        ("random uct", "uct random", &["players", "random, uct", "uct, random"][..]),
        ("--nodes 50", "--nodes 60", &["clock", "50 nodes", "60 nodes"]),
        ("nim.kif", "tic_tac_toe.kif", &["games", "nim", "tic_tac_toe"]),
        ("--rounds 2", "--rounds 2 --seed 2", &["seed", "1", "2"]),
        ("--rounds 2", "--rounds 2 --opening 1", &["opening", "2", "1"]),
        ("--rounds 2", "--rounds 2 --sprt 0,9,.1,.1", &["test", "none", "0,9,0.1,0.1"]),
    ] {
        let (status, _, stderr) = workspace.run("out", &options.replace(from, to));
        assert_eq!(status, 1);
        assert!(has_line(&stderr, what) && has_line(&stderr, &["--fresh"]), "{stderr}");
        assert_eq!(workspace.read("out/log.jsonl"), log);
    }
    assert_eq!(workspace.run("out", &format!("{options} --seed 2 --fresh")).0, 0);
    assert_ne!(workspace.read("out/log.jsonl"), log);
}

#[test]
fn usage_errors_are_reported_before_any_match() {
    let workspace = Workspace::new();
    for (options, status, what) in [
        ("--players random uct --play-clock 0", 2, "above 0"),
        ("--players random uct --play-clock 0.1 --margin 0.2", 2, "uses up the clock"),
        ("--players random uct", 2, "--play-clock"),
        ("--players random uct --nodes 0", 2, "0"),
        ("--players random uct --nodes 9 --threads 1000", 2, "--force"),
        ("--players random uct --nodes 9 --sprt 9,0,.1,.1", 2, "elo0 < elo1"),
        ("--players random uct --nodes 9 --sprt 0,7000,.05,.05", 2, "from -2000 to 2000"),
        ("--players random uct --nodes 9 --sprt 0,9", 2, "four numbers"),
        ("--players random --nodes 9 --sprt 0,9,.1,.1", 2, "`random` plays against itself"),
        ("--players random rand --nodes 9", 2, "`random`"),
        ("--players random human --nodes 9", 2, "only `ggp play` has the player `human`"),
        ("--players random alphabeta:fizzy --nodes 9", 1, "alphabeta:fizzy can't play nim as right"),
        ("--players random uct --nodes 9 --games games/nim.kif games/nim.kif", 1, "the same rules"),
    ] {
        let (found, printed, stderr) = workspace.run("out", &format!("--games games/nim.kif {options}"));
        assert_eq!((found, printed.as_str()), (status, ""), "{options}: {stderr}");
        assert!(stderr.contains(what), "{options}: {stderr}");
    }
    // None of the refused commands used the folder.
    assert_eq!(workspace.run("out", "--games games/nim.kif --players random uct --nodes 9 --rounds 1").0, 0);
}

#[test]
fn an_unreachable_player_ends_the_run_which_can_resume() {
    let workspace = Workspace::new();
    // This port was free a moment ago, so no player answers.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let options = format!(
        "--games games/nim.kif --players random http://127.0.0.1:{port} --start-clock 0.1 --play-clock 0.1 --rounds 1 --threads 1"
    );
    for _ in 0..2 {
        let (status, printed, stderr) = workspace.run("out", &options);
        assert_eq!((status, printed.as_str()), (1, ""), "{stderr}");
        assert!(stderr.contains(&format!("http://127.0.0.1:{port}")), "{stderr}");
    }
    let log = std::fs::read_to_string(workspace.path("out/log.jsonl")).unwrap();
    assert!(!log.contains("\"match\":"), "{log}");
}

#[test]
fn sequential_tests_do_not_depend_on_threads() {
    let workspace = Workspace::new();
    let options = "--games games/tic_tac_toe.kif games/nim.kif --players uct?nodes=300 random uct?nodes=300&seed=2 \
                   --nodes 9 --rounds 60 --sprt 0,100,0.05,0.05";
    for (out, threads) in [("one", "1"), ("four", "4 --force")] {
        let (status, _, stderr) = workspace.run(out, &format!("{options} --threads {threads}"));
        assert_eq!(status, 0, "{stderr}");
    }
    assert_eq!(workspace.results("one"), workspace.results("four"));
    let summary = workspace.summary("one");
    let games = summary["games"].as_array().unwrap();
    let verdicts: Vec<&str> =
        games.iter().map(|pairing| pairing["sprt"]["verdict"].as_str().unwrap()).collect();
    assert_eq!((verdicts[0], verdicts[2]), ("better", "worse"), "{verdicts:?}");
    for pairing in games {
        let (rounds, matches) =
            (pairing["sprt"]["rounds"].as_u64().unwrap(), pairing["score"]["matches"].as_u64());
        assert_eq!(matches, Some(2 * rounds));
        assert!(rounds < 60 || pairing["sprt"]["verdict"] == "open");
    }
    assert_eq!(summary["left"], 0);
}

#[test]
fn every_assignment_of_roles_is_played() {
    let workspace = Workspace::new();
    let options = "--games games/three_player_race.kif games/eight_puzzle.kif --players random uct --nodes 30 \
                   --rounds 1 --max-steps 70 --records";
    let (status, printed, stderr) = workspace.run("out", options);
    assert_eq!(status, 0, "{stderr}");
    let results = workspace.read("out/results.csv");
    let seats = |game: &str| -> Vec<String> {
        let rows =
            results.lines().map(|line| line.split(',').collect::<Vec<_>>()).filter(|row| row[1] == game);
        rows.map(|row| row[4].to_owned()).collect()
    };
    let mut race = seats("three_player_race");
    race.sort();
    race.dedup();
    assert_eq!(race.len(), 6, "{race:?}");
    assert_eq!(seats("eight_puzzle"), ["random", "uct"]);
    assert!(printed.contains("Single-player games\n"), "{printed}");
    // With three roles, a player's score is the mean of pairwise comparisons, a multiple of a quarter.
    let points = workspace.summary("out")["pairings"][0]["score"]["points"].as_f64().unwrap();
    assert_eq!((points * 4.0).fract(), 0.0);
    for (number, game) in [(0, "three_player_race"), (7, "eight_puzzle")] {
        let record = workspace.path(&format!("out/matches/{number:06}.json"));
        let mut replay = Command::cargo_bin("ggp").unwrap();
        replay.args(["replay", &format!("games/{game}.kif")]).arg(record);
        assert!(replay.output().unwrap().status.success());
    }
}

/// The rows of a CSV file without its head; no cell contains a comma.
fn rows(csv: &str) -> Vec<Vec<String>> {
    csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// Wins, draws and losses of a role in a game of two roles: of all players, or of one.
fn role_counts(results: &str, role: usize, player: Option<&str>) -> [u64; 3] {
    let mut counts = [0; 3];
    for row in rows(results) {
        let (players, goals): (Vec<&str>, Vec<i32>) =
            (row[4].split(' ').collect(), row[5].split(' ').map(|goal| goal.parse().unwrap()).collect());
        if player.is_none_or(|player| players[role] == player) {
            counts[(1 - goals[role].cmp(&goals[1 - role]) as i32) as usize] += 1;
        }
    }
    counts
}

#[test]
fn results_are_reported_by_role() {
    let workspace = Workspace::new();
    let options = "--games games/tic_tac_toe.kif --players random uct --nodes 50 --rounds 3";
    let (status, printed, stderr) = workspace.run("out", options);
    assert_eq!(status, 0, "{stderr}");
    assert!(printed.contains("Results by role\n") && printed.contains("all players"), "{printed}");
    let results = workspace.read("out/results.csv");
    let roles = workspace.summary("out")["roles"].clone();
    let table = rows(&workspace.read("out/roles.csv"));
    assert_eq!((roles.as_array().unwrap().len(), table.len()), (6, 6));
    let mut place = 0;
    for (role, name) in ["crosses", "noughts"].into_iter().enumerate() {
        for player in [None, Some("random"), Some("uct")] {
            let (found, row) = (&roles[place], &table[place]);
            place += 1;
            assert_eq!((&found["role"], &found["player"]), (&name.into(), &player.into()));
            assert_eq!(row[..3], ["tic_tac_toe", name, player.unwrap_or_default()]);
            let counts = role_counts(&results, role, player);
            assert_eq!(counts.iter().sum::<u64>(), if player.is_none() { 6 } else { 3 });
            let keys = ["wins", "draws", "losses"].map(|key| found["score"][key].as_u64().unwrap());
            assert_eq!(keys, counts, "{name} {player:?}");
            assert_eq!(row[4..7], counts.map(|count| count.to_string()));
            let [wins, draws, losses] = counts.map(|count| count as f64);
            let matches = wins + draws + losses;
            assert_eq!(found["score"]["score"].as_f64().unwrap(), (wins + 0.5 * draws) / matches);
            // In this game a win gives 100 points and a draw 50.
            let goal = found["goal"]["mean"].as_f64().unwrap();
            assert!((goal - (100.0 * wins + 50.0 * draws) / matches).abs() < 1e-9, "{goal}");
        }
    }
}

#[test]
fn a_player_named_alone_or_twice_plays_against_itself() {
    let workspace = Workspace::new();
    let options =
        "--games games/tic_tac_toe.kif games/eight_puzzle.kif --nodes 50 --rounds 4 --max-steps 20 --players";
    let (status, printed, stderr) = workspace.run("alone", &format!("{options} uct"));
    assert_eq!(status, 0, "{stderr}");
    // A match against itself and one puzzle in each round.
    assert!(printed.ends_with("8 matches\n") && !printed.contains("Standings"), "{printed}");
    let summary = workspace.summary("alone");
    assert_eq!((&summary["pairings"], &summary["games"]), (&serde_json::json!([]), &serde_json::json!([])));
    let table = rows(&workspace.read("alone/roles.csv"));
    assert_eq!(table.len(), 4);
    assert_eq!(table[0][3..], table[1][3..], "one player has every role");
    assert_eq!((&table[0][3], &table[0][4], &table[0][6]), (&"4".to_owned(), &table[2][6], &table[2][4]));
    // The page has no warning that the player has no rating.
    assert!(!workspace.read("alone/report.html").contains("No rating"));

    let (status, _, stderr) = workspace.run("twice", &format!("{options} uct uct"));
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(workspace.results("twice"), workspace.results("alone"));
    let (status, _, stderr) = workspace.run("against", &format!("{options} uct --against uct"));
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(workspace.results("against"), workspace.results("alone"));

    let (status, _, stderr) = workspace.run("three", &format!("{options} random uct random"));
    assert_eq!(status, 0, "{stderr}");
    let table = rows(&workspace.read("three/roles.csv"));
    // In each round: two matches of `random` and `uct`, and one of `random` against itself.
    let matches: Vec<&str> = table.iter().map(|row| row[3].as_str()).collect();
    assert_eq!(matches, ["12", "8", "4", "12", "8", "4"]);
    let pairings = workspace.summary("three")["pairings"].clone();
    assert_eq!(pairings.as_array().unwrap().len(), 1, "{pairings}");
}

#[test]
fn matches_of_one_round_share_their_opening() {
    let workspace = Workspace::new();
    let options = "--games games/connect_four.kif --players random uct?nodes=5 --nodes 9 --rounds 4 --opening 3 --records";
    assert_eq!(workspace.run("out", options).0, 0);
    let opening = |number: u32| -> Value {
        let record: Value =
            serde_json::from_str(&workspace.read(&format!("out/matches/{number:06}.json"))).unwrap();
        record["moves"].as_array().unwrap()[..3].to_vec().into()
    };
    let all: Vec<Value> = (0..4).map(|round| opening(2 * round)).collect();
    (0..4).for_each(|round| assert_eq!(opening(2 * round + 1), all[round as usize]));
    assert!(all[1..].iter().any(|other| *other != all[0]));
}

#[test]
#[cfg(unix)]
fn an_interrupted_tournament_prints_its_results_and_how_to_resume() {
    let workspace = Workspace::new();
    let options = "--games games/nim.kif --players random uct?nodes=2000 --nodes 9 --rounds 100000";
    let child = workspace.command("out", options).spawn().unwrap();
    let log = workspace.path("out/log.jsonl");
    wait_until("four lines of the log", || lines(&log) >= 4);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let (printed, stderr) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(printed.starts_with("Standings\n") && printed.contains("; at most "), "{printed}");
    assert!(stderr.contains("to resume:") && stderr.contains(" 'uct?nodes=2000' "), "{stderr}");
    assert!(workspace.read("out/results.csv").lines().count() >= 4);
}

/// The lines of a log without times.
pub(crate) fn timeless(log: &str) -> Vec<String> {
    let line = |line: &str| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        if let Some(played) = value.get_mut("match").and_then(Value::as_object_mut) {
            played.remove("begun");
            played.remove("seconds");
        }
        value.to_string()
    };
    log.lines().map(line).collect()
}

/// Five parts, each in a process of its own, give the log of a run on one thread, even if parts are merged twice or in
/// another order.
#[test]
fn merged_parts_equal_one_run() {
    let workspace = Workspace::new();
    let options = format!("{SMALL} --rounds 3");
    workspace.run("whole", &format!("{options} --threads 1"));
    for part in [3, 1, 5, 2, 4] {
        let (status, printed, stderr) = workspace.run("parts", &format!("{options} --part {part}/5"));
        assert_eq!(status, 0, "{stderr}");
        assert!(printed.starts_with(&format!("part {part}/5: ")), "{printed}");
        assert!(!workspace.path("parts/log.jsonl").exists() && !workspace.path("parts/results.csv").exists());
    }
    let log = |part: u32| workspace.path(&format!("parts/part-{part}-of-5.jsonl")).display().to_string();
    let early = format!("{options} --merge {} {}", log(4), log(2));
    let (status, _, stderr) = workspace.run("half", &early);
    let matches = |path: PathBuf| lines(&path) as u64 - 1;
    let added = matches(log(4).into()) + matches(log(2).into());
    let missing = matches(workspace.path("whole/log.jsonl")) - added;
    let counted = |line: &str| numbers(line) == [added, missing] && line.contains("--merge");
    assert!(status == 0 && stderr.lines().any(counted), "{added}, {missing}: {stderr}");
    let all: Vec<String> = [5, 4, 3, 2, 1, 3].map(log).to_vec();
    let (status, _, stderr) = workspace.run("parts", &format!("{options} --merge {}", all.join(" ")));
    assert!(status == 0 && stderr.contains("added") && stderr.contains("known before"), "{stderr}");
    assert_eq!(timeless(&workspace.read("parts/log.jsonl")), timeless(&workspace.read("whole/log.jsonl")));
    assert_eq!(workspace.results("parts"), workspace.results("whole"));
    let (_, _, stderr) = workspace.run("parts", &format!("{options} --merge {}", log(1)));
    assert!(stderr.starts_with("0 matches added"), "{stderr}");
    assert_eq!(lines(&workspace.path("parts/log.jsonl")), lines(&workspace.path("whole/log.jsonl")));
    // The command plays the missing matches itself.
    let (status, _, _) = workspace.run("half", &options);
    assert_eq!(status, 0);
    assert_eq!(workspace.results("half"), workspace.results("whole"));
}

/// Parts do not apply the test that ends a pairing. Merging leaves out the matches after its decision.
#[test]
fn merging_applies_sequential_tests() {
    let workspace = Workspace::new();
    let options = "--games games/nim.kif --players random alphabeta:fuzzy --nodes 300 --rounds 40 --sprt 0,200,0.05,0.05";
    workspace.run("whole", &format!("{options} --threads 1"));
    let mut logs = Vec::new();
    for part in 1..=3 {
        let (status, _, stderr) = workspace.run("parts", &format!("{options} --part {part}/3"));
        assert_eq!(status, 0, "{stderr}");
        logs.push(workspace.path(&format!("parts/part-{part}-of-3.jsonl")).display().to_string());
    }
    let (status, _, stderr) = workspace.run("parts", &format!("{options} --merge {}", logs.join(" ")));
    let matches = |path: &Path| lines(path) as u64 - 1;
    let added = matches(&workspace.path("parts/log.jsonl"));
    let left_out = logs.iter().map(|log| matches(Path::new(log))).sum::<u64>() - added;
    let counted = |line: &str| numbers(line) == [added, left_out];
    assert!(status == 0 && left_out > 0 && stderr.lines().any(counted), "{added}, {left_out}: {stderr}");
    assert_eq!(timeless(&workspace.read("parts/log.jsonl")), timeless(&workspace.read("whole/log.jsonl")));
    assert_eq!(workspace.results("parts"), workspace.results("whole"));
}

#[test]
fn invalid_parts_and_logs_are_rejected() {
    let workspace = Workspace::new();
    let options = format!("{SMALL} --rounds 1");
    for (wrong, status, expected) in [
        ("--part 0/3", 2, "such as 2/8"),
        ("--part 1/2 --merge a", 2, "cannot be used with"),
        ("--merge nowhere.jsonl", 1, "nowhere.jsonl can't be read"),
    ] {
        let (found, _, stderr) = workspace.run("wrong", &format!("{options} {wrong}"));
        assert!(found == status && stderr.contains(expected), "{wrong}: {stderr}");
    }
    workspace.run("other", &format!("{options} --part 1/2 --seed 2"));
    let log = workspace.path("other/part-1-of-2.jsonl");
    let (status, _, stderr) = workspace.run("wrong", &format!("{options} --merge {}", log.display()));
    assert!(status == 1 && has_line(&stderr, &["seed", "2", "1"]), "{stderr}");
}

/// A fake command of a scheduler: it runs its job at once on this computer.
#[cfg(unix)]
fn fake_command(folder: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Job files work, with fake commands in workspace of those that send parts to other machines.
#[cfg(unix)]
#[test]
fn job_files_play_and_merge_all_parts() {
    run_job_files(&["slurm", "hyperqueue"]);
    for (wrong, expected) in
        [("analyze games/nim.kif --out x", "does not come in parts"), ("sweep games", "--out DIR")]
    {
        let mut command = Command::cargo_bin("ggp").unwrap();
        command.args(["cluster", "script", "slurm", "--parts", "7", "--"]).args(wrong.split(' '));
        let output = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && stderr.contains(expected), "{stderr}");
    }
}

#[cfg(unix)]
#[test]
#[cfg_attr(not(has_parallel), ignore = "GNU parallel is not installed")]
fn the_job_file_of_gnu_parallel_plays_and_merges_all_parts() {
    run_job_files(&["parallel"]);
}

#[cfg(unix)]
fn run_job_files(schedulers: &[&str]) {
    let workspace = Workspace::new();
    let commands = workspace.path("commands");
    std::fs::create_dir(&commands).unwrap();
    fake_command(&commands, "srun", "#!/bin/sh\nexec \"$@\"\n");
    let hyperqueue = r#"#!/bin/sh
while [ "$1" != -- ]; do [ "$1" = --array ] && range=$2; shift; done; shift
for number in $(seq "${range%-*}" "${range#*-}"); do HQ_TASK_ID=$number "$@" || exit 1; done
"#;
    fake_command(&commands, "hq", hyperqueue);
    let path = format!("{}:{}", commands.display(), std::env::var("PATH").unwrap());
    let binary = assert_cmd::cargo::cargo_bin("ggp");
    workspace.run("whole", &format!("{SMALL} --rounds 2 --threads 1"));
    for &scheduler in schedulers {
        let name = format!("by {scheduler}");
        let mut command = Command::cargo_bin("ggp").unwrap();
        command.args(["cluster", "script", scheduler, "--parts", "7", "--program"]).arg(&binary).arg("--");
        let options = format!("tournament {SMALL} --rounds 2 --out");
        let output = command.args(options.split_whitespace()).arg(workspace.path(&name)).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let script = workspace.path("job.sh");
        std::fs::write(&script, &output.stdout).unwrap();
        let tasks = if scheduler == "slurm" { vec![3, 1, 2, 7, 6, 5, 4, 0] } else { vec![0] };
        for task in tasks {
            let mut run = Command::new("bash");
            run.arg(&script).env("PATH", &path).env("SLURM_ARRAY_TASK_ID", task.to_string());
            let run = run.output().unwrap();
            assert!(run.status.success(), "{scheduler}: {}", String::from_utf8_lossy(&run.stderr));
        }
        assert_eq!(
            timeless(&workspace.read(&format!("{name}/log.jsonl"))),
            timeless(&workspace.read("whole/log.jsonl"))
        );
        assert_eq!(workspace.results(&name), workspace.results("whole"));
    }
}

/// Two players race; the role `random` rolls and has no rule for `goal`.
const CHANCE: &str = "(role red) (role blue) (role random) (init (at red 0)) (init (at blue 0)) (init (control red))
    (init (rolled none)) (face 1) (face 2) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 4)
    (<= (legal random (roll ?f)) (face ?f) (true (rolled none)))
    (<= (legal random noop) (not (true (rolled none))))
    (<= (legal ?p noop) (waits ?p)) (<= (waits red) (true (rolled none))) (<= (waits blue) (true (rolled none)))
    (<= (waits red) (true (control blue))) (<= (waits blue) (true (control red)))
    (<= (legal ?p advance) (true (control ?p)) (true (rolled ?f)) (face ?f))
    (<= (legal ?p stay) (true (control ?p)) (true (rolled ?f)) (face ?f))
    (<= (next (rolled ?f)) (does random (roll ?f))) (<= (next (rolled none)) (not (true (rolled none))))
    (<= (next (control ?p)) (true (control ?p)) (true (rolled none)))
    (<= (next (control red)) (true (control blue)) (not (true (rolled none))))
    (<= (next (control blue)) (true (control red)) (not (true (rolled none))))
    (<= (next (at ?p ?b)) (does ?p advance) (true (at ?p ?a)) (true (rolled 1)) (succ ?a ?b))
    (<= (next (at ?p ?c)) (does ?p advance) (true (at ?p ?a)) (true (rolled 2)) (succ ?a ?b) (succ ?b ?c))
    (<= (next (at ?p ?a)) (true (at ?p ?a)) (not (does ?p advance)))
    (<= terminal (true (at ?p 4)))
    (<= (goal ?p 100) (true (at ?p 4))) (<= (goal ?p 0) (true (at ?p ?a)) (distinct ?a 4))";

#[test]
fn the_role_random_needs_no_goal_value() {
    let workspace = Workspace::new();
    let game = workspace.path("chance.kif");
    std::fs::write(&game, CHANCE).unwrap();
    let options =
        format!("--games {} --players random uct --nodes 20 --rounds 2 --opening 0", game.display());
    let (status, _, stderr) = workspace.run("out", &options);
    assert_eq!(status, 0, "{stderr}");
    let standings = workspace.read("out/tournament.json");
    let standings: serde_json::Value = serde_json::from_str(&standings).unwrap();
    assert_eq!(standings["summary"]["unfinished"].as_array().map(Vec::len), Some(0), "{standings}");
    let simulated = std::process::Command::new(env!("CARGO_BIN_EXE_ggp"))
        .args(["simulate", "--playouts", "200", "--seed", "1", "--format", "json"])
        .arg(&game)
        .output()
        .unwrap();
    let simulated: serde_json::Value = serde_json::from_slice(&simulated.stdout).unwrap();
    let wins = |role: usize| simulated["simulation"]["roles"][role]["wins"]["count"].as_u64().unwrap();
    assert_eq!((wins(0) + wins(1), wins(2)), (200, 0), "{simulated}");
    assert_eq!(simulated["simulation"]["faults"].as_array().map(Vec::len), Some(0));
}
