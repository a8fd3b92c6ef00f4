//! The gates of one part, evaluated for many of its states and moves.
//!
//! # How
//! A state is evaluated with three values, while the moves are unknown. From one state to the next, only gates that change are
//! evaluated. The gates that depend on moves in this state are then a small circuit, in which a move changes few gates:
//! the cost of all moves in all states is about that of reading the gates a few times.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::ground::{Lit, Network};

/// The values of a node. It is unknown if it depends on the moves.
const FALSE: u8 = 0;
const TRUE: u8 = 1;
const UNKNOWN: u8 = 2;

/// The code of a node that was not visited.
const UNVISITED: Lit = Lit(u32::MAX);

/// What a node of the network is in a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// It has this value.
    Constant(bool),
    /// A move of another part, which may be made.
    OtherMove,
    /// A gate; its value follows from its operands.
    Gate,
    /// It must not be read.
    Foreign,
}

/// A circuit over the bits of a part, its moves, and moves of other parts. Node 0 is false. The roots are gates of their own, which
/// come last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LocalCircuit {
    /// The number of bits, which are the nodes from 1 on.
    bits: u32,
    /// The number of moves of the part, which are the next nodes.
    moves: u32,
    /// The number of moves of other parts that are read; they are the next nodes.
    pub(super) other_moves: u32,
    /// For each gate the start of its operands, and one more entry.
    starts: Vec<u32>,
    operands: Vec<Lit>,
    /// For each node the start of the gates that read it, and one more entry.
    reader_starts: Vec<u32>,
    /// The gates, by node, negated if they read the negation.
    readers: Vec<Lit>,
    /// For each gate its distance from the inputs.
    levels: Vec<u32>,
    /// The number of roots.
    pub(super) roots: u32,
}

impl LocalCircuit {
    /// The circuit of the conjunctions `roots` over bits and moves, given as nodes. `leaf` says what other nodes are. None if a
    /// foreign node is read.
    pub(super) fn new(
        network: &Network,
        (bits, moves): (&[u32], &[u32]),
        roots: &[&[Lit]],
        codes: &mut Codes,
        leaf: impl Fn(u32) -> Leaf,
    ) -> Option<LocalCircuit> {
        let mut circuit = LocalCircuit {
            bits: bits.len() as u32,
            moves: moves.len() as u32,
            other_moves: 0,
            starts: vec![0],
            operands: Vec::new(),
            reader_starts: Vec::new(),
            readers: Vec::new(),
            levels: Vec::new(),
            roots: roots.len() as u32,
        };
        (1..).zip(bits.iter().chain(moves)).for_each(|(number, &node)| codes.set(node, Lit::of(number)));
        let (mut gates, mut others) = (Vec::new(), Vec::new());
        let mut open: Vec<u32> = roots.iter().flat_map(|root| root.iter().map(|of| of.node())).collect();
        let mut foreign = false;
        while let Some(node) = open.pop() {
            if codes.of[node as usize] != UNVISITED {
                continue;
            }
            codes.set(node, Lit::FALSE);
            match leaf(node) {
                Leaf::Constant(value) => codes.of[node as usize] = Lit::FALSE.negate_if(value),
                Leaf::OtherMove => others.push(node),
                Leaf::Foreign => foreign = true,
                Leaf::Gate => {
                    gates.push(node);
                    open.extend(
                        network.gate((node - network.first_gate) as usize).iter().map(|of| of.node()),
                    );
                }
            }
        }
        others.sort_unstable();
        gates.sort_unstable();
        circuit.other_moves = others.len() as u32;
        let first = 1 + circuit.bits + circuit.moves;
        (first..).zip(&others).for_each(|(number, &node)| codes.of[node as usize] = Lit::of(number));
        if !foreign {
            for &gate in &gates {
                let operands = network.gate((gate - network.first_gate) as usize);
                codes.of[gate as usize] = circuit.add(operands, &codes.of);
            }
            for root in roots {
                let operands = circuit.mapped(root, &codes.of);
                circuit.push(&operands);
            }
            circuit.connect();
        }
        codes.work += circuit.operands.len() + open.capacity() + gates.len();
        codes.clear();
        (!foreign).then_some(circuit)
    }

