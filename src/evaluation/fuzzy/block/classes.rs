//! Nodes that have the same few values, told in the same way by the numbers of their members.
//!
//! Low in a formula nodes have few values, whatever holds: a fact has two, three facts joined have four. Where the numbers of a
//! node's members have no more than [`INDEX_BITS`] bits together, these bits make an index that tells its own number, by one
//! table for all nodes of its class: there are few kinds of lines on a board, but many lines.

use rustc_hash::FxHashMap;

use super::worth::MOST_BITS;

/// Bits of an index, at most.
pub(super) const INDEX_BITS: u32 = 8;

/// Nodes that have the same values.
pub(super) struct Class {
    /// What a node and its negation add, by number, if that is known from the start.
    pub(super) values: Vec<[f32; 2]>,
    /// Bits of its numbers, where others look at them.
    bits: u32,
    /// By how many bits the number of each member is shifted to make an index, if that tells the node's number, and the bits of
    /// an index.
    pub(super) shifts: Vec<u32>,
    pub(super) index_bits: u32,
}

/// What tells the class of a conjunction or a disjunction: whether it is the latter, its breadth, for each member the class and
/// whether it is negated.
type Key = (bool, u32, Vec<(u32, bool)>);

/// All classes of a formula.
#[derive(Default)]
pub(super) struct Classes {
    pub(super) all: Vec<Class>,
    /// Those whose values are known.
    valued: Vec<u32>,
    known: FxHashMap<Key, u32>,
}

impl Classes {
    fn push(&mut self, class: Class) -> u32 {
        self.all.push(class);
        self.all.len() as u32 - 1
    }

    /// A class of nodes whose values are known.
    pub(super) fn of_values(&mut self, values: &[[f32; 2]]) -> u32 {
        let mut valued = self.valued.iter().copied();
        let known = valued.find(|&class| self.all[class as usize].values == values);
        known.unwrap_or_else(|| {
            let bits = (values.len() - 1).checked_ilog2().map_or(0, |bits| bits + 1);
            let class = Class { values: values.to_vec(), bits, shifts: Vec::new(), index_bits: 0 };
            self.valued.push(self.all.len() as u32);
            self.push(class)
        })
    }

    /// The class of a node that is like no other.
    pub(super) fn of_one(&mut self) -> u32 {
        self.push(Class { values: Vec::new(), bits: MOST_BITS, shifts: Vec::new(), index_bits: 0 })
    }

    /// The class of a conjunction or a disjunction of members with these classes, if an index tells it.
    pub(super) fn indexed(
        &mut self,
        is_or: bool,
        breadth: f32,
        members: impl Iterator<Item = (u32, bool)>,
    ) -> Option<u32> {
        let members: Vec<(u32, bool)> = members.take(INDEX_BITS as usize + 1).collect();
        let mut bits = 0;
        let mut shifts = Vec::with_capacity(members.len());
        for &(class, _) in &members {
            shifts.push(bits);
            bits += self.all[class as usize].bits;
        }
        if bits > INDEX_BITS || !(1..=INDEX_BITS as usize).contains(&members.len()) {
            return None;
        }
        let key = (is_or, breadth.to_bits(), members);
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        let class =
            self.push(Class { values: Vec::new(), bits: bits.min(MOST_BITS), shifts, index_bits: bits });
        self.known.insert(key, class);
        Some(class)
    }
}
