//! A disjunction with the value of its best member, by the maximum (the co-norm of the minimum); an empty one has the
//! value 0.
//!
//! Atoms of recursive relations are such nodes, in loops (see `evaluator/loops.rs`). So are the achievers of a fluent
//! (see `regression`).

use fearless_simd::prelude::*;

use super::super::evaluator::lanes::{Lanes, Operand};
use super::super::evaluator::tables::{At, NONE};
use super::super::mention::{Edge, Literal, Mention};
use super::super::norm::TNorm;
use super::{Junction, Kernel, KernelMaker, NodeKind, Prefix, TruthMaker, and};

/// The computation of a `best` node.
pub(in crate::evaluation::fuzzy) struct Kind;

impl NodeKind for Kind {
    type Payload = Vec<Mention>;
    type Kernel = BestKernel;

    const JUNCTION: Option<Junction> = Some(Junction::Any);
    const IN_LOOPS: bool = true;
    const WORDS: [&'static str; 2] = ["the best of", ""];

    fn mentions(list: &Vec<Mention>) -> Vec<Mention> {
        list.clone()
    }

    fn renumber(list: &mut Vec<Mention>, number: &dyn Fn(Mention) -> Mention) {
        and::Kind::renumber(list, number);
    }

    fn prefix(list: &Vec<Mention>) -> Prefix<'_> {
        Prefix::Members("best", list)
    }

    fn explained(list: &Vec<Mention>) -> &[Mention] {
        list
    }

    fn valued(members: &[Edge], _: bool) -> &[Edge] {
        members
    }

    fn needs(wanted: [bool; 2]) -> [bool; 2] {
        [true, wanted[1]]
    }

    fn reads(_: Edge, _: &[Edge], _: bool) -> Vec<Edge> {
        Vec::new()
    }

    fn decided_by(members: &[Edge]) -> &[Edge] {
        members
    }

    fn truth(_: &Vec<Mention>, _: usize, members: &[Edge], gates: &mut dyn TruthMaker) -> Literal {
        let members: Vec<Literal> = members.iter().map(|&edge| gates.edge(edge)).collect();
        gates.any(members)
    }

    fn kernel(_: &Vec<Mention>, node: usize, maker: &mut dyn KernelMaker) -> BestKernel {
        maker.best(node);
        BestKernel
    }
}

/// The best of the vectors in a node's row of operands: those of the values, then those of the negations if these are
/// wanted.
#[derive(Clone, Copy, Debug)]
pub(in crate::evaluation::fuzzy) struct BestKernel;

impl Kernel for BestKernel {
    #[inline(always)]
    fn compute<S: Simd, F: Lanes<S>, N: TNorm, const PARTS: usize>(
        self,
        at: &At<'_, S, F, N>,
        node: usize,
    ) -> [Operand<F>; PARTS] {
        let mut row = at.tables.operands.row(node);
        let negation = at.tables.vectors[node][1] != NONE;
        let mut negations: &[u32] = &[];
        if negation {
            (row, negations) = row.split_at(row.len() / 2);
        }
        let mut best: [Operand<F>; PARTS] = [at.norm.operand(at.simd, F::splat(at.simd, 0.0)); PARTS];
        let mut least = [F::splat(at.simd, N::NOTHING); PARTS];
        for (index, &vector) in row.iter().enumerate() {
            for part in 0..PARTS {
                let value = at.number(vector, part);
                let cost = at.norm.cost(value);
                let better = cost.simd_lt(least[part]);
                least[part] = cost.min(least[part]);
                best[part].value = better.select(value, best[part].value);
                if negation {
                    let other = at.number(negations[index], part);
                    best[part].negation = better.select(other, best[part].negation);
                }
            }
        }
        best
    }
}
