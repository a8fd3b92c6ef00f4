//! Instruction scheduling and slot allocation. It orders the gates of a mapped circuit so that few values are live, and
//! assigns each value a slot that is free again after its last use.

use std::collections::VecDeque;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::code::{Code, Op};
use super::gates::{Gates, Signal, Stage};
use super::lut_mapping::{LutMapping, lut_mapping};
use super::table;
use crate::ground::{Interrupt, Interrupted};

/// A value that must be in a slot at the end of its stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) signal: Signal,
    pub(super) slot: u32,
    pub(super) stage: Stage,
}

/// The recursive atoms of an odd stage.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) stage: Stage,
    /// Each feedback slot with its definition.
    pub(super) feedback: Vec<(u32, Signal)>,
    /// The slot of the lanes in which a sweep changed something.
    pub(super) changed: u32,
}

/// Code that runs as a unit.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Runs once.
    Straight(Code),
    /// Runs until a sweep changes nothing: recursive atoms, whose slots are initially false.
    Loop {
        /// The same gates forwards and backwards, so that values that propagate in either direction need few sweeps.
        sweeps: [Code; 2],
        /// The slots of the recursive atoms.
        feedback: Vec<u32>,
        /// The slot of the lanes in which a sweep changed something.
        changed: u32,
    },
}

/// The roots to compute, and their slots.
pub(super) struct Netlist<'a> {
    pub(super) gates: &'a Gates,
    /// The slots of the circuit's inputs, by node.
    pub(super) inputs: &'a [(u32, u32)],
    pub(super) roots: Vec<Root>,
    pub(super) loops: Vec<Loop>,
    /// The first slot that is free for intermediate values.
    pub(super) first_free: u32,
}

/// Schedules the netlist. `ends` has the last stage of each piece of code, ascending. Returns the parts of each piece, and
/// the number of slots.
///
/// # Errors
/// The interrupt ended it.
pub(super) fn schedule(
    netlist: &Netlist<'_>,
    ends: &[Stage],
    interrupt: &Interrupt,
) -> Result<(Vec<Vec<Part>>, u32), Interrupted> {
    let mut signals: Vec<Signal> = netlist.roots.iter().map(|root| root.signal).collect();
    signals.extend(netlist.loops.iter().flat_map(|l| l.feedback.iter().map(|&(_, definition)| definition)));
    let mapping = lut_mapping(netlist.gates, &signals, interrupt)?;
    let mut scheduler = Scheduler::new(netlist, mapping);
    let mut start = 0;
    for &end in ends {
        for stage in start..=end {
            scheduler.write_stage(stage, interrupt)?;
        }
        start = end + 1;
    }
    interrupt.check()?;
    SlotAllocation::new(netlist, scheduler.lines, scheduler.blocks).finish(ends, interrupt)
}

/// An operation before slot allocation.
#[derive(Clone, Copy, Debug)]
struct Instruction {
    inputs: [u32; 3],
    table: u8,
    /// The computed node, and its required slot, if any.
    node: Option<u32>,
    slot: Option<u32>,
}

/// Instructions that run as a unit: a straight block, or both sweeps of a loop.
#[derive(Clone, Debug)]
struct InstructionBlock {
    stage: Stage,
    range: Range<usize>,
}

struct Scheduler<'a> {
    netlist: &'a Netlist<'a>,
    mapping: LutMapping,
    /// The circuit's input in a slot.
    input_in: FxHashMap<u32, u32>,
    /// Number of gates of the mapping that read each node.
    reads: Vec<u32>,
    /// The roots of each node.
    roots_of: FxHashMap<u32, Vec<usize>>,
    written: Vec<bool>,
    /// The nodes of each stage, in order.
    members: FxHashMap<Stage, Vec<u32>>,
    lines: Vec<Instruction>,
    blocks: Vec<InstructionBlock>,
}

