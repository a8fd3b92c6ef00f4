//! The t-norms and their thresholded form T′. `strict` has the default, `cut` the others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use fearless_simd::Simd;

use crate::catalog::{Member, OptionType, OptionValue};

use super::evaluator::lanes::{Lanes, Operand};

pub(super) mod cut;
pub(super) mod strict;

/// T′ of a norm in lanes.
///
/// Nodes have *operands* for their value and their negation: the numbers that conjunctions add up. For norms that are
/// cut, these are the values, 0 to 1; for the strict norm they are costs with a sign. The best value is the one with
/// the least *cost*.
pub(super) trait TNorm: Copy {
    /// The sums of operands that hold, and of the others.
    type Sums<S: Simd, F: Lanes<S>>: Copy;

    /// The cost of the value 0, which is greater than that of any other.
    const NOTHING: f32;

    /// The threshold t.
    fn threshold(&self) -> f32;

    /// 1 - t, rounded once.
    fn room(&self) -> f32;

    /// The empty sums.
    fn none<S: Simd, F: Lanes<S>>(&self, simd: S) -> Self::Sums<S, F>;

    /// Adds an operand.
    fn add<S: Simd, F: Lanes<S>>(&self, sums: &mut Self::Sums<S, F>, operand: F);

    /// T′ of a node with this half-saturation constant, and its negation. Results that are not `wanted` are undefined.
    fn conjunction<S: Simd, F: Lanes<S>>(
        &self,
        simd: S,
        sums: &Self::Sums<S, F>,
        half_saturation: f32,
        wanted: [bool; 2],
    ) -> Operand<F>;

    /// The negation of a conjunction in a loop, whose cost may be that of its least member.
    fn negation<S: Simd, F: Lanes<S>>(
        &self,
        simd: S,
        sums: &Self::Sums<S, F>,
        half_saturation: f32,
        cost: F,
    ) -> F;

    /// The operand of a value of 0 to 1 that is not a conjunction.
    fn operand<S: Simd, F: Lanes<S>>(&self, simd: S, value: F) -> Operand<F>;

    /// The value of an operand, 0 to 1.
    fn value<S: Simd, F: Lanes<S>>(&self, simd: S, operand: &Operand<F>) -> F;

    /// The states in which an operand's value holds.
    fn holds<S: Simd, F: Lanes<S>>(&self, operand: F) -> F::Mask;

    /// The cost of an operand.
    fn cost<S: Simd, F: Lanes<S>>(&self, operand: F) -> F;

    /// The operand with a cost.
    fn of_cost<S: Simd, F: Lanes<S>>(&self, cost: F) -> F;

    /// The displayed value of the conjunction of two operands if one of them fails.
    fn shown_of_two<S: Simd, F: Lanes<S>>(&self, simd: S, operands: [F; 2]) -> F;

    /// The value of a role's lead over its opponents: 1/2 if both values are equal.
    fn ahead<S: Simd, F: Lanes<S>>(&self, simd: S, own: F, other: F) -> F;

    /// The value of a node and its displayed value, from the operands of it and of its negation.
    fn read(&self, operand: [f32; 2]) -> [f64; 2];
}

/// A t-norm: a conjunction over values in 0..=1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "family", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Norm {
    /// 1 - min(1, ((1-a)^q + (1-b)^q)^(1/q)). Low q drives a conjunction to 0 for several members that don't hold;
    /// high q comes near the minimum.
    Yager {
        /// The exponent.
        q: f64,
    },
    /// The product without a cut: a change of any member changes the conjunction, see `strict`.
    Strict,
    /// a * b.
    Product,
    /// The minimum: it does not show how many members fail.
    Minimum,
    /// max(0, a + b - 1), which is Yager's norm with q = 1.
    Lukasiewicz,
    /// The drastic product, the least of all t-norms: if one value is 1, the result is the other value; otherwise it is
    /// 0. In its dual, the drastic sum, the result is the other value if one is 0, and otherwise 1.
    Drastic,
}

