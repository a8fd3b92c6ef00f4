//! The sentences that say how one wins: they hold exactly where the goal holds, and don't depend on names.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::listed::{own_games, real_games};
use crate::renaming;
use ggp::analysis::LoadedGame;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};
use ggp::simulate::{Budget, Context, WorkLimit};
use ggp::structure::detect;
use ggp::structure::finding::Structures;
use ggp::verdict::{WinningCondition, WinningForm, WinningTime, winning_conditions, winning_conditions_from};

/// Work of the playouts that find structures.
const WORK: u64 = 30_000_000;

fn structures(game: &LoadedGame) -> Structures {
    let budget = Budget { playouts: 1_000, work: Some(WORK), ..Budget::default() };
    detect(game.machine(), &game.loaded.statics, &budget, &Context::default()).unwrap().0
}

fn conditions(game: &LoadedGame) -> Vec<WinningCondition> {
    winning_conditions(&game.game(), &structures(game), &[], &WorkLimit::default())
}

fn texts(condition: &WinningCondition) -> String {
    let texts: Vec<&str> = condition.sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    texts.join(", or ")
}

#[test]
fn the_edges_of_a_chain_are_known() {
    let game = LoadedGame::open("games/hex.kif").unwrap();
    let edges = |condition: &WinningCondition| {
        let edges = condition.sentences[0].edges.clone().unwrap();
        (condition.role, edges.fluent, edges.argument.number(), edges.ends.join(" "))
    };
    let found: Vec<_> = conditions(&game).iter().map(edges).collect();
    let of = |role: usize, argument: usize| (role, "stone/3".to_owned(), argument, "1 9".to_owned());
    assert_eq!(found, [of(0, 1), of(1, 2)]);
    let lines = LoadedGame::open("games/tic_tac_toe.kif").unwrap();
    assert!(conditions(&lines).iter().all(|of| of.sentences.iter().all(|sentence| sentence.edges.is_none())));
}

/// Prints the sentences of some games; returns the numbers of roles with an exact sentence and of all roles.
fn table(games: &[PathBuf]) -> [usize; 2] {
    let mut counts = [0, 0];
    for path in games {
        let game = LoadedGame::open(path).unwrap();
        let found = structures(&game);
        let start = Instant::now();
        let conditions = winning_conditions(&game.game(), &found, &[], &WorkLimit::default());
        let seconds = start.elapsed().as_secs_f64();
        for condition in &conditions {
            let points = condition.sentences[0].form == WinningForm::Points;
            counts[0] += usize::from(condition.exact || points);
            counts[1] += 1;
            let check = condition.check;
            println!(
                "{:28} {:12} {:4} {:5} {:5}/{:5} ({:4}{}) {:6} {}{}",
                path.file_stem().unwrap().to_string_lossy(),
                game.roles()[condition.role],
                condition.goal,
                if condition.exact { "exact" } else { "rule" },
                check.with,
                check.without,
                check.constructed,
                if check.derived { ", derived" } else { "" },
                format!("{seconds:.2}s"),
                texts(condition),
                if condition.when == WinningTime::AtEnd { " (at the end)" } else { "" },
            );
        }
    }
    println!("{} of {} roles have an exact sentence", counts[0], counts[1]);
    counts
}

#[test]
fn most_roles_of_our_games_have_an_exact_sentence() {
    let [exact, all] = table(&own_games());
    assert!(exact * 100 >= all * 80, "{exact} of {all}");
}

#[test]
fn most_roles_of_real_games_have_an_exact_sentence() {
    let [exact, all] = table(&real_games());
    assert!(exact * 100 >= all * 80, "{exact} of {all}");
}

/// Pieces that may share a cell at the end of a game, and goal values that no game reaches.
#[test]
fn rare_ends_of_real_games_are_understood() {
    let cells = WinningForm::SomeCell { cells: 8 };
    let expected = [("catcha_mouse", vec![cells]), ("3pffa", vec![WinningForm::Points])];
    for (name, expected) in expected {
        let games = real_games();
        // Without the corpus there is nothing to check.
        let Some(path) = games.iter().find(|path| path.file_stem().is_some_and(|stem| stem == name)) else {
            continue;
        };
        let found = conditions(&LoadedGame::open(path).unwrap());
        assert_eq!(forms(&found[0]), expected, "{name}: {}", texts(&found[0]));
    }
}

