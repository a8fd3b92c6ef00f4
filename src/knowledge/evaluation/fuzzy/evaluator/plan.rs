//! The plan of a formula: the nodes in the order of evaluation, with their operands and the nodes that read them.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x4};

use crate::machine::{CompressedRows, FluentId};

use super::super::comparison::Places;
use super::super::kinds::Kernels;
use super::super::mention::Literal;
use super::super::norm::cut::Cut;
use super::super::norm::strict::Strict;
use super::super::norm::{Norm, TNorm};
use super::gates::Gates;
use super::loop_planning::Loop;
use super::tables::Tables;

/// The number of members, distances or compared places that take as long as a node.
const PARTS_OF_A_NODE: usize = 8;

/// The norm of a formula.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Arithmetic {
    Strict(Strict),
    Cut(Cut),
}

impl Arithmetic {
    pub(in super::super) fn new(norm: Norm, threshold: f64) -> Arithmetic {
        match Cut::new(norm, threshold) {
            Some(cut) => Arithmetic::Cut(cut),
            None => Arithmetic::Strict(Strict::new(threshold)),
        }
    }

    /// The operands of a leaf with this value, and of its negation.
    pub(in super::super) fn leaf(&self, threshold: f64, value: f64) -> [f32; 2] {
        match self {
            Arithmetic::Strict(_) => Strict::leaf(threshold, value),
            Arithmetic::Cut(_) => [value as f32, (1.0 - value) as f32],
        }
    }

    /// The operands of a conjunction of these operands, and of its negation.
    pub(in super::super) fn conjunction(&self, operands: &[f32], half_saturation: f32) -> [f32; 2] {
        match self {
            Arithmetic::Strict(norm) => conjunction(norm, operands, half_saturation),
            Arithmetic::Cut(norm) => conjunction(norm, operands, half_saturation),
        }
    }

    /// The displayed value of a conjunction of two operands if one of them fails.
    pub(in super::super) fn shown_of_two(&self, operands: [f32; 2]) -> f64 {
        match self {
            Arithmetic::Strict(norm) => shown_of_two(norm, operands),
            Arithmetic::Cut(norm) => shown_of_two(norm, operands),
        }
    }

    /// The value of a node, and its displayed value.
    pub(in super::super) fn read(&self, operand: [f32; 2]) -> [f64; 2] {
        match self {
            Arithmetic::Strict(norm) => norm.read(operand),
            Arithmetic::Cut(norm) => norm.read(operand),
        }
    }
}

fn shown_of_two(norm: &impl TNorm, operands: [f32; 2]) -> f64 {
    dispatch!(Level::baseline(), simd => {
        let operands = operands.map(|operand| f32x4::splat(simd, operand));
        f64::from(norm.shown_of_two(simd, operands)[0])
    })
}

fn conjunction(norm: &impl TNorm, operands: &[f32], half_saturation: f32) -> [f32; 2] {
    dispatch!(Level::baseline(), simd => {
        let mut sums = norm.none::<_, f32x4<_>>(simd);
        operands.iter().for_each(|&operand| norm.add(&mut sums, f32x4::splat(simd, operand)));
        let found = norm.conjunction(simd, &sums, half_saturation, [true; 2]);
        [found.value[0], found.negation[0]]
    })
}

/// The computation of the nodes of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SegmentKind {
    /// Computed once: the constant true.
    Always,
    /// Computed one by one.
    Nodes,
    /// Computed together, as the loop with this number.
    Loop(u32),
}

/// Consecutive nodes of one kind of computation. None of them reads another.
pub(super) struct Segment {
    pub(super) kind: SegmentKind,
    pub(super) nodes: Range<usize>,
}

/// A goal value with the vectors of its condition's value and negation.
pub(super) struct GoalOperand {
    pub(super) share: f32,
    pub(super) condition: [u32; 2],
}

/// A formula that is prepared for evaluation.
pub(in super::super) struct Plan {
    /// The facts that it reads; they are the first signals.
    pub(in super::super) facts: Vec<FluentId>,
    /// The atoms that rules derive, which are the next signals.
    pub(in super::super) derived: Vec<String>,
    /// Computes the other signals.
    pub(super) gates: Gates,
    /// The signals that nodes read, and for each of them these nodes.
    pub(super) watched: Vec<u32>,
    pub(super) watchers: CompressedRows<u32>,
    /// The kernels of nodes; members come before the nodes that read them.
    pub(super) kernels: Vec<Kernels>,
    pub(in super::super) tables: Tables,
    pub(super) segments: Vec<Segment>,
    /// For each node, the nodes that use its value.
    pub(super) parents: CompressedRows<u32>,
    pub(super) loops: Vec<Loop>,
    /// Nodes of loops whose truth is a signal.
    pub(super) loop_signals: Vec<(u32, u32)>,
    pub(super) vectors: usize,
    pub(super) norm: Arithmetic,
    /// The operands of the constant true.
    pub(super) always: [f32; 2],
    /// The vector of the negation of the end.
    pub(super) open: u32,
    /// The goals of the role, and those of its opponents.
    pub(super) goals: [Vec<GoalOperand>; 2],
    /// The vectors of roots, by their nodes in the formula.
    pub(super) roots: Vec<(u32, [u32; 2])>,
}

impl Plan {
    /// The work of a value, in nodes.
    pub(super) fn work(&self) -> usize {
        let compared: usize = self.tables.compared.iter().map(Places::work).fold(0, usize::saturating_add);
        let lists = [&self.tables.operands, &self.tables.counted_literals].map(|lists| lists.total());
        let parts = lists.iter().sum::<usize>() + self.distances() + self.gates.signals();
        let loops: usize = self.loops.iter().map(Loop::work).sum();
        self.kernels.len() + loops + compared.saturating_add(parts) / PARTS_OF_A_NODE
    }

    /// The number of distances of all measured nodes.
    pub(super) fn distances(&self) -> usize {
        self.tables.measured.iter().map(Vec::len).sum()
    }

    /// The literal of a derived atom.
    pub(super) fn derived_literal(&self, number: usize) -> Literal {
        ((self.facts.len() + number) as Literal) << 1
    }
}
