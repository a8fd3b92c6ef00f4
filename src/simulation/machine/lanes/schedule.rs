//! From a covered circuit to code over slots: the gates in an order that keeps few values alive, each in a slot
//! that is given back after its last reading.

use std::collections::VecDeque;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::code::{Code, Op};
use super::gates::{Gates, Signal, Stage};
use super::lut_mapping::{LutMapping, lut_mapping};
use super::table;
use crate::ground::{Interrupt, Interrupted};

/// A value that has to stand in a slot when its stage is over.
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
    /// The slot that says in which lanes anything changed in a sweep.
    pub(super) changed: u32,
}

/// Code that runs at once.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Once.
    Straight(Code),
    /// In turn, until a sweep changes nothing: recursive atoms, whose slots start as false.
    Loop {
        /// The same gates forwards and backwards, so that what spreads either way takes few sweeps.
        sweeps: [Code; 2],
        /// The slots of the recursive atoms.
        feedback: Vec<u32>,
        /// The slot of what changed in a sweep.
        changed: u32,
    },
}

/// What is to be computed, and where it goes.
pub(super) struct Netlist<'a> {
    pub(super) gates: &'a Gates,
    /// The slots of the circuit's inputs, by node.
    pub(super) inputs: &'a [(u32, u32)],
    pub(super) roots: Vec<Root>,
    pub(super) loops: Vec<Loop>,
    /// Slots from here on are free for values in between.
    pub(super) first_free: u32,
}

/// The last stage of each piece of code wanted, ascending; gives the pieces' parts, and the number of slots used.
///
/// # Errors
/// It was interrupted.
pub(super) fn schedule(
    netlist: &Netlist<'_>,
    ends: &[Stage],
    interrupt: &Interrupt,
) -> Result<(Vec<Vec<Part>>, u32), Interrupted> {
    let mut signals: Vec<Signal> = netlist.roots.iter().map(|root| root.signal).collect();
    signals.extend(netlist.loops.iter().flat_map(|l| l.feedback.iter().map(|&(_, definition)| definition)));
    let mapping = lut_mapping(netlist.gates, &signals, interrupt)?;
    let mut writer = Writer::new(netlist, mapping);
    let mut start = 0;
    for &end in ends {
        for stage in start..=end {
            writer.write_stage(stage, interrupt)?;
        }
        start = end + 1;
    }
    interrupt.check()?;
    Allocation::new(netlist, writer.lines, writer.blocks).finish(ends, interrupt)
}

/// One operation, before its values have slots.
#[derive(Clone, Copy, Debug)]
struct Line {
    inputs: [u32; 3],
    table: u8,
    /// The node that is computed, and the slot that it has to be in.
    node: Option<u32>,
    slot: Option<u32>,
}

/// Lines that run at once: a straight block, or both sweeps of a loop.
#[derive(Clone, Debug)]
struct Lines {
    stage: Stage,
    range: Range<usize>,
}

struct Writer<'a> {
    netlist: &'a Netlist<'a>,
    mapping: LutMapping,
    /// The circuit's input in a slot.
    input_in: FxHashMap<u32, u32>,
    /// How often each node is read by other gates of the cover.
    reads: Vec<u32>,
    /// The roots of each node.
    wanted: FxHashMap<u32, Vec<usize>>,
    written: Vec<bool>,
    /// By stage, the nodes in their order.
    members: FxHashMap<Stage, Vec<u32>>,
    lines: Vec<Line>,
    blocks: Vec<Lines>,
}