impl OptionType for Norm {
    fn value(self) -> OptionValue {
        match self {
            Norm::Yager { q } => OptionValue::Member("yager", Some(q)),
            Norm::Strict => OptionValue::Member("strict", None),
            Norm::Product => OptionValue::Member("product", None),
            Norm::Minimum => OptionValue::Member("minimum", None),
            Norm::Lukasiewicz => OptionValue::Member("lukasiewicz", None),
            Norm::Drastic => OptionValue::Member("drastic", None),
        }
    }

    fn of(value: OptionValue) -> Option<Norm> {
        match value {
            OptionValue::Member("yager", Some(q)) => Some(Norm::Yager { q }),
            OptionValue::Member("strict", None) => Some(Norm::Strict),
            OptionValue::Member("product", None) => Some(Norm::Product),
            OptionValue::Member("minimum", None) => Some(Norm::Minimum),
            OptionValue::Member("lukasiewicz", None) => Some(Norm::Lukasiewicz),
            OptionValue::Member("drastic", None) => Some(Norm::Drastic),
            _ => None,
        }
    }
}

impl Norm {
    /// The names of all families, as in options.
    pub(super) const MEMBERS: &'static [Member] = &[
        Member { name: "strict", number: None },
        Member { name: "product", number: None },
        Member { name: "minimum", number: None },
        Member { name: "lukasiewicz", number: None },
        Member { name: "drastic", number: None },
        Member { name: "yager", number: Some([Norm::LEAST_EXPONENT, Norm::GREATEST_EXPONENT]) },
    ];

    /// Least exponent of Yager's family in options. Below it, conjunctions are 0 almost everywhere.
    pub const LEAST_EXPONENT: f64 = 0.01;

    /// Greatest exponent of Yager's family in options. It keeps 0.5^q large enough to matter in a sum; the family is
    /// close to the minimum for much smaller exponents.
    pub const GREATEST_EXPONENT: f64 = 40.0;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::evaluator::plan::Arithmetic;
    use super::*;

    const NORMS: [Norm; 9] = [
        Norm::Strict,
        Norm::Yager { q: 1.0 },
        Norm::Yager { q: 2.0 },
        Norm::Yager { q: 4.0 },
        Norm::Yager { q: 25.0 },
        Norm::Product,
        Norm::Minimum,
        Norm::Lukasiewicz,
        Norm::Drastic,
    ];

    /// T′ of some literals with a threshold of 0.75: the value, and the displayed value.
    fn both(norm: Norm, values: &[f64]) -> [f64; 2] {
        let arithmetic = Arithmetic::new(norm, 0.75);
        let operands: Vec<f32> = values.iter().map(|&value| arithmetic.leaf(0.75, value)[0]).collect();
        let half_saturation = 0.25 * (values.len() as f32 / 2.0).max(1.0);
        arithmetic.read(arithmetic.conjunction(&operands, half_saturation))
    }

    fn conjunction(norm: Norm, values: &[f64]) -> f64 {
        both(norm, values)[0]
    }

    /// S′, its dual.
    fn disjunction(norm: Norm, values: &[f64]) -> f64 {
        1.0 - conjunction(norm, &values.iter().map(|value| 1.0 - value).collect::<Vec<_>>())
    }

    /// k of eight literals hold, p = 0.8, t = 0.75: the figures computed for the papers.
    #[test]
    fn conjunctions_of_eight_literals_have_known_values() {
        let of = |norm: Norm, k: usize| {
            let values: Vec<f64> = (0..8).map(|index| if index < k { 0.8 } else { 0.2 }).collect();
            (conjunction(norm, &values) * 1000.0).round() / 1000.0
        };
        let row = |norm: Norm| (5..=8).map(|k| of(norm, k)).collect::<Vec<_>>();
        assert_eq!(row(Norm::Yager { q: 2.0 }), [0.0, 0.0, 0.162, 0.75]);
        assert_eq!(row(Norm::Yager { q: 4.0 }), [0.0, 0.048, 0.198, 0.75]);
        assert_eq!(row(Norm::Yager { q: 10.0 }), [0.107, 0.143, 0.2, 0.754]);
        assert_eq!(row(Norm::Yager { q: 25.0 }), [0.164, 0.178, 0.2, 0.783]);
        assert_eq!(row(Norm::Product), [0.006, 0.03, 0.15, 0.75]);
        assert_eq!(row(Norm::Minimum), [0.2, 0.2, 0.2, 0.8]);
        assert_eq!(row(Norm::Drastic), [0.0, 0.0, 0.0, 0.75]);
    }

    /// The drastic product and the drastic sum of textbooks, limited by the threshold.
    #[test]
    fn the_drastic_norm_has_its_published_values() {
        for (values, product) in [
            (&[][..], 1.0),
            (&[0.8], 0.8),
            (&[0.8, 1.0], 0.8),
            (&[0.8, 0.9], 0.75),
            (&[1.0, 0.2, 1.0], 0.2),
            (&[0.9, 0.2], 0.0),
            (&[0.2, 0.2], 0.0),
            (&[0.2, 0.0], 0.0),
            (&[0.999; 1 << 12], 0.75),
        ] {
            let found = conjunction(Norm::Drastic, values);
            assert!((found - product).abs() < 1e-6, "{found} for {product}");
        }
    }

    #[test]
    fn yager_with_one_is_lukasiewicz() {
        for values in [&[0.8, 0.9, 0.2][..], &[0.8, 0.8], &[0.1, 0.25]] {
            let (a, b) =
                (conjunction(Norm::Yager { q: 1.0 }, values), conjunction(Norm::Lukasiewicz, values));
            assert!((a - b).abs() < 1e-5, "{a} {b}");
        }
    }

    fn member() -> impl Strategy<Value = f64> {
        prop_oneof![0.0..=0.25_f64, 0.75..=1.0_f64]
    }

    proptest! {
        #[test]
        fn values_respect_their_bounds(values in prop::collection::vec(member(), 1..20), pick in 0..9_usize) {
            let norm = NORMS[pick];
            let value = conjunction(norm, &values);
            if values.iter().all(|&value| value > 0.5) {
                prop_assert!((0.75..=1.0).contains(&value));
            } else {
                let least = values.iter().copied().fold(1.0, f64::min);
                prop_assert!((0.0..=least + 0.001).contains(&value));
            }
            let dual = disjunction(norm, &values);
            let holds = values.iter().any(|&value| value > 0.5);
            let within = if holds { dual >= 0.75 } else { dual <= 0.25 };
            prop_assert!(within);
        }

        #[test]
        fn conjunctions_are_monotonic(values in prop::collection::vec(member(), 1..12), at in 0..12_usize, to in member(), pick in 0..9_usize) {
            let mut raised = values.clone();
            let at = at % values.len();
            raised[at] = raised[at].max(to);
            prop_assert!(conjunction(NORMS[pick], &raised) >= conjunction(NORMS[pick], &values) - 1e-5);
        }
    }

    /// A change of a member by a thousandth changes conjunctions of up to eight members that contain it or its
    /// negation. In larger conjunctions this holds if the member fails, or if no member fails.
    fn strictly_better(values: &[f64], at: usize) {
        let mut raised = values.to_vec();
        raised[at] += 0.001;
        let of = |values: &[f64]| both(Norm::Strict, values)[1];
        let not = |values: &[f64]| values.iter().map(|value| 1.0 - value).collect::<Vec<_>>();
        let seen =
            |values: &[f64]| values.len() <= 8 || values[at] < 0.5 || values.iter().all(|&value| value > 0.5);
        if seen(values) {
            let (below, above) = (of(values), of(&raised));
            assert!(above > below, "{} values, {}: {below:e}, {above:e}", values.len(), values[at]);
        }
        if seen(&not(values)) {
            let (below, above) = (of(&not(values)), of(&not(&raised)));
            assert!(above < below, "{} negations, {}: {below:e}, {above:e}", values.len(), values[at]);
        }
    }

    #[test]
    fn the_strict_norm_loses_few_changes() {
        for count in [1, 2, 8, 50, 500] {
            for (low, high) in [(0.0, 0.75), (0.2, 0.8), (0.249, 0.998), (0.001, 0.75)] {
                for holds in [0, 1, count / 2, count - 1, count] {
                    let values: Vec<f64> =
                        (0..count).map(|index| if index < holds { high } else { low }).collect();
                    strictly_better(&values, 0);
                    strictly_better(&values, count - 1);
                }
            }
        }
    }
}
