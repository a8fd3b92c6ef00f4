//! Finding out what numbers stand for, and which nodes have too many values for that.

use fearless_simd::prelude::*;
use fearless_simd::{mask8x32, u8x32};

use super::super::bind::Edge;
use super::numbers::{ENTRIES, NOTHING, Numbers, Piece, ROWS, States, Told, UNKNOWN};
use super::plan::{NONE, Operation, Plan};
use super::vector::{Mask, Vector, WIDTH, mask_of, states_of};
use super::worth::{MOST, WIDE, Worth};

/// Pieces of all tables at most, 8 MiB.
const MOST_PIECES: usize = 1 << 17;

/// Classes with more than [`MOST`] values at most, 8 MiB.
const MOST_WIDE: usize = 1 << 14;

/// The costs of members that hold, and of those that fail, with one more: as they are added up side by side.
fn added([holds, fails]: [f32; 2], cost: f32) -> [f32; 2] {
    [holds + cost.max(0.0), fails - cost.min(0.0)]
}

/// The states of a mask.
fn states_in(mask: Mask) -> impl Iterator<Item = usize> {
    (0..WIDTH).filter(move |state| mask >> state & 1 == 1)
}

impl Numbers {
    /// The number of an edge's node in a state.
    fn at(&self, edge: Edge, state: usize) -> usize {
        usize::from(self.states[(edge >> 1) as usize].0[state])
    }

    /// What an edge adds to a conjunction, or to the conjunction of negations that a disjunction is, by its node's number.
    fn cost(&self, plan: &Plan, node: usize, edge: Edge, number: usize) -> f32 {
        let flip = Edge::from(plan.nodes[node].operation == Operation::Or);
        let class = self.known[(edge >> 1) as usize].class;
        self.worth[self.classes[class].worth][(edge & 1 ^ flip) as usize].get(number)
    }

    /// What a node and its negation add, by the sums of its members' costs.
    fn joined(plan: &Plan, node: usize, sums: [f32; 2]) -> [f32; 2] {
        let planned = &plan.nodes[node];
        let mut value = plan.norm.conjunction(sums, planned.breadth);
        if planned.operation == Operation::Or {
            value.reverse();
        }
        value
    }

    /// A piece of a table to write to, if there is room for it.
    fn own(pieces: &mut Vec<Piece>, piece: &mut u32) -> Option<usize> {
        if *piece == NOTHING {
            if pieces.len() == MOST_PIECES {
                return None;
            }
            *piece = pieces.len() as u32;
            pieces.push(pieces[NOTHING as usize].clone());
        }
        Some(*piece as usize)
    }

    /// Computes the entries that a node's members ask for, of its class where an index tells it. Where there is no room for them,
    /// which it says, all of its class are added up from now on.
    #[inline(never)]
    pub(super) fn learn(
        &mut self,
        plan: &Plan,
        node: usize,
        states: Mask,
        by_index: bool,
        vectors: &mut [Vector],
    ) -> bool {
        for state in states_in(states) {
            let learned = match by_index {
                true => self.learn_entry(plan, node, state, vectors),
                false => self.learn_stages(plan, node, state),
            };
            if learned.is_none() {
                // A class of its own has one node.
                for &node in plan.alike.get(self.known[node].class) {
                    self.add_up(plan, node as usize, vectors);
                }
                return false;
            }
        }
        true
    }

    fn learn_entry(&mut self, plan: &Plan, node: usize, state: usize, vectors: &mut [Vector]) -> Option<()> {
        let (members, class) = (plan.members.get(node), self.known[node].class);
        let (mut index, mut sums) = (0, [0.0; 2]);
        for (&edge, &shift) in members.iter().zip(&plan.classes[class].shifts) {
            let number = self.at(edge, state);
            index |= number << shift;
            sums = added(sums, self.cost(plan, node, edge, number));
        }
        let piece = self.classes[class].table.pieces[index / ENTRIES];
        if self.pieces[piece as usize].0.as_flattened()[index % ENTRIES] != UNKNOWN {
            return Some(());
        }
        let number = self.number_of(plan, class, Self::joined(plan, node, sums), vectors)?;
        let piece = Self::own(&mut self.pieces, &mut self.classes[class].table.pieces[index / ENTRIES])?;
        self.pieces[piece].0.as_flattened_mut()[index % ENTRIES] = number as u8;
        Some(())
    }

    /// The number of a value of a class, a new one if there is room for it.
    fn number_of(
        &mut self,
        plan: &Plan,
        class: usize,
        value: [f32; 2],
        vectors: &mut [Vector],
    ) -> Option<usize> {
        fn find<const COUNT: usize>(
            worth: &[Worth<COUNT>; 2],
            count: usize,
            value: [f32; 2],
        ) -> Option<usize> {
            (0..count).find(|&number| [worth[0].get(number), worth[1].get(number)] == value)
        }
        let Told { count, worth, .. } = self.classes[class];
        let known = match count {
            0..=MOST => find(&self.worth[worth], count, value),
            _ => find(&self.wide[worth], count, value),
        };
        if known.is_some() {
            return known;
        }
        if count == WIDE || count == MOST && self.wide.len() == MOST_WIDE {
            return None;
        }
        if count == MOST {
            let mut wide = [Worth::NOTHING; 2];
            for (wide, worth) in wide.iter_mut().zip(&self.worth[worth]) {
                (0..MOST).for_each(|number| wide.set(number, worth.get(number)));
            }
            self.wide.push(wide);
            for &node in plan.alike.get(class) {
                self.give_up(plan, node as usize, vectors);
            }
            self.classes[class].worth = self.wide.len() - 1;
        }
        self.classes[class].count += 1;
        let Told { count, worth, .. } = self.classes[class];
        for (sign, value) in value.into_iter().enumerate() {
            match count {
                0..=MOST => self.worth[worth][sign].set(count - 1, value),
                _ => self.wide[worth][sign].set(count - 1, value),
            }
        }
        Some(count - 1)
    }

