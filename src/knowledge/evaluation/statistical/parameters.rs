//! Parameters of statistical functions, with their checks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalog::{OptionEntry, OptionValues, TypedOption};

const SEQUENCES: TypedOption<u64> =
    TypedOption::integer("sequences", 1_000, [4, 1_000_000], "", "sequences of states to learn from");
const LENGTH: TypedOption<u64> =
    TypedOption::integer("length", 5, [1, 100], "states", "states of a sequence at most");
const GAP: TypedOption<u64> = TypedOption::integer(
    "gap",
    2,
    [1, 100],
    "joint moves",
    "from one state of a sequence to the next at most",
);
const PLAYOUTS: TypedOption<u64> =
    TypedOption::integer("playouts", 10, [1, 10_000], "", "playouts that label a sequence");
const COMPONENTS: TypedOption<u64> =
    TypedOption::integer("components", 30, [1, 1_000], "", "features that a function keeps at most");
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
    "add components up as they are, as in the source, instead of dividing them by their deviations",
);
const ALL_FEATURES: TypedOption<bool> = TypedOption::flag(
    "all-features",
    false,
    "take features of all families as components, not only expressions of the rules",
);

/// How components of different size come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// Divided by their deviations, and the sum fitted to the labels.
    Fitted,
    /// As they are: constant + Σ weight · component.
    None,
}

/// What a statistical function can be tuned by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StatisticalParameters {
    /// Sequences, each from another random playout: 4 to 1,000,000.
    pub sequences: u32,
    /// Positions of a sequence at most: 1 to 100. With 1, every component that changes is as stable as can be.
    pub length: u32,
    /// Joint moves from one position of a sequence to the next at most: 1 to 100.
    pub gap: u32,
    /// Playouts that label a sequence: 1 to 10,000.
    pub playouts: u32,
    /// Components kept at most: 1 to 1,000.
    pub components: u32,
    /// How many times the variance within sequences counts in the stability: 0 or more.
    pub within: f64,
    /// How components of different size come together.
    pub scaling: Scaling,
    /// Whether features of all families are components, not only expressions.
    pub all_features: bool,
    /// Seed of the playouts.
    pub seed: u64,
}

impl Default for StatisticalParameters {
    /// The figures of the source, but for the number of sequences (there about 100), which lanes make cheap: with 1,000
    /// functions foretell outcomes far better, see [`statistical`](super).
    fn default() -> StatisticalParameters {
        StatisticalParameters::of(&OptionValues::default(), 1)
    }
}

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{name}` is {value}; it must be {expected}")]
pub struct StatisticalParameterError {
    /// Which.
    pub name: &'static str,
    /// What it is.
    pub value: f64,
    /// What was expected.
    pub expected: String,
}

impl StatisticalParameters {
    /// The options that set them.
    pub(in crate::evaluation) fn options() -> Vec<OptionEntry> {
        let mut options: Vec<OptionEntry> =
            [SEQUENCES, LENGTH, GAP, PLAYOUTS, COMPONENTS].iter().map(TypedOption::entry).collect();
        options.extend([WITHIN.entry(), UNSCALED.entry(), ALL_FEATURES.entry()]);
        options
    }

    /// The parameters that options stand for, with a seed.
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
    /// The first parameter outside its range.
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
    fn ranges() {
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
    fn unknown_parameters_are_refused() {
        let read: StatisticalParameters =
            serde_json::from_str(r#"{"sequences":500,"scaling":"none"}"#).unwrap();
        assert_eq!((read.sequences, read.scaling, read.length), (500, Scaling::None, 5));
        assert!(serde_json::from_str::<StatisticalParameters>(r#"{"sequence":500}"#).is_err());
    }
}
