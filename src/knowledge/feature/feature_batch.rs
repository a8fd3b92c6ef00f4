//! Evaluates many features of a state together: the weights of a fact are looked up once for all features.

use rustc_hash::FxHashMap;

use crate::machine::FluentId;

use super::definition::Feature;
use super::error::FeatureError;
use super::fact_sum::Rule;
use super::fluent_index::FluentIndex;
use super::measure::{Measure, ValuedState};

/// Features, bound to one machine.
pub struct FeatureBatch<'m> {
    fluent_index: FluentIndex<'m>,
    constants: Vec<f64>,
    /// For each relation the rules with weights for its fluents, each with the number of its feature.
    rules: Vec<Vec<(u32, Rule)>>,
    /// For each fluent that has occurred, the features that it adds to, each with the weight.
    known: FxHashMap<FluentId, Vec<(u32, f64)>>,
    /// Features that are not sums over facts, by number.
    others: Vec<(u32, Box<dyn Measure<'m> + 'm>)>,
}

impl<'m> FeatureBatch<'m> {
    /// Binds features to the machine.
    ///
    /// # Errors
    /// A feature does not fit the game.
    pub fn new(
        features: &[Feature],
        fluent_index: &FluentIndex<'m>,
    ) -> Result<FeatureBatch<'m>, FeatureError> {
        let mut batch = FeatureBatch {
            constants: vec![0.0; features.len()],
            rules: vec![Vec::new(); fluent_index.relations().count()],
            fluent_index: fluent_index.clone(),
            known: FxHashMap::default(),
            others: Vec::new(),
        };
        for (number, feature) in features.iter().enumerate() {
            match feature.spec.as_sum()? {
                Some((constant, rules)) => {
                    batch.constants[number] = constant;
                    for rule in rules {
                        let relation = fluent_index.relation(&rule.pattern)?;
                        batch.rules[relation].push((number as u32, rule));
                    }
                }
                None => batch.others.push((number as u32, feature.spec.bind_with(fluent_index)?)),
            }
        }
        Ok(batch)
    }

    /// The number of features.
    pub fn len(&self) -> usize {
        self.constants.len()
    }

    /// Whether there are no features.
    pub fn is_empty(&self) -> bool {
        self.constants.is_empty()
    }

    /// Writes the values of all features in a state to `values`.
    pub fn values(&mut self, position: &ValuedState<'_>, values: &mut Vec<f64>) {
        values.clear();
        values.extend_from_slice(&self.constants);
        position.facts.for_each(|fluent| {
            for &(feature, weight) in self.weights(fluent) {
                values[feature as usize] += weight;
            }
        });
        for (feature, measure) in &mut self.others {
            values[*feature as usize] = measure.value(position);
        }
    }

    /// Work of all values so far, see [`Measure::work`].
    pub fn work(&self) -> u64 {
        self.others.iter().map(|(_, measure)| measure.work()).sum()
    }

    fn weights(&mut self, fluent: FluentId) -> &[(u32, f64)] {
        if !self.known.contains_key(&fluent) {
            let mut weights = Vec::new();
            if let Some(decoded) = self.fluent_index.decode(fluent).cloned() {
                let arguments = self.fluent_index.arguments(&decoded);
                for (feature, rule) in &self.rules[decoded.relation] {
                    let weight = rule.weight_of(&arguments);
                    if weight != 0.0 {
                        weights.push((*feature, weight));
                    }
                }
            }
            self.known.insert(fluent, weights);
        }
        &self.known[&fluent]
    }
}
