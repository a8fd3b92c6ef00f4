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
use ggp::verdict::{WinningCondition, WinningForm, WinningTime, winning_conditions};

/// Work of the playouts that find structures.
const WORK: u64 = 100_000_000;

fn structures(game: &LoadedGame) -> Structures {
    let budget = Budget { playouts: 2_000, work: Some(WORK), ..Budget::default() };
    detect(game.machine(), &game.loaded.statics, &budget, &Context::default()).unwrap().0
}

fn conditions(game: &LoadedGame) -> Vec<WinningCondition> {
    winning_conditions(&game.game(), &structures(game), &[], &WorkLimit::default())
}

fn texts(condition: &WinningCondition) -> String {
    let texts: Vec<&str> = condition.sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    texts.join(", or ")
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
            counts[0] += usize::from(condition.exact);
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
