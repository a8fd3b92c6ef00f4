//! A condition that looks back through the rules, computed as in `soon`. `capture` uses it for the absence of a piece that can be
//! captured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::mention::{Edge, Literal, Mention};
use super::soon::LookbackKernel;
use super::{KernelMaker, NodeKind, Prefix, TruthMaker};

/// A condition and its best achiever.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, description = "")]
pub struct Toward {
    /// The condition.
    pub holds: Mention,
    /// The best conjunction that makes the condition hold in the next state.
    pub next: Mention,
}

/// Conditions that look back through the rules.
pub(in crate::evaluation::fuzzy) struct Kind;

impl NodeKind for Kind {
    type Payload = Toward;
    type Kernel = LookbackKernel;

    const WORDS: [&'static str; 2] = ["distance by the best move that achieves it", ""];

    fn mentions(of: &Toward) -> Vec<Mention> {
        vec![of.holds, of.next]
    }

    fn renumber(of: &mut Toward, number: &dyn Fn(Mention) -> Mention) {
        *of = Toward { holds: number(of.holds), next: number(of.next) };
    }

    fn prefix(of: &Toward) -> Prefix<'_> {
        Prefix::Members("toward", std::slice::from_ref(&of.holds))
    }

    fn explained(of: &Toward) -> &[Mention] {
        std::slice::from_ref(&of.next)
    }

    fn valued(members: &[Edge], _: bool) -> &[Edge] {
        &members[1..]
    }

    fn needs(_: [bool; 2]) -> [bool; 2] {
        [true; 2]
    }

    fn decided_by(members: &[Edge]) -> &[Edge] {
        &members[..1]
    }

    fn truth(_: &Toward, _: usize, members: &[Edge], gates: &mut dyn TruthMaker) -> Literal {
        gates.edge(members[0])
    }

    fn kernel(_: &Toward, node: usize, maker: &mut dyn KernelMaker) -> LookbackKernel {
        let holds = maker.literal((node as Edge) << 1);
        LookbackKernel { holds, achiever: maker.vectors(maker.members(node)[1]) }
    }
}
