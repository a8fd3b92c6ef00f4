//! The causes of ends, and the lines of the rules that never fired.

use std::path::Path;

use ggp::analysis::{AnalysisContext, Kinds, LoadedGame, Plan, analyze};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, MoveId, load};
use ggp::simulate::{Budget, Context, WorkLimit};
use ggp::structure::detect;
use ggp::structure::finding::Structures;
use ggp::verdict::{EndingCause, EndingKind, GameEndings, PlayedGame, RandomGames, UnfiredRule, endings};

use crate::listed;
use crate::renaming;

/// Units of work for random games: a quarter of a second.
const STEPS: u64 = 5_000_000;

/// Rows that joins read for the ends: half a second.
const ROWS: u64 = 5_000_000;

pub(crate) fn loaded(source: &Source, backend: Backend) -> Option<LoadedGame> {
    let loaded = load(read(source).description?, backend, &Limits::default()).ok()?;
    Some(LoadedGame::new(source.title(), source, loaded))
}

fn structures(game: &LoadedGame, playouts: u64) -> Structures {
    let plan = Plan { playouts: Some(playouts), kinds: Kinds::NONE, features: false, ..Plan::default() };
    analyze(&game.game(), &plan, &AnalysisContext::default()).unwrap().structures
}

pub(crate) fn random(game: &LoadedGame, games: u64, seed: u64) -> Vec<PlayedGame> {
    let limit = WorkLimit::default().limited(Some(STEPS));
    RandomGames { games, seed, ..RandomGames::default() }.play(&game.game(), &limit)
}

/// Structures from a few playouts, without the other stages of an analysis.
pub(crate) fn detected(game: &LoadedGame, playouts: u64) -> Structures {
    let budget = Budget { playouts, work: Some(20_000_000), ..Budget::default() };
    detect(game.machine(), &game.loaded.statics, &budget, &Context::default()).unwrap().0
}

fn endings_of(source: &Source, backend: Backend) -> GameEndings {
    let game = loaded(source, backend).unwrap();
    let limit = WorkLimit::default().limited(Some(ROWS));
    let (games, good) = (random(&game, 300, 1), random(&game, 20, 2));
    let mut found = endings(&game.game(), &structures(&game, 500), &games, &good, &limit);
    found.set_lines(source);
    found
}

pub(crate) fn source(name: &str) -> Source {
    Source::load(Path::new("games").join(name).with_extension("kif")).unwrap()
}

/// The causes of random ends in random play that have one rule: type, line and text, by line.
fn single_rules(found: &GameEndings) -> Vec<(usize, EndingKind, String)> {
    let one = |cause: &EndingCause| match &*cause.rules {
        [rule] => Some((rule.line, cause.kind, cause.text.clone())),
        _ => None,
    };
    let mut list: Vec<_> = found.random.causes.iter().filter_map(one).collect();
    list.sort();
    list
}

fn check(name: &str, expected: &[(usize, EndingKind, &str)]) -> GameEndings {
    let found = endings_of(&source(name), Backend::Auto);
    let expected: Vec<_> = expected.iter().map(|&(line, kind, text)| (line, kind, text.to_owned())).collect();
    assert_eq!(single_rules(&found), expected, "{name}");
    let sum: u64 = found.random.causes.iter().map(|cause| cause.games).sum();
    assert_eq!(sum, found.random.games, "{name}");
    found
}

#[test]
fn causes_are_the_rules_that_hold_at_the_end() {
    use EndingKind::{BoardFull, Condition, NoMove, StepLimit};
    let found = check("connect_four", &[(106, Condition, "(four ?colour)"), (108, BoardFull, "board full")]);
    let full = found.random.causes.iter().find(|cause| cause.kind == BoardFull).unwrap();
    assert_eq!(full.outcomes.len(), 1);
    assert_eq!(full.outcomes[0].goals, [Some(50), Some(50)]);
    check("tic_tac_toe", &[(92, Condition, "(won ?player)"), (94, BoardFull, "board full")]);
    check("checkers", &[(221, Condition, "(beaten ?p)"), (223, StepLimit, "step limit (150 moves)")]);
    check("nim", &[(68, Condition, "not counters_left")]);
    check("reversi", &[(184, NoMove, "no move left")]);
    check("peg_solitaire", &[(86, NoMove, "no move left")]);
    check("rock_paper_scissors", &[(56, StepLimit, "step limit (7 moves)")]);
    check(
        "king_rook_endgame",
        &[
            (186, NoMove, "no move left"),
            (189, Condition, "no (at white_rook ?f ?r)"),
            (191, StepLimit, "step limit (40 moves)"),
        ],
    );
    let found = check("breakthrough", &[(92, Condition, "(winner ?colour)")]);
    assert!((found.random.causes[0].share - 1.0).abs() < 1e-9);
    assert_eq!(found.random.causes[0].outcomes.len(), 2);
}

#[test]
fn rules_that_never_fired_have_lines() {
    let lines = |found: &GameEndings| -> Vec<usize> {
        found.unfired.iter().flat_map(|unfired| &unfired.rules).map(|rule: &UnfiredRule| rule.line).collect()
    };
    assert_eq!(lines(&endings_of(&source("breakthrough"), Backend::Auto)), [88]);
    assert_eq!(lines(&endings_of(&source("eight_puzzle"), Backend::Auto)), [63, 68, 71]);
    assert_eq!(lines(&endings_of(&source("nim"), Backend::Auto)), [0; 0]);
}