impl<'a> Scheduler<'a> {
    fn new(netlist: &'a Netlist<'a>, mapping: LutMapping) -> Scheduler<'a> {
        let nodes = netlist.gates.nodes.len();
        let mut reads = vec![0; nodes];
        let mut members: FxHashMap<Stage, Vec<u32>> = FxHashMap::default();
        for (node, cut) in mapping.chosen.iter().enumerate() {
            if let Some(cut) = cut {
                cut.leaves().iter().for_each(|&leaf| reads[leaf as usize] += 1);
                members.entry(netlist.gates.nodes[node].stage).or_default().push(node as u32);
            }
        }
        let definitions =
            netlist.loops.iter().flat_map(|l| l.feedback.iter().map(|(_, definition)| definition));
        definitions.for_each(|definition| reads[definition.node() as usize] += 1);
        let mut roots_of: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (number, root) in netlist.roots.iter().enumerate() {
            roots_of.entry(root.signal.node()).or_default().push(number);
        }
        let input_in = netlist.inputs.iter().map(|&(node, slot)| (slot, node)).collect();
        Scheduler {
            netlist,
            mapping,
            input_in,
            reads,
            roots_of,
            written: vec![false; nodes],
            members,
            lines: Vec::new(),
            blocks: Vec::new(),
        }
    }

    fn write_stage(&mut self, stage: Stage, interrupt: &Interrupt) -> Result<(), Interrupted> {
        let start = self.lines.len();
        if stage % 2 == 1 {
            let Some(l) = self.netlist.loops.iter().find(|l| l.stage == stage) else { return Ok(()) };
            self.sweep(l, false);
            self.blocks.push(InstructionBlock { stage, range: start..self.lines.len() });
            let start = self.lines.len();
            for &node in self.members.get(&stage).into_iter().flatten() {
                self.written[node as usize] = false;
            }
            self.sweep(l, true);
            self.blocks.push(InstructionBlock { stage, range: start..self.lines.len() });
            return Ok(());
        }
        for root in 0..self.netlist.roots.len() {
            interrupt.check()?;
            let Root { signal, slot, stage: root_stage } = self.netlist.roots[root];
            let stays = !signal.negated() && self.input_in.get(&slot) == Some(&signal.node());
            if root_stage != stage || stays {
                continue;
            }
            self.write_cone(signal.node(), stage);
            if !self.placed_by_gate(root) {
                let table = if signal.negated() { !table::INPUT[0] } else { table::INPUT[0] };
                self.lines.push(Instruction {
                    inputs: [signal.node(), 0, 0],
                    table,
                    node: None,
                    slot: Some(slot),
                });
            }
        }
        for node in self.members.get(&stage).cloned().unwrap_or_default() {
            self.write_cone(node, stage);
        }
        self.blocks.push(InstructionBlock { stage, range: start..self.lines.len() });
        Ok(())
    }

    /// Whether the gate of a root's node writes the root's slot: its first root does, and a negated root only if nothing
    /// else reads the node.
    fn placed_by_gate(&self, root: usize) -> bool {
        let node = self.netlist.roots[root].signal.node();
        self.mapping.chosen[node as usize].is_some() && self.home(node) == Some(root)
    }

    /// The root whose slot has a node's value.
    fn home(&self, node: u32) -> Option<usize> {
        let roots = self.roots_of.get(&node)?;
        let alone = self.reads[node as usize] == 0 && roots.len() == 1;
        let stage = self.netlist.gates.nodes[node as usize].stage;
        roots.iter().copied().find(|&root| {
            let Root { signal, stage: root_stage, .. } = self.netlist.roots[root];
            root_stage == stage && (alone || !signal.negated())
        })
    }

    /// One sweep of a loop: each definition is written back immediately.
    fn sweep(&mut self, l: &Loop, backwards: bool) {
        let count = l.feedback.len();
        self.lines.push(Instruction { inputs: [0; 3], table: 0, node: None, slot: Some(l.changed) });
        let changed = self.input_in[&l.changed];
        for index in 0..count {
            let index = if backwards { count - 1 - index } else { index };
            let (slot, definition) = l.feedback[index];
            self.write_cone(definition.node(), l.stage);
            let mut grown = table::INPUT[0] | (table::INPUT[1] ^ table::INPUT[2]);
            let mut copy = table::INPUT[0];
            if definition.negated() {
                grown = table::negate(grown, 1);
                copy = !copy;
            }
            let inputs = [changed, definition.node(), self.input_in[&slot]];
            self.lines.push(Instruction { inputs, table: grown, node: None, slot: Some(l.changed) });
            self.lines.push(Instruction {
                inputs: [definition.node(), 0, 0],
                table: copy,
                node: None,
                slot: Some(slot),
            });
        }
        for node in self.members.get(&l.stage).cloned().unwrap_or_default() {
            self.write_cone(node, l.stage);
        }
    }

    /// Writes a node of a stage, after the nodes of the stage that it reads.
    fn write_cone(&mut self, root: u32, stage: Stage) {
        let mut stack = vec![(root, 0)];
        while let Some((node, from)) = stack.pop() {
            let here = self.netlist.gates.nodes[node as usize].stage == stage;
            let Some(cut) = self.mapping.chosen[node as usize].filter(|_| here) else { continue };
            if self.written[node as usize] {
                continue;
            }
            if let Some(&leaf) = cut.leaves().get(from) {
                stack.push((node, from + 1));
                stack.push((leaf, 0));
                continue;
            }
            self.written[node as usize] = true;
            let mut inputs = [0; 3];
            inputs[..cut.leaves().len()].copy_from_slice(cut.leaves());
            let mut line = Instruction { inputs, table: cut.table, node: Some(node), slot: None };
            if let Some(home) = self.home(node) {
                let Root { signal, slot, .. } = self.netlist.roots[home];
                line.slot = Some(slot);
                if signal.negated() {
                    line.table = !line.table;
                    line.node = None;
                }
            }
            self.lines.push(line);
        }
    }
}

