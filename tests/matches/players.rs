//! Every list of players has all algorithms of the registry. An algorithm plays the games that it supports, rejects all
//! others with the reason, and respects its limits. `docs/players.md` agrees with the registry.
//!
//! `GGP_BLESS=1 cargo test --test matches players` writes the page again.

use assert_cmd::Command;
use ggp::analysis::{AnalysisContext, LoadedGame, Plan, analyze};
use ggp::arena::{
    ALGORITHMS, AlgorithmEntry, Clock, Conditions, FunctionUse, Match, Player, PlayerSpec, PrepareError,
    PreparedGame, make_player,
};
use ggp::catalog::{CatalogEntry, page};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};

use super::tournament::Workspace;
use crate::lines::has_line;

const INTRODUCTION: &str = "\
# Players

A player is a line of text: an algorithm, its evaluation functions if it uses any, and options: `algorithm`,
`algorithm:function`, `algorithm:function,option=value,option=value`. An option belongs either to the algorithm or to the
function; [functions.md](functions.md) has the options of functions. A switch is 1 or 0.

A function is one of these:

- a kind, such as `fuzzy`; of several functions of the kind, the one whose values correlate best with goal values in random play
- a name that `ggp analyze` lists
- the file of a document
- a folder with one document for each role, written with a `/`, such as `./learned`

Join several functions by `+` and put their options in parentheses. The options of the algorithm then follow a question mark:
`guct:fuzzy(norm=product)+statistical?prior=5`. Such a line needs quotation marks in a shell.

`ggp players` prints a short form of this list. In `ggp play`, `human` is you; `ggp play` and `ggp tournament` also accept the
addresses of remote players.

This page is generated from the registry of algorithms, `src/play/arena/algorithm/`, and the documentation of their files.
`GGP_BLESS=1 cargo test --test matches players` renews it.";

/// Games of every class: two roles in turns, two roles at once, three roles, one role.
const GAMES: [&str; 4] = ["tic_tac_toe", "rock_paper_scissors", "three_player_race", "towers_of_hanoi"];

/// A game that bidirectional search can play.
const TWO_ENDS: &str = "eight_puzzle";

