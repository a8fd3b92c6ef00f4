//! A disjunction: the negation of the conjunction of negations. One without members never holds.

use super::super::mention::{Edge, Literal, Mention};
use super::and::{self, JunctionKernel};
use super::{Junction, KernelMaker, NodeKind, Prefix, TruthMaker};

/// Disjunctions.
pub(in crate::evaluation::fuzzy) struct Kind;

impl NodeKind for Kind {
    type Payload = Vec<Mention>;
    type Kernel = JunctionKernel;

    const JUNCTION: Option<Junction> = Some(Junction::Any);
    const ASSOCIATIVE: bool = true;
    const WORDS: [&'static str; 2] = ["any of", ""];

    fn mentions(list: &Vec<Mention>) -> Vec<Mention> {
        list.clone()
    }

    fn renumber(list: &mut Vec<Mention>, number: &dyn Fn(Mention) -> Mention) {
        and::Kind::renumber(list, number);
    }

    fn prefix(list: &Vec<Mention>) -> Prefix<'_> {
        Prefix::Members("or", list)
    }

    fn explained(list: &Vec<Mention>) -> &[Mention] {
        list
    }

    fn valued(members: &[Edge], counted: bool) -> &[Edge] {
        and::Kind::valued(members, counted)
    }

    fn needs(wanted: [bool; 2]) -> [bool; 2] {
        [false, wanted[0] || wanted[1]]
    }

    fn reads(own: Edge, members: &[Edge], counted: bool) -> Vec<Edge> {
        and::Kind::reads(own, members, counted)
    }

    fn decided_by(members: &[Edge]) -> &[Edge] {
        members
    }

    fn truth(_: &Vec<Mention>, _: usize, members: &[Edge], gates: &mut dyn TruthMaker) -> Literal {
        let members: Vec<Literal> = members.iter().map(|&edge| gates.edge(edge)).collect();
        gates.any(members)
    }

    fn kernel(_: &Vec<Mention>, node: usize, maker: &mut dyn KernelMaker) -> JunctionKernel {
        JunctionKernel { count: maker.count(node, true), flipped: true }
    }
}