    fn first_gate(&self) -> u32 {
        1 + self.bits + self.moves + self.other_moves
    }

    /// The operands that are not always true; a false one alone if there is any.
    fn mapped(&self, operands: &[Lit], codes: &[Lit]) -> Vec<Lit> {
        let code = |of: &Lit| codes[of.node() as usize].negate_if(of.negated());
        let mut mapped: Vec<Lit> = operands.iter().map(code).filter(|&of| of != Lit::TRUE).collect();
        mapped.sort_unstable();
        mapped.dedup();
        if mapped.first() == Some(&Lit::FALSE) || mapped.windows(2).any(|pair| pair[0] == !pair[1]) {
            mapped = vec![Lit::FALSE];
        }
        mapped
    }

    /// Adds a conjunction, unless it is a constant or another literal.
    fn add(&mut self, operands: &[Lit], codes: &[Lit]) -> Lit {
        match self.mapped(operands, codes)[..] {
            [] => Lit::TRUE,
            [only] => only,
            ref operands => self.push(operands),
        }
    }

    fn push(&mut self, operands: &[Lit]) -> Lit {
        let first = self.first_gate();
        let level = |of: &Lit| of.node().checked_sub(first).map_or(0, |gate| self.levels[gate as usize] + 1);
        let level = operands.iter().map(level).max().unwrap_or(0);
        self.operands.extend_from_slice(operands);
        self.starts.push(self.operands.len() as u32);
        self.levels.push(level);
        Lit::of(first + self.levels.len() as u32 - 1)
    }

    /// Finds the gates that read each node.
    fn connect(&mut self) {
        let nodes = self.first_gate() as usize + self.levels.len();
        let mut starts = vec![0; nodes + 1];
        self.operands.iter().for_each(|of| starts[of.node() as usize + 1] += 1_u32);
        (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
        let mut ends = starts.clone();
        let mut readers = vec![Lit::FALSE; self.operands.len()];
        for gate in 0..self.levels.len() as u32 {
            for operand in self.gate(gate) {
                let end = &mut ends[operand.node() as usize];
                readers[*end as usize] = Lit::of(self.first_gate() + gate).negate_if(operand.negated());
                *end += 1;
            }
        }
        self.readers = readers;
        self.reader_starts = starts;
    }

    fn gate(&self, gate: u32) -> &[Lit] {
        &self.operands[self.starts[gate as usize] as usize..self.starts[gate as usize + 1] as usize]
    }

    fn readers(&self, node: u32) -> &[Lit] {
        &self.readers
            [self.reader_starts[node as usize] as usize..self.reader_starts[node as usize + 1] as usize]
    }

    /// The input node of a move of the part.
    pub(super) fn input(&self, number: usize) -> u32 {
        1 + self.bits + number as u32
    }

    /// Input nodes of moves of other parts, one for each set of moves that the same gates read.
    pub(super) fn kinds_of_other_moves(&self) -> Vec<u32> {
        let mut seen: HashSet<&[Lit]> = HashSet::new();
        let first = 1 + self.bits + self.moves;
        (first..first + self.other_moves).filter(|&node| seen.insert(self.readers(node))).collect()
    }
}

/// For each node of a network its literal in the circuit that is being made.
pub(super) struct Codes {
    of: Vec<Lit>,
    visited: Vec<u32>,
    /// The work done with it, in operands.
    pub(super) work: usize,
}

impl Codes {
    pub(super) fn new(network: &Network) -> Codes {
        Codes { of: vec![UNVISITED; network.nodes as usize], visited: Vec::new(), work: 0 }
    }

    fn set(&mut self, node: u32, literal: Lit) {
        self.of[node as usize] = literal;
        self.visited.push(node);
    }

