//! In a shell, games have names, options can be configured, `ggp config` prints the origin of each value, and a closed pipe
//! is not an error. Completions and manual pages are complete, and the examples in help texts run.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

use crate::command_line::subcommands;
use crate::lines::has_line;
use crate::nats::Server as Nats;

/// The program in a folder, without the developer's own configuration.
fn ggp(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("ggp"));
    command.current_dir(folder).env("HOME", folder).env_remove("XDG_CONFIG_HOME").stdin(Stdio::null());
    command
}

fn empty() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    texts(&ggp(folder).args(arguments).output().unwrap())
}

fn texts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[test]
fn games_are_found_by_name_in_every_folder() {
    let folder = empty();
    let (status, drawn, _) = run(folder.path(), &["show", "tic_tac_toe", "--playouts", "100"]);
    assert!(status == 0 && drawn.contains("tic_tac_toe"), "{drawn}");

    // A configured folder has precedence over `games/`.
    let (_, rules, _) = run(folder.path(), &["games", "nim"]);
    fs::create_dir(folder.path().join("games")).unwrap();
    fs::create_dir(folder.path().join("archive")).unwrap();
    fs::write(folder.path().join("games/nim.kif"), format!("; mine\n{rules}")).unwrap();
    assert!(run(folder.path(), &["games", "nim"]).1.starts_with("; mine"));
    fs::write(folder.path().join("archive/nim.kif"), format!("; kept\n{rules}")).unwrap();
    fs::write(folder.path().join("ggp.toml"), "game-folders = [\"archive\"]\n").unwrap();
    assert!(run(folder.path(), &["games", "nim"]).1.starts_with("; kept"));
    // A subfolder finds the file too; the folders in it are relative to the file.
    let below = folder.path().join("below");
    fs::create_dir(&below).unwrap();
    assert!(run(&below, &["games", "nim"]).1.starts_with("; kept"));
    assert_eq!(run(&below, &["--no-config", "games", "nim"]).1, rules);
    assert_eq!(run(&below, &["--config", "../ggp.toml", "games", "hex"]).0, 0);
    // A file in the current folder has precedence over all others.
    fs::write(below.join("nim.kif"), "; here\n").unwrap();
    assert!(run(&below, &["games", "nim"]).1.starts_with("; here"));

    let (status, _, stderr) = run(folder.path(), &["show", "connect_fuor"]);
    assert!(status == 1 && stderr.contains("`connect_four`"), "{stderr}");
    let (status, text, _) = run(folder.path(), &["check", "games/mim.kif"]);
    assert!(status == 1 && text.contains("games/nim.kif"), "{text}");
}

#[test]
fn rules_are_read_from_standard_input() {
    let folder = empty();
    let (_, rules, _) = run(folder.path(), &["games", "tic_tac_toe"]);
    fs::write(folder.path().join("rules"), rules).unwrap();
    let piped = |arguments: &[&str]| {
        let file = fs::File::open(folder.path().join("rules")).unwrap();
        texts(&ggp(folder.path()).args(arguments).stdin(file).output().unwrap())
    };
    let (status, text, stderr) = piped(&["simulate", "-", "--playouts", "100"]);
    assert!(status == 0 && text.contains("stdin"), "{text}{stderr}");
    let (status, _, stderr) = piped(&["show", "-", "--moves", "-"]);
    assert!(status == 1 && stderr.contains("given twice"), "{stderr}");
}

