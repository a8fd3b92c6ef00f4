//! A large group: a chain of stabilisers, for a normal form of states.
//!
//! The base of the chain is a list of bits. The elements of a level fix the earlier bits of the base, and map each bit of the
//! orbit of the level's own bit to it. The normal form takes at each level the element with the least image, and starts
//! again until nothing changes. If the group permutes interchangeable objects, this sorts the objects. In other groups, two
//! states of one class may have different normal forms: then they are searched twice.

use super::permutation::Permutation;

/// Limit of the number of elements of all levels together.
const MAX_ELEMENTS: usize = 512;

/// Limit of passes through the chain for one state.
const MAX_PASSES: usize = 4;

/// A chain of stabilisers.
pub(super) struct Chain {
    /// For each level its elements, without the identity.
    levels: Vec<Vec<Permutation>>,
}

impl Chain {
    /// The chain of the group that these permutations generate. If the generators are not strong for the base, the group of
    /// the chain is smaller.
    pub(super) fn new(generators: &[Permutation], identity: &Permutation) -> Chain {
        let mut levels = Vec::new();
        let mut count = 0;
        let mut stabilizer: Vec<&Permutation> = generators.iter().collect();
        for base in 0..identity.bits.len() as u32 {
            if stabilizer.iter().all(|generator| generator.fixes(base)) {
                continue;
            }
            let level = transversal(base, &stabilizer, identity);
            count += level.len();
            if count > MAX_ELEMENTS {
                break;
            }
            levels.push(level);
            stabilizer.retain(|generator| generator.fixes(base));
        }
        Chain { levels }
    }

    /// The normal form of a state, and the elements that lead to it, in the order of application.
    pub(super) fn normal_form(&self, words: &[u64]) -> (Vec<u64>, Vec<&Permutation>) {
        let (mut least, mut image, mut best) = (words.to_vec(), Vec::new(), Vec::new());
        let mut applied = Vec::new();
        for _ in 0..MAX_PASSES {
            let before = applied.len();
            for level in &self.levels {
                let mut chosen = None;
                best.clone_from(&least);
                for element in level {
                    element.apply(&least, &mut image);
                    if is_before(&image, &best) {
                        std::mem::swap(&mut image, &mut best);
                        chosen = Some(element);
                    }
                }
                if let Some(element) = chosen {
                    std::mem::swap(&mut least, &mut best);
                    applied.push(element);
                }
            }
            if applied.len() == before {
                break;
            }
        }
        (least, applied)
    }
}

/// Elements that map each other bit of the orbit of `base` to it.
fn transversal(base: u32, generators: &[&Permutation], identity: &Permutation) -> Vec<Permutation> {
    let mut seen = vec![false; identity.bits.len()];
    seen[base as usize] = true;
    // Each bit with an element that maps it to `base`. Generators have a finite order, so this finds the whole orbit.
    let mut orbit = vec![(base, identity.clone())];
    let mut next = 0;
    while next < orbit.len() && orbit.len() <= MAX_ELEMENTS {
        for generator in generators {
            let (bit, element) = &orbit[next];
            let Some(from) = generator.bits.iter().position(|image| image == bit) else { continue };
            if !std::mem::replace(&mut seen[from], true) {
                let longer = generator.then(element);
                orbit.push((from as u32, longer));
            }
        }
        next += 1;
    }
    orbit.into_iter().skip(1).map(|(_, element)| element).collect()
}

/// Whether a state comes before another one: by the first bit that differs, the one that has it.
fn is_before(one: &[u64], other: &[u64]) -> bool {
    let differing = one.iter().zip(other).find(|(one, other)| one != other);
    differing.is_some_and(|(one, other)| one >> (one ^ other).trailing_zeros() & 1 == 1)
}
