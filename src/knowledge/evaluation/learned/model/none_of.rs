//! Additional bits of a state: one for each of some groups of facts, set if none of them holds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::conjunctions::{Bits, bits_of};

/// Groups of facts, whose bits follow those of a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NoneOf {
    /// Words of a state.
    width: usize,
    groups: Vec<Bits>,
    /// For each bit of a state the groups that contain it.
    groups_of: Vec<Vec<u32>>,
}

impl NoneOf {
    /// Groups of bits of a state of `width` words.
    pub(crate) fn new(width: usize, groups: Vec<Bits>) -> NoneOf {
        let mut groups_of = vec![Vec::new(); width * 64];
        for (number, group) in (0..).zip(&groups) {
            group.iter().for_each(|&bit| groups_of[bit as usize].push(number));
        }
        NoneOf { width, groups, groups_of }
    }

    /// Divides sets of bits into groups, and returns the groups of each set: bits that are in the same sets form one
    /// group. A set with more groups than its limit becomes a group of its own.
    pub(crate) fn partition(width: usize, sets: &[(Vec<u32>, usize)]) -> (NoneOf, Vec<Vec<usize>>) {
        let mut sets_of = BTreeMap::<u32, Vec<usize>>::new();
        for (number, (set, _)) in sets.iter().enumerate() {
            set.iter().for_each(|&bit| sets_of.entry(bit).or_default().push(number));
        }
        let mut alike = BTreeMap::<&[usize], Vec<u32>>::new();
        for (&bit, in_sets) in &sets_of {
            alike.entry(in_sets).or_default().push(bit);
        }
        let mut groups: Vec<Bits> = Vec::new();
        let mut of_set = vec![Vec::new(); sets.len()];
        for (in_sets, bits) in alike {
            in_sets.iter().for_each(|&set| of_set[set].push(groups.len()));
            groups.push(bits.into());
        }
        for ((set, limit), of_set) in sets.iter().zip(&mut of_set) {
            if of_set.len() > *limit {
                *of_set = vec![groups.len()];
                groups.push(set.as_slice().into());
            }
        }
        (NoneOf::new(width, groups), of_set)
    }

    /// Words of a state with the bits of all groups.
    pub(crate) fn words(&self) -> usize {
        self.width + self.groups.len().div_ceil(64)
    }

    /// The bit of a group.
    pub(crate) fn bit_of(&self, group: usize) -> u32 {
        (self.width * 64 + group) as u32
    }

    /// The facts of the group that a bit belongs to; none for a bit of the state.
    pub(crate) fn group(&self, bit: u32) -> Option<&Bits> {
        self.groups.get((bit as usize).checked_sub(self.width * 64)?)
    }

    pub(crate) fn groups(&self) -> &[Bits] {
        &self.groups
    }

    /// A state with the bits of all groups.
    pub(crate) fn extended<'w>(&self, words: &'w [u64]) -> Cow<'w, [u64]> {
        if self.groups.is_empty() {
            return Cow::Borrowed(words);
        }
        let mut all = Vec::with_capacity(self.words());
        self.extend(words, &mut all);
        Cow::Owned(all)
    }

    /// Appends a state with the bits of all groups.
    pub(crate) fn extend(&self, words: &[u64], out: &mut Vec<u64>) {
        out.extend_from_slice(words);
        let first = out.len();
        let left = (0..self.groups.len()).step_by(64).map(|from| self.groups.len() - from);
        out.extend(left.map(|groups| u64::MAX >> (64 - groups.min(64))));
        if self.groups.is_empty() {
            return;
        }
        let bits = &mut out[first..];
        for bit in bits_of(words) {
            for &group in &self.groups_of[bit as usize] {
                bits[group as usize / 64] &= !(1 << (group % 64));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bit_of_a_group_is_set_if_none_of_its_facts_holds() {
        let groups = (0..70).map(|number| Bits::from([number, 127 - number])).collect();
        let none_of = NoneOf::new(2, groups);
        assert_eq!((none_of.words(), none_of.bit_of(65)), (4, 193));
        let all = none_of.extended(&[0b110, 0]);
        assert_eq!(&all[..2], [0b110, 0]);
        // Bits 1 and 2 are set: two of 70 groups have a fact that holds.
        let set: Vec<u32> = bits_of(&all).filter(|bit| *bit >= 128).collect();
        assert_eq!(set.len(), 68);
        assert!(!set.contains(&none_of.bit_of(1)) && !set.contains(&none_of.bit_of(2)));
        assert_eq!(none_of.group(none_of.bit_of(1)), Some(&Bits::from([1, 126])));
        assert_eq!(none_of.group(5), None);
        let (none_of, of_sets) = NoneOf::partition(1, &[(vec![1, 2, 3], 1), (vec![3, 4], 2), (vec![], 0)]);
        assert_eq!(of_sets[2], [0_usize; 0]);
        let bits =
            |set: usize| of_sets[set].iter().map(|&group| &*none_of.groups()[group]).collect::<Vec<_>>();
        assert_eq!((bits(0), bits(1)), (vec![&[1, 2, 3][..]], vec![&[3][..], &[4]]));
        assert!(matches!(NoneOf::new(2, Vec::new()).extended(&[1, 2]), Cow::Borrowed([1, 2])));
    }
}
