//! Forward selection of conjunctions: those in whose states the residuals of the fit have a mean far from 0.

use std::collections::{BTreeMap, BTreeSet};

use crate::simulate::{EarlyEnd, WorkLimit};

use super::super::model::conjunctions::{Bits, Conjunctions, bits_of};
use super::super::self_play::samples::Samples;
use super::symmetries::Image;

/// The fewest states in which a conjunction must be true, and in which each of its parts must be true without it.
pub(super) const LEAST: u32 = 50;

/// The mean residual must differ from 0 by this number of standard errors.
const STANDARD_ERRORS: f64 = 3.0;

/// The most bits that are added to conjunctions.
const BITS: usize = 1_500;

/// The most additions to sums, over all states.
const WORK: u64 = 150_000_000;

/// States between two checks of the interrupt.
const STRIDE: usize = 256;

/// The bits that vary, at most `BITS` with the greatest variance, ascending.
pub(super) fn varying(support: &[u64], states: usize) -> Vec<u32> {
    let varies = |&bit: &u32| {
        let count = support[bit as usize];
        count >= u64::from(LEAST) && count + u64::from(LEAST) <= states as u64
    };
    let mut bits: Vec<u32> = (0..support.len() as u32).filter(varies).collect();
    let variance = |bit: u32| support[bit as usize].min(states as u64 - support[bit as usize]);
    bits.sort_by_key(|&bit| (std::cmp::Reverse(variance(bit)), bit));
    bits.truncate(BITS);
    bits.sort_unstable();
    bits
}

/// A selection of conjunctions by residuals.
pub(super) struct Selection<'a> {
    pub(super) samples: &'a Samples,
    /// The samples that are examined, with their residuals.
    pub(super) numbers: &'a [u32],
    pub(super) residuals: &'a [f64],
    /// The bits that may be added, ascending.
    pub(super) bits: &'a [u32],
    pub(super) images: &'a [Image],
    pub(super) work_limit: &'a WorkLimit<'a>,
}

