//! Nodes of few values, as numbers.
//!
//! # What it does
//! Most nodes of a formula stand low in it and have a handful of values in all states of a game: a conjunction of two or three
//! such nodes has few itself. These values are numbered as they are met. A node's number is looked up by those of its members,
//! in thirty-two states at once, and what it is worth is computed once.
//!
//! # How
//! Members are taken one after the other, as they are added up: the first two have a table, by whose entry and the third one's
//! number the next is indexed, and so on. An entry stands for the two sums so far, see `conjunction`, so that values are those of
//! nodes that are added up, to the last bit. Where an entry is not known yet, it is computed. What has many members, or is
//! measured, is computed as it is, and its value then numbered. A node that comes to more values than [`MOST`] has no numbers
//! from then on, and those that look at it are added up.

use fearless_simd::prelude::*;
use fearless_simd::{mask8x32, u8x32};

use super::super::bind::Edge;
use super::plan::{NONE, Operation, Plan};
use super::vector::{Mask, Vector, WIDTH, mask_of, states_of};
use super::worth::{MOST, Worth};

/// Members of a node whose values are numbered, at most.
const MOST_MEMBERS: usize = 8;

/// The numbers of a member whose entries stand in one piece of a table.
const ROWS: usize = 4;

/// An entry that is not known.
const UNKNOWN: u8 = 0x80;

/// Nodes of a formula, at most, of which conjunctions and disjunctions are told by numbers: to find out what all of these
/// stand for takes 50 ms.
const MOST_NODES: usize = 1 << 14;

/// Pieces of all tables at most, 8 MiB.
const MOST_PIECES: usize = 1 << 17;

/// The piece of a table in which nothing is known.
const NOTHING: u32 = 0;

/// A number for each state.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct States([u8; WIDTH]);

/// Entries by the number of what was added up so far, and by some numbers of the next member.
#[derive(Clone)]
#[repr(C, align(64))]
struct Piece([[u8; WIDTH]; ROWS * MOST / WIDTH]);

/// A member that is added to those before.
#[derive(Clone, Default)]
struct Stage {
    /// The pieces of its table.
    pieces: [u32; MOST / ROWS],
    /// The sums that its entries stand for: the costs of the members that hold, and of the others.
    sums: Vec<[f32; 2]>,
}

/// What is known of a node.
#[derive(Clone)]
struct Known {
    /// Whether its values are numbered, and told by those of its members, or by facts.
    numbered: bool,
    told: bool,
    /// Whether somebody reads them as they are.
    shown: bool,
    /// How many it has so far.
    count: u8,
    /// Its first stage.
    stage: u32,
}

/// The numbers of all nodes.
pub(super) struct Numbers {
    known: Vec<Known>,
    states: Vec<States>,
    /// What a node and its negation add, by number.
    worth: Vec<[Worth; 2]>,
    stages: Vec<Stage>,
    pieces: Vec<Piece>,
}

