//! Conjunctions that are images of each other, and have one weight.

use std::collections::{BTreeMap, BTreeSet};

use super::conjunctions::Bits;
use super::group::Image;

/// Conjunctions that are looked at to see which belong together, at most.
const LOOKED_AT: usize = 30_000;

/// The first of some conjunctions, each with those of its images that are among them, so many at most.
pub(super) fn with_images(mut list: Vec<Bits>, images: &[Image], most: usize) -> Vec<Bits> {
    list.truncate(LOOKED_AT.max(most));
    let mut left: BTreeSet<Bits> = list.iter().cloned().collect();
    let mut found = Vec::new();
    for bits in list {
        if found.len() >= most {
            break;
        }
        if left.contains(&bits) {
            found
                .extend(images.iter().filter_map(|image| image.of(&bits)).filter(|image| left.remove(image)));
        }
    }
    found.truncate(most);
    found
}

/// The class of each conjunction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Classes {
    of: Vec<Member>,
    /// For each class whether it is its own opposite, so that its weight is 0.
    is_nothing: Vec<bool>,
}

/// A conjunction in its class.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Member {
    class: u32,
    /// 1, or -1 where its weight is the opposite of its class's.
    sign: f64,
}

/// What of a class holds in a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Held {
    pub(super) class: u32,
    /// How many of its conjunctions hold, and how many more of its own sense than of the opposite one.
    pub(super) count: i16,
    pub(super) balance: i16,
}

impl Classes {
    /// The classes of some conjunctions by images of them, the one that moves nothing among these.
    pub(super) fn new(list: &[Bits], images: &[Image]) -> Classes {
        let mut numbers = BTreeMap::<Bits, u32>::new();
        let mut classes = Classes::default();
        for bits in list {
            let mut first: Option<(Bits, bool)> = None;
            let mut is_nothing = false;
            for image in images {
                let Some(other) = image.of(bits) else { continue };
                match &mut first {
                    Some((known, sense)) if *known == other => is_nothing |= *sense != image.is_opposite,
                    Some((known, _)) if *known < other => {}
                    _ => {
                        is_nothing = false;
                        first = Some((other, image.is_opposite));
                    }
                }
            }
            let (first, is_opposite) = first.unwrap_or((bits.clone(), false));
            let new = numbers.len() as u32;
            let class = *numbers.entry(first).or_insert(new);
            if class == new {
                classes.is_nothing.push(false);
            }
            classes.is_nothing[class as usize] |= is_nothing;
            classes.of.push(Member { class, sign: if is_opposite { -1.0 } else { 1.0 } });
        }
        classes
    }

    /// Conjunctions that have a weight each.
    #[cfg(test)]
    pub(super) fn alone(conjunctions: usize) -> Classes {
        let of = (0..conjunctions as u32).map(|class| Member { class, sign: 1.0 }).collect();
        Classes { of, is_nothing: vec![false; conjunctions] }
    }

    /// Number of classes.
    pub(super) fn len(&self) -> usize {
        self.is_nothing.len()
    }

    /// The class of a conjunction.
    pub(super) fn class(&self, conjunction: usize) -> u32 {
        self.of[conjunction].class
    }

    /// What of the classes holds where some conjunctions hold, appended; `counts` has room for each class, and is left empty.
    pub(super) fn held(&self, holding: &[u32], counts: &mut [[i16; 2]], out: &mut Vec<Held>) {
        let first = out.len();
        for &conjunction in holding {
            let Member { class, sign } = self.of[conjunction as usize];
            let [count, balance] = &mut counts[class as usize];
            if *count == 0 {
                out.push(Held { class, count: 0, balance: 0 });
            }
            *count += 1;
            *balance += sign as i16;
        }
        for held in &mut out[first..] {
            let [count, balance] = std::mem::take(&mut counts[held.class as usize]);
            held.count = count;
            held.balance = if self.is_nothing[held.class as usize] { 0 } else { balance };
        }
    }

