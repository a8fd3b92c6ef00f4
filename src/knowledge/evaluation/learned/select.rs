//! Which conjunctions say more than their parts: those in whose states the fit errs on one side.

use std::collections::{BTreeMap, BTreeSet};

use crate::simulate::{Stopped, Watch};

use super::conjunctions::{Bits, Conjunctions, bits_of};
use super::group::Image;
use super::samples::Samples;

/// States in which a conjunction has to hold, and in which each of its parts has to hold without it.
pub(super) const LEAST: u32 = 50;

/// Standard errors by which the mean residual has to be away from 0.
const STANDARD_ERRORS: f64 = 3.0;

/// Bits that are looked at, and conjunctions that a bit is added to, at most.
const BITS: usize = 1_500;

/// Sums that are added to at most, over all states.
const WORK: u64 = 150_000_000;

/// States between two looks at the interrupt.
const STRIDE: usize = 256;

/// The bits that vary, those that vary most first chosen, ascending.
pub(super) fn varying(support: &[u64], states: usize) -> Vec<u32> {
    let varies = |&bit: &u32| {
        let holds = support[bit as usize];
        holds >= u64::from(LEAST) && holds + u64::from(LEAST) <= states as u64
    };
    let mut bits: Vec<u32> = (0..support.len() as u32).filter(varies).collect();
    let variance = |bit: u32| support[bit as usize].min(states as u64 - support[bit as usize]);
    bits.sort_by_key(|&bit| (std::cmp::Reverse(variance(bit)), bit));
    bits.truncate(BITS);
    bits.sort_unstable();
    bits
}

/// Adds a bit to some conjunctions: of all that come of it, those whose residuals are furthest from 0 beside their
/// standard error, at most so many. Those that are images of each other are seen together, and are added together.
///
/// # Errors
/// It has to end.
pub(super) fn extended(
    samples: &Samples,
    (numbers, residuals): (&[u32], &[f64]),
    bases: Vec<Bits>,
    (bits, images): (&[u32], &[Image]),
    known: &BTreeSet<Bits>,
    most: usize,
    watch: &Watch<'_>,
) -> Result<Vec<Bits>, Stopped> {
    let Some(&highest) = bits.last() else { return Ok(Vec::new()) };
    let mut place_of = vec![u32::MAX; highest as usize + 1];
    for (place, &bit) in (0..).zip(bits) {
        place_of[bit as usize] = place;
    }
    let support = samples.support();
    let bases = Conjunctions::new(bases, &support);
    let mut sums = vec![(0_u32, 0.0_f32); bases.len() * bits.len()];
    let mut held = vec![0_u32; bases.len()];
    let mut held_bits = vec![0_u32; bits.len()];
    let (mut active, mut here) = (Vec::new(), Vec::new());
    let (mut square, mut seen, mut work) = (0.0, 0_u32, 0_u64);
    'states: for (numbers, residuals) in numbers.chunks(STRIDE).zip(residuals.chunks(STRIDE)) {
        for (&number, &residual) in numbers.iter().zip(residuals) {
            if work > WORK {
                break 'states;
            }
            let state = samples.state(number);
            active.clear();
            bases.each(state, |base| active.push(base as usize));
            here.clear();
            let places = bits_of(state).filter_map(|bit| place_of.get(bit as usize).copied());
            here.extend(places.filter(|&place| place != u32::MAX).map(|place| place as usize));
            here.iter().for_each(|&place| held_bits[place] += 1);
            for &base in &active {
                held[base] += 1;
                let row = &mut sums[base * bits.len()..(base + 1) * bits.len()];
                for &place in &here {
                    row[place].0 += 1;
                    row[place].1 += residual as f32;
                }
            }
            square += residual * residual;
            seen += 1;
            work += (active.len() * here.len()) as u64;
        }
        watch.spend(numbers.len() as u64)?;
    }
    let variance = square / f64::from(seen.max(1));
    let seen_in = Seen { bits, place_of: &place_of, sums: &sums, held: &held, held_bits: &held_bits };
    let images = Images::new(images, bases.list(), &seen_in);
    let mut found: Vec<(f64, u32, Vec<Bits>)> = Vec::new();
    let mut taken = known.clone();
    for (base, parts) in bases.list().iter().enumerate() {
        watch.check()?;
        for (place, &bit) in bits.iter().enumerate() {
            // Of all images the first one speaks for the others.
            if parts.contains(&bit) || !images.is_first(base, place) {
                continue;
            }
            let (count, sum) = images.together(&seen_in, base, place);
            let errors = sum.abs() / (f64::from(count) * variance).sqrt();
            if errors.is_nan() || errors < STANDARD_ERRORS || count < LEAST {
                continue;
            }
            let all = images.of(&seen_in, base, place, bases.list());
            let new: Vec<Bits> = all.into_iter().filter(|bits| taken.insert(bits.clone())).collect();
            if !new.is_empty() {
                found.push((errors, count, new));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    // Conjunctions that hold in the same states say the same: one of them is enough.
    found.dedup_by(|later, kept| later.0 == kept.0 && later.1 == kept.1);
    let mut added = Vec::new();
    for (_, _, images) in found {
        if added.len() < most {
            added.extend(images);
        }
    }
    added.truncate(most);
    Ok(added)
}

/// What was seen of conjunctions with a bit more.
struct Seen<'a> {
    bits: &'a [u32],
    place_of: &'a [u32],
    /// For each conjunction and each bit in how many states both hold, and the sum of the residuals there.
    sums: &'a [(u32, f32)],
    held: &'a [u32],
    held_bits: &'a [u32],
}

impl Seen<'_> {
    /// The same of one conjunction and one bit; nothing where either of them hardly holds without the other.
    fn of(&self, base: usize, place: usize) -> Option<(u32, f64)> {
        let (count, sum) = self.sums[base * self.bits.len() + place];
        let alone = self.held[base].min(self.held_bits[place]).saturating_sub(count);
        (alone >= LEAST).then_some((count, f64::from(sum)))
    }
}

