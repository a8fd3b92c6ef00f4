//! Technology mapping: covers a circuit with as few three-input gates as possible. A gate of the cover computes the function
//! of a cone of circuit gates with at most three inputs.
//!
//! For every node a few cuts (sets of nodes that determine its value) are stored, the cheapest by area flow. Then the choice
//! is improved by exact area: the number of gates that each cut adds to the cover (priority cuts and exact area: Mishchenko,
//! Cho, Chatterjee and Brayton 2007).

use super::gates::{Gates, Signal};
use super::table;
use crate::ground::{Interrupt, Interrupted};

/// Number of cuts stored for a node.
const CUTS: usize = 6;
/// Maximum number of nodes for exact area, which saves one or two gates in a hundred and takes as long as the rest of the
/// mapping.
const MAX_EXACT_AREA: usize = 50_000;

/// A cut: up to three nodes (leaves), ascending, that determine a node's value, and the truth table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    leaves: [u32; 3],
    len: u8,
    /// The node's value as a function of the leaves; `leaves[0]` is the table's first input.
    pub(super) table: u8,
}

impl Cut {
    fn of_node(node: u32) -> Cut {
        Cut { leaves: [node, 0, 0], len: 1, table: table::INPUT[0] }
    }

    /// The leaves of the cut.
    pub(super) fn leaves(&self) -> &[u32] {
        &self.leaves[..self.len as usize]
    }

    /// The union of the leaves; none if there are more than three.
    fn join(self, other: Cut) -> Option<Cut> {
        let mut joined = self;
        for &leaf in other.leaves() {
            if joined.leaves().contains(&leaf) {
                continue;
            }
            if joined.len == 3 {
                return None;
            }
            joined.leaves[joined.len as usize] = leaf;
            joined.len += 1;
        }
        Some(joined)
    }

    /// The table as a function of the leaves of `wide`, which must contain this cut's leaves.
    fn over(&self, wide: &Cut) -> u8 {
        let mut tables = [0; 3];
        for (table, leaf) in tables.iter_mut().zip(self.leaves()) {
            let index = wide.leaves().iter().position(|other| other == leaf);
            *table = table::INPUT[index.expect("a joined cut has the leaves of its parts")];
        }
        table::apply(self.table, tables)
    }

    /// Removes leaves that do not matter, and sorts the others.
    fn tidy(&mut self) {
        for index in (0..self.len as usize).rev() {
            if !table::depends(self.table, index) {
                let last = self.len as usize - 1;
                self.table = table::swap(self.table, index, last);
                self.leaves.swap(index, last);
                self.leaves[last] = 0;
                self.len -= 1;
            }
        }
        for (first, second) in [(0, 1), (1, 2), (0, 1)] {
            if second < self.len as usize && self.leaves[first] > self.leaves[second] {
                self.leaves.swap(first, second);
                self.table = table::swap(self.table, first, second);
            }
        }
    }
}

/// A mapping: for every computed node of the circuit, its cut.
pub(super) struct LutMapping {
    /// By node; `None` for inputs, and for nodes inside the cones of others.
    pub(super) chosen: Vec<Option<Cut>>,
}

struct CutSearch<'a> {
    gates: &'a Gates,
    /// The cuts of all nodes, one after the other, and the start of each node's cuts.
    cuts: Vec<Cut>,
    starts: Vec<u32>,
    /// The chosen cut of each gate node.
    best: Vec<u32>,
    /// Number of gates of the cover that read each node.
    reads: Vec<u32>,
    /// A worklist of nodes.
    stack: Vec<u32>,
}

/// Maps the cones of `roots`.
///
/// # Errors
/// The interrupt ended it.
pub(super) fn lut_mapping(
    gates: &Gates,
    roots: &[Signal],
    interrupt: &Interrupt,
) -> Result<LutMapping, Interrupted> {
    let mut search = CutSearch {
        gates,
        cuts: Vec::with_capacity(gates.nodes.len() * 3),
        starts: Vec::with_capacity(gates.nodes.len() + 1),
        best: vec![0; gates.nodes.len()],
        reads: vec![0; gates.nodes.len()],
        stack: Vec::new(),
    };
    search.map_by_area_flow(roots, interrupt)?;
    roots.iter().for_each(|root| {
        search.take(root.node());
    });
    if gates.nodes.len() <= MAX_EXACT_AREA {
        search.map_by_exact_area(interrupt)?;
    }
    let chosen = (0..gates.nodes.len()).map(|node| {
        (gates.nodes[node].arity > 0 && search.reads[node] > 0)
            .then(|| search.cuts[search.best[node] as usize])
    });
    Ok(LutMapping { chosen: chosen.collect() })
}