    /// The mean weight of each class, where opposites count with the other sign if they are `signed`. Those that weigh nothing
    /// yet say nothing.
    pub(super) fn means(&self, weights: impl Iterator<Item = f64>, signed: bool) -> Vec<f64> {
        let mut sums = vec![(0.0, 0_u32); self.len()];
        for (weight, member) in weights.zip(&self.of).filter(|(weight, _)| *weight != 0.0) {
            let (sum, count) = &mut sums[member.class as usize];
            *sum += if signed { weight * member.sign } else { weight };
            *count += 1;
        }
        let means = sums.into_iter().map(|(sum, count)| sum / f64::from(count.max(1)));
        means
            .zip(&self.is_nothing)
            .map(|(mean, &nothing)| if nothing && signed { 0.0 } else { mean })
            .collect()
    }

    /// The weights of all conjunctions by those of their classes.
    pub(super) fn spread<'a>(&'a self, weights: &'a [f64], signed: bool) -> impl Iterator<Item = f64> + 'a {
        self.of
            .iter()
            .map(move |member| weights[member.class as usize] * if signed { member.sign } else { 1.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits 0 to 3 in a row that may be read from its other end, and 4 to 7 the same of the other side; bit 8 stays where it is.
    fn images() -> Vec<Image> {
        let images = [
            ([0, 1, 2, 3, 4, 5, 6, 7, 8], false),
            ([3, 2, 1, 0, 7, 6, 5, 4, 8], false),
            ([4, 5, 6, 7, 0, 1, 2, 3, 8], true),
            ([7, 6, 5, 4, 3, 2, 1, 0, 8], true),
        ];
        images.map(|(bits, is_opposite)| Image::of_bits(bits.to_vec(), is_opposite)).to_vec()
    }

    fn list() -> Vec<Bits> {
        [&[0][..], &[3], &[4], &[1, 2], &[5, 6], &[0, 4], &[8]].map(Bits::from).to_vec()
    }

    #[test]
    fn images_are_in_a_class_and_opposites_count_the_other_way() {
        let classes = Classes::new(&list(), &images());
        assert_eq!(classes.len(), 4);
        let members: Vec<(u32, f64)> = classes.of.iter().map(|member| (member.class, member.sign)).collect();
        assert_eq!(members, [(0, 1.0), (0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (3, 1.0)]);
        // What is its own image from the other side is worth nothing to either.
        assert_eq!(classes.is_nothing, [false, false, true, true]);
        let mut held = Vec::new();
        let mut counts = vec![[0; 2]; classes.len()];
        classes.held(&[0, 1, 2, 5], &mut counts, &mut held);
        let wanted = [(0, 3, 1), (2, 1, 0)].map(|(class, count, balance)| Held { class, count, balance });
        assert_eq!(held, wanted);
        assert_eq!(counts, vec![[0; 2]; classes.len()]);
    }

    #[test]
    fn weights_are_means_of_their_class() {
        let classes = Classes::new(&list(), &images());
        let weights = [1.0, 2.0, -3.0, 0.5, 0.0, 7.0, 8.0];
        let means = classes.means(weights.into_iter(), true);
        assert_eq!(means, [2.0, 0.5, 0.0, 0.0]);
        assert_eq!(classes.spread(&means, true).collect::<Vec<_>>(), [2.0, 2.0, -2.0, 0.5, -0.5, 0.0, 0.0]);
        // What does not depend on the side.
        assert_eq!(classes.means(weights.into_iter(), false), [0.0, 0.5, 7.0, 8.0]);
    }

    #[test]
    fn conjunctions_come_with_their_images() {
        let found = with_images(list(), &images(), 2);
        assert_eq!(found, [&[0][..], &[3]].map(Bits::from), "no more than there is room for");
        assert_eq!(with_images(list(), &images(), 100).len(), list().len());
        assert_eq!(with_images(list(), &images(), 4)[3..], [Bits::from([1, 2])]);
    }
}
