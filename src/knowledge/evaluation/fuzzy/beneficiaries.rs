//! The sides that benefit from a fluent: a side benefits if the fluent brings one of its goals closer to being true.
//!
//! # How
//! This pass visits the atoms that the goals of the role and of its opponents need under an even number of negations.
//! `regression` uses the result for forced moves: if a move benefits only the opponents, a role makes it only if it has
//! no other move.
//!
//! # Example
//! Chomp: eating the poisoned piece.

use rustc_hash::{FxHashMap, FxHashSet};

use super::condition_atoms::ConditionAtoms;
use super::unroll_context::{STRIDE, UnrollContext};

/// The sides that benefit from an atom.
#[derive(Clone, Copy, Default)]
pub(super) struct Beneficiaries {
    pub(super) own: bool,
    pub(super) others: bool,
}

/// The beneficiaries of the atoms that goals need; empty without regression or without opponents.
pub(super) fn beneficiaries(
    context: &UnrollContext<'_>,
    roots: &ConditionAtoms,
) -> FxHashMap<u32, Beneficiaries> {
    let mut found: FxHashMap<u32, Beneficiaries> = FxHashMap::default();
    if context.regression.steps == 0 || roots.against.is_empty() {
        return found;
    }
    for (own, goals) in [(true, &roots.goals), (false, &roots.against)] {
        let mut seen: FxHashSet<(u32, bool)> = FxHashSet::default();
        let mut stack: Vec<(u32, bool)> = goals.iter().map(|&(_, atom)| (atom, true)).collect();
        while let Some((atom, needed)) = stack.pop() {
            // The caller discards the result of an interrupted run.
            if seen.len().is_multiple_of(STRIDE) && context.interrupt.is_set() {
                return found;
            }
            if !seen.insert((atom, needed)) {
                continue;
            }
            if needed {
                let of = found.entry(atom).or_default();
                *(if own { &mut of.own } else { &mut of.others }) = true;
            }
            let literals = context.instances.of(atom).flatten();
            stack.extend(literals.map(|&(other, negated)| (other, needed != negated)));
        }
    }
    found
}