fn game(name: &str) -> LoadedGame {
    let path = format!("games/{name}.kif");
    let source = Source::load(std::path::Path::new(&path)).unwrap();
    let loaded = load(read(&source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
    LoadedGame::new(path, &source, loaded)
}

fn prepare(game: &LoadedGame) -> PreparedGame<'_> {
    let plan = Plan { playouts: Some(300), ..Plan::default() };
    let analysis = analyze(&game.game(), &plan, &AnalysisContext::default()).unwrap();
    PreparedGame::new(game.machine(), analysis)
}

/// A player with `nodes=300`, if the algorithm has this option, so that it makes the same moves on every machine.
fn spec(entry: &AlgorithmEntry) -> PlayerSpec {
    let function = if entry.about().functions == FunctionUse::Named { ":fuzzy" } else { "" };
    let has_nodes = entry.options().iter().any(|option| option.name == "nodes");
    let nodes = if has_nodes { "?nodes=300" } else { "" };
    format!("{}{function}{nodes}", entry.name()).parse().unwrap()
}

/// The moves of a match in which the algorithm plays every role.
fn moves(
    game: &LoadedGame,
    prepared: &PreparedGame<'_>,
    entry: &AlgorithmEntry,
) -> Result<String, PrepareError> {
    let machine = game.machine();
    let mut players: Vec<Box<dyn Player + '_>> = Vec::new();
    for role in 0..game.roles().len() {
        players.push(Box::new(make_player(prepared, &spec(entry), role, 1)?));
    }
    let clock = Clock { start: Default::default(), play: None, margin: Default::default() };
    let conditions = Conditions { clock, nodes: None, most_steps: 50, seed: 1, opening: Vec::new() };
    let played_match = Match::play(machine, &mut players, &conditions, None, &mut |_| {}).unwrap();
    let all = played_match.moves.iter().flatten();
    assert!(all.clone().all(|played| played.fault.is_none()), "{}: {:?}", entry.name(), played_match.moves);
    Ok(all.map(|played| machine.move_text(played.action) + "\n").collect())
}

#[test]
fn every_algorithm_plays_its_games_and_refuses_all_others() {
    for name in GAMES {
        let game = game(name);
        let prepared = prepare(&game);
        let (roles, teams) = (game.roles().len(), prepared.structures().teams.len());
        for entry in ALGORITHMS {
            let games = entry.about().games;
            let fits = games.have_teams(teams) && games.have_roles(roles);
            match moves(&game, &prepared, entry) {
                Ok(first) => {
                    assert!(fits, "{} plays {name}, which is none of its games", entry.name());
                    assert!(!first.is_empty());
                    let again = moves(&game, &prepared, entry).unwrap();
                    assert_eq!(first, again, "{} plays {name} the same with as many nodes", entry.name());
                }
                // The goal must determine the whole state, which does not depend on roles and teams.
                Err(PrepareError::BackwardSearchError(_)) => assert_eq!(entry.name(), "bidirectional"),
                Err(error) => {
                    assert!(!fits, "{} does not play {name}: {error}", entry.name());
                    let text = error.to_string();
                    let fitting = ALGORITHMS.iter().filter(|entry| {
                        let games = entry.about().games;
                        games.have_teams(teams) && games.have_roles(roles)
                    });
                    for entry in fitting {
                        assert!(text.contains(entry.name()), "{text} names {}", entry.name());
                    }
                }
            }
        }
    }
    let game = game(TWO_ENDS);
    let entry = ALGORITHMS.iter().find(|entry| entry.name() == "bidirectional").unwrap();
    assert!(!moves(&game, &prepare(&game), entry).unwrap().is_empty());
}

#[test]
fn option_limits_are_respected() {
    let game = game("towers_of_hanoi");
    let prepared = prepare(&game);
    for entry in ALGORITHMS.iter().filter(|entry| entry.about().games.have_teams(1)) {
        let options = entry.options();
        let mut line = spec(entry).to_string().split(['?', ',']).next().unwrap().to_owned();
        let limits: Vec<&str> =
            ["depth", "nodes"].into_iter().filter(|limit| options.iter().any(|o| o.name == *limit)).collect();
        let options: Vec<String> = limits.iter().map(|limit| format!("{limit}=7")).collect();
        if !options.is_empty() {
            line += &format!(",{}", options.join(","));
        }
        let spec: PlayerSpec = line.parse().unwrap();
        let player = match make_player(&prepared, &spec, 0, 1) {
            Ok(player) => player,
            Err(PrepareError::BackwardSearchError(_)) => continue,
            Err(error) => panic!("{line}: {error}"),
        };
        assert_eq!(player.name, line);
        assert_eq!(player.depth.is_some(), limits.contains(&"depth"), "{line}");
        assert_eq!(player.nodes.is_some(), limits.contains(&"nodes"), "{line}");
        assert_eq!(player.is_limited(), player.is_instant || !limits.is_empty(), "{line}");
    }
}

#[test]
fn greedy_wins_at_once_and_reports_move_values() {
    let game = game("tic_tac_toe");
    let prepared = prepare(&game);
    let machine = game.machine();
    let mut cursor = machine.cursor();
    let legal = |role: usize, text: &str, cursor: &mut dyn ggp::machine::Cursor| {
        let found = cursor.legal(role).iter().copied().find(|&action| machine.move_text(action) == text);
        found.unwrap_or_else(|| panic!("{text} is legal"))
    };
    // Two marks in a row for the first role, who moves next.
    let names: Vec<String> = cursor.legal(0).iter().map(|&action| machine.move_text(action)).collect();
    let own: Vec<String> = [0, 1].iter().map(|&index: &usize| names[index].clone()).collect();
    let others: Vec<String> = [3, 4].iter().map(|&index: &usize| names[index].clone()).collect();
    for (own, other) in own.iter().zip(&others) {
        for (role, text) in [(0, own), (1, other)] {
            let mut joint = vec![cursor.legal(0)[0], cursor.legal(1)[0]];
            joint[role] = legal(role, text, &mut *cursor);
            cursor.advance(&joint).unwrap();
        }
    }
    let mut player = make_player(&prepared, &"greedy:fuzzy".parse().unwrap(), 0, 1).unwrap();
    let found = player.choose(cursor.state(), &Default::default()).unwrap();
    assert_eq!(machine.move_text(found.action.unwrap()), names[2]);
    assert_eq!((found.value, found.proved, found.depth), (Some(100.0), true, 1));
    assert_eq!(found.nodes, 5, "one child for each of the cells that are left");
}

#[test]
fn greedy_evaluates_all_joint_moves() {
    let game = game("rock_paper_scissors");
    let prepared = prepare(&game);
    let mut player = make_player(&prepared, &"greedy:fuzzy".parse().unwrap(), 0, 1).unwrap();
    let found = player.choose(game.machine().initial(), &Default::default()).unwrap();
    assert_eq!(found.nodes, 9, "three moves against three");
    assert!(!found.proved);
}

#[test]
fn the_command_line_lists_every_algorithm_and_option() {
    let run = |arguments: &[&str]| {
        let output = Command::cargo_bin("ggp").unwrap().args(arguments).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let listed = run(&["players"]);
    for entry in ALGORITHMS {
        let chapter = listed.split(&format!("{}\n", entry.line())).nth(1).unwrap();
        for option in entry.options() {
            assert!(chapter.contains(option.name), "`ggp players` lists {} of {}", option.name, entry.name());
        }
    }
    for command in ["play", "serve", "tournament"] {
        let help = run(&[command, "--help"]);
        for entry in ALGORITHMS {
            assert!(help.contains(&entry.line()), "`ggp {command} --help` lists {}", entry.name());
        }
    }
}

#[test]
fn the_page_agrees_with_the_registry() {
    let entries = ALGORITHMS.iter().map(|entry| entry as &dyn CatalogEntry);
    let page = page(INTRODUCTION, entries);
    let file = "docs/players.md";
    if std::env::var_os("GGP_BLESS").is_some() {
        std::fs::write(file, &page).unwrap();
    }
    let kept = std::fs::read_to_string(file).unwrap_or_default();
    assert!(kept == page, "{file} is stale: run `GGP_BLESS=1 cargo test --test matches players`");
}

/// A player may name a folder of documents, one for the function of each role. A missing or duplicate document is an error.
#[test]
fn a_folder_provides_one_function_per_role() {
    let workspace = Workspace::new();
    let learned = workspace.path("learned");
    let shown = learned.display();
    let output = Command::cargo_bin("ggp")
        .unwrap()
        .args(["learn", "games/tic_tac_toe.kif", "--work", "1", "--out"])
        .arg(&learned)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let options = format!(
        "--games games/tic_tac_toe.kif --players alphabeta:{shown} random --nodes 100 --rounds 5 --threads 1"
    );
    let (status, printed, stderr) = workspace.run("played", &options);
    assert_eq!(status, 0, "{stderr}");
    assert!(printed.contains("10 matches"), "{printed}");
    let document = learned.join("learned.noughts.json");
    let copy = learned.join("another.json");
    std::fs::copy(&document, &copy).unwrap();
    let (status, _, stderr) = workspace.run("twice", &options);
    assert!(
        status == 1 && stderr.contains("another.json") && stderr.contains("learned.noughts.json"),
        "{stderr}"
    );
    [document, copy].iter().for_each(|file| std::fs::remove_file(file).unwrap());
    let (status, _, stderr) = workspace.run("missing", &options);
    assert!(
        status == 1 && stderr.contains(&shown.to_string()) && has_line(&stderr, &["noughts"]),
        "{stderr}"
    );
}
