//! Promise: the commonest mistakes on the command line get one message with what is wrong, where, and what to do, and the exit
//! status of the guide. `docs/guide/mistakes.md` lists them in its second part.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A mistake, and what is reported.
struct Mistake {
    title: &'static str,
    /// The words after `ggp`, separated by spaces.
    line: &'static str,
    exit: i32,
    /// The place: an option, a file with its line, or the wrong word.
    place: &'static str,
    /// A part of the remedy.
    remedy: &'static str,
    /// A variable of the environment with its value.
    variable: Option<(&'static str, &'static str)>,
    /// The text of `ggp.toml`.
    configuration: &'static str,
}

const fn mistake(
    title: &'static str,
    line: &'static str,
    exit: i32,
    place: &'static str,
    remedy: &'static str,
) -> Mistake {
    Mistake { title, line, exit, place, remedy, variable: None, configuration: "" }
}

const MISTAKES: &[Mistake] = &[
    mistake("a misspelt subcommand", "anlyze nim", 2, "anlyze", "analyze"),
    mistake("a misspelt option", "analyze nim --playout 5", 2, "--playout", "--playouts"),
    mistake("an unknown game", "show connect_fuor", 1, "connect_fuor", "connect_four"),
    mistake("a missing file", "analyze my_gam.kif", 1, "my_gam.kif", "my_game.kif"),
    mistake("a folder instead of a file", "simulate folder", 1, "folder", "name a file"),
    mistake(
        "an unknown player",
        "play nim --player left=alfabeta",
        2,
        "--player left=alfabeta",
        "`alphabeta`",
    ),
    mistake("a player without a role", "play nim --player uct", 1, "--player uct", "left=random"),
    mistake("a misspelt role", "play nim --player lfet=uct", 1, "--player lfet=uct", "`left`"),
    mistake(
        "a role given twice",
        "play nim --player left=uct --player left=random",
        1,
        "--player left=random",
        "remove one",
    ),
    mistake("an unknown function", "judge nim --functions fuzy", 1, "--functions fuzy", "`fuzzy`"),
    mistake("an unknown kind of function", "analyze nim --functions fuzy", 2, "--functions", "`fuzzy`"),
    mistake("an unknown option of a function", "eval nim fuzzy.left(nrom=product)", 2, "nrom", "`norm`"),
    mistake("an option of a function out of range", "eval nim fuzzy.left(p=2)", 2, "p", "0.5"),
    mistake("an unknown option of a player", "play nim --player left=uct?nods=9", 2, "nods", "`nodes`"),
    mistake(
        "a function for a player that takes none",
        "play nim --player left=random:fuzzy",
        2,
        "--player left=random:fuzzy",
        "random",
    ),
    mistake("a number out of range", "simulate nim --playouts 0", 2, "--playouts", "1.."),
    mistake("a negative number", "simulate nim --playouts -5", 2, "-5", "--"),
    mistake("a seed that is not a number", "simulate nim --seed x", 2, "--seed", "invalid digit"),
    mistake("an unknown format", "analyze nim --format yaml", 2, "--format", "table, json, csv"),
    mistake("a format for another use", "check nim --format csv", 2, "--format csv", "--ground"),
    mistake("a clock of 0", "play nim --play-clock 0", 2, "--play-clock", "above 0"),
    mistake(
        "a clock below the safety margin",
        "play nim --play-clock 0.01 --margin 0.02",
        2,
        "--play-clock 0.01",
        "longer clock",
    ),
    mistake(
        "no folder for results",
        "tournament --games nim --players uct random --nodes 10",
        2,
        "--out",
        "PATH",
    ),
    mistake("--out is a folder", "play nim --max-steps 2 --out folder", 1, "folder", "name a file"),
    mistake("--out is a file", "analyze nim --playouts 10 --out text", 1, "text", "name a folder"),
    mistake(
        "results of another tournament",
        "tournament --games nim --players uct random --nodes 20 --out results",
        1,
        "results/log.jsonl",
        "--fresh",
    ),
    mistake("broken JSON", "compare broken.json broken.json", 1, "broken.json", "line 2"),
    mistake(
        "a document of an unknown version",
        "compare newer.json newer.json",
        1,
        "newer.json",
        "ggp.analysis/",
    ),
    mistake(
        "a wrong address",
        "play nim --player left=https://localhost",
        1,
        "--player left=",
        "http://HOST:PORT",
    ),
    mistake(
        "a player that does not answer",
        "check --player 127.0.0.1:1",
        1,
        "127.0.0.1:1",
        "can't be reached",
    ),
    mistake(
        "a limit of states for a remote player",
        "play nim --player left=localhost:1 --nodes 10",
        2,
        "--nodes",
        "--play-clock",
    ),
    mistake("an unknown error code", "check --explain GDL999", 1, "--explain GDL999", "`GDL"),
    mistake("an unknown page of the guide", "guide frist_hour", 1, "frist_hour", "first_hour"),
    mistake("options that exclude each other", "games --quiet --verbose", 2, "--quiet", "--verbose"),
    Mistake {
        configuration: "sead = 5\n",
        ..mistake("an unknown key in ggp.toml", "simulate nim", 1, "ggp.toml", "`seed`")
    },
    Mistake {
        configuration: "[simulate]\nseed = \n",
        ..mistake("broken syntax in ggp.toml", "simulate nim", 1, "ggp.toml", "line 2")
    },
    Mistake {
        configuration: "[functions.fuzzy]\nnrom = \"product\"\n",
        ..mistake(
            "an unknown option of a function in ggp.toml",
            "simulate nim",
            1,
            "[functions.fuzzy]",
            "`norm`",
        )
    },
    Mistake {
        variable: Some(("GGP_SEED", "x")),
        ..mistake("a wrong variable of the environment", "simulate nim", 2, "GGP_SEED", "--seed")
    },
];

