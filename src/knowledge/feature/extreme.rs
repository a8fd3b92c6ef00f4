//! The greatest or least index, along an order, among the facts that hold.

use rustc_hash::FxHashMap;

use crate::machine::FluentId;
use crate::machine::lanes::value::{Atom, LaneValue, Sum};

use super::error::FeatureError;
use super::fluent_index::FluentIndex;
use super::measure::{Measure, QuantizedMeasure, ValuedState};
use super::pattern::Pattern;
use super::spec::{argument_of, index_of};

/// Limit of atoms in the sum for lanes, where an atom counts once for each index that it adds to. Beyond it lanes don't
/// compute the feature.
const MOST_ATOMS: usize = 50_000;

/// The greatest or least index among the facts of some patterns.
#[derive(Clone)]
pub(super) struct Extreme<'m> {
    fluent_index: FluentIndex<'m>,
    /// Each pattern with its relation and the position of the argument.
    patterns: Vec<(Pattern, usize, usize)>,
    order: indexmap::IndexMap<String, usize, rustc_hash::FxBuildHasher>,
    greatest: bool,
    absent: f64,
    /// On a network: all fluents with their indices, the best index first.
    sorted: Option<Vec<(FluentId, usize)>>,
    /// The index of each fluent that was decoded so far; none if it matches no pattern.
    index_cache: FxHashMap<FluentId, Option<usize>>,
}

impl<'m> Extreme<'m> {
    pub(super) fn new(
        patterns: &[String],
        argument: usize,
        order: &[String],
        greatest: bool,
        absent: f64,
        fluent_index: &FluentIndex<'m>,
    ) -> Result<Extreme<'m>, FeatureError> {
        let read = |text: &String| {
            let pattern = Pattern::parse(text)?;
            let place = argument_of(&pattern, argument)?;
            let relation = fluent_index.relation(&pattern)?;
            Ok((pattern, relation, place))
        };
        let mut extreme = Extreme {
            fluent_index: fluent_index.clone(),
            patterns: patterns.iter().map(read).collect::<Result<_, FeatureError>>()?,
            order: index_of(order)?,
            greatest,
            absent,
            sorted: None,
            index_cache: FxHashMap::default(),
        };
        if fluent_index.is_complete() {
            let mut sorted = Vec::new();
            for (pattern, _, place) in &extreme.patterns {
                for (fluent, arguments) in fluent_index.matching(pattern)? {
                    sorted.extend(extreme.order.get(arguments[*place]).map(|&index| (fluent, index)));
                }
            }
            sorted.sort_by_key(|&(fluent, index)| (index, fluent));
            if greatest {
                sorted.reverse();
            }
            extreme.sorted = Some(sorted);
        }
        Ok(extreme)
    }

    fn index(&mut self, fluent: FluentId) -> Option<usize> {
        if let Some(&known) = self.index_cache.get(&fluent) {
            return known;
        }
        let index = self.fluent_index.decode(fluent).cloned().and_then(|decoded| {
            let arguments = self.fluent_index.arguments(&decoded);
            let mut fits = self.patterns.iter().filter(|(pattern, relation, _)| {
                *relation == decoded.relation && pattern.matches(&arguments)
            });
            fits.find_map(|(_, _, place)| self.order.get(arguments[*place]).copied())
        });
        self.index_cache.insert(fluent, index);
        index
    }
}

impl<'m> Measure<'m> for Extreme<'m> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        let best_index = match &self.sorted {
            Some(sorted) => {
                sorted.iter().find(|(fluent, _)| position.facts.contains(*fluent)).map(|&(_, index)| index)
            }
            None => {
                let mut best: Option<usize> = None;
                position.facts.for_each(|fluent| {
                    let Some(index) = self.index(fluent) else { return };
                    let better =
                        best.is_none_or(|best| if self.greatest { index > best } else { index < best });
                    if better {
                        best = Some(index);
                    }
                });
                best
            }
        };
        best_index.map_or(self.absent, |index| index as f64)
    }

    fn facts_suffice(&self) -> bool {
        true
    }

    fn quantize(&self) -> Option<QuantizedMeasure<'m>> {
        let sorted = self.sorted.as_ref()?;
        // Each index adds its difference to the next worse one, if a fact of this index or of a better one holds.
        let mut sum = Sum { constant: self.absent, ..Sum::default() };
        let mut atoms: Vec<Atom> = Vec::new();
        let mut atom_count = 0;
        for (place, &(fluent, index)) in sorted.iter().enumerate() {
            atoms.push(Atom::Fact(fluent));
            let next = sorted.get(place + 1).map(|&(_, next)| next);
            if next != Some(index) {
                let step = index as f64 - next.map_or(self.absent, |next| next as f64);
                atom_count += atoms.len();
                if atom_count > MOST_ATOMS {
                    return None;
                }
                sum.weights.push((Atom::Any(atoms.clone()), step));
            }
        }
        let (sum, error) = sum.rounded();
        let exact = || QuantizedMeasure { measure: Box::new(self.clone()), lanes: LaneValue::of(sum, 0.0) };
        (error == 0.0).then(exact)
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        Some(self.sorted.as_ref()?.iter().map(|&(fluent, _)| fluent).collect())
    }
}
