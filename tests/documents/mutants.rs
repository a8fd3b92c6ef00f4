//! Every command ends for every description, with a result or a named error.
//!
//! The descriptions are mutated games: tokens and whole rules are deleted, repeated and exchanged. The test tries 200 of
//! them, each with the next of the commands that read rules.
//! `GGP_MUTANTS=2000 cargo test --test documents mutants:: -- --ignored` tries more, and `GGP_MUTANTS_FROM=N` begins with
//! number N.

use std::io::{Read, Seek};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::waiting::processor_time;

/// The processor time that a command may take. Processor time does not depend on other processes.
const LIMIT: Duration = Duration::from_secs(10);

/// The same for commands without an option that limits time. They analyse the game within counted limits first, which takes
/// tens of seconds for the largest games.
const LONG: Duration = Duration::from_secs(60);

/// The wall-clock limit as a multiple of the processor time, because a command that waits for ever takes no processor time.
const WAITING: u32 = 10;

/// The commands that read rules, with small limits. GAME is the mutated file, ROLE the first role of the original game, and
/// OUT a folder of the command's own.
const COMMANDS: &[&str] = &[
    "analyze GAME --threads 1 --seconds 0.2",
    "check GAME",
    "simulate GAME --threads 1 --seconds 0.1",
    "check GAME --ground --ground-seconds 1",
    "eval GAME fuzzy --role ROLE --threads 1 --playouts 20 --all-moves --mover ROLE",
    "play GAME --player ROLE=uct?nodes=20 --playouts 20 --threads 1 --start-clock 0.1 --play-clock 0.1 --max-steps 8",
    "solve GAME --seconds 0.3 --memory 16",
    "judge GAME --states 5 --playouts 2 --guided 1 --play 2 --best 1 --exact 1000 --max-steps 100 --threads 1",
    "simulate GAME --threads 1 --playouts 20 --max-steps 200 --backend relational",
    "replay GAME --against-each-other --playouts 20 --max-steps 200 --seconds 1 --threads 1",
    "analyze GAME --threads 1 --playouts 20 --memory 16MiB --proof-work 2000000 --format json",
    "tournament --games GAME --players random uct?nodes=10 --rounds 1 --nodes 10 --max-steps 8 --threads 1 --force \
     --out OUT",
    "bench GAME --rounds 1 --seconds-per-machine 0.05",
    "check GAME --ground --format csv --ground-seconds 1",
    "sweep GAME --seconds-per-game 4 --speeds 0 --playouts 20 --threads 1",
];

/// The tokens of a rule, or of other text at the top level.
type Rule = Vec<String>;

/// The rules of a text, each as its tokens.
fn rules(text: &str) -> Vec<Rule> {
    let mut tokens = Vec::new();
    for line in text.lines() {
        let code = line.split(';').next().unwrap_or_default();
        let spaced = code.replace('(', " ( ").replace(')', " ) ");
        tokens.extend(spaced.split_whitespace().map(str::to_owned));
    }
    let (mut rules, mut depth) = (vec![Rule::new()], 0);
    for token in tokens {
        depth += i32::from(token == "(") - i32::from(token == ")");
        rules.last_mut().unwrap().push(token);
        if depth == 0 {
            rules.push(Rule::new());
        }
    }
    rules.retain(|rule| !rule.is_empty());
    rules
}

/// The mutant with this number: the game that it comes from, and its text.
fn mutant(games: &[(PathBuf, Vec<Rule>)], number: u64) -> (PathBuf, String) {
    let mut random = ChaCha8Rng::seed_from_u64(number);
    let (path, original) = &games[random.random_range(0..games.len())];
    let mut rules = original.clone();
    for _ in 0..random.random_range(1..=8) {
        if rules.is_empty() {
            break;
        }
        let mut position = || {
            let rule = random.random_range(0..rules.len());
            (rule, random.random_range(0..rules[rule].len()))
        };
        let ((rule, token), (other, second)) = (position(), position());
        match random.random_range(0..8) {
            0 => drop(rules.remove(rule)),
            1 => rules.insert(other, rules[rule].clone()),
            2 => rules.swap(rule, other),
            3 => {
                let (_, foreign) = &games[random.random_range(0..games.len())];
                rules[rule] = foreign[random.random_range(0..foreign.len())].clone();
            }
            4 => drop(rules[rule].remove(token)),
            5 => {
                let repeated = rules[rule][token].clone();
                rules[rule].insert(token, repeated);
            }
            // Exchanges words only: balanced parentheses let more mutants pass the reader.
            _ => {
                let (from, to) = (rules[rule][token].clone(), rules[other][second].clone());
                if !"()".contains(&*from) && !"()".contains(&*to) {
                    rules[rule][token] = to;
                    rules[other][second] = from;
                }
            }
        }
        rules.retain(|rule| !rule.is_empty());
    }
    (path.clone(), rules.iter().map(|rule| rule.join(" ") + "\n").collect())
}

