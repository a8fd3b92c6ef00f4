//! A network as a program over lane words: two-input conjunctions in an order that keeps few values alive.
//!
//! A value is a slot of lane words. Inputs, feedback nodes and outputs keep their slots; every other value gives
//! its slot back after its last use, so that a program's data stays near the processor.

use crate::ground::network::Segment;
use crate::ground::{Lit, Network};

/// A slot, possibly negated: `slot << 1 | negated`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand(pub u32);

impl Operand {
    /// The slot.
    #[inline(always)]
    pub fn slot(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is negated.
    #[inline(always)]
    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The conjunction of two operands.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// Left operand.
    pub left: Operand,
    /// Right operand.
    pub right: Operand,
    /// The slot of the result.
    pub target: u32,
}

/// Operations that run together.
#[derive(Clone, Debug)]
pub enum Part {
    /// Once each, in order.
    Straight(Vec<Op>),
    /// Until the feedback slots keep their values in every lane, from all false.
    Loop {
        /// The operations.
        ops: Vec<Op>,
        /// Each feedback slot with its definition.
        feedback: Vec<(u32, Operand)>,
    },
}

/// A network's program. Slot 0 is false; the fluents' slots follow, one a bit of the state, then the moves'.
#[derive(Clone, Debug)]
pub struct Program {
    /// Number of slots.
    pub slots: usize,
    /// What the state alone decides.
    pub state: Vec<Part>,
    /// What the moves decide, too.
    pub moves: Vec<Part>,
    /// For every bit of the state its value in the successor.
    pub next: Vec<Operand>,
    /// For every bit of the state whether it holds initially.
    pub initial: Vec<bool>,
    /// For every role the slots of its moves and when they are legal.
    pub legal: Vec<Vec<(u32, Operand)>>,
    /// Whether the state is terminal.
    pub terminal: Operand,
    /// For every role the goal values with their conditions.
    pub goals: Vec<Vec<(i32, Operand)>>,
}

impl Program {
    /// Number of operations of a step.
    pub fn ops(&self) -> usize {
        let count = |part: &Part| match part {
            Part::Straight(ops) | Part::Loop { ops, .. } => ops.len(),
        };
        self.state.iter().chain(&self.moves).map(count).sum()
    }

    /// The goal values of every role where just these goal conditions hold, in the order of the goals.
    pub fn goal_values(&self, holds: &[bool]) -> Vec<Vec<i32>> {
        let mut holds = holds.iter();
        let mut values = Vec::with_capacity(self.goals.len());
        for goals in &self.goals {
            let held = goals.iter().zip(holds.by_ref()).filter(|(_, holds)| **holds);
            let mut held: Vec<i32> = held.map(|(&(value, _), _)| value).collect();
            held.dedup();
            values.push(held);
        }
        values
    }

    /// The program of a network.
    pub fn new(network: &Network) -> Program {
        Builder::new(network).build()
    }
}

/// The last reading of a value that is never given back.
const FOREVER: u32 = u32::MAX;
/// No slot yet.
const NONE: u32 = u32::MAX;

struct Builder<'a> {
    network: &'a Network,
    /// For every node when it is last read, counted in gates as they are placed.
    last_read: Vec<u32>,
    slot: Vec<u32>,
    free: Vec<u32>,
    slots: u32,
}

