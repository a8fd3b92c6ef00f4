//! The propositional network: what every fast machine reads.
//!
//! Nodes are numbered: 0 is false, then the fluents, the moves, the feedback nodes of loops, and the gates in
//! the order of their evaluation. A gate is a conjunction of literals. Segments group the gates; those of the
//! first [`Network::state_segments`] depend on the state alone, the others on the moves too. Gates are made for
//! joint moves: where two moves of one role were made at once, their values would mean nothing.

use std::ops::Range;

use super::build::Built;
use super::circuit::{Circuit, Lit, Node};
use super::exclusive::Exclusive;
use super::fold::{Constancy, constants};
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{TermId, Terms};

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

    /// Lays out a circuit: constants folded, unused gates dropped, gates ordered by what they depend on.
    pub(super) fn new(built: &Built, roles: usize, terms: &Terms) -> Network {
        let value = constants(built);
        Layout::new(built, roles, value).finish(roles, terms)
    }
}

struct Layout<'a> {
    built: &'a Built,
    value: Vec<Constancy>,
    /// The circuit with constants folded away, and where each node of the old one went.
    circuit: Circuit,
    image: Vec<Lit>,
}

impl<'a> Layout<'a> {
    fn new(built: &'a Built, roles: usize, value: Vec<Constancy>) -> Layout<'a> {
        let old = &built.circuit;
        let mut layout =
            Layout { built, value, circuit: Circuit::default(), image: vec![Lit::FALSE; old.len()] };
        let used = layout.used();
        let mut exclusive = layout.inputs(roles, &used);
        let mut open = None;
        let mut operands = Vec::new();
        for node in 0..old.len() as u32 {
            if open.is_some_and(|number: u32| old.loops[number as usize].end <= node) {
                layout.close(open.take());
            }
            layout.image[node as usize] = match (layout.value[node as usize], old.node(node)) {
                (Constancy::True, _) => Lit::TRUE,
                (Constancy::False, _) | (_, Node::Constant) => Lit::FALSE,
                (_, Node::Fluent(_) | Node::Move(_)) => layout.image[node as usize],
                _ if !used[node as usize] => Lit::FALSE,
                (_, Node::Feedback(number, _)) => {
                    if open != Some(number) {
                        open = Some(number);
                        let feedback = &old.loops[number as usize].feedback;
                        let nodes = layout.circuit.open_loop(feedback.len());
                        for (&(old_node, _), &new) in feedback.iter().zip(&nodes) {
                            layout.image[old_node as usize] = new;
                        }
                    }
                    layout.image[node as usize]
                }
                (_, Node::And { .. }) => {
                    operands.clear();
                    for &operand in old.operands(node) {
                        operands.push(layout.map(operand));
                    }
                    exclusive.and(&mut operands, &mut layout.circuit)
                }
            };
        }
        layout.close(open);
        layout
    }

    /// Makes the inputs, and looks at what the gates will read of the moves.
    fn inputs(&mut self, roles: usize, used: &[bool]) -> Exclusive {
        let old = &self.built.circuit;
        let mut exclusive = Exclusive::new(roles);
        let mut moves = Vec::new();
        for node in 0..old.len() as u32 {
            if self.value[node as usize] != Constancy::Unknown {
                continue;
            }
            match old.node(node) {
                kind @ Node::Fluent(_) => self.image[node as usize] = self.circuit.input(kind),
                kind @ Node::Move(number) => {
                    self.image[node as usize] = self.circuit.input(kind);
                    exclusive.add(self.built.moves[number as usize].role, self.image[node as usize]);
                }
                Node::And { .. } if used[node as usize] => {
                    moves.clear();
                    let is_move = |operand: &&Lit| matches!(old.node(operand.node()), Node::Move(_));
                    moves.extend(old.operands(node).iter().filter(is_move).map(|&o| self.map(o)));
                    exclusive.announce(&moves);
                }
                _ => {}
            }
        }
        exclusive
    }

    fn close(&mut self, open: Option<u32>) {
        if let Some(number) = open {
            let definitions: Vec<Lit> = self.built.circuit.loops[number as usize]
                .feedback
                .iter()
                .map(|&(_, definition)| self.map(definition))
                .collect();
            self.circuit.close_loop(&definitions);
        }
    }

    fn map(&self, literal: Lit) -> Lit {
        self.image[literal.node() as usize].negate_if(literal.negated())
    }

    /// The nodes that an output depends on.
    fn used(&self) -> Vec<bool> {
        let old = &self.built.circuit;
        let mut used = vec![false; old.len()];
        let mut stack: Vec<u32> = vec![self.built.terminal.node()];
        stack.extend(self.built.goals.iter().map(|(.., condition)| condition.node()));
        stack.extend(self.built.moves.iter().map(|action| action.legal.node()));
        stack.extend(self.built.fluents.iter().map(|fluent| fluent.next.node()));
        while let Some(node) = stack.pop() {
            if used[node as usize] || self.value[node as usize] != Constancy::Unknown {
                continue;
            }
            used[node as usize] = true;
            stack.extend(old.operands(node).iter().map(|operand| operand.node()));
            if let Node::Feedback(number, _) = old.node(node) {
                // A loop is kept whole.
                for &(feedback, definition) in &old.loops[number as usize].feedback {
                    stack.push(feedback);
                    stack.push(definition.node());
                }
            }
        }
        used
    }

    fn finish(self, roles: usize, terms: &Terms) -> Network {
        let mut network =
            Network { moves: vec![Vec::new(); roles], goals: vec![Vec::new(); roles], ..Network::default() };
        let mut number = vec![Lit::FALSE; self.circuit.len()]; // new circuit node -> network node
        let mut next_node = 1;
        let compare = |a: (Symbol, &[TermId]), b: (Symbol, &[TermId])| {
            a.0.cmp(&b.0).then(a.1.len().cmp(&b.1.len())).then_with(|| {
                let pairs = a.1.iter().zip(b.1);
                pairs
                    .map(|(&x, &y)| terms.compare(x, y))
                    .find(|o| o.is_ne())
                    .unwrap_or(std::cmp::Ordering::Equal)
            })
        };

        let mut fluents: Vec<_> = self
            .built
            .fluents
            .iter()
            .filter(|fluent| self.value[fluent.input as usize] != Constancy::False)
            .collect();
        fluents.sort_by(|a, b| compare((a.functor, &a.arguments), (b.functor, &b.arguments)));
        for fluent in &fluents {
            let bit = (self.value[fluent.input as usize] == Constancy::Unknown).then(|| {
                number[self.image[fluent.input as usize].node() as usize] = Lit::of(next_node);
                next_node += 1;
                network.bits.push(network.fluents.len() as u32);
                network.initial.push(fluent.initially);
                next_node - 2
            });
            network.fluents.push(Fluent {
                functor: fluent.functor,
                arguments: fluent.arguments.clone(),
                bit,
            });
        }

        let mut moves: Vec<_> = self
            .built
            .moves
            .iter()
            .filter(|action| self.value[action.input as usize] == Constancy::Unknown)
            .collect();
        moves.sort_by(|a, b| {
            compare((a.functor, &a.arguments), (b.functor, &b.arguments)).then(a.role.cmp(&b.role))
        });
        for action in &moves {
            let known = network.actions.last().is_some_and(|last: &Action| {
                (last.functor, &last.arguments) == (action.functor, &action.arguments)
            });
            if !known {
                network.actions.push(Action { functor: action.functor, arguments: action.arguments.clone() });
            }
            number[self.image[action.input as usize].node() as usize] = Lit::of(next_node);
            let entry =
                RoleMove { action: network.actions.len() as u32 - 1, input: next_node, legal: Lit::FALSE };
            network.moves[action.role].push(entry);
            next_node += 1;
        }
        let next_node = self.place_gates(&mut network, &mut number, next_node);
        network.nodes = next_node;

        let output = |literal: Lit| {
            let image = self.map(literal);
            number[image.node() as usize].negate_if(image.negated())
        };
        network.next = fluents
            .iter()
            .filter(|f| self.value[f.input as usize] == Constancy::Unknown)
            .map(|f| output(f.next))
            .collect();
        let mut position = vec![0; roles];
        for action in &moves {
            network.moves[action.role][position[action.role]].legal = output(action.legal);
            position[action.role] += 1;
        }
        network.terminal = output(self.built.terminal);
        for &(role, value, condition) in &self.built.goals {
            let condition = output(condition);
            if condition != Lit::FALSE {
                network.goals[role].push((value, condition));
            }
        }
        network.goals.iter_mut().for_each(|goals| goals.sort_unstable());
        network
    }

    /// Numbers the gates in their order of evaluation, the state's cone first.
    fn place_gates(&self, network: &mut Network, number: &mut [Lit], mut next_node: u32) -> u32 {
        let circuit = &self.circuit;
        let count = circuit.len() as u32;
        let mut on_moves = vec![false; count as usize];
        for node in 0..count {
            on_moves[node as usize] = match circuit.node(node) {
                Node::Move(_) => true,
                Node::And { .. } => circuit.operands(node).iter().any(|o| on_moves[o.node() as usize]),
                _ => false,
            };
        }
        // A loop depends on the moves if any of its gates does; then all of them and their readers do.
        let mut loop_on_moves = vec![false; circuit.loops.len()];
        loop {
            let mut changed = false;
            for node in 0..count {
                if let Some(l) = circuit.loop_of(node) {
                    let here = on_moves[node as usize] || loop_on_moves[l as usize];
                    changed |= here != on_moves[node as usize] || here != loop_on_moves[l as usize];
                    on_moves[node as usize] = here;
                    loop_on_moves[l as usize] = here;
                } else if circuit.operands(node).iter().any(|o| on_moves[o.node() as usize]) {
                    changed |= !on_moves[node as usize];
                    on_moves[node as usize] = true;
                }
            }
            if !changed {
                break;
            }
        }
        for node in 0..count {
            if matches!(circuit.node(node), Node::Feedback(..)) {
                number[node as usize] = Lit::of(next_node);
                next_node += 1;
            }
        }
        network.first_gate = next_node;
        network.starts.push(0);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); circuit.loops.len()];
        for node in 0..count {
            if let (Some(l), Node::And { .. }) = (circuit.loop_of(node), circuit.node(node)) {
                members[l as usize].push(node);
            }
        }
        for cone in [false, true] {
            let mut run_start = network.gates() as u32;
            let mut placed = vec![false; circuit.loops.len()];
            for node in 0..count {
                if on_moves[node as usize] != cone {
                    continue;
                }
                if let (Node::And { .. }, None) = (circuit.node(node), circuit.loop_of(node)) {
                    self.place_gate(node, network, number, &mut next_node);
                }
                // A loop stands where its last gate stands: all that it reads is placed by then.
                if let Some(l) = circuit.loop_of(node)
                    && !placed[l as usize]
                    && members[l as usize].last().is_none_or(|&last| last <= node)
                    && circuit.loops[l as usize].feedback.iter().all(|&(feedback, _)| feedback <= node)
                {
                    placed[l as usize] = true;
                    let start = network.gates() as u32;
                    if run_start < start {
                        network.segments.push(Segment::Straight(run_start..start));
                    }
                    for &member in &members[l as usize] {
                        self.place_gate(member, network, number, &mut next_node);
                    }
                    let map = |lit: Lit| number[lit.node() as usize].negate_if(lit.negated());
                    let feedback = circuit.loops[l as usize]
                        .feedback
                        .iter()
                        .map(|&(node, definition)| (number[node as usize].node(), map(definition)))
                        .collect();
                    run_start = network.gates() as u32;
                    network.segments.push(Segment::Loop { gates: start..run_start, feedback });
                }
            }
            let end = network.gates() as u32;
            if run_start < end {
                network.segments.push(Segment::Straight(run_start..end));
            }
            if !cone {
                network.state_segments = network.segments.len();
            }
        }
        next_node
    }

    fn place_gate(&self, node: u32, network: &mut Network, number: &mut [Lit], next_node: &mut u32) {
        for operand in self.circuit.operands(node) {
            let image = number[operand.node() as usize];
            network.operands.push(image.negate_if(operand.negated()));
        }
        network.starts.push(network.operands.len() as u32);
        number[node as usize] = Lit::of(*next_node);
        *next_node += 1;
    }
}
