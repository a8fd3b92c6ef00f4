//! Nodes of few values, as numbers.
//!
//! # What it does
//! Most nodes of a formula stand low in it and have a handful of values in all states of a game: a conjunction of two or three
//! such nodes has few itself. These values are numbered as they are met. A node's number is looked up by those of its members,
//! in thirty-two states at once, and what it is worth is computed once.
//!
//! # How
//! Where the numbers of the members have few bits together, they are the index of an entry in a table that all nodes of a class
//! share (see `classes`). Else members are taken one after the other, as they are added up: the first two have a table, by whose
//! entry and the third one's number the next is indexed, and so on. An entry stands for the two sums so far, see `conjunction`, so
//! that values are those of nodes that are added up, to the last bit. Where an entry is not known yet, it is computed (see
//! `learning`). What has many members, or is measured, is computed as it is, and its value then numbered. A node that comes to
//! more values than [`MOST`] has no numbers for others from then on, and those that look at it are added up.

use fearless_simd::prelude::*;
use fearless_simd::{mask8x32, u8x32, u32x8};

use super::classes::INDEX_BITS;
use super::plan::{Kind, NONE, Plan};
use super::truths::Literal;
use super::vector::{Mask, Vector, WIDTH};
use super::worth::{MOST, WIDE, Worth};

/// Members of a node whose values are numbered, at most.
const MOST_MEMBERS: usize = 8;

/// The numbers of a member whose entries stand in one piece of a table.
pub(super) const ROWS: usize = 4;

/// Entries of a piece.
pub(super) const ENTRIES: usize = ROWS * MOST;

/// Pieces that an index can tell, at most.
const PIECES: usize = (1 << INDEX_BITS) / ENTRIES;

/// An entry that is not known.
pub(super) const UNKNOWN: u8 = 0x80;

/// The piece of a table in which nothing is known.
pub(super) const NOTHING: u32 = 0;

/// A number for each state.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct States(pub(super) [u8; WIDTH]);

/// Entries by the number of what was added up so far, and by some numbers of the next member, or by some indices.
#[derive(Clone)]
#[repr(C, align(64))]
pub(super) struct Piece(pub(super) [[u8; WIDTH]; ENTRIES / WIDTH]);

/// Where the entries of a class stand that an index tells: in as many pieces as its indices need.
#[derive(Clone, Copy)]
pub(super) struct Table {
    pub(super) pieces: [u32; PIECES],
    count: usize,
}

/// A member that is added to those before.
#[derive(Clone, Default)]
pub(super) struct Stage {
    /// The pieces of its table.
    pub(super) pieces: [u32; MOST / ROWS],
    /// The sums that its entries stand for: the costs of the members that hold, and of the others.
    pub(super) sums: Vec<[f32; 2]>,
}

/// What is known of a class.
pub(super) struct Told {
    /// How many numbers its nodes have so far.
    pub(super) count: usize,
    /// The place of what these stand for; among the wide ones, where they are more than [`MOST`].
    pub(super) worth: usize,
    pub(super) table: Table,
}

/// What is known of a node.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) class: usize,
    /// Whether others may look at its number: it has [`MOST`] at most.
    pub(super) numbered: bool,
    /// Whether its value is told by its number: by those of its members, or by facts.
    pub(super) told: bool,
    /// Whether somebody reads its value as it is.
    pub(super) shown: bool,
    /// Its first stage.
    pub(super) stage: u32,
}

/// The numbers of all nodes.
pub(super) struct Numbers {
    pub(super) known: Vec<Known>,
    pub(super) states: Vec<States>,
    pub(super) classes: Vec<Told>,
    /// What nodes and their negations add, by number.
    pub(super) worth: Vec<[Worth<MOST>; 2]>,
    pub(super) wide: Vec<[Worth<WIDE>; 2]>,
    pub(super) stages: Vec<Stage>,
    pub(super) pieces: Vec<Piece>,
}

