//! Parameters of fuzzy goal functions, with their checks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::norm::Norm;
use crate::catalog::{OptionEntry, OptionValues, TypedOption};

const P: TypedOption<f64> = TypedOption::real(
    "p",
    0.8,
    [0.5, 1.0],
    "",
    "value of a fluent that holds; at least the threshold, less than 1",
);
const THRESHOLD: TypedOption<f64> = TypedOption::real(
    "threshold",
    0.75,
    [0.5, 1.0],
    "",
    "least value of a condition that holds; more than 0.5, less than 1",
);
const NORM: TypedOption<Norm> =
    TypedOption::family("norm", Norm::Strict, Norm::MEMBERS, "the t-norm under the threshold");
const COMPARISONS: TypedOption<bool> =
    TypedOption::flag("comparisons", true, "value comparisons by the distance of their sides");
const BOARDS: TypedOption<bool> = TypedOption::flag("boards", true, "value a missing piece by its distance");
const QUANTITIES: TypedOption<bool> =
    TypedOption::flag("quantities", true, "value quantities by their distance from the goal");
const OPPONENTS: TypedOption<bool> =
    TypedOption::flag("opponents", true, "include the opponents' goals in the value");
const REGRESSION: TypedOption<u64> = TypedOption::integer(
    "regression",
    0,
    [0, 8],
    "steps",
    "number of steps that fluents without a distance look back through the rules",
);

/// The parameters of fuzzy goal functions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FuzzyParameters {
    /// The value of a fluent that holds; a fluent that does not hold has 1 - p: `threshold <= p < 1`.
    pub p: f64,
    /// The least value of a condition that holds; one that does not hold has at most 1 - threshold:
    /// `0.5 < threshold < 1`.
    pub threshold: f64,
    /// The t-norm under the threshold.
    pub norm: Norm,
    /// Whether the value of a comparison depends on the distance between the two compared values. This applies to
    /// comparisons by an order relation over a successor relation.
    pub comparisons: bool,
    /// Whether the value of a fluent of an ordered board that does not hold depends on the distance of its contents.
    pub boards: bool,
    /// Whether the value of a quantity, counter or cell that does not hold depends on the distance of the current
    /// value.
    pub quantities: bool,
    /// Whether the goals of the opponents count against those of the role, in zero-sum games of two teams.
    pub opponents: bool,
    /// The number of steps that a fluent without a distance looks back through the rules of moves if it does not hold;
    /// 0 to 8.
    pub regression: u64,
}

impl Default for FuzzyParameters {
    /// p, the threshold and the leaves were chosen by the study `analyses/fuzzy_parameters.toml`
    /// (`reports/fuzzy_parameters/`): by the mean goal against random play over the roles of twelve games. A threshold
    /// near 0.5 is worse if p is far above it. Comparisons gain 3 goal points and boards 5; quantities have no effect.
    /// The norm and the opponents were chosen by `analyses/telling.toml` (`reports/telling/`): by the number of roles
    /// that play better than with ends alone.
    fn default() -> FuzzyParameters {
        FuzzyParameters::of(&OptionValues::default())
    }
}

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// The threshold.
    #[error("the threshold is {0}; it must be more than 0.5 and less than 1")]
    Threshold(f64),
    /// The value of a fluent that holds is below the threshold, so that a condition of one fluent that holds would have
    /// too low a value.
    #[error("p is {p}; it must be at least the threshold, {threshold}, and less than 1")]
    FluentValue {
        /// The value.
        p: f64,
        /// The threshold.
        threshold: f64,
    },
    /// The exponent of Yager's family.
    #[error("q is {0}; it must be more than 0 and at most {most}", most = Norm::GREATEST_EXPONENT)]
    Exponent(f64),
}

impl FuzzyParameters {
    /// The options of functions.
    pub(in crate::evaluation) fn options() -> Vec<OptionEntry> {
        let switches = [COMPARISONS, BOARDS, QUANTITIES, OPPONENTS].map(|option| option.entry());
        [P.entry(), THRESHOLD.entry(), NORM.entry()]
            .into_iter()
            .chain(switches)
            .chain([REGRESSION.entry()])
            .collect()
    }

    /// The parameters that options give, not validated.
    pub(in crate::evaluation) fn of(given: &OptionValues) -> FuzzyParameters {
        FuzzyParameters {
            p: given.get(&P),
            threshold: given.get(&THRESHOLD),
            norm: given.get(&NORM),
            comparisons: given.get(&COMPARISONS),
            boards: given.get(&BOARDS),
            quantities: given.get(&QUANTITIES),
            opponents: given.get(&OPPONENTS),
            regression: given.get(&REGRESSION),
        }
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// The first parameter outside its range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        if !(self.threshold > 0.5 && self.threshold < 1.0) {
            return Err(ParameterError::Threshold(self.threshold));
        }
        if !(self.p >= self.threshold && self.p < 1.0) {
            return Err(ParameterError::FluentValue { p: self.p, threshold: self.threshold });
        }
        match self.norm {
            Norm::Yager { q } if !(q > 0.0 && q <= Norm::GREATEST_EXPONENT) => {
                Err(ParameterError::Exponent(q))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_outside_their_range_are_rejected() {
        let base = FuzzyParameters::default();
        assert_eq!(base.validate(), Ok(()));
        for threshold in [0.5, 1.0, f64::NAN] {
            assert!(matches!(
                FuzzyParameters { threshold, ..base }.validate(),
                Err(ParameterError::Threshold(_))
            ));
        }
        for p in [0.7, 1.0, f64::NAN] {
            let wrong = FuzzyParameters { p, ..base }.validate();
            assert!(matches!(wrong, Err(ParameterError::FluentValue { .. })));
        }
        for q in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let wrong = FuzzyParameters { norm: Norm::Yager { q }, ..base }.validate();
            assert!(matches!(wrong, Err(ParameterError::Exponent(_))));
        }
    }

    #[test]
    fn unknown_parameters_are_rejected() {
        let text = r#"{"p":0.9,"norm":{"family":"yager","q":4.0}}"#;
        let read: FuzzyParameters = serde_json::from_str(text).unwrap();
        assert_eq!((read.p, read.norm), (0.9, Norm::Yager { q: 4.0 }));
        assert!(serde_json::from_str::<FuzzyParameters>(r#"{"pp":0.9}"#).is_err());
    }
}
