//! Finds nodes that are constant in all reachable states, by induction over steps.
//!
//! Assume that every fluent keeps its initial value and that no move is ever made. A fluent whose next value is not the assumed
//! constant becomes unknown, and a move that may be legal becomes possible. Both make other nodes unknown, until nothing
//! changes. The remaining nodes are constant in every reachable state: this is the greatest set that is inductive.

use super::build::Built;
use super::circuit::{Lit, Node};

/// The value of a node in all reachable states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constancy {
    /// Always false.
    False,
    /// Always true.
    True,
    /// Not constant, as far as the analysis shows.
    Unknown,
}

impl Constancy {
    fn of(value: bool) -> Constancy {
        if value { Constancy::True } else { Constancy::False }
    }

    fn negate_if(self, negate: bool) -> Constancy {
        match self {
            Constancy::False if negate => Constancy::True,
            Constancy::True if negate => Constancy::False,
            other => other,
        }
    }
}

/// Computes the value of every node of a circuit.
pub(super) fn constants(built: &Built) -> Vec<Constancy> {
    let circuit = &built.circuit;
    let mut value = vec![Constancy::False; circuit.len()];
    let mut zeros = vec![0u32; circuit.len()];
    for node in 0..circuit.len() as u32 {
        value[node as usize] = match circuit.node(node) {
            Node::Constant | Node::Move(_) => Constancy::False,
            Node::Fluent(fluent) => Constancy::of(built.fluents[fluent as usize].initially),
            Node::Feedback(..) => Constancy::Unknown,
            Node::And { .. } => {
                let mut unknown = false;
                for &operand in circuit.operands(node) {
                    match literal_value(&value, operand) {
                        Constancy::False => zeros[node as usize] += 1,
                        Constancy::Unknown => unknown = true,
                        Constancy::True => {}
                    }
                }
                match (zeros[node as usize], unknown) {
                    (0, true) => Constancy::Unknown,
                    (0, false) => Constancy::True,
                    _ => Constancy::False,
                }
            }
        };
    }
    Propagation::new(built).run(&mut value, &mut zeros);
    value
}

fn literal_value(value: &[Constancy], literal: Lit) -> Constancy {
    value[literal.node() as usize].negate_if(literal.negated())
}

/// Propagates [`Constancy::Unknown`] from nodes to the nodes that read them.
struct Propagation<'a> {
    built: &'a Built,
    /// For each node, the index of its first reader in `readers`; one entry more than nodes.
    starts: Vec<u32>,
    /// The gates that read a node, negated if they read its negation.
    readers: Vec<Lit>,
    /// Nodes that became unknown, with their previous value.
    queue: Vec<(u32, Constancy)>,
}

impl<'a> Propagation<'a> {
    fn new(built: &'a Built) -> Propagation<'a> {
        let circuit = &built.circuit;
        let mut starts = vec![0u32; circuit.len() + 1];
        for node in 0..circuit.len() as u32 {
            circuit.operands(node).iter().for_each(|operand| starts[operand.node() as usize + 1] += 1);
        }
        for node in 0..circuit.len() {
            starts[node + 1] += starts[node];
        }
        let mut fill = starts.clone();
        let mut readers = vec![Lit::FALSE; starts[circuit.len()] as usize];
        for node in 0..circuit.len() as u32 {
            for operand in circuit.operands(node) {
                let slot = &mut fill[operand.node() as usize];
                readers[*slot as usize] = Lit::of(node).negate_if(operand.negated());
                *slot += 1;
            }
        }
        Propagation { built, starts, readers, queue: Vec::new() }
    }

    fn run(mut self, value: &mut [Constancy], zeros: &mut [u32]) {
        // The inputs that depend on an output node: fluents on their next value, moves on their legality.
        let built = self.built;
        let mut followers: Vec<(u32, u32)> = Vec::new();
        for fluent in &built.fluents {
            followers.push((fluent.next.node(), fluent.input));
            if literal_value(value, fluent.next) != Constancy::of(fluent.initially) {
                self.mark_unknown(fluent.input, value);
            }
        }
        for action in &built.moves {
            followers.push((action.legal.node(), action.input));
            if literal_value(value, action.legal) != Constancy::False {
                self.mark_unknown(action.input, value);
            }
        }
        followers.sort_unstable();
        while let Some((node, former)) = self.queue.pop() {
            let first = followers.partition_point(|&(output, _)| output < node);
            for &(output, input) in &followers[first..] {
                if output != node {
                    break;
                }
                self.mark_unknown(input, value);
            }
            for index in self.starts[node as usize]..self.starts[node as usize + 1] {
                let reader = self.readers[index as usize];
                let gate = reader.node() as usize;
                match value[gate] {
                    Constancy::Unknown => {}
                    Constancy::True => self.mark_unknown(gate as u32, value),
                    Constancy::False => {
                        if former.negate_if(reader.negated()) == Constancy::False {
                            zeros[gate] -= 1;
                        }
                        if zeros[gate] == 0 {
                            self.mark_unknown(gate as u32, value);
                        }
                    }
                }
            }
        }
    }

    fn mark_unknown(&mut self, node: u32, value: &mut [Constancy]) {
        let former = std::mem::replace(&mut value[node as usize], Constancy::Unknown);
        if former != Constancy::Unknown {
            self.queue.push((node, former));
        }
    }
}
