//! Features that a learned function adds to its sum over facts, ready for a machine.

use crate::feature::{Facts, FluentIndex, Measure, ValuedState};
use crate::machine::FluentId;
use crate::machine::lanes::value::LaneValue;

use super::function::{LearnedError, LearnedFeature};

/// Features with their weights, in the order in which they are added.
pub(super) struct Measured<'m>(Vec<Part<'m>>);

struct Part<'m> {
    weight: f64,
    mean: f64,
    measure: Box<dyn Measure + 'm>,
}

/// A sum with a feature beside it; lanes and single states add it in the same way.
fn added(sum: f64, weight: f64, mean: f64, value: f64) -> f64 {
    sum + weight * (value - mean)
}

impl<'m> Measured<'m> {
    /// Makes features ready.
    ///
    /// # Errors
    /// One of them does not fit the game.
    pub(super) fn new(
        features: &[LearnedFeature],
        fluent_index: &FluentIndex<'m>,
    ) -> Result<Measured<'m>, LearnedError> {
        let part = |&LearnedFeature { weight, mean, ref feature }: &LearnedFeature| {
            let wrong = |error| LearnedError::Measured { id: feature.id.clone(), error };
            let measure = feature.spec.bind_with(fluent_index).map_err(wrong)?;
            Ok(Part { weight, mean, measure })
        };
        Ok(Measured(features.iter().map(part).collect::<Result<_, LearnedError>>()?))
    }

    /// A sum, and what the features of a state add to it.
    pub(super) fn added_to(&mut self, sum: f64, position: &ValuedState<'_>) -> f64 {
        self.0
            .iter_mut()
            .fold(sum, |sum, part| added(sum, part.weight, part.mean, part.measure.value(position)))
    }

    /// The same in lanes; none where a feature is not for them.
    pub(super) fn in_lanes(&mut self, mut sum: LaneValue) -> Option<LaneValue> {
        for Part { weight, mean, measure } in &mut self.0 {
            let (weight, mean) = (*weight, *mean);
            let steepness = [1.0, weight.abs()];
            sum = sum.fold(measure.in_lanes()?, steepness, move |sum, value| added(sum, weight, mean, value));
        }
        Some(sum)
    }

    /// See [`Measure::begin`].
    pub(super) fn begin(&mut self, root: &Facts) -> bool {
        // All of them are told, whatever the first ones say.
        let mut other = false;
        for part in &mut self.0 {
            other |= part.measure.begin(root);
        }
        other
    }

    /// See [`Measure::facts_suffice`].
    pub(super) fn facts_suffice(&self) -> bool {
        self.0.iter().all(|part| part.measure.facts_suffice())
    }

    /// See [`Measure::work`].
    pub(super) fn work(&self) -> u64 {
        self.0.iter().map(|part| part.measure.work()).sum()
    }

    /// See [`Measure::reads`].
    pub(super) fn reads(&mut self) -> Option<Vec<FluentId>> {
        let of_parts = self.0.iter_mut().map(|part| part.measure.reads()).collect::<Option<Vec<_>>>()?;
        Some(of_parts.concat())
    }
}