/// Number of freed slots that are held back, so that neighbouring operations can be reordered.
const MIN_FREE: usize = 24;
/// No slot.
const NONE: u32 = u32::MAX;

struct SlotAllocation<'a> {
    netlist: &'a Netlist<'a>,
    lines: Vec<Instruction>,
    blocks: Vec<InstructionBlock>,
    /// For every node the last instruction that reads it; in the first sweep, if only its own loop reads it.
    last_read: Vec<usize>,
    /// For every node of a loop, the last instruction of the second sweep that reads it.
    last_read_again: Vec<usize>,
    slot_of: Vec<u32>,
    /// The circuit's input of stage 0 in a slot, until a root is written there.
    input_in: FxHashMap<u32, u32>,
    /// Values that are copied to a fixed slot at the end, because the slot's old value is still read.
    late: Vec<(u32, u32)>,
    /// Free slots, least recently freed first.
    free: VecDeque<u32>,
    slots: u32,
}

impl<'a> SlotAllocation<'a> {
    fn new(
        netlist: &'a Netlist<'a>,
        lines: Vec<Instruction>,
        blocks: Vec<InstructionBlock>,
    ) -> SlotAllocation<'a> {
        let nodes = netlist.gates.nodes.len();
        let mut slot_of = vec![NONE; nodes];
        slot_of[0] = 0;
        let mut input_in = FxHashMap::default();
        for &(node, slot) in netlist.inputs {
            slot_of[node as usize] = slot;
            if netlist.gates.nodes[node as usize].stage == 0 {
                input_in.insert(slot, node);
            }
        }
        let mut allocation = SlotAllocation {
            netlist,
            lines,
            blocks,
            last_read: vec![0; nodes],
            last_read_again: vec![0; nodes],
            slot_of,
            input_in,
            late: Vec::new(),
            free: VecDeque::new(),
            slots: netlist.first_free,
        };
        allocation.find_last_reads();
        allocation
    }

    fn find_last_reads(&mut self) {
        for (number, block) in self.blocks.iter().enumerate() {
            let looped = block.stage % 2 == 1;
            let again = looped && number > 0 && self.blocks[number - 1].stage == block.stage;
            let end = if looped && !again { self.blocks[number + 1].range.end } else { block.range.end };
            for clock in block.range.clone() {
                for node in self.lines[clock].inputs.map(|node| node as usize) {
                    let gate = &self.netlist.gates.nodes[node];
                    let own = looped && gate.stage == block.stage && gate.arity > 0;
                    match (own, again) {
                        (true, true) => self.last_read_again[node] = clock,
                        (true, false) => self.last_read[node] = clock,
                        // A loop reads its outside inputs in every sweep.
                        (false, _) => self.last_read[node] = if looped { end } else { clock },
                    }
                }
            }
        }
    }

    fn new_slot(&mut self) -> u32 {
        if self.free.len() > MIN_FREE {
            return self.free.pop_front().expect("more slots than rest");
        }
        self.slots += 1;
        self.slots - 1
    }

    fn finish(mut self, ends: &[Stage], interrupt: &Interrupt) -> Result<(Vec<Vec<Part>>, u32), Interrupted> {
        let mut pieces: Vec<Vec<Part>> = vec![Vec::new(); ends.len()];
        let blocks = std::mem::take(&mut self.blocks);
        let mut blocks = blocks.into_iter();
        while let Some(InstructionBlock { stage, range }) = blocks.next() {
            let piece = ends.iter().position(|&end| stage <= end).expect("no stage after the last end");
            if stage % 2 == 1 {
                let l = self.netlist.loops.iter().find(|l| l.stage == stage).expect("a loop of that stage");
                let again = blocks.next().expect("a loop has two sweeps").range;
                let first = self.code(range, again.end, interrupt)?;
                for clock in again.clone() {
                    if let Some(node) = self.lines[clock].node.map(|node| node as usize)
                        && self.last_read[node] < again.end
                    {
                        self.last_read[node] = self.last_read_again[node];
                        self.slot_of[node] = NONE;
                    }
                }
                let second = self.code(again.clone(), again.end, interrupt)?;
                let feedback = l.feedback.iter().map(|&(slot, _)| slot).collect();
                pieces[piece].push(Part::Loop { sweeps: [first, second], feedback, changed: l.changed });
                continue;
            }
            let mut code = self.code(range.clone(), range.end, interrupt)?;
            if Some(&stage) == ends.last() {
                for (from, to) in self.late.drain(..) {
                    code.ops.push(Op { inputs: [from, 0, 0], table: table::INPUT[0], target: to });
                    code.kept.push(to);
                }
                code.kept.sort_unstable();
                code.kept.dedup();
            }
            if !code.ops.is_empty() {
                pieces[piece].push(Part::Straight(code));
            }
        }
        Ok((pieces, self.slots))
    }

    /// The code of a block; values read by instructions from `until` on are kept.
    fn code(
        &mut self,
        range: Range<usize>,
        until: usize,
        interrupt: &Interrupt,
    ) -> Result<Code, Interrupted> {
        let mut ops = Vec::with_capacity(range.len());
        // The contents of each written slot: a node that may be freed, or none for a permanent value.
        let mut held: FxHashMap<u32, Option<u32>> = FxHashMap::default();
        for clock in range {
            interrupt.check()?;
            let line = self.lines[clock];
            let inputs = line.inputs.map(|node| self.slot_of[node as usize]);
            debug_assert!(!inputs.contains(&NONE), "a value is read before it is computed");
            self.free_slots(line.inputs, clock);
            // A fixed slot may be written after the last read of the input in it.
            let fixed = line.slot.filter(|slot| {
                let input = self.input_in.get(slot);
                input.is_none_or(|&input| self.last_read[input as usize] <= clock)
            });
            let target = match (fixed, line.node) {
                (Some(slot), _) => slot,
                (None, Some(node)) if self.slot_of[node as usize] != NONE => self.slot_of[node as usize],
                _ => self.new_slot(),
            };
            if let (None, Some(slot)) = (fixed, line.slot) {
                self.late.push((target, slot));
                if let Some(node) = line.node {
                    self.last_read[node as usize] = usize::MAX;
                }
            }
            held.insert(target, line.node.filter(|_| line.slot.is_none()));
            if let Some(node) = line.node {
                self.slot_of[node as usize] = target;
            }
            ops.push(Op { inputs, table: line.table, target });
        }
        let kept = |node: Option<u32>| node.is_none_or(|node| self.last_read[node as usize] >= until);
        let mut kept: Vec<u32> =
            held.into_iter().filter(|&(_, node)| kept(node)).map(|(slot, _)| slot).collect();
        kept.sort_unstable();
        Ok(Code { ops, kept })
    }

    /// Frees the slots of values after their last use.
    fn free_slots(&mut self, mut nodes: [u32; 3], clock: usize) {
        nodes.sort_unstable();
        for (index, &node) in nodes.iter().enumerate() {
            let slot = self.slot_of[node as usize];
            let repeated = index > 0 && nodes[index - 1] == node;
            if slot >= self.netlist.first_free && self.last_read[node as usize] == clock && !repeated {
                self.free.push_back(slot);
            }
        }
    }
}
