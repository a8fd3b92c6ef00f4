//! Random play of four games by every machine and by the reference programs. Run with `cargo bench --bench playouts`. Items
//! are states. Times are wall-clock times; on a busy computer use `ggp bench`, which measures processor time.

#[allow(dead_code, unused_imports, reason = "what other callers need, and tests without their harness")]
mod reference;

use std::path::Path;
use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use ggp::gdl::{Description, Source, read};
use ggp::ground::{Limits, ground};
use ggp::machine::lanes::program::Program;
use ggp::machine::{Backend, load};
use ggp::simulate::{Budget, Context, LANE_BLOCK, simulate, simulate_lanes};
use reference::{Reference, breakthrough, connect_four, othello, tic_tac_toe};

const GAMES: [&str; 4] = ["tic_tac_toe", "connect_four", "breakthrough", "reversi"];

fn main() {
    divan::main();
}

fn description(game: &str) -> Description {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(game).with_extension("kif");
    let source = Source::load(&path).expect("the game is in the repository");
    read(&source).description.expect("the game has no errors")
}

/// Measures playouts with new random numbers in every iteration, because repeated ones would train the processor's branch
/// predictor. `play` gets the number of the iteration and returns the number of states, which varies little.
fn measure(bencher: Bencher<'_, '_>, mut play: impl FnMut(u64) -> u64) {
    let mut number = 0;
    let mut next = || {
        number += 1;
        play(number)
    };
    bencher.counter(ItemsCount::new(next())).bench_local(next);
}

#[divan::bench(args = GAMES)]
fn by_hand(bencher: Bencher<'_, '_>, game: &str) {
    let reference: &Reference = match game {
        "tic_tac_toe" => &tic_tac_toe::REFERENCE,
        "connect_four" => &connect_four::REFERENCE,
        "breakthrough" => &breakthrough::REFERENCE,
        _ => &othello::REFERENCE,
    };
    measure(bencher, |number| (reference.play)(1, number, 1 << 14).states);
}

#[divan::bench(args = GAMES, sample_count = 20, sample_size = 1)]
fn lanes(bencher: Bencher<'_, '_>, game: &str) {
    let game = ground(&Arc::new(description(game)), &Limits::default()).expect("the game has a network");
    let program = Program::new(&game.network);
    measure(bencher, |number| {
        let counts = simulate_lanes(
            &program,
            &Budget { playouts: LANE_BLOCK, first: number * LANE_BLOCK, threads: 1, ..Budget::default() },
            None,
        );
        counts.expect("a thread starts").states
    });
}

#[divan::bench(args = GAMES, sample_count = 20, sample_size = 1)]
fn network(bencher: Bencher<'_, '_>, game: &str) {
    scalar(bencher, game, Backend::Network);
}

#[divan::bench(args = GAMES, sample_count = 20, sample_size = 1)]
fn relational(bencher: Bencher<'_, '_>, game: &str) {
    scalar(bencher, game, Backend::Relational);
}

fn scalar(bencher: Bencher<'_, '_>, game: &str, backend: Backend) {
    let loaded = load(description(game), backend, &Limits::default()).expect("the game can be loaded");
    measure(bencher, |number| {
        let budget = Budget { playouts: 100, first: number * 100, threads: 1, ..Budget::default() };
        let statistics = simulate(&*loaded.machine, &budget, &Context::default());
        statistics.expect("the game can be played").states
    });
}