impl Selection<'_> {
    /// Adds a bit to some conjunctions, and selects at most `most` of the results: those with the largest mean
    /// residuals compared with the standard error, without known ones. Images of each other are examined together, and
    /// are selected together.
    pub(super) fn extend(
        &self,
        bases: Vec<Bits>,
        known: &BTreeSet<Bits>,
        most: usize,
    ) -> Result<Vec<Bits>, EarlyEnd> {
        if self.bits.is_empty() {
            return Ok(Vec::new());
        }
        let bases = Conjunctions::new(bases, &self.samples.support());
        let sums = self.sums(&bases)?;
        let images = ImagePlaces::new(self.images, bases.list(), &sums);
        let mut candidates: Vec<(f64, u32, Vec<Bits>)> = Vec::new();
        let mut taken = known.clone();
        for (base, parts) in bases.list().iter().enumerate() {
            self.work_limit.check()?;
            for (index, &bit) in self.bits.iter().enumerate() {
                // The first image represents all others.
                if parts.contains(&bit) || !images.is_first(base, index) {
                    continue;
                }
                let (count, sum) = images.total(&sums, base, index);
                let errors = sum.abs() / (f64::from(count) * sums.variance).sqrt();
                if errors.is_nan() || errors < STANDARD_ERRORS || count < LEAST {
                    continue;
                }
                let all = images.of(&sums, base, index, bases.list());
                let new: Vec<Bits> = all.into_iter().filter(|bits| taken.insert(bits.clone())).collect();
                if !new.is_empty() {
                    candidates.push((errors, count, new));
                }
            }
        }
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        // Conjunctions that are true in the same states are equivalent: one of them is enough.
        candidates.dedup_by(|later, kept| later.0 == kept.0 && later.1 == kept.1);
        let mut added = Vec::new();
        for (_, _, images) in candidates {
            if added.len() < most {
                added.extend(images);
            }
        }
        added.truncate(most);
        Ok(added)
    }

    /// Counts and sums of residuals for all conjunctions with one more bit.
    fn sums(&self, bases: &Conjunctions) -> Result<ResidualSums<'_>, EarlyEnd> {
        let bits = self.bits;
        let mut place_of = vec![u32::MAX; bits.last().map_or(0, |&highest| highest as usize + 1)];
        for (index, &bit) in (0..).zip(bits) {
            place_of[bit as usize] = index;
        }
        let mut sums = vec![(0_u32, 0.0_f32); bases.list().len() * bits.len()];
        let mut of_base = vec![0_u32; bases.list().len()];
        let mut of_bit = vec![0_u32; bits.len()];
        let (mut true_bases, mut places) = (Vec::new(), Vec::new());
        let (mut square, mut states, mut work) = (0.0, 0_u32, 0_u64);
        'states: for (numbers, residuals) in self.numbers.chunks(STRIDE).zip(self.residuals.chunks(STRIDE)) {
            for (&number, &residual) in numbers.iter().zip(residuals) {
                if work > WORK {
                    break 'states;
                }
                let state = self.samples.state(number);
                true_bases.clear();
                bases.for_each_true(state, |base| true_bases.push(base as usize));
                places.clear();
                let found = bits_of(state).filter_map(|bit| place_of.get(bit as usize).copied());
                places.extend(found.filter(|&index| index != u32::MAX).map(|index| index as usize));
                places.iter().for_each(|&index| of_bit[index] += 1);
                for &base in &true_bases {
                    of_base[base] += 1;
                    let row = &mut sums[base * bits.len()..(base + 1) * bits.len()];
                    for &index in &places {
                        row[index].0 += 1;
                        row[index].1 += residual as f32;
                    }
                }
                square += residual * residual;
                states += 1;
                work += (true_bases.len() * places.len()) as u64;
            }
            self.work_limit.spend(numbers.len() as u64)?;
        }
        let variance = square / f64::from(states.max(1));
        Ok(ResidualSums { bits, place_of, sums, of_base, of_bit, variance })
    }
}

/// Counts and sums of residuals of conjunctions with one more bit.
struct ResidualSums<'a> {
    bits: &'a [u32],
    /// For each bit its index in `bits`.
    place_of: Vec<u32>,
    /// For each conjunction and each bit the number of states in which both are true, and the sum of the residuals
    /// there.
    sums: Vec<(u32, f32)>,
    /// The number of states in which each conjunction, and each bit, is true.
    of_base: Vec<u32>,
    of_bit: Vec<u32>,
    /// The mean square of the residuals.
    variance: f64,
}

impl ResidualSums<'_> {
    /// The count and the sum of one conjunction and one bit; none if one of them is hardly ever true without the other.
    fn of(&self, base: usize, index: usize) -> Option<(u32, f64)> {
        let (count, sum) = self.sums[base * self.bits.len() + index];
        let alone = self.of_base[base].min(self.of_bit[index]).saturating_sub(count);
        (alone >= LEAST).then_some((count, f64::from(sum)))
    }
}

/// Images of conjunctions and bits, by index.
struct ImagePlaces {
    /// For each symmetry, the indices of the conjunctions' images and of the bits' images, and whether it exchanges the
    /// sides.
    all: Vec<(Vec<u32>, Vec<u32>, bool)>,
}

const NOWHERE: u32 = u32::MAX;

impl ImagePlaces {
    fn new(images: &[Image], bases: &[Bits], sums: &ResidualSums<'_>) -> ImagePlaces {
        let places: BTreeMap<&Bits, u32> = bases.iter().zip(0..).collect();
        let of = |image: &Image| {
            let of_base = |bits: &Bits| image.of(bits).and_then(|bits| places.get(&bits).copied());
            let of_bit = |&bit: &u32| image.bit(bit).and_then(|bit| sums.place_of.get(bit as usize).copied());
            let bases = bases.iter().map(|bits| of_base(bits).unwrap_or(NOWHERE)).collect();
            (bases, sums.bits.iter().map(|bit| of_bit(bit).unwrap_or(NOWHERE)).collect(), image.is_opposite)
        };
        ImagePlaces { all: images.iter().map(of).collect() }
    }

