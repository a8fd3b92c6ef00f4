//! A statistical function, with all data that a document needs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::feature::{
    Facts, Feature, FeatureError, FluentIndex, LinearForm, MaskedSum, Measure, QuantizedMeasure, ValuedState,
};
use crate::machine::{FluentId, Machine};

use super::parameters::{Scaling, StatisticalParameterError, StatisticalParameters};

/// A weighted sum of components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatisticalFunction {
    /// The role whose goal value is estimated.
    pub role: String,
    /// The parameters of learning.
    pub parameters: StatisticalParameters,
    /// The number of sequences that it was learned from: those with a label for the role.
    pub sequences: u64,
    /// The number of playouts for each label; 0 if the label is the result of the sequence's own playout.
    pub playouts: u32,
    /// The mean label.
    pub constant: f64,
    /// The factor of the sum; 1 without scaling.
    pub scale: f64,
    /// The number of components that the terms were chosen from: those that change and correlate with the outcome. 0
    /// if it is not known.
    #[serde(default)]
    pub candidates: u64,
    /// The components, the best first.
    pub terms: Vec<StatisticalTerm>,
}

/// A component with its weight, and the statistics that the weight is computed from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatisticalTerm {
    /// Stability times correlation.
    pub weight: f64,
    /// S, 0 to 1.
    pub stability: f64,
    /// The correlation with the label, -1 to 1.
    pub correlation: f64,
    /// Mean over the first states.
    pub mean: f64,
    /// Standard deviation over the first states; above 0.
    pub deviation: f64,
    /// The component.
    pub feature: Feature,
}

/// The reason why a statistical function can't be made or used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticalError {
    /// A parameter is invalid.
    #[error(transparent)]
    Parameters(#[from] StatisticalParameterError),
    /// A feature or the role does not fit the game.
    #[error(transparent)]
    Feature(#[from] FeatureError),
    /// A feature of a term does not fit the game.
    #[error("term {number}, feature `{id}`: {error}")]
    Term {
        /// The number of the term, from 1.
        number: usize,
        /// The name of its feature.
        id: String,
        /// The fault.
        error: FeatureError,
    },
    /// A number is not finite, or outside its range.
    #[error("{place} is {value}; it must be {expected}")]
    Number {
        /// Its place in the document.
        place: String,
        /// Its value.
        value: f64,
        /// The expected range.
        expected: &'static str,
    },
}

impl StatisticalFunction {
    /// The factor of each term's feature, and the constant that remains.
    fn factors(&self) -> (f64, Vec<f64>) {
        let mut constant = self.constant;
        let factor = |term: &StatisticalTerm| match self.parameters.scaling {
            Scaling::None => term.weight,
            Scaling::Fitted => {
                let factor = self.scale * term.weight / term.deviation;
                constant -= factor * term.mean;
                factor
            }
        };
        let factors = self.terms.iter().map(factor).collect();
        (constant, factors)
    }

    /// The least and the greatest value by the ranges of the features; no state need have them.
    pub fn range(&self) -> [f64; 2] {
        let (constant, factors) = self.factors();
        let mut range = [constant, constant];
        for (factor, term) in factors.into_iter().zip(&self.terms) {
            let ends = term.feature.range.map(|end| factor * end);
            range[0] += ends[0].min(ends[1]);
            range[1] += ends[0].max(ends[1]);
        }
        range
    }

    /// The contribution of each term, in order, given the values of the features. Their sum and the constant are the
    /// value.
    pub fn contributions(&self, values: &[f64]) -> Vec<f64> {
        let scaled = self.parameters.scaling == Scaling::Fitted;
        let (_, factors) = self.factors();
        let parts = factors.into_iter().zip(&self.terms).zip(values);
        parts.map(|((factor, term), value)| factor * (value - if scaled { term.mean } else { 0.0 })).collect()
    }

    /// The function as a formula in KIF terms.
    pub fn formula(&self) -> String {
        let mut formula = rounded(self.constant);
        let scaled = self.parameters.scaling == Scaling::Fitted;
        if scaled && !self.terms.is_empty() {
            formula.push_str(&format!(" + {} * (", rounded(self.scale)));
        }
        for (number, term) in self.terms.iter().enumerate() {
            let sign = if term.weight < 0.0 { "-" } else { "+" };
            match (number, scaled) {
                (0, true) => formula.push_str(if sign == "-" { "-" } else { "" }),
                _ => formula.push_str(&format!(" {sign} ")),
            }
            let (weight, what) = (rounded(term.weight.abs()), &term.feature.formula);
            match scaled {
                true => {
                    let (mean, deviation) = (rounded(term.mean), rounded(term.deviation));
                    formula.push_str(&format!("{weight} * (({what}) - {mean}) / {deviation}"));
                }
                false => formula.push_str(&format!("{weight} * ({what})")),
            }
        }
        if scaled && !self.terms.is_empty() {
            formula.push(')');
        }
        formula
    }

    /// Checks every number.
    ///
    /// # Errors
    /// A parameter or another number is outside its range.
    pub fn validate(&self) -> Result<(), StatisticalError> {
        self.parameters.validate()?;
        /// The greatest absolute value of a number: sums stay finite.
        const GREATEST: f64 = 1e15;
        let small = |place: String, value: f64| match value.abs() <= GREATEST {
            true => Ok(()),
            false => Err(StatisticalError::Number { place, value, expected: "a number from -1e15 to 1e15" }),
        };
        small("`constant`".to_owned(), self.constant)?;
        small("`scale`".to_owned(), self.scale)?;
        for (number, term) in self.terms.iter().enumerate() {
            let place = |name: &str| format!("`{name}` of term {}", number + 1);
            small(place("weight"), term.weight)?;
            small(place("mean"), term.mean)?;
            let (place, value) = (place("deviation"), term.deviation);
            if !(value > 0.0 && value <= GREATEST) {
                let expected = "above 0, and at most 1e15";
                return Err(StatisticalError::Number { place, value, expected });
            }
        }
        let (constant, factors) = self.factors();
        for (number, factor) in factors.into_iter().enumerate() {
            small(format!("the factor of term {}", number + 1), factor)?;
        }
        small("the constant part of the sum".to_owned(), constant)
    }

    /// Makes the function runnable on a machine, after checking every part.
    ///
    /// # Errors
    /// A part does not fit the game, or a number is outside its range.
    pub fn bind<'m>(&self, machine: &'m dyn Machine) -> Result<Box<dyn Measure<'m> + 'm>, StatisticalError> {
        self.validate()?;
        let fluent_index = FluentIndex::new(machine);
        fluent_index.role(&self.role)?;
        let (constant, factors) = self.factors();
        let mut sum = LinearForm { constant, weights: Vec::new() };
        let mut others: Vec<(f64, Box<dyn Measure<'m> + 'm>)> = Vec::new();
        for (number, (factor, term)) in factors.into_iter().zip(&self.terms).enumerate() {
            let wrong =
                |error| StatisticalError::Term { number: number + 1, id: term.feature.id.clone(), error };
            let measure = term.feature.spec.bind_with(&fluent_index).map_err(wrong)?;
            match measure.linear() {
                Some(linear) => {
                    sum.constant += factor * linear.constant;
                    let weights = linear.weights.iter();
                    sum.weights.extend(weights.map(|&(fluent, weight)| (fluent, factor * weight)));
                }
                None => others.push((factor, measure)),
            }
        }
        // A stable sort: weights of one fluent are added in the order of the terms.
        sum.weights.sort_by_key(|(fluent, _)| *fluent);
        sum.weights.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 += later.1;
            }
            same
        });
        sum.constant = on_grid(sum.constant);
        sum.weights.iter_mut().for_each(|(_, weight)| *weight = on_grid(*weight));
        sum.weights.retain(|(_, weight)| *weight != 0.0);
        Ok(Box::new(BoundStatistical { masks: MaskedSum::new(&sum), sum, others }))
    }
}

