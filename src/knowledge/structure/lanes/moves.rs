//! Legal moves of 512 playouts at a time.
//!
//! Whether a move is ever one of several is checked in every step. How often it is legal, and how often a
//! role waits with it, is counted in every step at first, and later in one of [`ONE_IN`] steps.

use multiversion::multiversion;

use crate::ground::Network;
use crate::machine::MoveId;
use crate::machine::lanes::block::Block;
use crate::machine::lanes::word::Word;
use crate::simulate::LaneStep;

use super::super::moves::{MoveCount, MoveSamples};

/// Number of steps at the beginning of a block that are all counted.
const ALL: u64 = 64;

/// After that, one step in this many is counted. An odd number: roles often take turns.
const ONE_IN: u64 = 7;

/// Samples of the legal moves.
#[derive(Clone, Debug)]
pub(super) struct LaneMoves {
    roles: Vec<RoleMoves>,
    states: u64,
    simultaneous: u64,
}

#[derive(Clone, Debug)]
struct RoleMoves {
    counts: Vec<MoveCount>,
    /// The moves that were never one of several.
    alone: Vec<u32>,
    waiting: u64,
}

/// The lanes of a step from the viewpoint of one role.
#[derive(Clone, Copy)]
struct RoleLanes {
    moving: Word,
    one: Word,
    several: Word,
    /// The lanes in which a role has several moves.
    others: Word,
}

impl LaneMoves {
    /// Empty samples.
    pub(super) fn new(network: &Network) -> LaneMoves {
        let role = |moves: &Vec<_>| RoleMoves {
            counts: vec![MoveCount::default(); moves.len()],
            alone: (0..moves.len() as u32).collect(),
            waiting: 0,
        };
        LaneMoves { roles: network.moves.iter().map(role).collect(), states: 0, simultaneous: 0 }
    }

    /// Processes a step of a block.
    pub(super) fn process(&mut self, step: &LaneStep<'_>, moving: Word) {
        let (mut choosing, mut at_once) = (Word::ZERO, Word::ZERO);
        for &several in step.several {
            at_once |= choosing & several;
            choosing |= several;
        }
        self.states += u64::from(moving.count());
        self.simultaneous += u64::from(at_once.count());
        let number = step.block.step();
        let counted = number < ALL || number.is_multiple_of(ONE_IN);
        for (role, seen) in self.roles.iter_mut().enumerate() {
            let lanes =
                RoleLanes { moving, one: step.one[role], several: step.several[role], others: choosing };
            process(seen, step.block, role, lanes, counted);
        }
    }

    /// Adds the samples of other blocks.
    pub(super) fn merge(&mut self, other: &LaneMoves) {
        self.states += other.states;
        self.simultaneous += other.simultaneous;
        for (role, other) in self.roles.iter_mut().zip(&other.roles) {
            role.waiting += other.waiting;
            role.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| count.add(more));
        }
    }

    /// Adds these samples to `moves`.
    pub(super) fn record_into(&self, network: &Network, moves: &mut MoveSamples) {
        moves.states += self.states;
        moves.simultaneous += self.simultaneous;
        for (number, role) in self.roles.iter().enumerate() {
            moves.waiting[number] += role.waiting;
            for (role_move, count) in network.moves[number].iter().zip(&role.counts) {
                moves.add(number, MoveId(role_move.action), count);
            }
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn process(seen: &mut RoleMoves, block: &Block<'_>, role: usize, lanes: RoleLanes, counted: bool) {
    let mut next = 0;
    while let Some(&number) = seen.alone.get(next) {
        if (block.legal_word(role, number as usize) & lanes.several).is_zero() {
            next += 1;
        } else {
            seen.counts[number as usize].one_of_several = true;
            seen.alone.swap_remove(next);
        }
    }
    if !counted {
        return;
    }
    let waiting = lanes.one & lanes.others;
    seen.waiting += u64::from(waiting.count());
    for (number, count) in seen.counts.iter_mut().enumerate() {
        let legal = block.legal_word(role, number) & lanes.moving;
        if legal.is_zero() {
            continue;
        }
        count.legal += u64::from(legal.count());
        let only = legal & lanes.one;
        if !only.is_zero() {
            count.only += u64::from(only.count());
            count.waiting += u64::from((only & waiting).count());
        }
    }
}