/// A folder with the files that the mistakes need.
fn prepared() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("folder")).unwrap();
    fs::write(path.join("text"), "").unwrap();
    fs::copy("games/nim.kif", path.join("my_game.kif")).unwrap();
    fs::write(path.join("broken.json"), "{\n\"schema\" }\n").unwrap();
    fs::write(path.join("newer.json"), "{\"schema\": \"ggp.analysis/99\"}\n").unwrap();
    let words = "tournament --games nim --players uct random --nodes 10 --rounds 1 --out results";
    assert!(ggp(path).args(words.split(' ')).output().unwrap().status.success());
    folder
}

fn ggp(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("ggp"));
    command.current_dir(folder).env("HOME", folder).env_remove("XDG_CONFIG_HOME").env("COLUMNS", "500");
    command
}

/// The exit status and the message of a mistake.
fn message(folder: &Path, mistake: &Mistake) -> (i32, String) {
    let configuration = folder.join("ggp.toml");
    if !mistake.configuration.is_empty() {
        fs::write(&configuration, mistake.configuration).unwrap();
    }
    let output = ggp(folder).args(mistake.line.split(' ')).envs(mistake.variable).output().unwrap();
    fs::remove_file(&configuration).ok();
    // The report of a tested player is a result and goes to standard output.
    let stdout = if mistake.line.starts_with("check --player") { output.stdout } else { Vec::new() };
    let text = String::from_utf8([output.stderr, stdout].concat()).unwrap();
    (output.status.code().unwrap(), text.trim().to_owned())
}

#[test]
fn every_mistake_is_reported_with_its_place_and_a_remedy() {
    let folder = prepared();
    let mut wrong = String::new();
    for mistake in MISTAKES {
        let (exit, text) = message(folder.path(), mistake);
        let panics = text.contains("panicked");
        let has_all = text.contains(mistake.place) && text.contains(mistake.remedy);
        if exit != mistake.exit || !has_all || panics {
            let _ = writeln!(wrong, "{}: ggp {}: exit {exit}\n{text}\n", mistake.title, mistake.line);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(MISTAKES.len() >= 25);
}

/// The second part of the page of mistakes.
pub(crate) fn section() -> String {
    let folder = prepared();
    let mut page = "\n## On the command line\n\n\
        `ggp` exits with status 1 for an input that can't be used and 2 for a wrong command line.\n\n\
        | mistake | command | status | message |\n|---|---|---|---|\n"
        .to_owned();
    for mistake in MISTAKES {
        let (exit, text) = message(folder.path(), mistake);
        let usual = |line: &&str| {
            !line.trim().is_empty()
                && !line.starts_with("Usage:")
                && !line.starts_with("For more information")
        };
        let text = text.lines().filter(usual).map(str::trim).collect::<Vec<_>>().join(" ");
        let text = text.strip_prefix("error: ").unwrap_or(&text).replace('|', "\\|");
        let variable = mistake.variable.map(|(name, value)| format!("{name}={value} ")).unwrap_or_default();
        let configuration = mistake.configuration.trim().replace('\n', "`, `");
        let configuration = if configuration.is_empty() {
            String::new()
        } else {
            format!(" with `{configuration}` in `ggp.toml`")
        };
        let line = format!("`{variable}ggp {}`{configuration}", mistake.line).replace('|', "\\|");
        let _ = writeln!(page, "| {} | {line} | {exit} | `` {text} `` |", mistake.title);
    }
    page
}
