//! What kernels compute from.

use std::marker::PhantomData;

use fearless_simd::Simd;

use crate::machine::CompressedRows;

use super::super::comparison::Places;
use super::super::mention::Literal;
use super::super::norm::TNorm;
use super::lanes::{Lanes, Mask, Operand, lanes_of, part as part_of};

/// No vector, and no count.
pub(in super::super) const NONE: u32 = u32::MAX;

/// Lists that nodes are computed from.
#[derive(Default)]
pub(in super::super) struct Tables {
    /// For each node the vectors of its value and of its negation; [`NONE`] where it is not needed.
    pub(in super::super) vectors: Vec<[u32; 2]>,
    /// For each node its half_saturation, see `half_saturation`.
    pub(in super::super) half_saturations: Vec<f32>,
    /// For each node the vectors that it adds up, or takes the best of.
    pub(in super::super) operands: CompressedRows<u32>,
    /// The literals that are counted, count by count.
    pub(in super::super) counted_literals: CompressedRows<u32>,
    /// For each count the operands of the node, by how many of its literals are true.
    pub(in super::super) counted: Vec<Vec<[f32; 2]>>,
    /// For each measured node the facts by which it is measured, with their distances.
    pub(in super::super) measured: Vec<Vec<(u32, f32)>>,
    pub(in super::super) compared: Vec<Places>,
    /// The operands of a fact that does not hold, and of one that does.
    pub(in super::super) fact: [[f32; 2]; 2],
    /// The value of a fact that holds.
    pub(in super::super) held: f32,
}

/// The states of a group, as far as nodes are computed.
pub(in super::super) struct At<'a, S: Simd, F: Lanes<S>, N> {
    pub(in super::super) simd: S,
    pub(in super::super) tables: &'a Tables,
    pub(in super::super) norm: &'a N,
    /// Where literals are true.
    pub(in super::super) literals: &'a [Mask],
    pub(super) rows: &'a [F::Row],
    pub(super) lanes: PhantomData<F>,
}

impl<S: Simd, F: Lanes<S>, N: TNorm> At<'_, S, F, N> {
    /// The numbers of a vector.
    #[inline(always)]
    pub(in super::super) fn row(&self, vector: u32) -> &F::Row {
        &self.rows[vector as usize]
    }

    /// The numbers of a row in the states of a part.
    #[inline(always)]
    pub(in super::super) fn part(&self, row: &F::Row, part: usize) -> F {
        part_of(self.simd, row, part)
    }

    /// The numbers of a vector in the states of a part.
    #[inline(always)]
    pub(in super::super) fn number(&self, vector: u32, part: usize) -> F {
        self.part(self.row(vector), part)
    }

    /// The states of a part in which something is, as lanes.
    #[inline(always)]
    pub(in super::super) fn lanes(&self, mask: Mask, part: usize) -> F::Mask {
        lanes_of::<S, F>(self.simd, mask, part)
    }

    /// The operand of a fact that holds where a literal is true, another one elsewhere.
    #[inline(always)]
    pub(in super::super) fn where_true(
        &self,
        literal: Literal,
        part: usize,
        missing: Operand<F>,
    ) -> Operand<F> {
        let holds = self.lanes(self.literals[literal as usize], part);
        Operand::splat(self.simd, self.tables.fact[1]).or(holds, missing)
    }
}
