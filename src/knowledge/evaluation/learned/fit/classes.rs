//! Classes of conjunctions that symmetries map to each other: the conjunctions of a class share one weight.

use std::collections::{BTreeMap, BTreeSet};

use super::super::model::conjunctions::Bits;
use super::symmetries::Image;

/// Limit of the conjunctions whose images are computed.
const MAX_EXAMINED: usize = 30_000;

/// The first `most` conjunctions of a list, each followed by its images that are in the list.
pub(super) fn with_images(mut list: Vec<Bits>, images: &[Image], most: usize) -> Vec<Bits> {
    list.truncate(MAX_EXAMINED.max(most));
    let mut remaining: BTreeSet<Bits> = list.iter().cloned().collect();
    let mut found = Vec::new();
    for bits in list {
        if found.len() >= most {
            break;
        }
        if remaining.contains(&bits) {
            found.extend(
                images.iter().filter_map(|image| image.of(&bits)).filter(|image| remaining.remove(image)),
            );
        }
    }
    found.truncate(most);
    found
}

/// The class of each conjunction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Classes {
    /// For each conjunction, its class and sign.
    members: Vec<Member>,
    /// For each class whether it is its own opposite, so that its weight is 0.
    is_zero: Vec<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Member {
    class: u32,
    /// 1, or -1 if its weight is the opposite of its class's weight.
    sign: f64,
}

/// A class with conjunctions that are true in a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ActiveClass {
    pub(super) class: u32,
    /// The number of its conjunctions that are true.
    pub(super) count: i16,
    /// The sum of the signs of these conjunctions.
    pub(super) balance: i16,
}

impl Classes {
    /// Groups conjunctions: those that have an image in common are in one class. `images` includes the identity.
    pub(super) fn new(list: &[Bits], images: &[Image]) -> Classes {
        let mut numbers = BTreeMap::<Bits, u32>::new();
        let mut classes = Classes::default();
        for bits in list {
            let mut first: Option<(Bits, bool)> = None;
            let mut is_zero = false;
            for image in images {
                let Some(other) = image.of(bits) else { continue };
                match &mut first {
                    Some((known, sign)) if *known == other => is_zero |= *sign != image.is_opposite,
                    Some((known, _)) if *known < other => {}
                    _ => {
                        is_zero = false;
                        first = Some((other, image.is_opposite));
                    }
                }
            }
            let (first, is_opposite) = first.unwrap_or((bits.clone(), false));
            let new = numbers.len() as u32;
            let class = *numbers.entry(first).or_insert(new);
            if class == new {
                classes.is_zero.push(false);
            }
            classes.is_zero[class as usize] |= is_zero;
            classes.members.push(Member { class, sign: if is_opposite { -1.0 } else { 1.0 } });
        }
        classes
    }

    pub(super) fn len(&self) -> usize {
        self.is_zero.len()
    }

    /// The class of a conjunction.
    pub(super) fn class(&self, conjunction: usize) -> u32 {
        self.members[conjunction].class
    }

    /// Appends the classes of `conjunctions`, which are true in a state. `counts` is working memory: it has zeros for
    /// each class before and after the call.
    pub(super) fn push_active(
        &self,
        conjunctions: &[u32],
        counts: &mut [[i16; 2]],
        out: &mut Vec<ActiveClass>,
    ) {
        let first = out.len();
        for &conjunction in conjunctions {
            let Member { class, sign } = self.members[conjunction as usize];
            let [count, balance] = &mut counts[class as usize];
            if *count == 0 {
                out.push(ActiveClass { class, count: 0, balance: 0 });
            }
            *count += 1;
            *balance += sign as i16;
        }
        for active in &mut out[first..] {
            let [count, balance] = std::mem::take(&mut counts[active.class as usize]);
            active.count = count;
            active.balance = if self.is_zero[active.class as usize] { 0 } else { balance };
        }
    }

    /// The mean weight of each class. Weights of 0 are left out, because their conjunctions are new. If `signed`, the
    /// weight of an opposite counts with the other sign.
    pub(super) fn means(&self, weights: impl Iterator<Item = f64>, signed: bool) -> Vec<f64> {
        let mut sums = vec![(0.0, 0_u32); self.len()];
        for (weight, member) in weights.zip(&self.members).filter(|(weight, _)| *weight != 0.0) {
            let (sum, count) = &mut sums[member.class as usize];
            *sum += if signed { weight * member.sign } else { weight };
            *count += 1;
        }
        let means = sums.into_iter().map(|(sum, count)| sum / f64::from(count.max(1)));
        means.zip(&self.is_zero).map(|(mean, &is_zero)| if is_zero && signed { 0.0 } else { mean }).collect()
    }

    /// The weights of all conjunctions from those of their classes.
    pub(super) fn spread<'a>(&'a self, weights: &'a [f64], signed: bool) -> impl Iterator<Item = f64> + 'a {
        self.members
            .iter()
            .map(move |member| weights[member.class as usize] * if signed { member.sign } else { 1.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits 0 to 3 are a row that can be reversed, bits 4 to 7 the same row of the other side; bit 8 never moves.
    fn images() -> Vec<Image> {
        let images = [
            ([0, 1, 2, 3, 4, 5, 6, 7, 8], false),
            ([3, 2, 1, 0, 7, 6, 5, 4, 8], false),
            ([4, 5, 6, 7, 0, 1, 2, 3, 8], true),
            ([7, 6, 5, 4, 3, 2, 1, 0, 8], true),
        ];
        images.map(|(bits, is_opposite)| Image { bits: bits.to_vec(), is_opposite }).to_vec()
    }

    fn list() -> Vec<Bits> {
        [&[0][..], &[3], &[4], &[1, 2], &[5, 6], &[0, 4], &[8]].map(Bits::from).to_vec()
    }

    #[test]
    fn images_are_in_one_class_with_signs() {
        let classes = Classes::new(&list(), &images());
        assert_eq!(classes.len(), 4);
        let members: Vec<(u32, f64)> =
            classes.members.iter().map(|member| (member.class, member.sign)).collect();
        assert_eq!(members, [(0, 1.0), (0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (3, 1.0)]);
        // The weight of a conjunction that is its own opposite is 0.
        assert_eq!(classes.is_zero, [false, false, true, true]);
        let mut active = Vec::new();
        let mut counts = vec![[0; 2]; classes.len()];
        classes.push_active(&[0, 1, 2, 5], &mut counts, &mut active);
        let expected =
            [(0, 3, 1), (2, 1, 0)].map(|(class, count, balance)| ActiveClass { class, count, balance });
        assert_eq!(active, expected);
        assert_eq!(counts, vec![[0; 2]; classes.len()]);
    }

    #[test]
    fn a_class_has_the_mean_of_its_weights() {
        let classes = Classes::new(&list(), &images());
        let weights = [1.0, 2.0, -3.0, 0.5, 0.0, 7.0, 8.0];
        let means = classes.means(weights.into_iter(), true);
        assert_eq!(means, [2.0, 0.5, 0.0, 0.0]);
        assert_eq!(classes.spread(&means, true).collect::<Vec<_>>(), [2.0, 2.0, -2.0, 0.5, -0.5, 0.0, 0.0]);
        // Without signs.
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