    fn clear(&mut self) {
        self.work += self.visited.len();
        self.visited.drain(..).for_each(|node| self.of[node as usize] = UNVISITED);
    }
}

/// The values of a circuit in a state.
pub(super) struct Evaluation<'c> {
    circuit: &'c LocalCircuit,
    /// The bits of the state.
    words: Box<[u64]>,
    values: Vec<u8>,
    /// For each gate the number of its operands that are false, and that are unknown.
    falses: Vec<u32>,
    unknowns: Vec<u32>,
    /// For each level the gates to evaluate.
    queue: Vec<Vec<u32>>,
    queued: Vec<bool>,
    /// The gates that depend on moves, and where each gate is in this list.
    live: Vec<u32>,
    position: Vec<u32>,
    /// For each node the live gates that read it, negated if they read the negation.
    edges: Vec<Vec<Lit>>,
    /// The nodes with edges.
    with_edges: Vec<u32>,
    /// For each gate that depends on moves whether it is true, and the number of its false operands.
    base: Vec<bool>,
    base_falses: Vec<u32>,
    /// The work done, in operands.
    pub(super) work: usize,
}

impl<'c> Evaluation<'c> {
    /// Begins with the state in which all bits are false.
    pub(super) fn new(circuit: &'c LocalCircuit) -> Evaluation<'c> {
        let (first, gates) = (circuit.first_gate() as usize, circuit.levels.len());
        let levels = circuit.levels.iter().max().map_or(0, |&level| level as usize + 1);
        let mut evaluation = Evaluation {
            circuit,
            words: vec![0; (circuit.bits as usize).div_ceil(64)].into_boxed_slice(),
            values: vec![FALSE; first + gates],
            falses: vec![0; gates],
            unknowns: vec![0; gates],
            queue: vec![Vec::new(); levels],
            queued: vec![false; gates],
            live: Vec::new(),
            position: vec![0; gates],
            edges: vec![Vec::new(); first + gates],
            with_edges: Vec::new(),
            base: vec![false; gates],
            base_falses: vec![0; gates],
            work: circuit.operands.len() + gates,
        };
        evaluation.values[1 + circuit.bits as usize..first].fill(UNKNOWN);
        for gate in 0..gates {
            for operand in circuit.gate(gate as u32) {
                match literal(evaluation.values[operand.node() as usize], operand.negated()) {
                    FALSE => evaluation.falses[gate] += 1,
                    UNKNOWN => evaluation.unknowns[gate] += 1,
                    _ => {}
                }
            }
            let value = evaluation.computed(gate);
            evaluation.values[first + gate] = value;
            if value == UNKNOWN {
                evaluation.position[gate] = evaluation.live.len() as u32;
                evaluation.live.push(gate as u32);
            }
        }
        evaluation
    }

    fn computed(&self, gate: usize) -> u8 {
        match (self.falses[gate], self.unknowns[gate]) {
            (0, 0) => TRUE,
            (0, _) => UNKNOWN,
            _ => FALSE,
        }
    }

    /// Goes to a state.
    pub(super) fn set(&mut self, words: &[u64]) {
        for (index, &word) in words.iter().enumerate() {
            let mut changed = self.words[index] ^ word;
            self.words[index] = word;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                self.change(1 + 64 * index as u32 + bit, (word >> bit & 1) as u8);
            }
        }
        let first = self.circuit.first_gate();
        for level in 0..self.queue.len() {
            self.work += 1;
            while let Some(gate) = self.queue[level].pop() {
                self.queued[gate as usize] = false;
                let value = self.computed(gate as usize);
                if value != self.values[(first + gate) as usize] {
                    self.change_live(gate, value == UNKNOWN);
                    self.change(first + gate, value);
                }
            }
        }
        self.find_edges();
    }

    fn change(&mut self, node: u32, value: u8) {
        let circuit = self.circuit;
        let before = std::mem::replace(&mut self.values[node as usize], value);
        let readers = circuit.readers(node);
        self.work += 1 + readers.len();
        for reader in readers {
            let gate = (reader.node() - circuit.first_gate()) as usize;
            match literal(before, reader.negated()) {
                FALSE => self.falses[gate] -= 1,
                UNKNOWN => self.unknowns[gate] -= 1,
                _ => {}
            }
            match literal(value, reader.negated()) {
                FALSE => self.falses[gate] += 1,
                UNKNOWN => self.unknowns[gate] += 1,
                _ => {}
            }
            if !std::mem::replace(&mut self.queued[gate], true) {
                self.queue[circuit.levels[gate] as usize].push(gate as u32);
            }
        }
    }