impl Numbers {
    pub(super) fn new(plan: &Plan) -> Numbers {
        let nodes = plan.nodes.len();
        let mut numbers = Numbers {
            known: Vec::with_capacity(nodes),
            states: vec![States([0; WIDTH]); nodes],
            classes: Vec::with_capacity(plan.classes.len()),
            worth: Vec::new(),
            wide: Vec::new(),
            stages: Vec::new(),
            pieces: vec![Piece([[UNKNOWN; WIDTH]; ENTRIES / WIDTH])],
        };
        for class in &plan.classes {
            let count = class.values.len();
            debug_assert!(count <= MOST);
            let mut worth = [Worth::NOTHING; 2];
            for (number, value) in class.values.iter().enumerate() {
                worth.iter_mut().zip(value).for_each(|(worth, &value)| worth.set(number, value));
            }
            numbers.worth.push(worth);
            let pieces = (1usize << class.index_bits).div_ceil(ENTRIES);
            let table = Table { pieces: [NOTHING; PIECES], count: pieces };
            numbers.classes.push(Told { count, worth: numbers.worth.len() - 1, table });
        }
        for segment in &plan.segments {
            for node in segment.nodes.clone() {
                let members = plan.members.get(node);
                let told = match segment.kind {
                    Kind::Always | Kind::Fact | Kind::Tally | Kind::Indexed => true,
                    Kind::Measured | Kind::Loop(_) => false,
                    Kind::Members => {
                        (2..=MOST_MEMBERS).contains(&members.len())
                            && plan.nodes[node].class != NONE
                            && members.iter().all(|edge| numbers.known[(edge >> 1) as usize].numbered)
                    }
                };
                let stage = numbers.stages.len();
                if told && segment.kind == Kind::Members {
                    numbers.stages.resize(stage + members.len() - 1, Stage::default());
                }
                let class = plan.nodes[node].class;
                let (numbered, class) = (class != NONE, class as usize);
                let stage = stage as u32;
                numbers.known.push(Known { class, numbered, told, shown: false, stage });
            }
        }
        for &root in &plan.roots {
            numbers.known[root as usize].shown = true;
        }
        for node in 0..nodes {
            if !numbers.is_told(node) {
                for &edge in plan.members.get(node) {
                    numbers.known[(edge >> 1) as usize].shown = true;
                }
                // Nobody would look its number up.
                let mut parents = plan.parents.get(node).iter();
                numbers.known[node].numbered &= parents.any(|&parent| numbers.is_told(parent as usize));
            }
        }
        numbers
    }

    /// Whether a node's number is told by those of its members, or by facts.
    #[inline(always)]
    pub(super) fn is_told(&self, node: usize) -> bool {
        self.known[node].told
    }

    #[inline(always)]
    fn load<S: Simd>(&self, simd: S, node: usize) -> u8x32<S> {
        u8x32::load_array_ref(simd, &self.states[node].0)
    }

    /// Gives a node the number 1 where it holds, else 0, and says whether they have changed; with `ALL` nobody wants to know.
    #[inline(always)]
    pub(super) fn hold<S: Simd, const ALL: bool>(&mut self, simd: S, node: usize, holds: Mask) -> bool {
        let [zero, one] = [u8x32::splat(simd, 0), u8x32::splat(simd, 1)];
        let numbers = mask8x32::from_bitmask(simd, u64::from(holds)).select(one, zero);
        self.set::<S, ALL>(simd, node, numbers, Mask::MAX)
    }

    /// Gives a node its numbers by how many literals are true, and says whether they have changed; with `ALL` nobody wants to know.
    #[inline(always)]
    pub(super) fn count<S: Simd, const ALL: bool>(
        &mut self,
        simd: S,
        node: usize,
        literals: &[Literal],
        truths: &[Mask],
    ) -> bool {
        let mut numbers = u8x32::splat(simd, 0);
        for &literal in literals {
            let holds = mask8x32::from_bitmask(simd, u64::from(truths[literal as usize]));
            numbers += holds.select(u8x32::splat(simd, 1), u8x32::splat(simd, 0));
        }
        self.set::<S, ALL>(simd, node, numbers, Mask::MAX)
    }

    /// Gives a conjunction or disjunction its numbers where they have changed in some of these states, and says whether they
    /// have; nothing where an entry is not known.
    #[inline(always)]
    pub(super) fn look_up<S: Simd>(
        &mut self,
        simd: S,
        plan: &Plan,
        node: usize,
        states: Mask,
        by_index: bool,
    ) -> Option<bool> {
        let found = match by_index {
            true => {
                let class = self.known[node].class;
                let (members, shifts) = (plan.members.get(node), &plan.classes[class].shifts);
                self.at_index(simd, members, shifts, &self.classes[class].table)
            }
            false => self.entries(simd, plan, node, states)?,
        };
        let known = found.simd_ge(UNKNOWN).to_bitmask() as Mask & states == 0;
        known.then(|| self.set::<S, false>(simd, node, found, states))
    }

    /// Gives a node of a class that an index tells its numbers, whether they have changed or not; not where an entry is not known.
    #[inline(always)]
    pub(super) fn take<S: Simd>(
        &mut self,
        simd: S,
        (node, members): (usize, &[u32]),
        shifts: &[u32],
        table: &Table,
        states: Mask,
    ) -> bool {
        let found = self.at_index(simd, members, shifts, table);
        let known = found.simd_ge(UNKNOWN).to_bitmask() as Mask & states == 0;
        if known {
            (found & !UNKNOWN).store_array(&mut self.states[node].0);
        }
        known
    }

