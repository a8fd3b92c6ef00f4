//! Lanes: time of an operation on 512 games, by length of the code, for machine code of every level and for the
//! interpreter; and the time to make machine code. The items counted are operations.

#![allow(clippy::unwrap_used, reason = "a bench's helpers may panic")]

mod synthetic;

use divan::Bencher;
use divan::counter::ItemsCount;
use ggp::machine::lanes::code::{Code, Execute};
use ggp::machine::lanes::interpret::{Interpreted, SCRATCH};
use ggp::machine::lanes::native::{Level, compile};
use ggp::machine::lanes::random::Random;
use ggp::machine::lanes::word::Word;

/// Operations of a code: from what fits the first cache to what fits none.
const LENGTHS: [usize; 6] = [600, 3_000, 12_000, 36_000, 122_000, 366_000];
const SEED: u64 = 1;

fn main() {
    divan::main();
}

/// One more than the highest slot named.
fn slots(code: &Code) -> u32 {
    let named = code.ops.iter().flat_map(|op| op.inputs.into_iter().chain([op.target]));
    named.max().map_or(0, |slot| slot + 1)
}

fn run(bencher: Bencher<'_, '_>, code: &Code, ready: &dyn Execute) {
    let mut random = Random::new(SEED, 0);
    let mut words: Vec<Word> = (0..slots(code) as usize + SCRATCH).map(|_| random.word()).collect();
    bencher.counter(ItemsCount::new(code.ops.len())).bench_local(|| ready.run(&mut words));
}

/// Levels this processor lacks are left out.
fn native(bencher: Bencher<'_, '_>, length: usize, level: Level) {
    if level.available() {
        let code = synthetic::code(length, SEED);
        run(bencher, &code, &compile(&code, level).unwrap());
    }
}

#[divan::bench(args = LENGTHS)]
fn avx512(bencher: Bencher<'_, '_>, length: usize) {
    native(bencher, length, Level::Avx512);
}

#[divan::bench(args = LENGTHS)]
fn avx2(bencher: Bencher<'_, '_>, length: usize) {
    native(bencher, length, Level::Avx2);
}

#[divan::bench(args = LENGTHS)]
fn x64(bencher: Bencher<'_, '_>, length: usize) {
    native(bencher, length, Level::X64);
}

#[divan::bench(args = LENGTHS)]
fn interpreter(bencher: Bencher<'_, '_>, length: usize) {
    let code = synthetic::code(length, SEED);
    run(bencher, &code, &Interpreted::new(&code, slots(&code)));
}

#[divan::bench(args = LENGTHS, sample_count = 10)]
fn compile_best(bencher: Bencher<'_, '_>, length: usize) {
    let code = synthetic::code(length, SEED);
    if let Some(level) = Level::best() {
        bencher.counter(ItemsCount::new(length)).bench_local(|| compile(&code, level).unwrap());
    }
}