    /// Adds a gate to the live ones, or removes it if it was one.
    fn change_live(&mut self, gate: u32, live: bool) {
        let was = self.values[(self.circuit.first_gate() + gate) as usize] == UNKNOWN;
        if live && !was {
            self.position[gate as usize] = self.live.len() as u32;
            self.live.push(gate);
        } else if was && !live {
            let at = self.position[gate as usize] as usize;
            self.live.swap_remove(at);
            if let Some(&moved) = self.live.get(at) {
                self.position[moved as usize] = at as u32;
            }
        }
    }

    /// Finds the edges between live gates, and their values if no move is made.
    fn find_edges(&mut self) {
        let circuit = self.circuit;
        self.with_edges.drain(..).for_each(|node| self.edges[node as usize].clear());
        self.live.sort_unstable();
        let first = circuit.first_gate();
        for (at, &gate) in (0..).zip(&self.live) {
            self.position[gate as usize] = at;
            self.base_falses[gate as usize] = 0;
            // Operands are ascending, and moves come before gates.
            for operand in circuit.gate(gate).iter().take_while(|of| of.node() < first) {
                if operand.node() > circuit.bits {
                    let edges = &mut self.edges[operand.node() as usize];
                    if edges.is_empty() {
                        self.with_edges.push(operand.node());
                    }
                    edges.push(Lit::of(gate).negate_if(operand.negated()));
                    self.base_falses[gate as usize] += u32::from(!operand.negated());
                    self.work += 1;
                }
            }
        }
        for &gate in &self.live {
            let holds = self.base_falses[gate as usize] == 0;
            self.base[gate as usize] = holds;
            let readers = circuit.readers(first + gate);
            self.work += 1 + readers.len();
            for reader in readers.iter().filter(|of| self.values[of.node() as usize] == UNKNOWN) {
                let edges = &mut self.edges[(first + gate) as usize];
                if edges.is_empty() {
                    self.with_edges.push(first + gate);
                }
                let other = reader.node() - first;
                edges.push(Lit::of(other).negate_if(reader.negated()));
                self.base_falses[other as usize] += u32::from(holds == reader.negated());
            }
        }
    }

    fn root_gate(&self, root: u32) -> u32 {
        self.circuit.levels.len() as u32 - self.circuit.roots + root
    }

    /// The value of a root if no move of the part is made, and no move that the part reads.
    pub(super) fn root(&self, root: u32) -> bool {
        let gate = self.root_gate(root);
        match self.values[(self.circuit.first_gate() + gate) as usize] {
            UNKNOWN => self.base[gate as usize],
            value => value == TRUE,
        }
    }

    /// The roots among the first `count` whose values change if a move is made instead.
    pub(super) fn changed_roots(&mut self, input: u32, count: u32) -> Vec<u32> {
        let (first, first_root) = (self.circuit.first_gate(), self.root_gate(0));
        let (mut changed, mut heap, mut undo) = (Vec::new(), BinaryHeap::new(), Vec::new());
        let (mut node, mut now, mut last) = (input, true, u32::MAX);
        loop {
            self.work += 1 + self.edges[node as usize].len();
            for edge in &self.edges[node as usize] {
                let gate = edge.node();
                undo.push((gate, self.base_falses[gate as usize]));
                if now == edge.negated() {
                    self.base_falses[gate as usize] += 1;
                } else {
                    self.base_falses[gate as usize] -= 1;
                }
                heap.push(Reverse(gate));
            }
            // Gates are in topological order, so each is evaluated once.
            let next = std::iter::from_fn(|| heap.pop()).find(|&Reverse(gate)| {
                let again = std::mem::replace(&mut last, gate) == gate;
                !again && (self.base_falses[gate as usize] == 0) != self.base[gate as usize]
            });
            let Some(Reverse(gate)) = next else { break };
            (node, now) = (first + gate, !self.base[gate as usize]);
            changed.extend(gate.checked_sub(first_root).filter(|&root| root < count));
        }
        for (gate, falses) in undo.into_iter().rev() {
            self.base_falses[gate as usize] = falses;
        }
        changed
    }
}

/// The value of a literal.
fn literal(value: u8, negated: bool) -> u8 {
    if value == UNKNOWN { UNKNOWN } else { value ^ u8::from(negated) }
}