    fn learn_stages(&mut self, plan: &Plan, node: usize, state: usize) -> Option<()> {
        let (members, class) = (plan.members.get(node), self.known[node].class);
        let mut so_far = self.at(members[0], state);
        for (place, &edge) in members.iter().enumerate().skip(1) {
            let at = self.known[node].stage as usize + place - 1;
            let next = self.at(edge, state);
            let entry = next % ROWS * MOST + so_far;
            let piece = self.stages[at].pieces[next / ROWS];
            let known = self.pieces[piece as usize].0.as_flattened()[entry];
            if known != UNKNOWN {
                so_far = usize::from(known);
                continue;
            }
            let before = match place {
                1 => added([0.0; 2], self.cost(plan, node, members[0], so_far)),
                _ => self.stages[at - 1].sums[so_far],
            };
            let sums = added(before, self.cost(plan, node, edge, next));
            let stage = &mut self.stages[at];
            let known = match stage.sums.iter().position(|&known| known == sums) {
                Some(known) => known,
                None if stage.sums.len() == MOST => return None,
                None => {
                    stage.sums.push(sums);
                    stage.sums.len() - 1
                }
            };
            let Told { count, worth, .. } = &mut self.classes[class];
            if place + 1 == members.len() && known == *count {
                let value = Self::joined(plan, node, sums);
                for (worth, value) in self.worth[*worth].iter_mut().zip(value) {
                    worth.set(known, value);
                }
                *count += 1;
            }
            let piece = Self::own(&mut self.pieces, &mut self.stages[at].pieces[next / ROWS])?;
            self.pieces[piece].0.as_flattened_mut()[entry] = known as u8;
            so_far = known;
        }
        Some(())
    }

    /// Numbers the values of a node that is computed as it is, if others look at its number.
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
        let mut numbers = [0; WIDTH];
        let mut left = states_of(parts);
        let (of, class) = (plan.nodes[node].vectors, self.known[node].class);
        let Told { mut count, worth: place, .. } = self.classes[class];
        while left != 0 {
            let state = left.trailing_zeros() as usize;
            let mut value = [0.0; 2];
            for (value, vector) in value.iter_mut().zip(of) {
                if vector != NONE {
                    *value = vectors[vector as usize].number(state);
                }
            }
            // What nobody wants is known of those that were looked up alone.
            let worth = &mut self.worth[place];
            let mut number = 0;
            while number < count
                && (0..2).any(|sign| of[sign] != NONE && worth[sign].get(number) != value[sign])
            {
                number += 1;
            }
            if number == MOST {
                self.give_up(plan, node, vectors);
                return;
            }
            if number == count {
                for (worth, value) in worth.iter_mut().zip(value) {
                    worth.set(number, value);
                }
                count += 1;
                self.classes[class].count = count;
            }
            let mut alike = left;
            for (vector, value) in of.into_iter().zip(value) {
                if vector != NONE {
                    let vector = &vectors[vector as usize];
                    let mut same = 0;
                    for part in 0..parts {
                        same |= mask_of(vector.part(simd, part).simd_eq(value), part);
                    }
                    alike &= same;
                }
            }
            left &= !alike;
            let there = mask8x32::from_bitmask(simd, u64::from(alike));
            let so_far = u8x32::load_array_ref(simd, &numbers);
            there.select(u8x32::splat(simd, number as u8), so_far).store_array(&mut numbers);
        }
        self.states[node] = States(numbers);
    }

    /// From now on nobody looks at a node's number: those that do are added up, and so on where these have none any longer.
    #[inline(never)]
    fn give_up(&mut self, plan: &Plan, node: usize, vectors: &mut [Vector]) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if std::mem::take(&mut self.known[node].numbered) {
                for &parent in plan.parents.get(node) {
                    if self.untell(plan, parent as usize, vectors) {
                        open.push(parent as usize);
                    }
                }
            }
        }
    }

    /// From now on a node is added up.
    #[inline(never)]
    pub(super) fn add_up(&mut self, plan: &Plan, node: usize, vectors: &mut [Vector]) {
        if self.untell(plan, node, vectors) {
            self.give_up(plan, node, vectors);
        }
    }

    /// From now on a node is added up, its members read as they are; whether it has no number then, as its class had one for it.
    fn untell(&mut self, plan: &Plan, node: usize, vectors: &mut [Vector]) -> bool {
        let by_members = matches!(plan.nodes[node].operation, Operation::And | Operation::Or);
        if !by_members || !std::mem::take(&mut self.known[node].told) {
            return false;
        }
        self.write(plan, node, vectors);
        for &edge in plan.members.get(node) {
            let member = (edge >> 1) as usize;
            if !std::mem::replace(&mut self.known[member].shown, true) && self.is_told(member) {
                self.write(plan, member, vectors);
            }
        }
        !plan.classes[self.known[node].class].shifts.is_empty()
    }
}