/// Images of conjunctions and bits by their places.
struct Images {
    /// For each symmetry the places of the conjunctions' images, of the bits', and whether it is seen from the other side.
    all: Vec<(Vec<u32>, Vec<u32>, bool)>,
}

const NOWHERE: u32 = u32::MAX;

impl Images {
    fn new(images: &[Image], bases: &[Bits], seen: &Seen<'_>) -> Images {
        let places: BTreeMap<&Bits, u32> = bases.iter().zip(0..).collect();
        let of = |image: &Image| {
            let of_base = |bits: &Bits| image.of(bits).and_then(|bits| places.get(&bits).copied());
            let of_bit = |&bit: &u32| image.bit(bit).and_then(|bit| seen.place_of.get(bit as usize).copied());
            let bases = bases.iter().map(|bits| of_base(bits).unwrap_or(NOWHERE)).collect();
            (bases, seen.bits.iter().map(|bit| of_bit(bit).unwrap_or(NOWHERE)).collect(), image.is_opposite)
        };
        Images { all: images.iter().map(of).collect() }
    }

    /// The places of all images of a conjunction with a bit, and whether each is seen from the other side.
    fn places(&self, base: usize, place: usize) -> impl Iterator<Item = (usize, usize, bool)> {
        let image = move |(bases, bits, is_opposite): &(Vec<u32>, Vec<u32>, bool)| {
            let (base, place) = (bases[base], bits[place]);
            (base != NOWHERE && place != NOWHERE).then_some((base as usize, place as usize, *is_opposite))
        };
        self.all.iter().filter_map(image)
    }

    /// Whether no image of it comes before it.
    fn is_first(&self, base: usize, place: usize) -> bool {
        self.places(base, place).all(|(image, bit, _)| (image, bit) >= (base, place))
    }

    /// In how many states an image of it holds, and the sum of the residuals there.
    fn together(&self, seen: &Seen<'_>, base: usize, place: usize) -> (u32, f64) {
        let (mut count, mut sum, mut itself) = (0, 0.0, 0);
        for (image, bit, is_opposite) in self.places(base, place) {
            itself += u32::from((image, bit) == (base, place));
            if let Some((held, residuals)) = seen.of(image, bit) {
                count += held;
                sum += if is_opposite { -residuals } else { residuals };
            }
        }
        // A symmetry that keeps it counts it again.
        (count / itself.max(1), sum / f64::from(itself.max(1)))
    }

    /// All images of it that were seen.
    fn of(&self, seen: &Seen<'_>, base: usize, place: usize, bases: &[Bits]) -> BTreeSet<Bits> {
        let with = |(base, place, _): (usize, usize, bool)| {
            let mut all: Vec<u32> = bases[base].iter().copied().chain([seen.bits[place]]).collect();
            all.sort_unstable();
            Bits::from(all)
        };
        self.places(base, place)
            .filter(|&(base, place, _)| seen.of(base, place).is_some())
            .map(with)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::evaluation::learned::none_of::NoneOf;
    use crate::evaluation::learned::self_play::Played;
    use crate::machine::State;

    /// Eight hundred states of three bits in all combinations, worth 1 where the first two hold together.
    fn samples() -> Samples {
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 1);
        for number in 0..800_u64 {
            let word = number % 8;
            let outcome = if word & 0b11 == 0b11 { 1.0 } else { 0.0 };
            let states = vec![State(Box::new([word]))];
            let game =
                Played { states, missed: vec![None], outcome: Some(vec![outcome]), ..Played::default() };
            samples.add(&game, None, 1.0, 0);
        }
        samples
    }

    #[test]
    fn the_pair_that_decides_is_found() {
        let samples = samples();
        let support = samples.support();
        let bits = varying(&support, samples.len());
        assert_eq!(bits, [0, 1, 2]);
        // What the bits alone leave: outcome = -1/4 + first / 2 + second / 2.
        let residual = |number: &u32| {
            let word = samples.state(*number)[0];
            let line = -0.25 + 0.5 * (word & 1) as f64 + 0.5 * (word >> 1 & 1) as f64;
            samples.target(0, *number) - line
        };
        let residuals: Vec<f64> = samples.fitted.iter().map(residual).collect();
        let bases: Vec<Bits> = bits.iter().map(|&bit| Bits::from([bit])).collect();
        let states = (&samples.fitted[..], &residuals[..]);
        let watch = Watch::default();
        let images = [Image::of_nothing(64)];
        let found =
            extended(&samples, states, bases.clone(), (&bits, &images), &BTreeSet::new(), 9, &watch).unwrap();
        assert_eq!(found, [Bits::from([0, 1])]);
        let known = BTreeSet::from([Bits::from([0, 1])]);
        assert!(extended(&samples, states, bases, (&bits, &images), &known, 9, &watch).unwrap().is_empty());
    }
}
