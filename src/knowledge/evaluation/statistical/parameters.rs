//! Parameters of statistical functions, with their checks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalog::{OptionEntry, OptionValues, TypedOption};

const SEQUENCES: TypedOption<u64> = TypedOption::integer(
    "sequences",
    1_000,
    [4, 1_000_000],
    "",
    "number of sequences of states to learn from",
);
const LENGTH: TypedOption<u64> =
    TypedOption::integer("length", 5, [1, 100], "states", "maximum length of a sequence");
const GAP: TypedOption<u64> = TypedOption::integer(
    "gap",
    2,
    [1, 100],
    "joint moves",
    "maximum number of joint moves between two states of a sequence",
);
const PLAYOUTS: TypedOption<u64> = TypedOption::integer(
    "playouts",
    10,
    [1, 10_000],
    "",
    "playouts whose mean goal value is the label of a sequence",
);
const COMPONENTS: TypedOption<u64> =
    TypedOption::integer("components", 30, [1, 1_000], "", "maximum number of features of a function");
const WITHIN: TypedOption<f64> = TypedOption::real(
    "within",
    10.0,
    [0.0, 1e9],
    "",
    "weight of the variance within sequences in the stability",
);
const UNSCALED: TypedOption<bool> = TypedOption::flag(
    "unscaled",
    false,
    "add components without scaling, as in the source, instead of dividing them by their standard deviations",
);
const ALL_FEATURES: TypedOption<bool> = TypedOption::flag(
    "all-features",
    false,
    "use features of all families as components, not only expressions of the rules",
);

/// The combination of components of different size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// Components are divided by their deviations, and the sum is fitted to the labels.
    Fitted,
    /// Components are added without scaling: constant + Σ weight · component.
    None,
}

/// The parameters of statistical functions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StatisticalParameters {
    /// The number of sequences, each from another random playout: 4 to 1,000,000.
    pub sequences: u32,
    /// The most states of a sequence: 1 to 100. With 1, every component that changes has stability 1.
    pub length: u32,
    /// The most joint moves between two states of a sequence: 1 to 100.
    pub gap: u32,
    /// The number of playouts for each label: 1 to 10,000.
    pub playouts: u32,
    /// The most components: 1 to 1,000.
    pub components: u32,
    /// The weight of the variance within sequences in the stability: 0 or more.
    pub within: f64,
    /// The combination of components of different size.
    pub scaling: Scaling,
    /// Whether features of all families are components, not only expressions.
    pub all_features: bool,
    /// The seed of the playouts.
    pub seed: u64,
}

impl Default for StatisticalParameters {
    /// The numbers of the source, except the number of sequences (there about 100), which lanes make cheap: with
    /// 1,000, functions predict outcomes far better, see [`statistical`](super).
    fn default() -> StatisticalParameters {
        StatisticalParameters::of(&OptionValues::default(), 1)
    }
}

/// A parameter is outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{name}` is {value}; it must be {expected}")]
pub struct StatisticalParameterError {
    /// The name of the parameter.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The expected range.
    pub expected: String,
}

impl StatisticalParameters {
    pub(in crate::evaluation) fn options() -> Vec<OptionEntry> {
        let mut options: Vec<OptionEntry> =
            [SEQUENCES, LENGTH, GAP, PLAYOUTS, COMPONENTS].iter().map(TypedOption::entry).collect();
        options.extend([WITHIN.entry(), UNSCALED.entry(), ALL_FEATURES.entry()]);
        options
    }

    /// The parameters that options set, with a seed.
    pub(in crate::evaluation) fn of(given: &OptionValues, seed: u64) -> StatisticalParameters {
        let count = |option: &TypedOption<u64>| given.get(option) as u32;
        StatisticalParameters {
            sequences: count(&SEQUENCES),
            length: count(&LENGTH),
            gap: count(&GAP),
            playouts: count(&PLAYOUTS),
            components: count(&COMPONENTS),
            within: given.get(&WITHIN),
            scaling: if given.get(&UNSCALED) { Scaling::None } else { Scaling::Fitted },
            all_features: given.get(&ALL_FEATURES),
            seed,
        }
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// The first parameter that is outside its range.
    pub fn validate(&self) -> Result<(), StatisticalParameterError> {
        let counts = [
            (SEQUENCES, self.sequences),
            (LENGTH, self.length),
            (GAP, self.gap),
            (PLAYOUTS, self.playouts),
            (COMPONENTS, self.components),
        ];
        for (option, value) in counts {
            if !option.allows(value.into()) {
                let (name, value, expected) = (option.name(), value.into(), option.expected());
                return Err(StatisticalParameterError { name, value, expected });
            }
        }
        if !WITHIN.allows(self.within) {
            let (name, value, expected) = (WITHIN.name(), self.within, WITHIN.expected());
            return Err(StatisticalParameterError { name, value, expected });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_outside_their_range_are_rejected() {
        let base = StatisticalParameters::default();
        assert_eq!(base.validate(), Ok(()));
        let named = |wrong: StatisticalParameters| wrong.validate().unwrap_err().name;
        assert_eq!(named(StatisticalParameters { sequences: 3, ..base }), "sequences");
        assert_eq!(named(StatisticalParameters { length: 0, ..base }), "length");
        assert_eq!(named(StatisticalParameters { gap: 0, ..base }), "gap");
        assert_eq!(named(StatisticalParameters { playouts: 0, ..base }), "playouts");
        assert_eq!(named(StatisticalParameters { components: 0, ..base }), "components");
        for within in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(named(StatisticalParameters { within, ..base }), "within");
        }
    }

    #[test]
    fn unknown_parameters_are_rejected() {
        let read: StatisticalParameters =
            serde_json::from_str(r#"{"sequences":500,"scaling":"none"}"#).unwrap();
        assert_eq!((read.sequences, read.scaling, read.length), (500, Scaling::None, 5));
        assert!(serde_json::from_str::<StatisticalParameters>(r#"{"sequence":500}"#).is_err());
    }
}