/// A number for readers, with four significant digits.
fn rounded(value: f64) -> String {
    let digits = 3 - value.abs().max(1e-9).log10().floor() as i32;
    format!("{:.*}", digits.clamp(0, 12) as usize, value)
}

/// A number rounded to a multiple of 2^-24. Sums of some thousands of them are exact, so they don't depend on the
/// order of the fluents, which is that of the rules.
fn on_grid(value: f64) -> f64 {
    const STEPS: f64 = (1 << 24) as f64;
    let rounded = (value * STEPS).round() / STEPS;
    if rounded.is_finite() { rounded } else { value }
}

/// A statistical function bound to a machine.
struct BoundStatistical<'m> {
    sum: LinearForm,
    masks: MaskedSum,
    /// Terms that are not sums over facts, with their factors.
    others: Vec<(f64, Box<dyn Measure<'m> + 'm>)>,
}

impl<'m> Measure<'m> for BoundStatistical<'m> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        let others = self.others.iter_mut().map(|(factor, measure)| *factor * measure.value(position));
        others.fold(self.masks.value(position.facts), |sum, part| sum + part)
    }

    fn begin(&mut self, root: &Facts) -> bool {
        self.others.iter_mut().fold(false, |changed, (_, measure)| measure.begin(root) | changed)
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        let mut read: Vec<FluentId> = self.sum.fluents().collect();
        for (_, measure) in &mut self.others {
            read.extend(measure.reads()?);
        }
        Some(read)
    }

    fn facts_suffice(&self) -> bool {
        self.others.iter().all(|(_, measure)| measure.facts_suffice())
    }

    fn quantize(&self) -> Option<QuantizedMeasure<'m>> {
        let (sum, mut lanes) = self.sum.quantized();
        let mut others = Vec::with_capacity(self.others.len());
        for &(factor, ref measure) in &self.others {
            let part = measure.quantize()?;
            lanes = lanes.fold(part.lanes, [1.0, factor.abs()], move |sum, part| sum + factor * part);
            others.push((factor, part.measure));
        }
        let masks = MaskedSum::new(&sum);
        Some(QuantizedMeasure { measure: Box::new(BoundStatistical { sum, masks, others }), lanes })
    }

    fn linear(&self) -> Option<&LinearForm> {
        self.others.is_empty().then_some(&self.sum)
    }
}