impl<'a> Writer<'a> {
    fn new(netlist: &'a Netlist<'a>, mapping: LutMapping) -> Writer<'a> {
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
        let mut wanted: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (number, root) in netlist.roots.iter().enumerate() {
            wanted.entry(root.signal.node()).or_default().push(number);
        }
        let input_in = netlist.inputs.iter().map(|&(node, slot)| (slot, node)).collect();
        Writer {
            netlist,
            mapping,
            input_in,
            reads,
            wanted,
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
            self.blocks.push(Lines { stage, range: start..self.lines.len() });
            let start = self.lines.len();
            for &node in self.members.get(&stage).into_iter().flatten() {
                self.written[node as usize] = false;
            }
            self.sweep(l, true);
            self.blocks.push(Lines { stage, range: start..self.lines.len() });
            return Ok(());
        }
        for root in 0..self.netlist.roots.len() {
            interrupt.check()?;
            let Root { signal, slot, stage: wanted } = self.netlist.roots[root];
            let stays = !signal.negated() && self.input_in.get(&slot) == Some(&signal.node());
            if wanted != stage || stays {
                continue;
            }
            self.write_cone(signal.node(), stage);
            if !self.placed_by_gate(root) {
                let table = if signal.negated() { !table::INPUT[0] } else { table::INPUT[0] };
                self.lines.push(Line { inputs: [signal.node(), 0, 0], table, node: None, slot: Some(slot) });
            }
        }
        for node in self.members.get(&stage).cloned().unwrap_or_default() {
            self.write_cone(node, stage);
        }
        self.blocks.push(Lines { stage, range: start..self.lines.len() });
        Ok(())
    }

    /// Whether the gate of a root's node writes its slot: its first root does, negated if nothing else reads it.
    fn placed_by_gate(&self, root: usize) -> bool {
        let node = self.netlist.roots[root].signal.node();
        self.mapping.chosen[node as usize].is_some() && self.home(node) == Some(root)
    }

    /// The root in whose slot a node's value lives.
    fn home(&self, node: u32) -> Option<usize> {
        let roots = self.wanted.get(&node)?;
        let alone = self.reads[node as usize] == 0 && roots.len() == 1;
        let stage = self.netlist.gates.nodes[node as usize].stage;
        roots.iter().copied().find(|&root| {
            let Root { signal, stage: wanted, .. } = self.netlist.roots[root];
            wanted == stage && (alone || !signal.negated())
        })
    }

    /// One sweep of a loop: every definition, written back at once.
    fn sweep(&mut self, l: &Loop, backwards: bool) {
        let count = l.feedback.len();
        self.lines.push(Line { inputs: [0; 3], table: 0, node: None, slot: Some(l.changed) });
        let changed = self.input_in[&l.changed];
        for place in 0..count {
            let place = if backwards { count - 1 - place } else { place };
            let (slot, definition) = l.feedback[place];
            self.write_cone(definition.node(), l.stage);
            let mut grown = table::INPUT[0] | (table::INPUT[1] ^ table::INPUT[2]);
            let mut copy = table::INPUT[0];
            if definition.negated() {
                grown = table::negate(grown, 1);
                copy = !copy;
            }
            let inputs = [changed, definition.node(), self.input_in[&slot]];
            self.lines.push(Line { inputs, table: grown, node: None, slot: Some(l.changed) });
            self.lines.push(Line {
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

    /// Writes a node of a stage and, before it, what it reads there.
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
            let mut line = Line { inputs, table: cut.table, node: Some(node), slot: None };
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

/// Slots that rest before they are taken again, so that operations near each other may be exchanged.
const REST: usize = 24;
/// A slot that no value has.
const NONE: u32 = u32::MAX;

struct Allocation<'a> {
    netlist: &'a Netlist<'a>,
    lines: Vec<Line>,
    blocks: Vec<Lines>,
    /// For every node the last line that reads it; for one that only its own loop reads, in the first sweep.
    last_read: Vec<usize>,
    /// For every node of a loop the last line of the second sweep that reads it.
    last_read_again: Vec<usize>,
    slot_of: Vec<u32>,
    /// The circuit's input of stage 0 that stands in a slot until a root is written there.
    input_in: FxHashMap<u32, u32>,
    /// Values that go to a fixed slot at the very end, as what stood there is still read.
    late: Vec<(u32, u32)>,
    /// Slots to take again, those given back longest ago first.
    free: VecDeque<u32>,
    slots: u32,
}

impl<'a> Allocation<'a> {
    fn new(netlist: &'a Netlist<'a>, lines: Vec<Line>, blocks: Vec<Lines>) -> Allocation<'a> {
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
        let mut allocation = Allocation {
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
                        // What a loop reads from outside is read in every sweep.
                        (false, _) => self.last_read[node] = if looped { end } else { clock },
                    }
                }
            }
        }
    }

    fn new_slot(&mut self) -> u32 {
        if self.free.len() > REST {
            return self.free.pop_front().expect("more slots than rest");
        }
        self.slots += 1;
        self.slots - 1
    }

    fn finish(mut self, ends: &[Stage], interrupt: &Interrupt) -> Result<(Vec<Vec<Part>>, u32), Interrupted> {
        let mut pieces: Vec<Vec<Part>> = vec![Vec::new(); ends.len()];
        let blocks = std::mem::take(&mut self.blocks);
        let mut blocks = blocks.into_iter();
        while let Some(Lines { stage, range }) = blocks.next() {
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

    /// The code of a block; values read in lines from `until` on are kept.
    fn code(
        &mut self,
        range: Range<usize>,
        until: usize,
        interrupt: &Interrupt,
    ) -> Result<Code, Interrupted> {
        let mut ops = Vec::with_capacity(range.len());
        // What each slot written holds: a node that may be given back, or what stays.
        let mut held: FxHashMap<u32, Option<u32>> = FxHashMap::default();
        for clock in range {
            interrupt.check()?;
            let line = self.lines[clock];
            let inputs = line.inputs.map(|node| self.slot_of[node as usize]);
            debug_assert!(!inputs.contains(&NONE), "a value is read before it is computed");
            self.give_back(line.inputs, clock);
            // A fixed slot may be written when the input that stood there isn't read any more.
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

    /// Gives back the slots of values that are read for the last time.
    fn give_back(&mut self, mut nodes: [u32; 3], clock: usize) {
        nodes.sort_unstable();
        for (place, &node) in nodes.iter().enumerate() {
            let slot = self.slot_of[node as usize];
            let repeated = place > 0 && nodes[place - 1] == node;
            if slot >= self.netlist.first_free && self.last_read[node as usize] == clock && !repeated {
                self.free.push_back(slot);
            }
        }
    }
}