impl Numbers {
    pub(super) fn new(plan: &Plan) -> Numbers {
        let nodes = plan.nodes.len();
        let known = Known { numbered: false, told: false, shown: false, count: 0, stage: 0 };
        let mut numbers = Numbers {
            known: vec![known; nodes],
            // No number, so that each node changes when it is computed first.
            states: vec![States([u8::MAX; WIDTH]); nodes],
            worth: vec![[Worth::NOTHING; 2]; nodes],
            stages: Vec::new(),
            pieces: vec![Piece([[UNKNOWN; WIDTH]; ROWS * MOST / WIDTH])],
        };
        for (node, planned) in plan.nodes.iter().enumerate() {
            if planned.vectors == [NONE; 2] {
                continue;
            }
            let members = plan.members.get(node).len();
            let values: &[[f32; 2]] = match planned.operation {
                Operation::Fact => &plan.fact,
                Operation::Tally(number) => &plan.tallies[number as usize].values,
                Operation::Always => {
                    numbers.states[node] = States([0; WIDTH]);
                    &[plan.always]
                }
                _ => &[],
            };
            let known = &mut numbers.known[node];
            (known.numbered, known.count) = (true, values.len() as u8);
            known.told = matches!(planned.operation, Operation::Fact | Operation::Tally(_));
            for (number, value) in values.iter().enumerate() {
                for (worth, &value) in numbers.worth[node].iter_mut().zip(value) {
                    worth.set(number, value);
                }
            }
            if matches!(planned.operation, Operation::And | Operation::Or)
                && (2..=MOST_MEMBERS).contains(&members)
                && nodes <= MOST_NODES
            {
                known.told = true;
                known.stage = numbers.stages.len() as u32;
                numbers.stages.resize(numbers.stages.len() + members - 1, Stage::default());
            }
        }
        for &root in &plan.roots {
            numbers.known[root as usize].shown = true;
        }
        for node in 0..nodes {
            if !numbers.is_told(node) && plan.nodes[node].vectors != [NONE; 2] {
                for &edge in plan.members.get(node) {
                    numbers.known[(edge >> 1) as usize].shown = true;
                }
                // Nobody would look its number up.
                let mut parents = plan.parents.get(node).iter();
                numbers.known[node].numbered = parents.any(|&parent| numbers.is_told(parent as usize));
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

    /// Gives a node that stands for facts its numbers: how many of these hold, from one on, from two on...
    #[inline(always)]
    pub(super) fn count<S: Simd>(&mut self, simd: S, node: usize, at_least: &[Mask]) -> bool {
        let [zero, one] = [0, 1].map(|number| u8x32::splat(simd, number));
        let mut numbers = zero;
        for &there in at_least {
            numbers += mask8x32::from_bitmask(simd, u64::from(there)).select(one, zero);
        }
        self.set(simd, node, numbers, Mask::MAX)
    }

    /// Gives a node its numbers where they have changed in some of these states, and whether they have.
    #[inline(always)]
    fn set<S: Simd>(&mut self, simd: S, node: usize, numbers: u8x32<S>, states: Mask) -> bool {
        let changed = numbers.simd_ne(self.load(simd, node)).to_bitmask() as Mask & states != 0;
        if changed {
            numbers.store_array(&mut self.states[node].0);
        }
        changed
    }

    /// Gives a conjunction or disjunction its numbers in some states, in others of no meaning; whether they have changed, or
    /// nothing where it has too many values.
    #[inline(always)]
    pub(super) fn look_up<S: Simd>(
        &mut self,
        simd: S,
        plan: &Plan,
        node: usize,
        states: Mask,
    ) -> Option<bool> {
        let mut found = self.entries(simd, plan, node, states);
        if found.is_none() {
            if !self.learn(plan, node, states) {
                return None;
            }
            found = self.entries(simd, plan, node, states);
        }
        Some(self.set(simd, node, found?, states))
    }

    /// Numbers the values of a node in some states.
    #[inline(always)]
    pub(super) fn number<S: Simd>(
        &mut self,
        simd: S,
        plan: &Plan,
        node: usize,
        parts: usize,
        vectors: &mut [Vector],
    ) {
        if !self.known[node].numbered || self.known[node].told {
            return;
        }
        let mut numbers = [UNKNOWN; WIDTH];
        let mut left = states_of(parts);
        let of = plan.nodes[node].vectors;
        while left != 0 {
            let state = left.trailing_zeros() as usize;
            let value =
                of.map(|vector| if vector == NONE { 0.0 } else { vectors[vector as usize].number(state) });
            // What nobody wants is known of those that were looked up alone.
            let same = |number: usize| {
                let mut worth = self.worth[node].iter().zip(of).zip(value);
                worth.all(|((worth, vector), value)| vector == NONE || worth.get(number) == value)
            };
            let count = usize::from(self.known[node].count);
            let known = (0..count).find(|&number| same(number));
            let number = known.unwrap_or(count);
            if number == MOST {
                return self.give_up(plan, node, vectors);
            }
            if known.is_none() {
                for (worth, value) in self.worth[node].iter_mut().zip(value) {
                    worth.set(count, value);
                }
                self.known[node].count += 1;
            }
            let mut alike = left;
            for (vector, value) in of.into_iter().zip(value).filter(|(vector, _)| *vector != NONE) {
                let vector = &vectors[vector as usize];
                let same = (0..parts)
                    .fold(0, |same, part| same | mask_of(vector.part(simd, part).simd_eq(value), part));
                alike &= same;
            }
            left &= !alike;
            let there = mask8x32::from_bitmask(simd, u64::from(alike));
            let so_far = u8x32::load_array_ref(simd, &numbers);
            there.select(u8x32::splat(simd, number as u8), so_far).store_array(&mut numbers);
        }
        self.states[node] = States(numbers);
    }

    /// A node's numbers by those of its members, if they are known.
    #[inline(always)]
    fn entries<S: Simd>(&self, simd: S, plan: &Plan, node: usize, states: Mask) -> Option<u8x32<S>> {
        let members = plan.members.get(node);
        let mut found = self.load(simd, (members[0] >> 1) as usize);
        let mut all = found;
        let first = self.known[node].stage as usize;
        for (stage, edge) in self.stages[first..].iter().zip(&members[1..]) {
            let member = (edge >> 1) as usize;
            let number = self.load(simd, member);
            let index = (number << 4 | found) & (ROWS * MOST - 1) as u8;
            found = self.piece(simd, stage.pieces[0], index);
            for piece in 1..(self.known[member].count as usize).div_ceil(ROWS) {
                let there = (number >> 2).simd_eq(piece as u8);
                found = there.select(self.piece(simd, stage.pieces[piece], index), found);
            }
            all |= found;
        }
        (all.simd_ge(UNKNOWN).to_bitmask() as Mask & states == 0).then_some(found)
    }

    #[inline(always)]
    fn piece<S: Simd>(&self, simd: S, piece: u32, index: u8x32<S>) -> u8x32<S> {
        let [low, high] =
            self.pieces[piece as usize].0.each_ref().map(|half| u8x32::load_array_ref(simd, half));
        low.concat_swizzle_dyn(high, index)
    }

    /// Computes the entries that a node's members ask for; whether there was room for them.
    #[inline(never)]
    fn learn(&mut self, plan: &Plan, node: usize, states: Mask) -> bool {
        (0..WIDTH).filter(|state| states >> state & 1 == 1).all(|state| self.learn_one(plan, node, state))
    }

    fn learn_one(&mut self, plan: &Plan, node: usize, state: usize) -> bool {
        let members = plan.members.get(node);
        let planned = &plan.nodes[node];
        let flip = Edge::from(planned.operation == Operation::Or);
        let number = |numbers: &Numbers, edge: Edge| numbers.states[(edge >> 1) as usize].0[state] as usize;
        let cost = |numbers: &Numbers, edge: Edge, number: usize| {
            numbers.worth[(edge >> 1) as usize][(edge & 1 ^ flip) as usize].get(number)
        };
        let added = |[holds, fails]: [f32; 2], cost: f32| [holds + cost.max(0.0), fails - cost.min(0.0)];
        let mut so_far = number(self, members[0]);
        for (place, &edge) in members.iter().enumerate().skip(1) {
            let at = self.known[node].stage as usize + place - 1;
            let next = number(self, edge);
            let entry = next % ROWS * MOST + so_far;
            let piece = self.stages[at].pieces[next / ROWS];
            let known = self.pieces[piece as usize].0.as_flattened()[entry];
            if known != UNKNOWN {
                so_far = known as usize;
                continue;
            }
            let before = match place {
                1 => added([0.0; 2], cost(self, members[0], so_far)),
                _ => self.stages[at - 1].sums[so_far],
            };
            let sums = added(before, cost(self, edge, next));
            let stage = &mut self.stages[at];
            let known = match stage.sums.iter().position(|&known| known == sums) {
                Some(known) => known,
                None if stage.sums.len() == MOST => return false,
                None => {
                    stage.sums.push(sums);
                    stage.sums.len() - 1
                }
            };
            if place + 1 == members.len() && known == usize::from(self.known[node].count) {
                let mut worth = plan.norm.conjunction(sums, planned.breadth);
                if flip == 1 {
                    worth.reverse();
                }
                for (all, worth) in self.worth[node].iter_mut().zip(worth) {
                    all.set(known, worth);
                }
                self.known[node].count += 1;
            }
            if piece == NOTHING {
                if self.pieces.len() == MOST_PIECES {
                    return false;
                }
                self.stages[at].pieces[next / ROWS] = self.pieces.len() as u32;
                self.pieces.push(self.pieces[NOTHING as usize].clone());
            }
            let piece = self.stages[at].pieces[next / ROWS];
            self.pieces[piece as usize].0.as_flattened_mut()[entry] = known as u8;
            so_far = known;
        }
        true
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
        if self.known[node].shown {
            let numbers = self.load(simd, node);
            for (vector, worth) in plan.nodes[node].vectors.into_iter().zip(&self.worth[node]) {
                if vector != NONE {
                    worth.write(simd, numbers, parts, &mut vectors[vector as usize]);
                }
            }
        }
    }

    /// Writes what a node is worth in all states.
    fn write(&self, plan: &Plan, node: usize, vectors: &mut [Vector]) {
        for (vector, worth) in plan.nodes[node].vectors.into_iter().zip(&self.worth[node]) {
            if vector != NONE {
                let numbers = self.states[node].0;
                for (value, number) in vectors[vector as usize].numbers_mut().zip(numbers) {
                    *value = worth.get(usize::from(number));
                }
            }
        }
    }

    /// From now on a node's values have no numbers, and those that look at it are added up.
    #[inline(never)]
    fn give_up(&mut self, plan: &Plan, node: usize, vectors: &mut [Vector]) {
        self.known[node].numbered = false;
        for &parent in plan.parents.get(node) {
            self.add_up(plan, parent as usize, vectors);
        }
    }

    /// From now on a node is added up, its members read as they are.
    #[inline(never)]
    pub(super) fn add_up(&mut self, plan: &Plan, node: usize, vectors: &mut [Vector]) {
        let by_members = matches!(plan.nodes[node].operation, Operation::And | Operation::Or);
        if !by_members || !std::mem::take(&mut self.known[node].told) {
            return;
        }
        if self.known[node].count > 0 {
            self.write(plan, node, vectors);
        }
        for &edge in plan.members.get(node) {
            let member = (edge >> 1) as usize;
            if !std::mem::replace(&mut self.known[member].shown, true) && self.is_told(member) {
                self.write(plan, member, vectors);
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