#[test]
fn config_layers_options_and_shows_their_origin() {
    let folder = empty();
    fs::write(folder.path().join("ggp.toml"), "seed = 5\n[simulate]\nplayouts = 50\n").unwrap();
    let simulated = |command: &mut Command, arguments: &[&str]| {
        let output = command.args(["simulate", "nim", "--format", "json"]).args(arguments).output().unwrap();
        let (status, text, stderr) = texts(&output);
        assert_eq!(status, 0, "{stderr}");
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        (found["simulation"]["seed"].clone(), found["simulation"]["playouts"].clone())
    };
    let wanted = |seed: u64, playouts: u64| (seed.into(), playouts.into());
    assert_eq!(simulated(&mut ggp(folder.path()), &[]), wanted(5, 50));
    assert_eq!(simulated(ggp(folder.path()).env("GGP_SEED", "6"), &[]), wanted(6, 50));
    assert_eq!(
        simulated(ggp(folder.path()).env("GGP_SIMULATE_SEED", "7").env("GGP_SEED", "6"), &[]),
        wanted(7, 50)
    );
    assert_eq!(simulated(ggp(folder.path()).env("GGP_SEED", "6"), &["--seed", "8"]), wanted(8, 50));
    assert_eq!(simulated(&mut ggp(folder.path()), &["--no-config", "--playouts", "40"]), wanted(1, 40));

    // An option on the command line overrides a configured option that it excludes.
    let mut timed = ggp(folder.path());
    let output = timed.args(["simulate", "nim", "--seconds", "0.2", "--format", "json"]).output().unwrap();
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["simulation"]["playouts"].as_u64().unwrap() != 50, "{found}");

    let mut command = ggp(folder.path());
    let (_, text, _) = texts(
        &command
            .env("GGP_MAX_STEPS", "9")
            .args(["config", "simulate", "nim", "--threads", "1"])
            .output()
            .unwrap(),
    );
    for (option, value, from) in [
        ("--seed", "5", "ggp.toml"),
        ("--playouts", "50", "ggp.toml"),
        ("--max-steps", "9", "GGP_MAX_STEPS"),
        ("--threads", "1", "command line"),
        ("--format", "table", "default"),
    ] {
        let line = text.lines().find(|line| line.trim_start().starts_with(&format!("{option} "))).unwrap();
        assert!(line.contains(value) && line.ends_with(from), "{line}");
    }

    for (wrong, status, what) in [
        ("sead = 5", 1, "did you mean `seed`"),
        ("[simulat]\nseed = 5", 1, "did you mean `simulate`"),
        ("[simulate]\nplayout = 5", 1, "did you mean `playouts`"),
        ("seed = \"x\"", 2, "the value is from ggp.toml"),
        ("seed = ", 1, "is not valid TOML"),
    ] {
        fs::write(folder.path().join("ggp.toml"), wrong).unwrap();
        let (found, _, stderr) = run(folder.path(), &["simulate", "nim", "--playouts", "10"]);
        assert!(found == status && stderr.contains(what), "{wrong}: {found} {stderr}");
    }
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = empty();
    for arguments in
        [&["games"][..], &["analyze", "nim", "tic_tac_toe", "--playouts", "200"], &["--help"], &["man"]]
    {
        let mut child =
            ggp(folder.path()).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("error") && !stderr.contains("panic"), "{arguments:?}: {stderr}");
    }
}

#[test]
fn quiet_and_verbose_control_the_messages() {
    let folder = empty();
    let out = ["show", "nim", "--playouts", "50", "--out", "page.html"];
    let messages = |more: &[&str]| run(folder.path(), &[&out[..], more].concat()).2;
    assert!(messages(&[]).contains("written to page.html"));
    assert_eq!(messages(&["--quiet"]), "");
    assert!(has_line(&run(folder.path(), &["-q", "show", "no_such"]).2, &["error", "no_such"]));
    let verbose = messages(&["-v"]);
    assert!(verbose.contains("game nim: built in") && verbose.contains("took "), "{verbose}");
    assert_eq!(run(folder.path(), &["-q", "-v", "games"]).0, 2);
}

#[test]
fn colour_needs_a_terminal_or_an_option() {
    let folder = empty();
    let coloured = |arguments: &[&str]| {
        run(folder.path(), &[&["show", "nim", "--playouts", "50"], arguments].concat()).1.contains('\u{1b}')
    };
    assert!(!coloured(&[]) && coloured(&["--color", "always"]) && !coloured(&["--color", "never"]));
    assert!(!coloured(&["--color", "always", "--plain"]));
    let help = |arguments: &[&str]| run(folder.path(), arguments).1.contains('\u{1b}');
    assert!(help(&["--color=always", "--help"]) && !help(&["--help"]));
}