/// Whether a command has no option that limits its time.
fn unlimited(command: &str) -> bool {
    matches!(command, "judge" | "tournament" | "bench")
}

fn role(rules: &[Rule]) -> String {
    let named = |rule: &&Rule| rule.len() == 4 && rule[1] == "role";
    rules.iter().find(named).map_or("nobody".to_owned(), |rule| rule[2].clone())
}

/// Whether status 1 of a command can be a result instead of an error: `check` found errors in the rules or a game that is
/// too large for a network, or `sweep` could not analyse a game.
fn reports_by_status(command: &str) -> bool {
    matches!(command, "check" | "sweep")
}

/// The fault of a run; `None` if the command ends in time with an expected status.
fn fault(arguments: &[String]) -> Option<String> {
    let mut errors = tempfile::tempfile().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_ggp"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors.try_clone().unwrap())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        let limit = if unlimited(&arguments[0]) { LONG } else { LIMIT };
        if start.elapsed() > limit * WAITING || processor_time(child.id()).is_some_and(|time| time > limit) {
            child.kill().unwrap();
            child.wait().unwrap();
            return Some(format!("{arguments:?} did not end in {limit:?}"));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut stderr = String::new();
    errors.rewind().unwrap();
    errors.read_to_string(&mut stderr).unwrap();
    let ended_well = match status.code() {
        Some(0) => true,
        // Status 1 without an error reports a result about the description.
        Some(1) => stderr.contains("error") || reports_by_status(&arguments[0]),
        // Nothing is proved in so short a time.
        Some(5) => arguments[0] == "solve",
        _ => false,
    };
    (!ended_well).then(|| format!("{arguments:?}: {status}\n{stderr}"))
}

#[test]
#[ignore = "takes half a minute"]
fn every_command_ends_on_mutated_descriptions() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
    };
    let mut games: Vec<(PathBuf, Vec<Rule>)> = std::fs::read_dir("games")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "kif"))
        .map(|path| (path.clone(), rules(&std::fs::read_to_string(&path).unwrap())))
        .collect();
    games.sort();
    let folder = tempfile::tempdir().unwrap();
    let from = number("GGP_MUTANTS_FROM", 0);
    let tried: Vec<u64> = (from..from + number("GGP_MUTANTS", 200)).collect();
    let faults: Vec<String> = tried
        .into_par_iter()
        .filter_map(|number| {
            let (game, text) = mutant(&games, number);
            let path = folder.path().join(format!("{number}.kif"));
            std::fs::write(&path, &text).unwrap();
            let role = role(&games.iter().find(|(of, _)| *of == game).unwrap().1);
            let out = folder.path().join(format!("{number}-out"));
            let command = COMMANDS[(number % COMMANDS.len() as u64) as usize];
            let word = |word: &str| match word {
                "GAME" => path.display().to_string(),
                "OUT" => out.display().to_string(),
                _ => word.replace("ROLE", &role),
            };
            let found = fault(&command.split_whitespace().map(word).collect::<Vec<String>>())?;
            let kept = std::env::temp_dir().join(format!("ggp-mutant-{number}.kif"));
            std::fs::write(&kept, text).unwrap();
            Some(format!("mutant {number} of {}, kept as {}: {found}", game.display(), kept.display()))
        })
        .collect();
    assert!(faults.is_empty(), "{} mutants:\n{}", faults.len(), faults.join("\n"));
}