/// A climber that may rest. Random play almost never reaches the top.
const CLIMB: &str = "(role climber)
    (init (at 0)) (init (left 12))
    (up 0 1) (up 1 2) (up 2 3) (up 3 4) (up 4 5) (up 5 6) (up 6 7) (up 7 8) (up 8 9) (up 9 10) (up 10 11) (up 11 12)
    (rest 1) (rest 2) (rest 3) (rest 4) (rest 5) (rest 6) (rest 7)
    (<= (legal climber climb) (true (at ?a)))
    (<= (legal climber (rest ?n)) (rest ?n))
    (<= (next (at ?b)) (true (at ?a)) (up ?a ?b) (does climber climb))
    (<= (next (at ?a)) (true (at ?a)) (does climber (rest ?n)))
    (<= (next (left ?a)) (true (left ?b)) (up ?a ?b))
    (<= top (true (at 12)))
    (<= terminal top)
    (<= terminal (true (left 0)))
    (<= (goal climber 100) top)
    (<= (goal climber 0) (not top))";

#[test]
fn rules_that_fire_only_in_good_play_are_marked() {
    let source = Source::from_text("climb", CLIMB);
    for backend in [Backend::Network, Backend::Relational] {
        let game = loaded(&source, backend).unwrap();
        // A game in which the climber never rests.
        let mut cursor = game.machine().cursor();
        let mut states = vec![cursor.state().clone()];
        let mut moves = Vec::new();
        while !cursor.terminal() {
            let is_climb = |action: &&MoveId| game.machine().move_text(**action) == "climb";
            let climb = *cursor.legal(0).iter().find(is_climb).unwrap();
            cursor.advance(&[climb]).unwrap();
            moves.push(vec![climb]);
            states.push(cursor.state().clone());
        }
        let good = PlayedGame {
            estimates: vec![vec![None]; moves.len()],
            moves,
            states,
            ended: true,
            stuck: false,
            goals: vec![Some(100)],
        };
        let limit = WorkLimit::default();
        let structures = structures(&game, 100);
        let mut found = endings(&game.game(), &structures, &random(&game, 100, 1), &[good], &limit);
        found.set_lines(&source);
        let unfired = found.unfired.unwrap();
        let rules: Vec<_> = unfired.rules.iter().map(|rule| (rule.line, rule.in_good_play)).collect();
        assert_eq!(rules, [(10, true), (11, true), (13, true)], "{backend:?}");
        assert_eq!((unfired.unfired, unfired.games), (3, 1));
        let texts: Vec<_> = found.random.causes.iter().map(|cause| &*cause.text).collect();
        assert_eq!(texts, ["step limit (12 moves)"]);
        assert_eq!(found.good.causes[0].rules.len(), 2);
    }
}

#[test]
fn games_that_do_not_end_have_a_cause() {
    let text = CLIMB.replace("(<= (legal climber climb)", "(<= (legal climber climb) (up ?a ?b)");
    let text = text
        .replace("(legal climber (rest ?n)) (rest ?n)", "(legal climber (rest ?n)) (rest ?n) (true (at 0))");
    let text =
        text.replace("(true (at 12))", "(true (at 13))").replace("(true (left 0))", "(true (left 13))");
    let source = Source::from_text("stuck", text);
    let found = endings_of(&source, Backend::Auto);
    let kinds: Vec<_> = found.random.causes.iter().map(|cause| cause.kind).collect();
    assert_eq!(kinds, [EndingKind::Stuck]);
    let game = loaded(&source, Backend::Auto).unwrap();
    let plan = RandomGames { games: 5, max_steps: 3, ..RandomGames::default() };
    let games = plan.play(&game.game(), &WorkLimit::default());
    let found = endings(&game.game(), &structures(&game, 5), &games, &[], &WorkLimit::default());
    let causes: Vec<_> = found.random.causes.iter().map(|cause| (cause.kind, cause.games)).collect();
    assert_eq!(causes, [(EndingKind::CutOff, 5)]);
}

#[test]
fn names_and_the_order_of_rules_do_not_matter() {
    for name in ["connect_four", "tic_tac_toe", "checkers", "reversi", "rock_paper_scissors"] {
        let plain = source(name);
        let other = Source::from_text(name, renaming::scrambled(plain.text()));
        let kinds = |source: &Source| {
            let found = endings_of(source, Backend::Auto);
            let mut kinds: Vec<_> = single_rules(&found).into_iter().map(|(_, kind, _)| kind).collect();
            kinds.sort();
            kinds
        };
        assert_eq!(kinds(&plain), kinds(&other), "{name}");
    }
}

#[test]
#[ignore = "takes two minutes"]
fn every_game_ends_within_the_limit() {
    for path in listed::all_games() {
        let source = Source::load(&path).unwrap();
        let Some(game) = loaded(&source, Backend::Auto) else { continue };
        let limit = WorkLimit::default().limited(Some(ROWS / 5));
        let games = random(&game, 20, 1);
        let good = &games[..games.len().min(3)];
        let found = endings(&game.game(), &detected(&game, 10), &games, good, &limit);
        let sum: u64 = found.random.causes.iter().map(|cause| cause.games).sum();
        assert_eq!(sum, found.random.games, "{}", path.display());
        assert!(found.random.games <= found.random.given);
        for cause in &found.random.causes {
            println!("{}: {:?} {} {:.2}", path.display(), cause.kind, cause.text, cause.share);
            assert!(!cause.text.is_empty() && cause.text.chars().count() < 250, "{}", cause.text);
        }
    }
}
