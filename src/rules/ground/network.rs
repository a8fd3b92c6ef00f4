//! The propositional network, which the fast machines evaluate.
//!
//! Nodes are numbered: 0 is false, then come the fluents, the moves, the feedback nodes of loops, and the gates in
//! evaluation order. A gate is a conjunction of literals. Segments group the gates: those of the first
//! [`Network::state_segments`] depend only on the state, the others also on the moves. Gates assume that each role makes one
//! move. If two moves of a role were made at once, their values would be meaningless.

use std::ops::Range;

use super::circuit::Lit;
use crate::gdl::symbol::Symbol;
use crate::gdl::term::TermId;

/// Gates that are evaluated together. Ranges are indices of gates.
#[derive(Clone, Debug)]
pub enum Segment {
    /// Evaluated once each, in order.
    Straight(Range<u32>),
    /// Recursive atoms: evaluated repeatedly until the feedback nodes do not change, starting from false.
    Loop {
        /// The gates.
        gates: Range<u32>,
        /// Each feedback node with its definition.
        feedback: Vec<(u32, Lit)>,
    },
}

/// A fluent of the network.
#[derive(Clone, Debug)]
pub struct Fluent {
    /// The outermost symbol.
    pub functor: Symbol,
    /// The arguments.
    pub arguments: Vec<TermId>,
    /// Its bit in a state; `None` if it is true in every reachable state.
    pub bit: Option<u32>,
}

/// A move term of the network.
#[derive(Clone, Debug)]
pub struct Action {
    /// The outermost symbol.
    pub functor: Symbol,
    /// The arguments.
    pub arguments: Vec<TermId>,
}

/// An atom that rules derive from the state.
#[derive(Clone, Debug)]
pub struct DerivedAtom {
    /// The relation.
    pub name: Symbol,
    /// The arguments.
    pub arguments: Vec<TermId>,
    /// Its value.
    pub value: Lit,
}

/// A move of a role.
#[derive(Clone, Copy, Debug)]
pub struct RoleMove {
    /// The move term, by its index in [`Network::actions`].
    pub action: u32,
    /// The input node that is true if the role makes the move.
    pub input: u32,
    /// Whether the move is legal.
    pub legal: Lit,
}

/// A propositional network.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// All fluents that can be true, in structural order of their terms.
    pub fluents: Vec<Fluent>,
    /// For each bit of a state the index of its fluent in `fluents`. Bit `b` is node `1 + b`.
    pub bits: Vec<u32>,
    /// For each bit its initial value.
    pub initial: Vec<bool>,
    /// For each bit its value in the successor.
    pub next: Vec<Lit>,
    /// All move terms, in structural order.
    pub actions: Vec<Action>,
    /// For each role its moves, in structural order of their terms.
    pub moves: Vec<Vec<RoleMove>>,
    /// Whether the state is terminal.
    pub terminal: Lit,
    /// For each role its goal values with their conditions, in ascending order.
    pub goals: Vec<Vec<(i32, Lit)>>,
    /// Atoms that depend only on the state, in structural order. Atoms on which no output depends, and relations of more
    /// than some thousand atoms, are omitted.
    pub derived: Vec<DerivedAtom>,
    /// Number of nodes, including the constant and the inputs.
    pub nodes: u32,
    /// The node of gate 0.
    pub first_gate: u32,
    /// For each gate the start of its operands, and one more entry.
    pub starts: Vec<u32>,
    /// The operands of all gates.
    pub operands: Vec<Lit>,
    /// The gates in order of evaluation.
    pub segments: Vec<Segment>,
    /// Number of segments that depend only on the state.
    pub state_segments: usize,
}

impl Network {
    /// Number of gates.
    pub fn gates(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The operands of a gate, by its index.
    pub fn gate(&self, gate: usize) -> &[Lit] {
        &self.operands[self.starts[gate] as usize..self.starts[gate + 1] as usize]
    }

    /// Number of equivalent two-input gates.
    pub fn two_input_gates(&self) -> usize {
        self.operands.len() - self.gates()
    }

    /// The roots of a step: next values except those of bits in `left_out`, the end, goals, legal moves, and the definitions
    /// of loops.
    pub fn outputs(&self, left_out: impl Fn(usize) -> bool) -> Vec<Lit> {
        let goals = self.goals.iter().flatten().map(|&(_, condition)| condition);
        let legal = self.moves.iter().flatten().map(|m| m.legal);
        let loops = self.segments.iter().flat_map(|segment| match segment {
            Segment::Loop { feedback, .. } => &feedback[..],
            Segment::Straight(_) => &[],
        });
        let definitions = loops.map(|&(_, definition)| definition);
        let next = self.next.iter().enumerate().filter(|&(bit, _)| !left_out(bit)).map(|(_, &next)| next);
        next.chain([self.terminal]).chain(goals).chain(legal).chain(definitions).collect()
    }

    /// For each node whether one of these literals depends on it.
    pub fn cone(&self, mut literals: Vec<Lit>) -> Vec<bool> {
        let mut cone = vec![false; self.nodes as usize];
        while let Some(literal) = literals.pop() {
            if !std::mem::replace(&mut cone[literal.node() as usize], true)
                && let Some(gate) = literal.node().checked_sub(self.first_gate)
            {
                literals.extend(self.gate(gate as usize));
            }
        }
        cone
    }
}
