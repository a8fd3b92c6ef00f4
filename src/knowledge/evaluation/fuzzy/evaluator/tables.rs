//! The tables that kernels read.

use std::marker::PhantomData;

use fearless_simd::Simd;

use crate::machine::CompressedRows;

use super::super::comparison::Places;
use super::super::mention::Literal;
use super::super::norm::TNorm;
use super::lanes::{Lanes, Mask, Operand, lanes_of, part as part_of};

/// In place of the number of a vector or count: there is none.
pub(in super::super) const NONE: u32 = u32::MAX;

/// Lists with an entry for each node of the plan.
#[derive(Default)]
pub(in super::super) struct Tables {
    /// For each node the vectors of its value and of its negation; [`NONE`] if it is not needed.
    pub(in super::super) vectors: Vec<[u32; 2]>,
    /// For each node its half-saturation constant.
    pub(in super::super) half_saturations: Vec<f32>,
    /// For each node, the vectors that it adds up, or whose best value it takes.
    pub(in super::super) operands: CompressedRows<u32>,
    /// For each count its literals.
    pub(in super::super) counted_literals: CompressedRows<u32>,
    /// For each count the node's operands, by the number of true literals.
    pub(in super::super) counted: Vec<Vec<[f32; 2]>>,
    /// For each measured node its facts with their distances.
    pub(in super::super) measured: Vec<Vec<(u32, f32)>>,
    pub(in super::super) compared: Vec<Places>,
    /// The operands of a fact that does not hold, and of one that does.
    pub(in super::super) fact: [[f32; 2]; 2],
    /// The value of a fact that holds.
    pub(in super::super) held: f32,
}

/// The values of a group of states during the evaluation.
pub(in super::super) struct At<'a, S: Simd, F: Lanes<S>, N> {
    pub(in super::super) simd: S,
    pub(in super::super) tables: &'a Tables,
    pub(in super::super) norm: &'a N,
    /// The states in which literals are true.
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

    /// The states of a part that a mask has, as lanes.
    #[inline(always)]
    pub(in super::super) fn lanes(&self, mask: Mask, part: usize) -> F::Mask {
        lanes_of::<S, F>(self.simd, mask, part)
    }

    /// The operand of a fact that holds in the states in which a literal is true; `missing` in the others.
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
