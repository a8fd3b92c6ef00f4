//! A small group: all of its elements.

use std::collections::BTreeMap;

use crate::search::hash::Keys;

use super::permutation::Permutation;

/// Limit of the number of elements. Each takes a hash for every state that is looked up.
pub(super) const MAX_ELEMENTS: usize = 128;

/// The elements of a group, with the random numbers of the image of every bit.
pub(super) struct Group {
    pub(super) elements: Vec<Permutation>,
    /// For each bit and each element the random number of the bit's image.
    numbers: Vec<u64>,
}

impl Group {
    /// The group that these permutations generate; none if it is too large.
    pub(super) fn new(generators: &[Permutation], identity: Permutation, keys: &Keys) -> Option<Group> {
        let mut numbers: BTreeMap<Box<[u32]>, usize> = BTreeMap::from([(identity.bits.clone(), 0)]);
        let mut elements = vec![identity];
        let mut next = 0;
        while let Some(element) = elements.get(next) {
            let products: Vec<Permutation> =
                generators.iter().map(|generator| element.then(generator)).collect();
            for product in products {
                if numbers.len() > MAX_ELEMENTS {
                    return None;
                }
                let number = numbers.len();
                if *numbers.entry(product.bits.clone()).or_insert(number) == number {
                    elements.push(product);
                }
            }
            next += 1;
        }
        let bits = elements[0].bits.len();
        let numbers = (0..bits)
            .flat_map(|bit| elements.iter().map(move |element| keys.number(element.bits[bit])))
            .collect();
        (elements.len() <= MAX_ELEMENTS).then_some(Group { elements, numbers })
    }

    /// The element for which the image of a state has the least hash, with this hash.
    pub(super) fn least(&self, words: &[u64]) -> (usize, u64) {
        let count = self.elements.len();
        let mut all = [0; MAX_ELEMENTS];
        let hashes = &mut all[..count];
        for (index, &word) in words.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                let bit = index * 64 + left.trailing_zeros() as usize;
                let numbers = &self.numbers[bit * count..(bit + 1) * count];
                hashes.iter_mut().zip(numbers).for_each(|(hash, number)| *hash ^= number);
                left &= left - 1;
            }
        }
        let mut least = (0, hashes[0]);
        for (number, &hash) in hashes.iter().enumerate() {
            if hash < least.1 {
                least = (number, hash);
            }
        }
        least
    }
}
