//! The propositional network: what every fast machine reads.
//!
//! Nodes are numbered: 0 is false, then the fluents, the moves, the feedback nodes of loops, and the gates in
//! the order of their evaluation. A gate is a conjunction of literals. Segments group the gates; those of the
//! first [`Network::state_segments`] depend on the state alone, the others on the moves too. Gates are made for
//! joint moves: where two moves of one role were made at once, their values would mean nothing.

use std::ops::Range;

use super::circuit::Lit;
use crate::gdl::symbol::Symbol;
use crate::gdl::term::TermId;

/// Gates that are evaluated together. Ranges number gates from 0.
#[derive(Clone, Debug)]
pub enum Segment {
    /// Once each, in order.
    Straight(Range<u32>),
    /// Again and again until the feedback nodes keep their values, starting from all false: recursive atoms.
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
    /// Its bit in a state; `None` for a fluent that holds in every reachable state.
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
pub struct Derived {
    /// The relation.
    pub name: Symbol,
    /// The arguments.
    pub arguments: Vec<TermId>,
    /// Whether it holds.
    pub value: Lit,
}

/// A move of a role: its input node and when it is legal.
#[derive(Clone, Copy, Debug)]
pub struct RoleMove {
    /// The move term, by its number in [`Network::actions`].
    pub action: u32,
    /// The input node that says that the role makes it.
    pub input: u32,
    /// Whether it is legal.
    pub legal: Lit,
}

/// A propositional network.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// All fluents that can hold, in structural order of their terms.
    pub fluents: Vec<Fluent>,
    /// For each bit of a state the fluent's number in `fluents`. Bit `b` is node `1 + b`.
    pub bits: Vec<u32>,
    /// For each bit of a state whether it holds initially.
    pub initial: Vec<bool>,
    /// For each bit of a state its value in the successor.
    pub next: Vec<Lit>,
    /// All move terms, in structural order.
    pub actions: Vec<Action>,
    /// For each role its moves, in structural order of their terms.
    pub moves: Vec<Vec<RoleMove>>,
    /// Whether the state is terminal.
    pub terminal: Lit,
    /// For each role the goal values with their conditions, ascending.
    pub goals: Vec<Vec<(i32, Lit)>>,
    /// What rules derive from the state alone, as far as an output depends on it and the relation has no more than some
    /// thousands of atoms, in structural order.
    pub derived: Vec<Derived>,
    /// Number of nodes, the constant and the inputs included.
    pub nodes: u32,
    /// The node of gate 0.
    pub first_gate: u32,
    /// For each gate where its operands start, and one more entry.
    pub starts: Vec<u32>,
    /// The operands of all gates.
    pub operands: Vec<Lit>,
    /// The gates in order of evaluation.
    pub segments: Vec<Segment>,
    /// How many of the segments depend on the state alone.
    pub state_segments: usize,
}

impl Network {
    /// Number of gates.
    pub fn gates(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The operands of a gate, by its number from 0.
    pub fn gate(&self, gate: usize) -> &[Lit] {
        &self.operands[self.starts[gate] as usize..self.starts[gate + 1] as usize]
    }

    /// Number of two-input gates that the gates amount to.
    pub fn two_input_gates(&self) -> usize {
        self.operands.len() - self.gates()
    }

    /// What a step leaves, and what loops are computed from: next values but those of bits that are `left_out`, the end, goals and
    /// legal moves.
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

    /// For each node whether some literals depend on it.
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
