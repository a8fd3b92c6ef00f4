//! Splits code where the legal words of a tile of moves are complete, so that they are counted while they are in the cache.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::Code;
use super::schedule::Part;

/// Number of words that are counted together.
pub(super) const TILE: usize = 2048;

/// Splits straight parts after the operation that writes the last word of each tile of `words`. Returns for every tile the
/// index of the part after which it is complete; the last tile waits for all parts.
pub(super) fn cut(parts: &mut Vec<Part>, words: &[Range<u32>]) -> Vec<Vec<usize>> {
    // For each slot, its last write: part and operation.
    let mut written: FxHashMap<u32, (usize, usize)> = FxHashMap::default();
    for (number, part) in parts.iter().enumerate() {
        if let Part::Straight(code) = part {
            let looked_at = |slot: &u32| words.iter().any(|words| words.contains(slot));
            let ops = code.ops.iter().enumerate().filter(|(_, op)| looked_at(&op.target));
            ops.for_each(|(index, op)| {
                written.insert(op.target, (number, index + 1));
            });
        }
    }
    let mut tiles: Vec<Vec<(usize, usize)>> = Vec::new();
    for words in words {
        let mut there = (0, 0);
        let mut ends = Vec::new();
        for first in words.clone().step_by(TILE) {
            let tile = first..words.end.min(first + TILE as u32);
            there = tile.filter_map(|slot| written.get(&slot)).copied().fold(there, Ord::max);
            ends.push(there);
        }
        tiles.push(ends);
    }
    let mut cuts: Vec<(usize, usize)> = tiles.iter().flatten().copied().collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut pieces = Vec::new();
    // For every split point, the index of the piece that ends there.
    let mut ends: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for (number, part) in std::mem::take(parts).into_iter().enumerate() {
        match part {
            Part::Straight(code) => {
                let length = code.ops.len();
                let here = cuts.iter().filter(|cut| cut.0 == number && (1..length).contains(&cut.1));
                let mut places: Vec<usize> = here.map(|cut| cut.1).collect();
                places.push(length);
                for (piece, &end) in split(code, &places).into_iter().zip(&places) {
                    ends.insert((number, end), pieces.len());
                    pieces.push(Part::Straight(piece));
                }
            }
            looped => pieces.push(looped),
        }
    }
    *parts = pieces;
    let last = parts.len().saturating_sub(1);
    let piece = |end: &(usize, usize)| if end.1 == 0 { 0 } else { ends.get(end).copied().unwrap_or(last) };
    tiles.iter().map(|tiles| tiles.iter().map(piece).collect()).collect()
}

/// Splits the code after these operations. Values that later pieces read are kept.
fn split(code: Code, ends: &[usize]) -> Vec<Code> {
    let mut live: FxHashSet<u32> = code.kept.iter().copied().collect();
    let mut pieces = Vec::new();
    for (number, &end) in ends.iter().enumerate().rev() {
        let start = if number == 0 { 0 } else { ends[number - 1] };
        let ops = code.ops[start..end].to_vec();
        let mut kept: Vec<u32> =
            ops.iter().map(|op| op.target).filter(|target| live.contains(target)).collect();
        kept.sort_unstable();
        kept.dedup();
        for op in ops.iter().rev() {
            live.remove(&op.target);
            live.extend(op.inputs);
        }
        pieces.push(Code { ops, kept });
    }
    pieces.reverse();
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::Interrupt;
    use crate::machine::lanes::code::Op;
    use crate::machine::lanes::engine::{Engine, Executable, block_slots};
    use crate::machine::lanes::random::Random;
    use crate::machine::lanes::table;

    #[test]
    fn tiles_compute_the_same_as_the_whole() {
        let (words, count) = (10..10 + 3 * TILE as u32 / 2, 3 * TILE as u32);
        let op = |number: u32| Op {
            inputs: [1 + number % 7, 10 + number * 5 % 400, 1 + number % 3],
            table: [table::SUM, table::CARRY, table::OR_AND][number as usize % 3],
            target: if number.is_multiple_of(2) { 10 + number / 2 } else { 1 + number % 9 },
        };
        let code = Code { ops: (0..count).map(op).collect(), kept: (1..words.end).collect() };
        let mut parts = vec![Part::Straight(code.clone())];
        let tiles = cut(&mut parts, std::slice::from_ref(&words));
        // The last operation writes no word of a tile, so it is a part of its own.
        assert_eq!((tiles, parts.len()), (vec![vec![0, 1]], 3));
        let mut random = Random::new(1, 1);
        for engine in Engine::available() {
            let mut slots = block_slots(words.end);
            slots[1..10].iter_mut().for_each(|word| *word = random.word());
            let mut other = slots.clone();
            for (parts, slots) in [(&parts, &mut slots), (&vec![Part::Straight(code.clone())], &mut other)] {
                let ready = Executable::new(parts, engine, words.end, &Interrupt::default());
                ready.expect("nothing interrupts").run(slots);
            }
            let kept = 1..words.end as usize;
            assert!(slots[kept.clone()] == other[kept], "{engine:?}");
        }
    }
}