    /// The indices of all images of a conjunction with a bit, and whether the sides are exchanged.
    fn places(&self, base: usize, index: usize) -> impl Iterator<Item = (usize, usize, bool)> {
        let image = move |(bases, bits, is_opposite): &(Vec<u32>, Vec<u32>, bool)| {
            let (base, index) = (bases[base], bits[index]);
            (base != NOWHERE && index != NOWHERE).then_some((base as usize, index as usize, *is_opposite))
        };
        self.all.iter().filter_map(image)
    }

    /// Whether no image precedes it.
    fn is_first(&self, base: usize, index: usize) -> bool {
        self.places(base, index).all(|(image, bit, _)| (image, bit) >= (base, index))
    }

    /// The number of states of all its images, and the sum of the residuals there.
    fn total(&self, sums: &ResidualSums<'_>, base: usize, index: usize) -> (u32, f64) {
        let (mut count, mut sum, mut itself) = (0, 0.0, 0);
        for (image, bit, is_opposite) in self.places(base, index) {
            itself += u32::from((image, bit) == (base, index));
            if let Some((states, residuals)) = sums.of(image, bit) {
                count += states;
                sum += if is_opposite { -residuals } else { residuals };
            }
        }
        // A symmetry that maps it to itself counts it again.
        (count / itself.max(1), sum / f64::from(itself.max(1)))
    }

    /// All its images that have sums.
    fn of(&self, sums: &ResidualSums<'_>, base: usize, index: usize, bases: &[Bits]) -> BTreeSet<Bits> {
        let with = |(base, index, _): (usize, usize, bool)| {
            let mut all: Vec<u32> = bases[base].iter().copied().chain([sums.bits[index]]).collect();
            all.sort_unstable();
            Bits::from(all)
        };
        self.places(base, index)
            .filter(|&(base, index, _)| sums.of(base, index).is_some())
            .map(with)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::model::none_of::NoneOf;
    use super::super::super::self_play::game::PlayedGame;
    use super::*;

    /// The pair of bits that decides the outcome is selected, unless the model has it.
    #[test]
    fn the_pair_that_decides_is_selected() {
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 1);
        for number in 0..800_u64 {
            let word = number % 8;
            let outcome = if word & 0b11 == 0b11 { 1.0 } else { 0.0 };
            samples.add(&PlayedGame::of_state(word, &[outcome]), None, 1.0, 0);
        }
        let bits = varying(&samples.support(), samples.len());
        assert_eq!(bits, [0, 1, 2]);
        // The residuals of the best sum of single bits: outcome = -1/4 + first / 2 + second / 2.
        let residual = |number: &u32| {
            let word = samples.state(*number)[0];
            let line = -0.25 + 0.5 * (word & 1) as f64 + 0.5 * (word >> 1 & 1) as f64;
            samples.target(0, *number) - line
        };
        let residuals: Vec<f64> = samples.training.iter().map(residual).collect();
        let bases: Vec<Bits> = bits.iter().map(|&bit| Bits::from([bit])).collect();
        let selection = Selection {
            samples: &samples,
            numbers: &samples.training,
            residuals: &residuals,
            bits: &bits,
            images: &[Image::identity(64)],
            work_limit: &WorkLimit::default(),
        };
        let pair = [Bits::from([0, 1])];
        assert_eq!(selection.extend(bases.clone(), &BTreeSet::new(), 9).unwrap(), pair);
        assert!(selection.extend(bases, &BTreeSet::from(pair), 9).unwrap().is_empty());
    }
}