impl<'a> Builder<'a> {
    fn new(network: &'a Network) -> Builder<'a> {
        let mut slot = vec![NONE; network.nodes as usize];
        for node in 0..network.first_gate {
            slot[node as usize] = node;
        }
        let last_read = vec![0; network.nodes as usize];
        Builder { network, last_read, slot, free: Vec::new(), slots: network.first_gate }
    }

    fn outputs(&self) -> Vec<Lit> {
        let network = self.network;
        let mut outputs = vec![network.terminal];
        outputs.extend(network.moves.iter().flatten().map(|m| m.legal));
        outputs.extend(network.goals.iter().flatten().map(|&(_, when)| when));
        outputs.extend(&network.next);
        outputs
    }

    fn build(mut self) -> Program {
        let network = self.network;
        let outputs = self.outputs();
        let order: Vec<(usize, Vec<u32>)> = (0..network.segments.len())
            .map(|segment| (segment, self.depth_first(segment, &outputs)))
            .collect();
        let mut clock = 0;
        for (_, gates) in &order {
            for &gate in gates {
                clock += 1;
                for operand in network.gate(gate as usize) {
                    self.last_read[operand.node() as usize] = clock;
                }
            }
        }
        // What a loop reads is read again in every round, and its gates are read across rounds.
        for (segment, _) in &order {
            if let Segment::Loop { gates, feedback } = &network.segments[*segment] {
                for gate in gates.clone() {
                    let node = network.first_gate + gate;
                    let reads = network.gate(gate as usize).iter().map(|operand| operand.node());
                    reads.chain([node]).for_each(|node| self.last_read[node as usize] = FOREVER);
                }
                feedback
                    .iter()
                    .for_each(|(_, definition)| self.last_read[definition.node() as usize] = FOREVER);
            }
        }
        outputs.iter().for_each(|output| self.last_read[output.node() as usize] = FOREVER);

        let mut clock = 0;
        let mut parts = Vec::with_capacity(order.len());
        for (segment, gates) in &order {
            let mut ops = Vec::with_capacity(gates.len());
            for &gate in gates {
                clock += 1;
                self.place(gate, clock, &mut ops);
            }
            parts.push(match &network.segments[*segment] {
                Segment::Straight(_) => Part::Straight(ops),
                Segment::Loop { feedback, .. } => Part::Loop {
                    ops,
                    feedback: feedback
                        .iter()
                        .map(|&(node, definition)| (node, self.operand(definition)))
                        .collect(),
                },
            });
        }
        let moves = parts.split_off(network.state_segments);
        let role_moves = |moves: &Vec<crate::ground::network::RoleMove>| {
            moves.iter().map(|m| (m.input, self.operand(m.legal))).collect()
        };
        let role_goals =
            |goals: &Vec<(i32, Lit)>| goals.iter().map(|&(v, when)| (v, self.operand(when))).collect();
        Program {
            slots: self.slots as usize,
            state: parts,
            moves,
            next: network.next.iter().map(|&next| self.operand(next)).collect(),
            initial: network.initial.clone(),
            legal: network.moves.iter().map(role_moves).collect(),
            terminal: self.operand(network.terminal),
            goals: network.goals.iter().map(role_goals).collect(),
        }
    }

    /// The gates of a segment, each right before it is needed: depth first from the outputs. A loop keeps its
    /// order.
    fn depth_first(&self, segment: usize, outputs: &[Lit]) -> Vec<u32> {
        let network = self.network;
        let range = match &network.segments[segment] {
            Segment::Straight(range) => range.clone(),
            Segment::Loop { gates, .. } => return gates.clone().collect(),
        };
        let inside = |node: u32| node.checked_sub(network.first_gate).filter(|gate| range.contains(gate));
        let mut seen = vec![false; range.len()];
        let mut order = Vec::with_capacity(range.len());
        let mut stack: Vec<(u32, usize)> = Vec::new();
        // Gates that only later segments read come last, in their own order.
        let roots = outputs.iter().filter_map(|output| inside(output.node())).chain(range.clone());
        for root in roots {
            stack.push((root, 0));
            while let Some((gate, next)) = stack.pop() {
                let index = (gate - range.start) as usize;
                if next == 0 && std::mem::replace(&mut seen[index], true) {
                    continue;
                }
                let operands = network.gate(gate as usize);
                let open = operands[next..].iter().position(|operand| {
                    inside(operand.node()).is_some_and(|gate| !seen[(gate - range.start) as usize])
                });
                match open {
                    Some(offset) => {
                        stack.push((gate, next + offset + 1));
                        if let Some(inner) = inside(operands[next + offset].node()) {
                            stack.push((inner, 0));
                        }
                    }
                    None => order.push(gate),
                }
            }
        }
        order
    }

    fn operand(&self, literal: Lit) -> Operand {
        Operand(self.slot[literal.node() as usize] << 1 | u32::from(literal.negated()))
    }

    /// Emits a gate as a chain of two-input operations.
    fn place(&mut self, gate: u32, clock: u32, ops: &mut Vec<Op>) {
        let operands = self.network.gate(gate as usize);
        let node = (self.network.first_gate + gate) as usize;
        let sources: Vec<Operand> = operands.iter().map(|&operand| self.operand(operand)).collect();
        // The target is taken before the operands' slots are given back: a chain writes it early.
        let target = self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        });
        self.slot[node] = target;
        let mut left = sources[0];
        for &right in &sources[1..] {
            ops.push(Op { left, right, target });
            left = Operand(target << 1);
        }
        for operand in operands {
            let read = operand.node();
            if read >= self.network.first_gate && self.last_read[read as usize] == clock {
                self.free.push(self.slot[read as usize]);
            }
        }
        if self.last_read[node] == 0 {
            self.free.push(target);
        }
    }
}
