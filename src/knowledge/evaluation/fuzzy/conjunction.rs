//! T′ and S′ of any number of values at once, for those who don't go from state to state as an evaluator does.

use super::breadth;
use super::norm::Norm;
use super::terms::{Scale, Sum};

impl Norm {
    /// T′ of any number of values, each at least the threshold or at most one less; 1 for none.
    pub fn conjunction(self, values: &[f64], threshold: f64) -> f64 {
        let scale = Scale::new(self, threshold);
        let breadth = breadth::of_literals(values.len(), threshold);
        let mut sum = Sum::default();
        for value in values.iter().map(|&value| scale.operand(value)) {
            sum.add(Sum::of(scale.term(value), value > 0.5), true);
        }
        match self {
            Norm::Minimum => scale.least(values.iter().copied()),
            _ => scale.settle(sum, breadth),
        }
    }

    /// S′, the dual of [`Norm::conjunction`]: 1 - T′ of one less every value, 0 for none.
    pub fn disjunction(self, values: &[f64], threshold: f64) -> f64 {
        let negated: Vec<f64> = values.iter().map(|value| 1.0 - value).collect();
        1.0 - self.conjunction(&negated, threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    /// k of eight literals hold, p = 0.8, t = 0.75: the figures computed for the papers.
    #[test]
    fn eight_literals() {
        let of = |norm: Norm, k: usize| {
            let values: Vec<f64> = (0..8).map(|index| if index < k { 0.8 } else { 0.2 }).collect();
            (norm.conjunction(&values, 0.75) * 1000.0).round() / 1000.0
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

    /// The drastic product and the drastic sum as textbooks have them, held up or down at the threshold.
    #[test]
    fn the_drastic_norm() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} for {b}");
        for (values, product) in [
            (&[][..], 1.0),
            (&[0.8], 0.8),
            (&[0.8, 1.0], 0.8),
            (&[0.8, 0.9], 0.75),
            (&[1.0, 0.2, 1.0], 0.2),
            (&[0.9, 0.2], 0.0),
            (&[0.2, 0.2], 0.0),
            (&[0.2, 0.0], 0.0),
        ] {
            close(Norm::Drastic.conjunction(values, 0.75), product);
            let dual: Vec<f64> = values.iter().map(|value| 1.0 - value).collect();
            close(Norm::Drastic.disjunction(&dual, 0.75), 1.0 - product);
            if let [a, b] = *values {
                close(Norm::Drastic.conjunction_of_two(a, b, 0.75), product);
                close(Norm::Drastic.disjunction_of_two(1.0 - a, 1.0 - b, 0.75), 1.0 - product);
            }
        }
        let many = [0.999; 1 << 12];
        close(Norm::Drastic.conjunction(&many, 0.75), 0.75);
    }

    #[test]
    fn yager_with_one_is_lukasiewicz() {
        for values in [&[0.8, 0.9, 0.2][..], &[0.8, 0.8], &[0.1, 0.25]] {
            let (a, b) = (Norm::Yager { q: 1.0 }, Norm::Lukasiewicz);
            assert!((a.conjunction(values, 0.75) - b.conjunction(values, 0.75)).abs() < 1e-12);
        }
    }

    fn member() -> impl Strategy<Value = f64> {
        prop_oneof![0.0..=0.25_f64, 0.75..=1.0_f64]
    }

    proptest! {
        #[test]
        fn bounds_and_order(values in prop::collection::vec(member(), 1..20), turn in 0..20_usize, pick in 0..9_usize) {
            let norm = NORMS[pick];
            let value = norm.conjunction(&values, 0.75);
            if values.iter().all(|&value| value > 0.5) {
                prop_assert!((0.75..=1.0).contains(&value));
            } else {
                let least = Scale::new(norm, 0.75).operand(values.iter().copied().fold(1.0, f64::min));
                prop_assert!((0.0..=least + 1e-9).contains(&value));
            }
            let mut turned = values.clone();
            turned.rotate_left(turn % values.len());
            prop_assert_eq!(norm.conjunction(&turned, 0.75).to_bits(), value.to_bits());
            let dual = norm.disjunction(&values, 0.75);
            let holds = values.iter().any(|&value| value > 0.5);
            let within = if holds { dual >= 0.75 - 1e-12 } else { dual <= 0.25 + 1e-12 };
            prop_assert!(within);
        }

        #[test]
        fn no_member_that_rises_lowers_it(values in prop::collection::vec(member(), 1..12), at in 0..12_usize, to in member(), pick in 0..9_usize) {
            let norm = NORMS[pick];
            let mut raised = values.clone();
            let at = at % values.len();
            raised[at] = raised[at].max(to);
            prop_assert!(norm.conjunction(&raised, 0.75) >= norm.conjunction(&values, 0.75) - 1e-9);
        }
    }
    /// A value is told from one that is a thousandth lower, in conjunctions of it and of its negation.
    fn strictly_better(values: &[f64], at: usize) {
        let mut raised = values.to_vec();
        raised[at] += 0.001;
        let of = |values: &[f64]| Norm::Strict.conjunction(values, 0.75);
        let not = |values: &[f64]| values.iter().map(|value| 1.0 - value).collect::<Vec<_>>();
        let (below, above) = (of(values), of(&raised));
        assert!(above > below, "{} values, {}: {below:e}, {above:e}", values.len(), values[at]);
        let (below, above) = (of(&not(values)), of(&not(&raised)));
        assert!(above < below, "{} negations, {}: {below:e}, {above:e}", values.len(), values[at]);
    }

    #[test]
    fn the_strict_norm_loses_no_change() {
        for count in [1, 2, 8, 50, 500] {
            for (low, high) in [(0.0, 0.75), (0.2, 0.8), (0.249, 0.999), (0.001, 0.75)] {
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
