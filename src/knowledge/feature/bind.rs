//! Makes features runnable on a machine: [`Spec::bind`].

use crate::machine::Machine;

use super::composite::{Difference, Inverse, Total};
use super::distance::Distances;
use super::error::FeatureError;
use super::extreme::Extreme;
use super::fact_sum::{FactSum, Rule, Weight};
use super::fluent_index::FluentIndex;
use super::measure::Measure;
use super::mobility::Mobility;
use super::novelty::ChangedShare;
use super::pattern::Pattern;
use super::spec::{Spec, Term, argument_of, index_of};

/// The deepest nesting of specs. Documents can nest deeper; without a limit they would overflow the stack.
const MAX_DEPTH: usize = 16;

impl Spec {
    /// Makes the feature runnable on a machine.
    ///
    /// # Errors
    /// It does not fit the game: the fluent, symbol, role or argument does not exist.
    pub fn bind<'m>(&self, machine: &'m dyn Machine) -> Result<Box<dyn Measure<'m> + 'm>, FeatureError> {
        self.bind_with(&FluentIndex::new(machine))
    }

    /// Like [`Spec::bind`], with an index that several specs share.
    ///
    /// # Errors
    /// Those of [`Spec::bind`].
    pub fn bind_with<'m>(
        &self,
        fluent_index: &FluentIndex<'m>,
    ) -> Result<Box<dyn Measure<'m> + 'm>, FeatureError> {
        self.bind_within(fluent_index, MAX_DEPTH)
    }

    fn bind_within<'m>(
        &self,
        fluent_index: &FluentIndex<'m>,
        depth: usize,
    ) -> Result<Box<dyn Measure<'m> + 'm>, FeatureError> {
        let depth = depth.checked_sub(1).ok_or(FeatureError::TooDeep { limit: MAX_DEPTH })?;
        if let Some(sum) = self.sum(depth)? {
            return Ok(Box::new(FactSum::new(sum, fluent_index)?));
        }
        Ok(match self {
            Spec::Count { .. } | Spec::Index { .. } | Spec::Along { .. } | Spec::Sum { .. } => {
                unreachable!("these are sums over facts, which were bound above")
            }
            Spec::Distance { pieces, axes, absent } => {
                finite("distance", *absent)?;
                Box::new(Distances::new(pieces, axes, *absent, fluent_index)?)
            }
            Spec::Extreme { patterns, argument, order, greatest, absent } => {
                finite("value", *absent)?;
                Box::new(Extreme::new(patterns, *argument, order, *greatest, *absent, fluent_index)?)
            }
            Spec::Moves { role, noops } => Box::new(Mobility::new(role, noops, fluent_index)?),
            Spec::Changed { since, without, since_root } => {
                Box::new(ChangedShare::new(since, without, *since_root, fluent_index)?)
            }
            Spec::Total { of } => {
                let parts = of.iter().map(|part| part.bind_within(fluent_index, depth));
                Box::new(Total(parts.collect::<Result<_, _>>()?))
            }
            Spec::Difference { first, second } => Box::new(Difference(
                first.bind_within(fluent_index, depth)?,
                second.bind_within(fluent_index, depth)?,
            )),
            Spec::Inverse { of } => Box::new(Inverse(of.bind_within(fluent_index, depth)?)),
            Spec::GoalProgress { function, .. } => {
                return Err(FeatureError::Evaluation { function: function.clone() });
            }
        })
    }

    /// Whether values depend on the state from which a search began.
    pub fn is_since_root(&self) -> bool {
        match self {
            Spec::Changed { since_root, .. } => *since_root,
            Spec::Total { of } => of.iter().any(Spec::is_since_root),
            Spec::Difference { first, second } => first.is_since_root() || second.is_since_root(),
            Spec::Inverse { of } => of.is_since_root(),
            _ => false,
        }
    }

    /// Whether the feature is a sum over facts.
    pub fn is_sum(&self) -> bool {
        self.sum(MAX_DEPTH).is_ok_and(|sum| sum.is_some())
    }

    /// The feature as a constant and the rules of a sum over facts; none for other features.
    pub(super) fn as_sum(&self) -> Result<Option<(f64, Vec<Rule>)>, FeatureError> {
        self.sum(MAX_DEPTH)
    }

    fn sum(&self, depth: usize) -> Result<Option<(f64, Vec<Rule>)>, FeatureError> {
        let deeper = depth.checked_sub(1).ok_or(FeatureError::TooDeep { limit: MAX_DEPTH });
        Ok(match self {
            Spec::Count { pattern } => Some((0.0, vec![Rule::fixed(pattern, 1.0)?])),
            Spec::Sum { terms } => {
                let rule = |term: &Term| {
                    finite("weight", term.weight)?;
                    Rule::fixed(&term.pattern, term.weight)
                };
                Some((0.0, terms.iter().map(rule).collect::<Result<_, _>>()?))
            }
            Spec::Index { pattern, argument, order, absent } => {
                finite("value", *absent)?;
                let pattern = Pattern::parse(pattern)?;
                let place = argument_of(&pattern, *argument)?;
                let weights = index_of(order)?.into_iter();
                let weights = weights.map(|(element, index)| (element, index as f64 - absent)).collect();
                Some((*absent, vec![Rule { pattern, weight: Weight::Along(place, weights) }]))
            }
            Spec::Along { pattern, argument, order } => {
                let pattern = Pattern::parse(pattern)?;
                let place = argument_of(&pattern, *argument)?;
                let weights = index_of(order)?.into_iter();
                let weights = weights.map(|(element, index)| (element, index as f64)).collect();
                Some((0.0, vec![Rule { pattern, weight: Weight::Along(place, weights) }]))
            }
            Spec::Difference { first, second } => {
                let deeper = deeper?;
                let (Some(first), Some(second)) = (first.sum(deeper)?, second.sum(deeper)?) else {
                    return Ok(None);
                };
                let mut rules = first.1;
                rules.extend(second.1.into_iter().map(Rule::negated));
                Some((first.0 - second.0, rules))
            }
            Spec::Total { of } => {
                let deeper = deeper?;
                let (mut constant, mut rules) = (0.0, Vec::new());
                for part in of {
                    let Some(part) = part.sum(deeper)? else { return Ok(None) };
                    constant += part.0;
                    rules.extend(part.1);
                }
                Some((constant, rules))
            }
            _ => None,
        })
    }
}

/// The greatest absolute value of a number in a spec: sums of such numbers stay finite.
const GREATEST: f64 = 1e15;

fn finite(what: &'static str, value: f64) -> Result<(), FeatureError> {
    if value.abs() <= GREATEST { Ok(()) } else { Err(FeatureError::NotFinite { what }) }
}
