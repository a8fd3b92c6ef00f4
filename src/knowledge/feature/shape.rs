//! Features made of features.

use crate::machine::FluentId;
use crate::machine::lanes::value::LaneValue;

use super::facts::Facts;
use super::measure::{Measure, ValuedState};

/// The sum of all.
pub(super) struct Total<'m>(pub(super) Vec<Box<dyn Measure + 'm>>);

/// The first minus the second.
pub(super) struct Difference<'m>(pub(super) Box<dyn Measure + 'm>, pub(super) Box<dyn Measure + 'm>);

/// 1 / (1 + value).
pub(super) struct Inverse<'m>(pub(super) Box<dyn Measure + 'm>);

impl Measure for Total<'_> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.0.iter_mut().map(|part| part.value(position)).sum()
    }

    fn begin(&mut self, root: &Facts) -> bool {
        // Every part has to hear of it.
        self.0.iter_mut().fold(false, |changed, part| part.begin(root) | changed)
    }

    fn facts_suffice(&self) -> bool {
        self.0.iter().all(|part| part.facts_suffice())
    }

    fn in_lanes(&mut self) -> Option<LaneValue> {
        let parts: Option<Vec<LaneValue>> = self.0.iter_mut().map(|part| part.in_lanes()).collect();
        parts?.into_iter().reduce(|sum, part| sum.fold(part, [1.0, 1.0], |sum, part| sum + part))
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        let parts: Option<Vec<_>> = self.0.iter_mut().map(|part| part.reads()).collect();
        Some(parts?.concat())
    }
}

impl Measure for Difference<'_> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.0.value(position) - self.1.value(position)
    }

    fn begin(&mut self, root: &Facts) -> bool {
        self.0.begin(root) | self.1.begin(root)
    }

    fn facts_suffice(&self) -> bool {
        self.0.facts_suffice() && self.1.facts_suffice()
    }

    fn in_lanes(&mut self) -> Option<LaneValue> {
        let (first, second) = (self.0.in_lanes()?, self.1.in_lanes()?);
        Some(first.fold(second, [1.0, 1.0], |first, second| first - second))
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        Some([self.0.reads()?, self.1.reads()?].concat())
    }
}

impl Measure for Inverse<'_> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        inverse(self.0.value(position))
    }

    fn begin(&mut self, root: &Facts) -> bool {
        self.0.begin(root)
    }

    fn facts_suffice(&self) -> bool {
        self.0.facts_suffice()
    }

    fn in_lanes(&mut self) -> Option<LaneValue> {
        Some(self.0.in_lanes()?.map(1.0, inverse))
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        self.0.reads()
    }
}

/// 1 / (1 + value). A hand-edited feature may be negative: its poles are not values.
fn inverse(value: f64) -> f64 {
    1.0 / (1.0 + value.max(0.0))
}
