//! The moves of a step and the look at the state after it as one code, for playouts that nobody looks into: values
//! stay in registers, and one call does for two.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::code::Code;
use super::schedule::Part;

/// Operations of a step up to which it pays: the first look is compiled once more.
pub(super) const MOST: usize = 20_000;

/// Parts that run one after the other.
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

/// Keeps those of some slots only that are read in what runs next. Nothing is done where there are loops.
pub(super) fn keep_read(parts: &mut [Part], next: &[Part], slots: Range<u32>) {
    let (Some(code), Some(next)) = (straight(parts), straight(next)) else { return };
    let (mut read, mut written) = (FxHashSet::<u32>::default(), FxHashSet::<u32>::default());
    for op in &next.ops {
        read.extend(op.inputs.into_iter().filter(|slot| !written.contains(slot)));
        written.insert(op.target);
    }
    let kept =
        code.kept.iter().copied().filter(|slot| !slots.contains(slot) || read.contains(slot)).collect();
    if let [Part::Straight(code)] = parts {
        code.kept = kept;
    }
}

/// The code, if it has no loop.
fn straight(parts: &[Part]) -> Option<&Code> {
    match parts {
        [Part::Straight(code)] => Some(code),
        _ => None,
    }
}
