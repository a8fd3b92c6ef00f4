//! Sums over facts: rules that give each fluent a weight, and masks that evaluate them.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::machine::FluentId;

use super::error::FeatureError;
use super::facts::Facts;
use super::fluent_index::FluentIndex;
use super::measure::{LinearForm, Measure, QuantizedMeasure, ValuedState};
use super::pattern::Pattern;

/// The most distinct weights for which each weight has a mask; with more of them, each fact is looked up.
const MAX_MASKS: usize = 16;

/// The weight of a matching fact.
#[derive(Clone, Debug)]
pub(super) enum Weight {
    /// The same weight for all facts.
    Fixed(f64),
    /// A weight for each term at an argument (from 0); other terms weight_of 0.
    Along(usize, IndexMap<String, f64, FxBuildHasher>),
}

/// A pattern and the weights of the facts that match it.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) pattern: Pattern,
    pub(super) weight: Weight,
}

impl Rule {
    /// A rule that gives all facts of a pattern one weight.
    pub(super) fn fixed(pattern: &str, weight: f64) -> Result<Rule, FeatureError> {
        Ok(Rule { pattern: Pattern::parse(pattern)?, weight: Weight::Fixed(weight) })
    }

    /// The rule with all weights negated.
    pub(super) fn negated(mut self) -> Rule {
        match &mut self.weight {
            Weight::Fixed(weight) => *weight = -*weight,
            Weight::Along(_, weights) => weights.values_mut().for_each(|weight| *weight = -*weight),
        }
        self
    }

    /// The weight of a fluent of the pattern's relation, from its arguments.
    pub(super) fn weight_of(&self, arguments: &[&str]) -> f64 {
        if !self.pattern.matches(arguments) {
            return 0.0;
        }
        match &self.weight {
            Weight::Fixed(weight) => *weight,
            Weight::Along(index, weights) => weights.get(arguments[*index]).copied().unwrap_or(0.0),
        }
    }
}

/// The weights of the fluents of a relational machine, computed when a fluent first occurs.
pub(super) struct WeightCache<'m> {
    rules: Vec<(usize, Rule)>,
    fluent_index: FluentIndex<'m>,
    known: FxHashMap<FluentId, f64>,
}

impl WeightCache<'_> {
    fn of(&mut self, fluent: FluentId) -> f64 {
        if let Some(&weight) = self.known.get(&fluent) {
            return weight;
        }
        let weight = match self.fluent_index.decode(fluent).cloned() {
            Some(decoded) => {
                let arguments = self.fluent_index.arguments(&decoded);
                let rules = self.rules.iter().filter(|(relation, _)| *relation == decoded.relation);
                rules.map(|(_, rule)| rule.weight_of(&arguments)).sum()
            }
            None => 0.0,
        };
        self.known.insert(fluent, weight);
        weight
    }
}

/// A sum over facts, bound to one machine.
pub(super) enum FactSum<'m> {
    /// All fluents are numbered, as on a network.
    Numbered(LinearForm, MaskedSum),
    /// Fluents are numbered as they occur, as on the relational machine.
    Cached(f64, Box<WeightCache<'m>>),
}

impl<'m> FactSum<'m> {
    pub(super) fn new(
        (constant, rules): (f64, Vec<Rule>),
        fluent_index: &FluentIndex<'m>,
    ) -> Result<FactSum<'m>, FeatureError> {
        if !fluent_index.is_complete() {
            let known = |rule: Rule| Ok((fluent_index.relation(&rule.pattern)?, rule));
            let rules = rules.into_iter().map(known).collect::<Result<_, _>>()?;
            let (fluent_index, known) = (fluent_index.clone(), FxHashMap::default());
            return Ok(FactSum::Cached(constant, Box::new(WeightCache { rules, fluent_index, known })));
        }
        let mut weights: Vec<(FluentId, f64)> = Vec::new();
        for rule in &rules {
            let found = fluent_index.matching(&rule.pattern)?.into_iter();
            weights.extend(found.map(|(fluent, arguments)| (fluent, rule.weight_of(&arguments))));
        }
        // A stable sort keeps the order of the rules, so that floating-point sums of one fluent don't change.
        weights.sort_by_key(|(fluent, _)| *fluent);
        weights.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 += later.1;
            }
            same
        });
        weights.retain(|(_, weight)| *weight != 0.0);
        let linear = LinearForm { constant, weights };
        let masks = MaskedSum::new(&linear);
        Ok(FactSum::Numbered(linear, masks))
    }
}

