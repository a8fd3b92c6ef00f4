//! Promise: the verdict fits on a screen, is the same on any number of threads, and agrees with known values of games.

use ggp::analysis::{AnalysisContext, Kinds, LoadedGame, Plan, analyze};
use ggp::report::analysis::Analysis;
use ggp::report::board::Boards;
use ggp::report::layout::Layout;
use ggp::report::verdict::{InitialBoard, MOST_LINES, WIDTH, render};
use ggp::verdict::{Verdict, begin_verdict, give_verdict};

const LAYOUT: Layout = Layout { width: 80, colour: false };

/// A hundredth of the usual work is enough for the form of a verdict.
const LITTLE: f64 = 0.01;

fn plan(threads: usize) -> Plan {
    Plan {
        threads,
        playouts: Some(2_000),
        kinds: Kinds::NONE,
        function_statistics: false,
        proof_work: 200_000,
        search_nodes: 0,
        ..Plan::default()
    }
}

fn judged(name: &str, effort: f64, threads: usize) -> Analysis {
    judged_file(&format!("games/{name}.kif"), effort, threads)
}

fn judged_file(path: &str, effort: f64, threads: usize) -> Analysis {
    judged_with_board(path, effort, threads).0
}

fn judged_with_board(path: &str, effort: f64, threads: usize) -> (Analysis, InitialBoard) {
    let game = LoadedGame::open(path).expect("the game can be read");
    let plan = plan(threads);
    let found = analyze(&game.game(), &plan, &AnalysisContext::default()).expect("the game can be analysed");
    let begun = begin_verdict(&game.game(), &found, &plan, effort, None);
    let given =
        give_verdict(begun, &game.game(), &found, &plan, effort, None).expect("the game can be played");
    let mut analysis = Analysis::new(path.as_ref(), &found, &[], game.machine());
    analysis.verdict = Some(given.verdict);
    let boards = Boards::new(&game.game(), &found.structures, &analysis.structures);
    let board = InitialBoard::new(&boards, game.machine().initial(), LAYOUT);
    (analysis, board)
}

fn verdict(name: &str, effort: f64) -> Verdict {
    judged(name, effort, 0).verdict.expect("it was given")
}

fn games() -> Vec<String> {
    let entries = std::fs::read_dir("games").expect("the folder exists");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "kif"))
        .map(|path| path.file_stem().expect("it has a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_block_fits_on_a_screen() {
    let own = games().into_iter().map(|name| format!("games/{name}.kif"));
    // The games of the corpus have up to six roles and large boards.
    let others = std::env::var("GGP_CORPUS").into_iter().flat_map(|corpus| {
        ["knightwar", "crossers3"]
            .map(|name| format!("{corpus}/more/games/{name}.kif"))
            .into_iter()
            .chain(
                ["tictactoe_3d_6player", "cubicup_3player"].map(|name| format!("{corpus}/open/{name}.kif")),
            )
            .collect::<Vec<_>>()
    });
    for name in own.chain(others) {
        let (analysis, board) = judged_with_board(&name, LITTLE, 0);
        let text = render(&analysis, &board, LAYOUT);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() <= MOST_LINES, "{name}: {} lines\n{text}", lines.len());
        let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= WIDTH, "{name}: {widest} columns\n{text}");
    }
}

/// Conditions that follow from the network are found from sampled states if there is none.
#[test]
fn games_without_a_network_have_a_verdict() {
    for name in ["tic_tac_toe", "breakthrough", "nim", "hex", "peg_solitaire"] {
        let mut command = assert_cmd::Command::cargo_bin("ggp").unwrap();
        command.args(["analyze", &format!("games/{name}.kif"), "--backend", "relational"]);
        command.args(["--effort", "0", "--playouts", "200", "--format", "json"]);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let winning = found["verdict"]["winning"].as_array().expect("it is a list");
        assert_eq!(found["game"]["machine"], "relational", "{name}");
        assert_eq!(winning.len(), found["game"]["roles"].as_array().unwrap().len(), "{name}");
    }
}