    /// A node's numbers by the index that those of its members make.
    #[inline(always)]
    fn at_index<S: Simd>(&self, simd: S, members: &[u32], shifts: &[u32], table: &Table) -> u8x32<S> {
        let mut index = self.load(simd, (members[0] >> 1) as usize);
        // Slices side by side: other adapters of iterators are not always inlined, which costs more than the rest.
        for (edge, &shift) in members[1..].iter().zip(&shifts[1..]) {
            // Numbers have so few bits that nothing is shifted from one byte into the next.
            let number: u32x8<S> = self.load(simd, (edge >> 1) as usize).bitcast();
            index |= (number << shift).bitcast::<u8x32<S>>();
        }
        let within = index & (ENTRIES - 1) as u8;
        let mut found = self.piece(simd, table.pieces[0], within);
        let mut first = 0;
        for &piece in &table.pieces[1..table.count] {
            first += ENTRIES as u8;
            let there = (index & !(ENTRIES - 1) as u8).simd_eq(first);
            found = there.select(self.piece(simd, piece, within), found);
        }
        found
    }

    /// Gives a node its numbers where they have changed in some of these states, and says whether they have.
    #[inline(always)]
    fn set<S: Simd, const ALL: bool>(
        &mut self,
        simd: S,
        node: usize,
        numbers: u8x32<S>,
        states: Mask,
    ) -> bool {
        let changed = ALL || numbers.simd_ne(self.load(simd, node)).to_bitmask() as Mask & states != 0;
        if changed {
            // Else the others keep what they had. What is not known in them is no number.
            (numbers & !UNKNOWN).store_array(&mut self.states[node].0);
        }
        changed
    }

    /// The same by its members one after the other.
    #[inline(always)]
    fn entries<S: Simd>(&self, simd: S, plan: &Plan, node: usize, states: Mask) -> Option<u8x32<S>> {
        let members = plan.members.get(node);
        let mut found = self.load(simd, (members[0] >> 1) as usize);
        let mut all = found;
        let first = self.known[node].stage as usize;
        for (stage, edge) in self.stages[first..].iter().zip(&members[1..]) {
            let member = (edge >> 1) as usize;
            let number = self.load(simd, member);
            let index = (number << 4 | found) & (ENTRIES - 1) as u8;
            found = self.piece(simd, stage.pieces[0], index);
            for piece in 1..self.classes[self.known[member].class].count.div_ceil(ROWS) {
                let there = (number >> 2).simd_eq(piece as u8);
                found = there.select(self.piece(simd, stage.pieces[piece], index), found);
            }
            all |= found;
        }
        if all.simd_ge(UNKNOWN).to_bitmask() as Mask & states == 0 { Some(found) } else { None }
    }

    #[inline(always)]
    fn piece<S: Simd>(&self, simd: S, piece: u32, index: u8x32<S>) -> u8x32<S> {
        let [low, high] = &self.pieces[piece as usize].0;
        let [low, high] = [u8x32::load_array_ref(simd, low), u8x32::load_array_ref(simd, high)];
        low.concat_swizzle_dyn(high, index)
    }

    /// Writes what a node is worth where somebody reads it.
    #[inline(always)]
    pub(super) fn show<S: Simd>(
        &self,
        simd: S,
        plan: &Plan,
        node: usize,
        parts: usize,
        vectors: &mut [Vector],
    ) {
        let known = &self.known[node];
        if known.shown {
            let Told { count, worth: place, .. } = self.classes[known.class];
            let numbers = self.load(simd, node);
            for (sign, vector) in plan.nodes[node].vectors.into_iter().enumerate() {
                if vector != NONE {
                    let vector = &mut vectors[vector as usize];
                    match count {
                        0..=MOST => self.worth[place][sign].write(simd, numbers, parts, vector),
                        _ => self.wide[place][sign].write(simd, numbers, parts, vector),
                    }
                }
            }
        }
    }

    /// Writes what a node is worth in all states.
    pub(super) fn write(&self, plan: &Plan, node: usize, vectors: &mut [Vector]) {
        let (numbers, known) = (self.states[node].0, &self.known[node]);
        let Told { count, worth: place, .. } = self.classes[known.class];
        for (sign, vector) in plan.nodes[node].vectors.into_iter().enumerate() {
            if vector != NONE {
                for (value, number) in vectors[vector as usize].numbers_mut().zip(numbers) {
                    *value = match count {
                        0..=MOST => self.worth[place][sign].get(usize::from(number)),
                        _ => self.wide[place][sign].get(usize::from(number)),
                    };
                }
            }
        }
    }

    /// What a node is in the first state, it is everywhere.
    #[inline(always)]
    pub(super) fn settle(&mut self, node: usize) {
        let States(numbers) = &mut self.states[node];
        *numbers = [numbers[0]; WIDTH];
    }
}