/// The forms of a role's sentences, in an order that does not depend on names.
fn forms(condition: &WinningCondition) -> Vec<WinningForm> {
    let mut forms: Vec<WinningForm> =
        condition.sentences.iter().map(|sentence| sentence.form.clone()).collect();
    forms.sort_by_key(|form| format!("{form:?}"));
    forms
}

fn line(cells: usize, lines: usize) -> WinningForm {
    WinningForm::Lines { cells, lines, straight: true, exactly: false }
}

fn not(of: WinningForm) -> WinningForm {
    WinningForm::Not { of: Box::new(of) }
}

/// Games with the forms for their first role.
fn known() -> Vec<(&'static str, Vec<WinningForm>)> {
    let all = |parts: &[WinningForm]| WinningForm::All { parts: parts.to_vec() };
    vec![
        ("breakthrough", vec![not(WinningForm::Anywhere), WinningForm::Row { cells: 8 }]),
        ("buttons_and_lights", vec![WinningForm::Facts { facts: 3 }]),
        ("checkers", vec![all(&[WinningForm::Fact, WinningForm::Stuck { role: 1 }])]),
        ("connect_four", vec![line(4, 69)]),
        ("dots_and_boxes", vec![WinningForm::More { by: 1 }]),
        ("eight_puzzle", vec![WinningForm::Facts { facts: 9 }]),
        ("hex", vec![WinningForm::Chain]),
        ("lights_out", vec![WinningForm::Facts { facts: 25 }]),
        ("nim", vec![all(&[WinningForm::Facts { facts: 4 }, WinningForm::Fact])]),
        ("pentago", vec![all(&[line(5, 32), not(line(5, 32))])]),
        ("reversi", vec![WinningForm::More { by: 1 }]),
        ("tic_tac_toe", vec![line(3, 8)]),
    ]
}

#[test]
fn forms_of_known_games() {
    for (name, expected) in known() {
        let path = Path::new("games").join(name).with_extension("kif");
        let found = conditions(&LoadedGame::open(&path).unwrap());
        assert!(found.iter().all(|condition| condition.exact), "{name}: {found:#?}");
        assert_eq!(forms(&found[0]), expected, "{name}: {}", texts(&found[0]));
    }
}

#[test]
fn forms_do_not_depend_on_names() {
    for name in ["breakthrough", "connect_four", "hex", "tic_tac_toe"] {
        let path = Path::new("games").join(name).with_extension("kif");
        let text = std::fs::read_to_string(&path).unwrap();
        let source = Source::from_text(name, renaming::scrambled(&text));
        let loaded = load(read(&source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
        let scrambled = conditions(&LoadedGame::new(name.to_owned(), &source, loaded));
        for (own, other) in conditions(&LoadedGame::open(&path).unwrap()).iter().zip(&scrambled) {
            assert_eq!(forms(own), forms(other), "{name}: {} and {}", texts(own), texts(other));
            assert_eq!((own.goal, own.when, own.exact), (other.goal, other.when, other.exact));
        }
    }
}

/// Other states must not contradict an exact sentence.
#[test]
fn exact_sentences_hold_on_other_states() {
    for path in own_games() {
        let game = LoadedGame::open(&path).unwrap();
        let structures = structures(&game);
        let from =
            |seed| winning_conditions_from(seed, &game.game(), &structures, &[], &WorkLimit::default());
        for (own, other) in from(1).iter().zip(&from(2)) {
            if own.exact && other.exact {
                assert_eq!(
                    forms(own),
                    forms(other),
                    "{}: {} and {}",
                    path.display(),
                    texts(own),
                    texts(other)
                );
            }
        }
    }
}
