//! Features made of features.

use crate::machine::FluentId;

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

    fn facts_suffice(&self) -> bool {
        self.0.iter().all(|part| part.facts_suffice())
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

    fn facts_suffice(&self) -> bool {
        self.0.facts_suffice() && self.1.facts_suffice()
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        Some([self.0.reads()?, self.1.reads()?].concat())
    }
}

impl Measure for Inverse<'_> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        // A hand-edited feature may be negative: its poles are not values.
        1.0 / (1.0 + self.0.value(position).max(0.0))
    }

    fn facts_suffice(&self) -> bool {
        self.0.facts_suffice()
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        self.0.reads()
    }
}