#[test]
fn completions_offer_commands_games_and_options() {
    let folder = empty();
    fs::write(folder.path().join("tic_mine.kif"), "").unwrap();
    fs::write(folder.path().join("mine.json"), "{}").unwrap();
    let completed = |words: &[&str]| {
        let output = ggp(folder.path()).env("COMPLETE", "fish").arg("--").args(words).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let has = |words: &[&str], wanted: &[&str]| {
        let found = completed(words);
        assert!(wanted.iter().all(|wanted| found.iter().any(|one| one == wanted)), "{words:?}: {found:?}");
    };
    has(&["ggp", "analyze", "tic_"], &["tic_tac_toe", "tic_tic_toe", "tic_mine.kif"]);
    has(&["ggp", "serve", "--player", "alpha"], &["alphabeta"]);
    has(&["ggp", "serve", "--player", "alphabeta:f"], &["alphabeta:fuzzy"]);
    has(&["ggp", "play", "nim", "--player", "left=uc"], &["left=uct"]);
    has(&["ggp", "eval", "nim", "m"], &["mobility", "mine.json"]);
    has(&["ggp", "check", "--explain", "GDL00"], &["GDL007"]);
    has(&["ggp", "guide", "ref"], &["reference"]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (status, script, _) = run(folder.path(), &["completions", shell]);
        assert!(status == 0 && script.contains("COMPLETE"), "{shell}: {script}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = empty();
    assert_eq!(run(folder.path(), &["man", "--out", "man"]).0, 0);
    for name in subcommands() {
        let page = fs::read_to_string(folder.path().join(format!("man/ggp-{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS") && page.contains("Examples:"), "{name}: {page}");
    }
    assert!(run(folder.path(), &["man", "analyze"]).1.contains(".TH ggp-analyze 1"));
    assert!(run(folder.path(), &["man", "analyse"]).2.contains("`analyze`"));
    let (status, text, _) = run(folder.path(), &["guide", "reference"]);
    assert_eq!((status, text), (0, fs::read_to_string("docs/guide/reference.md").unwrap()));
}

/// The server that examples name.
const CLUSTER: &str = "nats://localhost:4222";

/// A process that runs until the test ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Starts a server, and returns its address.
fn serve(folder: &Path, words: &[&str]) -> (Server, String) {
    let mut server = Server(ggp(folder).args(words).stdout(Stdio::piped()).spawn().unwrap());
    let mut line = Vec::new();
    let out = server.0.stdout.as_mut().unwrap();
    let mut byte = [0];
    while out.read(&mut byte).unwrap() == 1 && byte[0] != b'\n' {
        line.push(byte[0]);
    }
    let line = String::from_utf8(line).unwrap();
    let address = line.rsplit("http://").next().unwrap().to_owned();
    (server, address)
}

/// The first example of each command runs in a folder with the games and the example study.
#[test]
fn examples_of_help_texts_run() {
    let folder = empty();
    let path = folder.path();
    fs::create_dir_all(path.join("docs/guide")).unwrap();
    fs::create_dir(path.join("games")).unwrap();
    for name in ["tic_tac_toe", "nim", "hex", "connect_four"] {
        fs::copy(format!("games/{name}.kif"), path.join(format!("games/{name}.kif"))).unwrap();
    }
    fs::copy("docs/guide/study.toml", path.join("docs/guide/study.toml")).unwrap();
    for out in ["before", "after"] {
        assert_eq!(run(path, &["analyze", "nim", "--playouts", "100", "--out", out]).0, 0);
    }
    let (_server, address) = serve(path, &["serve", "--player", "random", "--port", "0"]);
    let nats = cfg!(has_nats).then(|| Nats::start(&[]));
    for name in subcommands() {
        if name == "worker" && nats.is_none() {
            continue;
        }
        let (_, help, _) = run(path, &[&name, "--help"]);
        let examples = help.split("Examples:\n").nth(1).unwrap_or_else(|| panic!("{name} has no examples"));
        let first = examples.lines().find_map(|line| line.strip_prefix(&format!("  ggp {name}"))).unwrap();
        let first =
            first.split([' ']).take_while(|word| !["|", ">"].contains(word)).collect::<Vec<_>>().join(" ");
        let words = shlex::split(&format!("{name}{first}").replace("localhost:9147", &address)).unwrap();
        let served = |word: String| word.replace(CLUSTER, &nats.as_ref().map_or(CLUSTER.into(), Nats::url));
        let words: Vec<String> = words.into_iter().map(served).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if name == "serve" {
            let (_, address) = serve(path, &[&words[..], &["--port", "0"]].concat());
            assert!(address.contains(':'), "{words:?}");
            continue;
        }
        let (status, _, stderr) = run(path, &words);
        assert_eq!(status, 0, "{words:?}: {stderr}");
    }
}

/// Nouns that appear with a count.
const COUNTED: [&str; 18] = [
    "steps",
    "states",
    "moves",
    "playouts",
    "games",
    "matches",
    "functions",
    "features",
    "facts",
    "lemmas",
    "rounds",
    "warnings",
    "errors",
    "threads",
    "samples",
    "processors",
    "elements",
    "descriptions",
];

/// Places with `1 states` and the like. `0 to 1 facts` is a range and is correct.
fn disagreements(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // Two spaces separate the columns of a table.
    for part in text.lines().flat_map(|line| line.split("  ")) {
        let trimmed = |word: &str| word.trim_matches([',', ';', ':', '.', '(', ')']).to_owned();
        let words: Vec<String> = part.split_whitespace().map(trimmed).collect();
        for (index, _) in words.iter().enumerate().filter(|(_, word)| *word == "1") {
            let range = index > 0 && words[index - 1] == "to";
            let adjectives = ["random", "joint", "terminal", "more", "other"];
            let noun = words[index + 1..].iter().find(|word| !adjectives.contains(&word.as_str()));
            if noun.is_some_and(|noun| COUNTED.contains(&noun.as_str())) && !range {
                found.push(part.to_owned());
            }
        }
    }
    found
}

#[test]
fn counts_agree_in_number() {
    assert_eq!(disagreements("1 steps in all, 1 joint moves; 0 to 1 facts; seed 1  states 2").len(), 2);
    let folder = empty();
    for arguments in [
        &["analyze", "nim", "--playouts", "1"][..],
        &["analyze", "tic_tac_toe", "--playouts", "1", "--max-steps", "1"],
        &["analyze", "rock_paper_scissors", "--playouts", "2", "--effort", "0", "--all"],
        &["simulate", "nim", "--playouts", "1", "--max-steps", "1", "--threads", "1"],
        &["show", "tic_tac_toe", "--moves", "(draw 2 2)", "--playouts", "10"],
        &["judge", "nim", "--functions", "fuzzy", "--states", "1", "--play", "1", "--guided", "1"],
        &["solve", "rock_paper_scissors"],
        &["check", "tic_tac_toe"],
        &["play", "nim", "--max-steps", "1"],
    ] {
        let (_, text, stderr) = run(folder.path(), arguments);
        assert_eq!(disagreements(&(text + &stderr)), Vec::<String>::new(), "{arguments:?}");
    }
    for page in fs::read_dir("docs/guide").unwrap() {
        let text = fs::read_to_string(page.unwrap().path()).unwrap();
        assert_eq!(disagreements(&text), Vec::<String>::new());
    }
}

#[test]
fn tables_fit_eighty_columns_without_broken_names() {
    let folder = empty();
    for (game, names) in [
        ("connect_four", &["statistical.red", "disc/3", "strong winnability"][..]),
        ("tic_tac_toe", &["statistical.crosses", "fuzzy.noughts"]),
        ("nim", &["successor/2", "statistical.right"]),
    ] {
        let mut command = ggp(folder.path());
        let output = command
            .env("COLUMNS", "80")
            .args(["analyze", game, "--playouts", "500", "--effort", "0", "--all"])
            .output()
            .unwrap();
        let (_, text, stderr) = texts(&output);
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{wide:#?}");
        for name in names {
            assert!(text.contains(name), "{game}: `{name}` is broken\n{text}");
        }
    }
    for arguments in [
        &["check", "--explain"][..],
        &["players"],
        &["games"],
        &["show", "chess", "--playouts", "20"],
        &["judge", "nim", "--states", "10", "--play", "10", "--functions", "fuzzy"],
        &["config", "analyze"],
    ] {
        let output = ggp(folder.path()).env("COLUMNS", "80").args(arguments).output().unwrap();
        let (_, text, _) = texts(&output);
        let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{arguments:?}: {wide:#?}");
    }
    let (_, text, _) = run(
        folder.path(),
        &["--plain", "analyze", "nim", "--playouts", "200", "--effort", "0", "--evidence"],
    );
    assert!(text.lines().any(|line| line.chars().count() > 120), "rows are on one line each\n{text}");
}

/// The package contains all files that the build script and the templates need, so that `cargo install` works.
#[test]
fn the_package_contains_all_build_inputs() {
    let mut cargo = Command::new(option_env!("CARGO").unwrap_or("cargo"));
    let output = cargo.args(["package", "--list", "--allow-dirty", "--offline"]).output().unwrap();
    let (status, files, stderr) = texts(&output);
    assert_eq!(status, 0, "{stderr}");
    let files: Vec<&str> = files.lines().collect();
    for file in [
        "build.rs",
        "askama.toml",
        "games/nim.kif",
        "docs/guide/first_hour.md",
        "src/report/html/templates/base.html",
        "README.md",
        "LICENSE-MIT",
    ] {
        assert!(files.contains(&file), "{file} is not in the package");
    }
    assert!(
        !files.iter().any(|file| file.starts_with("reports/") || file.starts_with("tests/")),
        "{files:?}"
    );
}