impl<'m> Measure<'m> for FactSum<'m> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        match self {
            FactSum::Numbered(_, masks) => masks.value(position.facts),
            FactSum::Cached(constant, weights) => {
                let mut sum = *constant;
                position.facts.for_each(|fluent| sum += weights.of(fluent));
                sum
            }
        }
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        self.linear().map(|linear| linear.fluents().collect())
    }

    fn quantize(&self) -> Option<QuantizedMeasure<'m>> {
        let FactSum::Numbered(linear, _) = self else { return None };
        let (linear, lanes) = linear.quantized();
        let masks = MaskedSum::new(&linear);
        Some(QuantizedMeasure { measure: Box::new(FactSum::Numbered(linear, masks)), lanes })
    }

    fn linear(&self) -> Option<&LinearForm> {
        match self {
            FactSum::Numbered(linear, _) => Some(linear),
            FactSum::Cached(..) => None,
        }
    }
}

/// A linear form as masks over words: one for each weight, or single lookups if there are too many weights.
#[derive(Clone, Debug)]
pub struct MaskedSum {
    constant: f64,
    /// Ascending weights, each with the words of its fluents and their masks.
    masks: Vec<(f64, Vec<(u32, u64)>)>,
    /// Words, each with its mask and the index in `weights` of the first of its weights.
    words: Vec<(u32, u64, u32)>,
    weights: Vec<f64>,
}

impl MaskedSum {
    /// Compiles a linear form.
    pub fn new(linear: &LinearForm) -> MaskedSum {
        let mut masks = MaskedSum {
            constant: linear.constant,
            masks: Vec::new(),
            words: Vec::new(),
            weights: Vec::new(),
        };
        let mut different: Vec<f64> = linear.weights.iter().map(|&(_, weight)| weight).collect();
        different.sort_by(f64::total_cmp);
        different.dedup();
        if different.len() <= MAX_MASKS {
            masks.masks = different.iter().map(|&weight| (weight, Vec::new())).collect();
            for &(fluent, weight) in &linear.weights {
                let index = different.partition_point(|other| other.total_cmp(&weight).is_lt());
                let (word, bit) = (fluent.0 / 64, 1 << (fluent.0 % 64));
                match masks.masks[index].1.last_mut() {
                    Some((last, mask)) if *last == word => *mask |= bit,
                    _ => masks.masks[index].1.push((word, bit)),
                }
            }
            return masks;
        }
        for &(fluent, weight) in &linear.weights {
            let (word, bit) = (fluent.0 / 64, 1 << (fluent.0 % 64));
            match masks.words.last_mut() {
                Some((last, mask, _)) if *last == word => *mask |= bit,
                _ => masks.words.push((word, bit, masks.weights.len() as u32)),
            }
            masks.weights.push(weight);
        }
        masks
    }

    /// The value of a state with these facts.
    pub fn value(&self, facts: &Facts) -> f64 {
        let words = facts.words();
        let mut sum = self.constant;
        for (weight, mask) in &self.masks {
            let count: u32 =
                mask.iter().map(|&(word, mask)| (words[word as usize] & mask).count_ones()).sum();
            sum += weight * f64::from(count);
        }
        for &(word, mask, first) in &self.words {
            let mut left = words[word as usize] & mask;
            while left != 0 {
                let below = mask & ((left & left.wrapping_neg()) - 1);
                sum += self.weights[first as usize + below.count_ones() as usize];
                left &= left - 1;
            }
        }
        sum
    }
}
