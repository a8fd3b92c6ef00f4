//! A circuit under construction: and-gates of any width over possibly negated literals. Equal gates share one node.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// A node of a circuit or network, possibly negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(pub u32);

impl Lit {
    /// The constant false.
    pub const FALSE: Lit = Lit(0);
    /// The constant true.
    pub const TRUE: Lit = Lit(1);

    /// The positive literal of a node.
    pub fn of(node: u32) -> Lit {
        Lit(node << 1)
    }

    /// The node.
    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    /// Whether it is negated.
    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The literal, negated if `negate`.
    pub fn negate_if(self, negate: bool) -> Lit {
        Lit(self.0 ^ u32::from(negate))
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// The constant false; only node 0.
    Constant,
    /// A fluent, by index.
    Fluent(u32),
    /// A move of a role, by index.
    Move(u32),
    /// The value of a recursive atom, by loop and index in the loop.
    Feedback(u32, u32),
    /// The conjunction of operands.
    And {
        /// First operand.
        start: u32,
        /// One past the last operand.
        end: u32,
    },
}

/// Atoms that depend on each other. Their values are the least fixpoint of their definitions.
#[derive(Clone, Debug, Default)]
pub(super) struct Loop {
    /// The value node of each atom, with its definition over these nodes.
    pub(super) feedback: Vec<(u32, Lit)>,
    /// One past the last node made while the loop was open.
    pub(super) end: u32,
}

/// Nodes in topological order, except inside loops.
#[derive(Clone, Debug)]
pub(super) struct Circuit {
    nodes: Vec<Node>,
    operands: Vec<Lit>,
    /// For each node the open loop whose feedback it depends on.
    within: Vec<u32>,
    /// The loops, in order.
    pub(super) loops: Vec<Loop>,
    open: Option<u32>,
    known: HashTable<u32>,
}

/// The value for "in no loop".
const NO_LOOP: u32 = u32::MAX;

impl Default for Circuit {
    fn default() -> Circuit {
        Circuit {
            nodes: vec![Node::Constant],
            operands: Vec::new(),
            within: vec![NO_LOOP],
            loops: Vec::new(),
            open: None,
            known: HashTable::new(),
        }
    }
}

fn hash(operands: &[Lit]) -> u64 {
    let mut hasher = FxHasher::default();
    operands.iter().for_each(|operand| hasher.write_u32(operand.0));
    hasher.finish()
}

impl Circuit {
    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, node: u32) -> Node {
        self.nodes[node as usize]
    }

    /// The operands of a gate; empty for other nodes.
    pub(super) fn operands(&self, node: u32) -> &[Lit] {
        match self.nodes[node as usize] {
            Node::And { start, end } => &self.operands[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The loop of a node, if it is in one.
    pub(super) fn loop_of(&self, node: u32) -> Option<u32> {
        Some(self.within[node as usize]).filter(|&l| l != NO_LOOP)
    }

    /// Approximate memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * 16 + self.operands.capacity() * 4 + self.known.capacity() * 5
    }

    /// Adds an input.
    pub(super) fn input(&mut self, node: Node) -> Lit {
        self.push(node, NO_LOOP)
    }

    /// The conjunction of literals. Reorders the slice.
    pub(super) fn and(&mut self, literals: &mut Vec<Lit>) -> Lit {
        literals.sort_unstable();
        literals.dedup();
        literals.retain(|&literal| literal != Lit::TRUE);
        if literals.first() == Some(&Lit::FALSE) || literals.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Lit::FALSE;
        }
        match literals.as_slice() {
            [] => return Lit::TRUE,
            [single] => return *single,
            _ => {}
        }
        let code = hash(literals);
        if let Some(&node) = self.known.find(code, |&node| self.operands(node) == literals.as_slice()) {
            return Lit::of(node);
        }
        let within = match self.open {
            Some(open) if literals.iter().any(|literal| self.within[literal.node() as usize] == open) => open,
            _ => NO_LOOP,
        };
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(literals);
        let literal = self.push(Node::And { start, end: self.operands.len() as u32 }, within);
        let (nodes, operands) = (&self.nodes, &self.operands);
        self.known.insert_unique(code, literal.node(), |&node| match nodes[node as usize] {
            Node::And { start, end } => hash(&operands[start as usize..end as usize]),
            _ => 0,
        });
        literal
    }

    /// The disjunction of literals. Changes the slice.
    pub(super) fn or(&mut self, literals: &mut Vec<Lit>) -> Lit {
        literals.iter_mut().for_each(|literal| *literal = !*literal);
        !self.and(literals)
    }

    /// Opens a loop of this many atoms. Returns the node of each.
    pub(super) fn open_loop(&mut self, atoms: usize) -> Vec<Lit> {
        let number = self.loops.len() as u32;
        self.open = Some(number);
        let nodes: Vec<Lit> =
            (0..atoms as u32).map(|position| self.push(Node::Feedback(number, position), number)).collect();
        let feedback = nodes.iter().map(|literal| (literal.node(), Lit::FALSE)).collect();
        self.loops.push(Loop { feedback, end: self.nodes.len() as u32 });
        nodes
    }

    /// Closes the open loop, given the definition of each of its atoms.
    pub(super) fn close_loop(&mut self, definitions: &[Lit]) {
        if let Some(open) = self.open.take() {
            for (slot, &definition) in self.loops[open as usize].feedback.iter_mut().zip(definitions) {
                slot.1 = definition;
            }
            self.loops[open as usize].end = self.nodes.len() as u32;
        }
    }

    fn push(&mut self, node: Node, within: u32) -> Lit {
        self.nodes.push(node);
        self.within.push(within);
        Lit::of(self.nodes.len() as u32 - 1)
    }
}
