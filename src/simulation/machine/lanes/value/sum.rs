//! Weighted sums over the atoms of a state.

use crate::ground::Lit;
use crate::machine::FluentId;

/// A condition on a state that has a weight in a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    /// A fact.
    Fact(FluentId),
    /// A role's move is legal by the rules, even if the state is terminal.
    Legal {
        /// The role, from 0.
        role: usize,
        /// The index of the move among the role's moves in the network.
        number: usize,
    },
    /// A literal of the network that depends only on the state, and on no loop.
    Gate(Lit),
    /// All of them hold.
    All(Vec<Atom>),
    /// At least one of them holds.
    Any(Vec<Atom>),
}

impl Atom {
    /// Whether it reads legal moves.
    pub(super) fn reads_moves(&self) -> bool {
        match self {
            Atom::Fact(_) | Atom::Gate(_) => false,
            Atom::Legal { .. } => true,
            Atom::All(parts) | Atom::Any(parts) => parts.iter().any(Atom::reads_moves),
        }
    }

    /// Approximate number of gates.
    pub(super) fn size(&self) -> usize {
        match self {
            Atom::Fact(_) | Atom::Gate(_) | Atom::Legal { .. } => 0,
            Atom::All(parts) | Atom::Any(parts) => parts.iter().map(|part| 1 + part.size()).sum(),
        }
    }
}

/// `constant` plus the weights of all atoms that hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    /// The value if no atom holds.
    pub constant: f64,
    /// Atoms with their weights.
    pub weights: Vec<(Atom, f64)>,
}

/// Rounding changes a sum by at most this share of the sum of the absolute weights.
pub const ROUNDING: f64 = 1.0 / 4096.0;

/// Sums whose weights are multiples of a power of two and need at most this number of bits in all are not rounded.
const EXACT_BITS: f64 = 20.0;

/// The range of exponents of powers of two in which the finest grid of a weight is searched.
const EXPONENTS: std::ops::RangeInclusive<i32> = -40..=40;

impl Sum {
    /// The power of two to whose multiples weights are rounded; 1 if there are no weights.
    pub fn unit(weights: impl Iterator<Item = f64> + Clone) -> f64 {
        let total: f64 = weights.clone().map(f64::abs).sum();
        if total == 0.0 || !total.is_finite() {
            return 1.0;
        }
        let fits = |unit: &f64| weights.clone().all(|weight| (weight / unit).fract() == 0.0);
        let exact = EXPONENTS.rev().map(|exponent| 2f64.powi(exponent)).find(fits);
        if let Some(exact) = exact.filter(|exact| (total / exact).log2() <= EXACT_BITS) {
            return exact;
        }
        // Every weight changes by at most half a unit.
        let count = weights.count() as f64;
        2f64.powi((2.0 * ROUNDING * total / count).log2().floor() as i32).max(f64::MIN_POSITIVE)
    }

    /// The rounded sum, and the maximum change of a value. Weights become multiples of [`Sum::unit`], without those that
    /// become 0. The constant is rounded to a grid on which additions are exact.
    #[must_use]
    pub fn rounded(&self) -> (Sum, f64) {
        let unit = Sum::unit(self.weights.iter().map(|&(_, weight)| weight));
        let (mut weights, mut error) = (Vec::with_capacity(self.weights.len()), 0.0);
        for (atom, weight) in &self.weights {
            let near = (weight / unit).round() * unit;
            error += (weight - near).abs();
            if near != 0.0 {
                weights.push((atom.clone(), near));
            }
        }
        let constant = rounded_constant(self.constant, unit);
        (Sum { constant, weights }, error + (self.constant - constant).abs())
    }
}

/// Rounds a constant to a grid that is so fine compared with the unit that sums with it are exact, unless it is far larger
/// than they are.
pub fn rounded_constant(constant: f64, unit: f64) -> f64 {
    let fine = unit / (1 << 20) as f64;
    let near = (constant / fine).round() * fine;
    if near.is_finite() { near } else { constant }
}

/// Number of full adders for a weight of this number of units.
pub fn adders(units: i64) -> usize {
    digits(units).count()
}

/// The nonzero canonical signed digits of a number: their positions from the lowest, each with 1 or -1.
pub(super) fn digits(number: i64) -> impl Iterator<Item = (usize, i32)> {
    let mut left = i128::from(number);
    let mut position = 0;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let zeros = left.trailing_zeros();
        left >>= zeros;
        position += zeros as usize;
        let digit = if left & 3 == 3 { -1 } else { 1 };
        left -= i128::from(digit);
        Some((position, digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(weights: &[f64]) -> Sum {
        let fact = |number: usize| Atom::Fact(FluentId(number as u32));
        Sum { constant: 0.3, weights: weights.iter().enumerate().map(|(n, &w)| (fact(n), w)).collect() }
    }

    #[test]
    fn integer_weights_are_exact_and_others_are_rounded() {
        let whole = sum(&[3.0, -12.0, 0.5, 7.0]);
        assert_eq!(Sum::unit(whole.weights.iter().map(|w| w.1)), 0.5);
        let (rounded, error) = whole.rounded();
        assert_eq!(rounded.weights, whole.weights);
        assert!(error < 1e-6 && (rounded.constant - 0.3).abs() < 1e-6);
        let odd = sum(&[0.1, -0.377, 2.71, 0.000_001, -1.0 / 3.0]);
        let (rounded, error) = odd.rounded();
        let total: f64 = odd.weights.iter().map(|w| w.1.abs()).sum();
        assert!(error > 0.0 && error <= total * ROUNDING, "{error}");
        assert_eq!(rounded.weights.len(), 4, "what becomes 0 is left out");
        assert_eq!(rounded.rounded().0.weights, rounded.weights, "rounded once is rounded for good");
    }

    #[test]
    fn extreme_weights_stay_finite() {
        for tiny in [f64::MIN_POSITIVE, 1e-320] {
            let (rounded, error) = sum(&[tiny, -tiny, tiny / 3.0]).rounded();
            assert!(error.is_finite() && rounded.weights.iter().all(|(_, weight)| weight.is_finite()));
        }
        assert!(sum(&[1e15, 1.0, -1e15]).rounded().1 < 1e15);
    }

    #[test]
    fn a_sum_of_nothing_has_a_unit() {
        assert_eq!(Sum::unit(std::iter::empty()), 1.0);
        assert_eq!(sum(&[]).rounded().0.weights, []);
    }

    #[test]
    fn digits_sum_to_the_number_and_are_not_adjacent() {
        for number in (-300..300).chain([i64::MAX, i64::MIN + 1, 1 << 40, -(1 << 40) + 12345]) {
            let found: Vec<(usize, i32)> = digits(number).collect();
            let sum: i128 = found.iter().map(|&(position, digit)| i128::from(digit) << position).sum();
            assert_eq!(sum, i128::from(number));
            assert!(found.windows(2).all(|pair| pair[1].0 > pair[0].0 + 1), "{number}: {found:?}");
        }
    }
}
