//! Fuses the moves of a step with the evaluation of the next state, for playouts that are not observed: values stay in
//! registers, and one call replaces two.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::code::Code;
use super::schedule::Part;

/// Maximum number of operations of a step for fusing, because the first evaluation is compiled twice.
pub(super) const MAX_OPERATIONS: usize = 20_000;

/// Concatenates parts.
pub(super) fn join(first: &[Part], second: &[Part]) -> Vec<Part> {
    let mut joined = first.to_vec();
    for part in second {
        match (joined.last_mut(), part) {
            (Some(Part::Straight(code)), Part::Straight(more)) => {
                code.ops.extend(&more.ops);
                code.kept.extend(&more.kept);
                code.kept.sort_unstable();
                code.kept.dedup();
            }
            _ => joined.push(part.clone()),
        }
    }
    joined
}

/// Removes slots from `kept` that no later step reads, if the steps run in turn. Does nothing if there are loops.
///
/// A slot that a step does not write keeps its value for the steps after it: a bit that does not change has no operation.
pub(super) fn keep_read(steps: &mut [Vec<Part>], slots: Range<u32>) {
    let Some(codes) = steps.iter().map(|parts| straight(parts)).collect::<Option<Vec<&Code>>>() else {
        return;
    };
    let (mut read, written): (Vec<_>, Vec<_>) =
        codes.into_iter().map(|code| read_written(code, &slots)).unzip();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for step in (0..steps.len()).rev() {
            let later = read[(step + 1) % steps.len()].clone();
            let before = read[step].len();
            read[step].extend(later.difference(&written[step]));
            changed |= read[step].len() > before;
        }
    }
    for (step, parts) in steps.iter_mut().enumerate() {
        let later = &read[(step + 1) % read.len()];
        if let [Part::Straight(code)] = &mut parts[..] {
            code.kept.retain(|slot| !slots.contains(slot) || later.contains(slot));
        }
    }
}

/// The slots of the range that a code reads before it writes them, and those that it writes.
fn read_written(code: &Code, slots: &Range<u32>) -> (FxHashSet<u32>, FxHashSet<u32>) {
    let (mut read, mut written) = (FxHashSet::<u32>::default(), FxHashSet::<u32>::default());
    for op in &code.ops {
        read.extend(op.inputs.into_iter().filter(|slot| slots.contains(slot) && !written.contains(slot)));
        if slots.contains(&op.target) {
            written.insert(op.target);
        }
    }
    (read, written)
}

/// The code if it has no loop.
fn straight(parts: &[Part]) -> Option<&Code> {
    match parts {
        [Part::Straight(code)] => Some(code),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::lanes::code::Op;
    use crate::machine::lanes::table;

    fn copies(copies: &[(u32, u32)]) -> Vec<Part> {
        let op = |&(from, target): &(u32, u32)| Op { inputs: [from, 0, 0], table: table::INPUT[0], target };
        let mut kept: Vec<u32> = copies.iter().map(|&(_, target)| target).collect();
        kept.sort_unstable();
        vec![Part::Straight(Code { ops: copies.iter().map(op).collect(), kept })]
    }

    #[test]
    fn unwritten_slots_are_kept_for_later_steps() {
        let mut steps =
            [copies(&[(9, 1), (9, 2), (9, 3)]), copies(&[(2, 9), (9, 3)]), copies(&[(1, 9), (3, 2)])];
        keep_read(&mut steps, 1..5);
        let kept: Vec<&[u32]> =
            steps.iter().map(|parts| straight(parts).expect("straight").kept.as_slice()).collect();
        // Slot 1 is read two steps later and 2 in the next step; 3 is overwritten before; 9 is outside the range.
        assert_eq!(kept, [&[1, 2][..], &[3, 9], &[9]]);
    }
}
