//! Features composed of other features.

use crate::machine::FluentId;
use crate::machine::lanes::value::LaneValue;

use super::facts::Facts;
use super::measure::{Measure, QuantizedMeasure, ValuedState};

/// The sum of all parts.
pub(super) struct Total<'m>(pub(super) Vec<Box<dyn Measure<'m> + 'm>>);

/// The first part minus the second.
pub(super) struct Difference<'m>(pub(super) Box<dyn Measure<'m> + 'm>, pub(super) Box<dyn Measure<'m> + 'm>);

/// 1 / (1 + value).
pub(super) struct Inverse<'m>(pub(super) Box<dyn Measure<'m> + 'm>);

impl<'m> Measure<'m> for Total<'m> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.0.iter_mut().map(|part| part.value(position)).sum()
    }

    fn begin(&mut self, root: &Facts) -> bool {
        // No short circuit: every part needs the root.
        self.0.iter_mut().fold(false, |changed, part| part.begin(root) | changed)
    }

    fn facts_suffice(&self) -> bool {
        self.0.iter().all(|part| part.facts_suffice())
    }

    fn quantize(&self) -> Option<QuantizedMeasure<'m>> {
        let parts: Option<Vec<QuantizedMeasure<'m>>> = self.0.iter().map(|part| part.quantize()).collect();
        let (measures, lanes): (Vec<_>, Vec<_>) = parts?.into_iter().map(|of| (of.measure, of.lanes)).unzip();
        let add = |sum: LaneValue, part| sum.fold(part, [1.0, 1.0], |sum, part| sum + part);
        Some(QuantizedMeasure { measure: Box::new(Total(measures)), lanes: lanes.into_iter().reduce(add)? })
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        let parts: Option<Vec<_>> = self.0.iter_mut().map(|part| part.reads()).collect();
        Some(parts?.concat())
    }
}

impl<'m> Measure<'m> for Difference<'m> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.0.value(position) - self.1.value(position)
    }

    fn begin(&mut self, root: &Facts) -> bool {
        self.0.begin(root) | self.1.begin(root)
    }

    fn facts_suffice(&self) -> bool {
        self.0.facts_suffice() && self.1.facts_suffice()
    }

    fn quantize(&self) -> Option<QuantizedMeasure<'m>> {
        let (first, second) = (self.0.quantize()?, self.1.quantize()?);
        let lanes = first.lanes.fold(second.lanes, [1.0, 1.0], |first, second| first - second);
        Some(QuantizedMeasure { measure: Box::new(Difference(first.measure, second.measure)), lanes })
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        Some([self.0.reads()?, self.1.reads()?].concat())
    }
}

impl<'m> Measure<'m> for Inverse<'m> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        inverse(self.0.value(position))
    }

    fn begin(&mut self, root: &Facts) -> bool {
        self.0.begin(root)
    }

    fn facts_suffice(&self) -> bool {
        self.0.facts_suffice()
    }

    fn quantize(&self) -> Option<QuantizedMeasure<'m>> {
        let QuantizedMeasure { measure, lanes } = self.0.quantize()?;
        Some(QuantizedMeasure { measure: Box::new(Inverse(measure)), lanes: lanes.map(1.0, inverse) })
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        self.0.reads()
    }
}

/// 1 / (1 + value). A negative value, which only a hand-edited feature can have, counts as 0.
fn inverse(value: f64) -> f64 {
    1.0 / (1.0 + value.max(0.0))
}
