//! Conjunctions: the fuzzy norm with its threshold combines the values of the members. An empty conjunction is true.
//!
//! The norm adds up the operands of the members. A *count* is a conjunction or disjunction of at most [`MOST_COUNTED`]
//! facts; its value is looked up in a table by the number of facts that hold.

use fearless_simd::prelude::*;

use super::super::evaluator::lanes::{Lanes, Mask, Operand};
use super::super::evaluator::tables::{At, NONE};
use super::super::mention::{Edge, Literal, Mention};
use super::super::norm::TNorm;
use super::{Junction, Kernel, KernelMaker, NodeKind, Prefix, TruthMaker};

/// The maximum number of facts of a count.
pub(in crate::evaluation::fuzzy) const MOST_COUNTED: usize = 8;

/// Conjunctions.
pub(in crate::evaluation::fuzzy) struct Kind;

impl NodeKind for Kind {
    type Payload = Vec<Mention>;
    type Kernel = JunctionKernel;

    const JUNCTION: Option<Junction> = Some(Junction::All);
    const IN_LOOPS: bool = true;
    const ASSOCIATIVE: bool = true;
    const WORDS: [&'static str; 2] = ["all of", ""];

    fn mentions(list: &Vec<Mention>) -> Vec<Mention> {
        list.clone()
    }

    fn renumber(list: &mut Vec<Mention>, number: &dyn Fn(Mention) -> Mention) {
        list.iter_mut().for_each(|mention| *mention = number(*mention));
    }

    fn prefix(list: &Vec<Mention>) -> Prefix<'_> {
        Prefix::Members("and", list)
    }

    fn explained(list: &Vec<Mention>) -> &[Mention] {
        list
    }

    fn valued(members: &[Edge], counted: bool) -> &[Edge] {
        if counted { &[] } else { members }
    }

    fn needs(wanted: [bool; 2]) -> [bool; 2] {
        [wanted[0] || wanted[1], false]
    }

    fn reads(_: Edge, members: &[Edge], counted: bool) -> Vec<Edge> {
        if counted { members.to_vec() } else { Vec::new() }
    }

    fn decided_by(members: &[Edge]) -> &[Edge] {
        members
    }

    fn truth(_: &Vec<Mention>, _: usize, members: &[Edge], gates: &mut dyn TruthMaker) -> Literal {
        let members: Vec<Literal> = members.iter().map(|&edge| gates.edge(edge)).collect();
        gates.all(members)
    }

    fn kernel(_: &Vec<Mention>, node: usize, maker: &mut dyn KernelMaker) -> JunctionKernel {
        JunctionKernel { count: maker.count(node, false), flipped: false }
    }
}

/// A conjunction, or a disjunction as the negation of the conjunction of negations.
#[derive(Clone, Copy, Debug)]
pub(in crate::evaluation::fuzzy) struct JunctionKernel {
    /// The index in `Tables::counted`; [`NONE`] if the node is not a count.
    pub(super) count: u32,
    /// Whether it is a disjunction.
    pub(super) flipped: bool,
}

impl Kernel for JunctionKernel {
    #[expect(
        clippy::needless_range_loop,
        reason = "an iterator over an array of vectors is copied through memory"
    )]
    #[inline(always)]
    fn compute<S: Simd, F: Lanes<S>, N: TNorm, const PARTS: usize>(
        self,
        at: &At<'_, S, F, N>,
        node: usize,
    ) -> [Operand<F>; PARTS] {
        if self.count != NONE {
            return by_count(at, self.count as usize, node);
        }
        let mut sums = [at.norm.none(at.simd); PARTS];
        for &vector in at.tables.operands.row(node) {
            let row = at.row(vector);
            for part in 0..PARTS {
                at.norm.add(&mut sums[part], at.part(row, part));
            }
        }
        let half_saturation = at.tables.half_saturations[node];
        let [value, negation] = at.tables.vectors[node];
        let (value, negation) = (value != NONE, negation != NONE);
        let wanted = if self.flipped { [negation, value] } else { [value, negation] };
        let mut operands = [Operand::splat(at.simd, [0.0; 2]); PARTS];
        for part in 0..PARTS {
            let found = at.norm.conjunction(at.simd, &sums[part], half_saturation, wanted);
            operands[part] = if self.flipped { found.negated() } else { found };
        }
        operands
    }
}

/// A number for each state, bit-sliced: element `i` has the states in which bit `i` of the number is 1.
type Counts = [Mask; MOST_COUNTED.ilog2() as usize + 1];

/// The operands of a node that is a count, looked up by the number of facts that hold.
#[inline(always)]
fn by_count<S: Simd, F: Lanes<S>, N: TNorm, const PARTS: usize>(
    at: &At<'_, S, F, N>,
    count: usize,
    node: usize,
) -> [Operand<F>; PARTS] {
    let mut operands = [Operand::splat(at.simd, [0.0; 2]); PARTS];
    let [first, others @ ..] = &at.tables.counted[count][..] else { return operands };
    let counts = counts(at.tables.counted_literals.row(count), at.literals);
    let [value, negation] = at.tables.vectors[node];
    let (value, negation) = (value != NONE, negation != NONE);
    operands = [Operand::splat(at.simd, *first); PARTS];
    for (number, other) in (1..).zip(others) {
        let states = states_with_count(&counts, number);
        for (part, operand) in operands.iter_mut().enumerate() {
            let here = at.lanes(states, part);
            if value {
                operand.value = here.select(F::splat(at.simd, other[0]), operand.value);
            }
            if negation {
                operand.negation = here.select(F::splat(at.simd, other[1]), operand.negation);
            }
        }
    }
    operands
}

/// The number of true literals in each state, by bit-sliced addition.
#[inline(always)]
fn counts(literals: &[Literal], truths: &[Mask]) -> Counts {
    let mut counts = Counts::default();
    for &literal in literals {
        let mut carry = truths[literal as usize];
        for digit in &mut counts {
            (*digit, carry) = (*digit ^ carry, *digit & carry);
        }
    }
    counts
}

/// The states in which a count is `number`.
#[inline(always)]
fn states_with_count(counts: &Counts, number: usize) -> Mask {
    let digits = counts.iter().enumerate();
    digits.fold(Mask::MAX, |all, (digit, &set)| all & if number >> digit & 1 == 1 { set } else { !set })
}
