//! Parameters of statistical functions, with their checks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
        StatisticalParameters {
            sequences: 1_000,
            length: 5,
            gap: 2,
            playouts: 10,
            components: 30,
            within: 10.0,
            scaling: Scaling::Fitted,
            all_features: false,
            seed: 1,
        }
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
    /// Checks the ranges.
    ///
    /// # Errors
    /// The first parameter outside its range.
    pub fn validate(&self) -> Result<(), StatisticalParameterError> {
        let counts = [
            ("sequences", self.sequences, 4, 1_000_000),
            ("length", self.length, 1, 100),
            ("gap", self.gap, 1, 100),
            ("playouts", self.playouts, 1, 10_000),
            ("components", self.components, 1, 1_000),
        ];
        for (name, value, least, most) in counts {
            if !(least..=most).contains(&value) {
                let expected = format!("{least} to {most}");
                return Err(StatisticalParameterError { name, value: value.into(), expected });
            }
        }
        if !(self.within >= 0.0 && self.within.is_finite()) {
            let (name, value) = ("within", self.within);
            return Err(StatisticalParameterError { name, value, expected: "0 or more".to_owned() });
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
