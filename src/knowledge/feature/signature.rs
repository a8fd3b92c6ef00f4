//! Signatures identify features with the same values: two features with equal signatures differ in name only.
//!
//! # How
//! The values in all sampled states are projected on two random directions, which depend only on the positions of the
//! states in the sample. After subtracting the mean and dividing by the standard deviation, values that differ by an
//! offset and a factor have equal projections up to the sign. Values that differ in one state have different
//! projections.
//!
//! # Source
//! Freivalds, "Probabilistic machines can use less running time", IFIP Congress 1977.

use crate::statistics::moments::Moments;

/// Projections that differ by less, in standard deviations, are equal. Fuzzy values have single precision, and
/// rounding errors add up over tens of thousands of states.
const TOLERANCE: f64 = 2e-5;

/// The coordinates of a state in two random directions, each from -1 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RandomDirections([f64; 2]);

impl RandomDirections {
    /// The weights of the first `states` states of a sequence, given by its number.
    pub(super) fn of_sequence(number: usize, states: usize) -> impl Iterator<Item = RandomDirections> {
        let seed = (number as u64) << 32;
        (0..states as u64).map(move |state| {
            RandomDirections([0, 1].map(|direction| uniform((seed | state) * 2 + direction)))
        })
    }
}

/// A pseudo-random number from -1 to 1 (Steele, Lea and Flood 2014).
fn uniform(seed: u64) -> f64 {
    let mut bits = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// The projections of a value over all sampled states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signature {
    values: Moments,
    /// Sums of the weights, and of the products of values and weights.
    weights: [f64; 2],
    sums: [f64; 2],
}

impl Signature {
    /// The signature of values, given the weights of their states.
    pub(super) fn of(values: &[f64], weights: &[RandomDirections]) -> Signature {
        let mut signature = Signature { values: Moments::of(values), ..Signature::default() };
        for (value, RandomDirections(weights)) in values.iter().zip(weights) {
            for (projection, weight) in weights.iter().enumerate() {
                signature.weights[projection] += weight;
                signature.sums[projection] += weight * value;
            }
        }
        signature
    }

    /// Adds the signature of the same value in other states.
    pub(super) fn merge(&mut self, other: &Signature) {
        self.values.merge(&other.values);
        for direction in 0..2 {
            self.weights[direction] += other.weights[direction];
            self.sums[direction] += other.sums[direction];
        }
    }

    /// The projections in standard deviations, the first of them positive, and a bound of their rounding error.
    fn projections(&self) -> ([f64; 2], f64) {
        let (mean, deviation) = (self.values.mean, self.values.variance().sqrt());
        let projection =
            |direction: usize| (self.sums[direction] - mean * self.weights[direction]) / deviation;
        let sign = projection(0).signum();
        ([sign * projection(0), sign * projection(1)], TOLERANCE * (1.0 + mean.abs() / deviation))
    }
}

/// Groups of at least two equal values, each in the order of their numbers.
pub(super) fn same_numbers<'s>(signatures: impl Iterator<Item = (usize, &'s Signature)>) -> Vec<Vec<usize>> {
    let mut all: Vec<(usize, [f64; 2], f64)> = signatures
        .map(|(number, signature)| {
            let (projections, tolerance) = signature.projections();
            (number, projections, tolerance)
        })
        .collect();
    all.sort_by(|a, b| a.1[0].total_cmp(&b.1[0]).then(a.0.cmp(&b.0)));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    // For each signature the number of its group.
    let mut of_place: Vec<usize> = Vec::with_capacity(all.len());
    for (place, (number, projections, tolerance)) in all.iter().enumerate() {
        let near = |other: &[f64; 2], direction: usize| {
            (projections[direction] - other[direction]).abs() <= *tolerance
        };
        let mut before = (0..place).rev().take_while(|&before| near(&all[before].1, 0));
        let same = before.find(|&before| near(&all[before].1, 1));
        let group = same.map_or(groups.len(), |same| of_place[same]);
        match groups.get_mut(group) {
            Some(group) => group.push(*number),
            None => groups.push(vec![*number]),
        }
        of_place.push(group);
    }
    groups.retain(|group| group.len() > 1);
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups.sort();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_up_to_a_factor_and_an_offset() {
        let weights: Vec<RandomDirections> =
            (0..50).flat_map(|number| RandomDirections::of_sequence(number, 2)).collect();
        let values: Vec<f64> = (0..100).map(|index| f64::from(index * index % 7)).collect();
        let signature = |of: &dyn Fn(usize, f64) -> f64| {
            let values: Vec<f64> =
                values.iter().enumerate().map(|(index, &value)| of(index, value)).collect();
            let mut found = Signature::of(&values[..40], &weights[..40]);
            found.merge(&Signature::of(&values[40..], &weights[40..]));
            found
        };
        let all = [
            signature(&|_, value| value),
            signature(&|_, value| -value),
            signature(&|_, value| 0.1 * value + 1e3),
            signature(&|index, value| if index == 77 { value + 1.0 } else { value }),
            signature(&|_, value| value * value),
            signature(&|_, value| 5.0 - value),
        ];
        assert_eq!(same_numbers(all.iter().enumerate()), [vec![0, 1, 2, 5]]);
    }
}