#[test]
fn threads_do_not_change_a_verdict() {
    for name in ["connect_four_4x4", "three_player_race", "eight_puzzle"] {
        let of = |threads| serde_json::to_string(&judged(name, LITTLE, threads).verdict).expect("it is data");
        assert_eq!(of(1), of(2), "{name}");
    }
}

#[test]
fn best_play_is_that_of_solved_games() {
    let values = |name: &str| verdict(name, 1.0).best_play.map(|best| (best.solved, best.values));
    assert_eq!(values("tic_tac_toe"), Some((true, vec![Some(50.0), Some(50.0)])));
    assert_eq!(values("nim"), Some((true, vec![Some(0.0), Some(100.0)])));
    assert_eq!(values("rock_paper_scissors"), Some((true, vec![Some(50.0), Some(50.0)])));
    let hanoi = verdict("towers_of_hanoi", 1.0).best_play.expect("it was searched");
    assert_eq!((hanoi.values, hanoi.length, hanoi.shortest), (vec![Some(100.0)], Some(31), true));
}

#[test]
fn first_moves_of_a_solved_game_are_exact() {
    let first = verdict("tic_tac_toe", 1.0).first_moves.expect("crosses begins");
    assert_eq!((first.role.as_str(), first.proved, first.moves.len()), ("crosses", true, 9));
    assert!(first.moves.iter().all(|of| of.value == 50.0));
    assert!(verdict("rock_paper_scissors", LITTLE).first_moves.is_none(), "both begin");
}

#[test]
fn search_beats_random_play_and_more_search_beats_search() {
    let found = verdict("connect_four", 1.0);
    let random = found.against_random.expect("games were played");
    assert!(random.low > 0.5, "{random:?}");
    let more = found.more_search.expect("games were played");
    assert!(more.score > 0.5, "{more:?}");
    let strengths: Vec<u64> = found.self_play.iter().map(|of| of.strength.states()).collect();
    assert!(strengths.len() == 3 && strengths[2] == 10 * strengths[1], "{strengths:?}");
}

#[test]
fn nothing_is_played_without_effort() {
    let found = verdict("connect_four", 0.0);
    assert_eq!((found.self_play.len(), found.more_search, found.best_play), (1, None, None));
    assert!(!found.winning.is_empty() && !found.moves.kinds.is_empty());
}

#[test]
fn hex_has_no_draws_and_measures_have_their_ranges() {
    let found = verdict("hex", 1.0);
    let of =
        |name: &str| found.quality.iter().find(|measure| measure.name == name).map(|measure| measure.value);
    assert_eq!((of("drawishness"), of("completion")), (Some(0.0), Some(1.0)));
    for name in games().iter().take(8) {
        for measure in verdict(name, LITTLE).quality {
            let (low, high) = (measure.low.unwrap_or(f64::MIN), measure.high.unwrap_or(f64::MAX));
            assert!(low <= measure.value + 1e-9 && measure.value <= high + 1e-9, "{name}: {measure:?}");
        }
    }
}

/// The games whose blocks are in `reports/verdict/`.
const SHOWN: [&str; 12] = [
    "breakthrough",
    "checkers",
    "connect_four",
    "hex",
    "lights_out",
    "nim",
    "nine_mens_morris",
    "peg_solitaire",
    "reversi",
    "rock_paper_scissors",
    "three_player_race",
    "tic_tac_toe",
];

/// `GGP_BLESS=1 cargo test --test documents verdict::` writes the blocks again.
#[test]
fn committed_blocks_are_those_of_the_program() {
    for name in SHOWN {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_ggp"))
            .args(["--no-config", "analyze", "--quiet", &format!("games/{name}.kif")])
            .env("COLUMNS", "80")
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{name}");
        let text = String::from_utf8(output.stdout).expect("it is text");
        let file = format!("reports/verdict/{name}.txt");
        if std::env::var_os("GGP_BLESS").is_some() {
            std::fs::write(&file, &text).expect("the file can be written");
        }
        let kept = std::fs::read_to_string(&file).expect("the file exists");
        assert!(
            kept == text,
            "{file} is stale: run `GGP_BLESS=1 cargo test --test documents verdict::`\n{text}"
        );
    }
}
