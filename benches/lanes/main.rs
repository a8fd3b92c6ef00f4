//! Lanes: the time of one operation on 512 games, by length of the code. Measures the interpreter and the machine code of
//! every level, and the time to compile machine code. Items are operations.

#![allow(clippy::unwrap_used, reason = "a bench's helpers may panic")]

mod synthetic;

use divan::Bencher;
use divan::counter::ItemsCount;
use ggp::machine::lanes::code::{Code, Execute};
use ggp::machine::lanes::interpret::{InterpretedCode, SCRATCH};
use ggp::machine::lanes::native::{Level, compile};
use ggp::machine::lanes::random::Random;
use ggp::machine::lanes::word::Word;

/// Numbers of operations: the shortest code fits into the first-level cache, the longest into none.
const LENGTHS: [usize; 6] = [600, 3_000, 12_000, 36_000, 122_000, 366_000];
const SEED: u64 = 1;

fn main() {
    divan::main();
}

/// The number of slots that the code needs: its highest slot plus one.
fn slots(code: &Code) -> u32 {
    let named = code.ops.iter().flat_map(|op| op.inputs.into_iter().chain([op.target]));
    named.max().map_or(0, |slot| slot + 1)
}

fn run(bencher: Bencher<'_, '_>, code: &Code, ready: &dyn Execute) {
    let mut random = Random::new(SEED, 0);
    let mut words: Vec<Word> = (0..slots(code) as usize + SCRATCH).map(|_| random.word()).collect();
    bencher.counter(ItemsCount::new(code.ops.len())).bench_local(|| ready.run(&mut words));
}

/// Skips levels that this processor does not support.
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
    run(bencher, &code, &InterpretedCode::new(&code, slots(&code)));
}

#[divan::bench(args = LENGTHS, sample_count = 10)]
fn compile_best(bencher: Bencher<'_, '_>, length: usize) {
    let code = synthetic::code(length, SEED);
    if let Some(level) = Level::best() {
        bencher.counter(ItemsCount::new(length)).bench_local(|| compile(&code, level).unwrap());
    }
}
