//! Which conjunctions say more than their parts: those in whose states the fit errs on one side.

use std::collections::BTreeSet;

use crate::simulate::{Stopped, Watch};

use super::conjunctions::{Bits, Conjunctions, bits_of};
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
/// standard error, at most so many.
///
/// # Errors
/// It has to end.
pub(super) fn extended(
    samples: &Samples,
    (numbers, residuals): (&[u32], &[f64]),
    bases: Vec<Bits>,
    bits: &[u32],
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
    let mut found: Vec<(f64, u32, Bits)> = Vec::new();
    let mut taken = known.clone();
    for (base, parts) in bases.list().iter().enumerate() {
        for (place, &bit) in bits.iter().enumerate() {
            let (count, sum) = sums[base * bits.len() + place];
            let alone = held[base].min(held_bits[place]).saturating_sub(count);
            if count < LEAST || alone < LEAST || parts.contains(&bit) {
                continue;
            }
            let errors = f64::from(sum).abs() / (f64::from(count) * variance).sqrt();
            if errors.is_nan() || errors < STANDARD_ERRORS {
                continue;
            }
            let mut all: Vec<u32> = parts.iter().copied().chain([bit]).collect();
            all.sort_unstable();
            let all: Bits = all.into();
            if taken.insert(all.clone()) {
                found.push((errors, count, all));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    // Conjunctions that hold in the same states say the same: one of them is enough.
    found.dedup_by(|later, kept| later.0 == kept.0 && later.1 == kept.1);
    found.truncate(most);
    Ok(found.into_iter().map(|(_, _, bits)| bits).collect())
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
        let found = extended(&samples, states, bases.clone(), &bits, &BTreeSet::new(), 9, &watch).unwrap();
        assert_eq!(found, [Bits::from([0, 1])]);
        let known = BTreeSet::from([Bits::from([0, 1])]);
        assert!(extended(&samples, states, bases, &bits, &known, 9, &watch).unwrap().is_empty());
    }
}