impl CutSearch<'_> {
    /// Enumerates cuts, and chooses by area flow: a leaf's cost is divided among its readers.
    fn map_by_area_flow(&mut self, roots: &[Signal], interrupt: &Interrupt) -> Result<(), Interrupted> {
        let nodes = &self.gates.nodes;
        let mut fanout = vec![0u32; nodes.len()];
        for gate in nodes {
            gate.inputs[..gate.arity as usize].iter().for_each(|&input| fanout[input as usize] += 1);
        }
        roots.iter().for_each(|root| fanout[root.node() as usize] += 1);
        let mut flow = vec![0f32; nodes.len()];
        let mut cuts: Vec<(f32, Cut)> = Vec::new();
        for (node, gate) in nodes.iter().enumerate() {
            interrupt.check()?;
            self.starts.push(self.cuts.len() as u32);
            if gate.arity == 0 {
                continue;
            }
            cuts.clear();
            self.find(node, &flow, &mut cuts);
            cuts.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.len.cmp(&b.1.len)));
            cuts.truncate(CUTS);
            self.best[node] = self.cuts.len() as u32;
            flow[node] = cuts[0].0 / fanout[node].max(1) as f32;
            self.cuts.extend(cuts.iter().map(|&(_, cut)| cut));
        }
        self.starts.push(self.cuts.len() as u32);
        Ok(())
    }

    /// The cuts of a node, from the cuts of its inputs.
    fn find(&self, node: usize, flow: &[f32], found: &mut Vec<(f32, Cut)>) {
        let gate = &self.gates.nodes[node];
        let inputs = &gate.inputs[..gate.arity as usize];
        let choices = |input: usize| {
            let input = inputs.get(input).copied();
            let cuts: &[Cut] = input.map_or(&[], |input| self.cuts_of(input));
            input.map(Cut::of_node).into_iter().chain(cuts.iter().copied())
        };
        for first in choices(0) {
            for second in choices(1) {
                let Some(two) = first.join(second) else { continue };
                if inputs.len() == 2 {
                    self.add(gate.table, &[first, second], two, flow, found);
                    continue;
                }
                for third in choices(2) {
                    if let Some(three) = two.join(third) {
                        self.add(gate.table, &[first, second, third], three, flow, found);
                    }
                }
            }
        }
    }

    fn add(&self, table: u8, parts: &[Cut], mut cut: Cut, flow: &[f32], cuts: &mut Vec<(f32, Cut)>) {
        let mut tables = [0; 3];
        for (table, part) in tables.iter_mut().zip(parts) {
            *table = part.over(&cut);
        }
        cut.table = table::apply(table, tables);
        cut.tidy();
        if cuts.iter().any(|(_, other)| *other == cut) {
            return;
        }
        let cost = 1.0 + cut.leaves().iter().map(|&leaf| flow[leaf as usize]).sum::<f32>();
        cuts.push((cost, cut));
    }

    fn cuts_of(&self, node: u32) -> &[Cut] {
        let node = node as usize;
        &self.cuts[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Adds a reader of a node; returns the number of gates that the cover gains.
    fn take(&mut self, node: u32) -> u32 {
        let mut gates = 0;
        self.stack.push(node);
        while let Some(node) = self.stack.pop() {
            let node = node as usize;
            self.reads[node] += 1;
            if self.reads[node] == 1 && self.gates.nodes[node].arity > 0 {
                gates += 1;
                self.stack.extend(self.cuts[self.best[node] as usize].leaves());
            }
        }
        gates
    }

    /// Removes a reader of a node; nodes without readers leave the cover.
    fn release(&mut self, node: u32) {
        self.stack.push(node);
        while let Some(node) = self.stack.pop() {
            let node = node as usize;
            self.reads[node] -= 1;
            if self.reads[node] == 0 && self.gates.nodes[node].arity > 0 {
                self.stack.extend(self.cuts[self.best[node] as usize].leaves());
            }
        }
    }

    /// Chooses again for every node of the cover, by exact area.
    fn map_by_exact_area(&mut self, interrupt: &Interrupt) -> Result<(), Interrupted> {
        for node in 0..self.gates.nodes.len() {
            interrupt.check()?;
            if self.gates.nodes[node].arity == 0 || self.reads[node] == 0 {
                continue;
            }
            let old = self.cuts[self.best[node] as usize];
            if self.starts[node + 1] - self.starts[node] == 1 {
                continue;
            }
            old.leaves().iter().for_each(|&leaf| self.release(leaf));
            let (mut best, mut least) = (self.best[node], u32::MAX);
            for index in self.starts[node]..self.starts[node + 1] {
                let cut = self.cuts[index as usize];
                let gates: u32 = cut.leaves().iter().map(|&leaf| self.take(leaf)).sum();
                cut.leaves().iter().for_each(|&leaf| self.release(leaf));
                if gates < least {
                    (best, least) = (index, gates);
                }
            }
            self.best[node] = best;
            let cut = self.cuts[best as usize];
            cut.leaves().iter().for_each(|&leaf| {
                self.take(leaf);
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(mapping: &LutMapping) -> usize {
        mapping.chosen.iter().flatten().count()
    }

    #[test]
    fn a_long_conjunction_takes_half_as_many_gates() {
        let mut gates = Gates::new();
        let inputs: Vec<Signal> = (0..21).map(|_| gates.input(0)).collect();
        let root = inputs.iter().copied().reduce(|a, b| gates.and(a, b)).expect("inputs");
        let mapping = lut_mapping(&gates, &[root], &Interrupt::default()).expect("nothing interrupts");
        assert_eq!(size(&mapping), 10);
    }

    #[test]
    fn a_conjunction_with_an_exclusive_or_is_one_gate() {
        let mut gates = Gates::new();
        let [a, b, c] = [gates.input(0), gates.input(0), gates.input(0)];
        let (x, y) = (gates.and(a, !b), gates.and(!a, b));
        let different = gates.or(x, y);
        let root = gates.and(different, c);
        let mapping = lut_mapping(&gates, &[root], &Interrupt::default()).expect("nothing interrupts");
        assert_eq!(size(&mapping), 1);
        let cut = mapping.chosen[root.node() as usize].expect("the root");
        let leaves = [a, b, c].map(Signal::node);
        assert_eq!(cut.leaves(), leaves);
        let expected = (table::INPUT[0] ^ table::INPUT[1]) & table::INPUT[2];
        assert_eq!(cut.table, expected);
    }
}
