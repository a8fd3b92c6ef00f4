//! Explains the value of a state: the parts of a function with their values.

use schemars::JsonSchema;
use serde::Serialize;

use crate::feature::{FeatureError, FluentIndex, Spec, Term, ValuedState};
use crate::machine::Machine;

use super::function::{Function, FunctionError};
use super::fuzzy;
use super::learned::{LearnedError, LearnedFunction, LearnedTerm};
use super::scaled_feature::{Aim, ScaledFeature};
use super::statistical::StatisticalFunction;

/// Terms of a sum are listed up to this multiple of `ExplanationLimits::members`.
const TERMS: usize = 3;

/// Limits on the size of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplanationLimits {
    /// The deepest nesting of parts.
    pub depth: usize,
    /// The most members of a part.
    pub members: usize,
}

/// The parts from which the value of a state is computed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Explanation {
    /// One feature, scaled.
    Feature(FeatureExplanation),
    /// Goal conditions in fuzzy logic.
    Fuzzy(fuzzy::Explanation),
    /// A weighted sum of features.
    Statistical(StatisticalExplanation),
    /// Weighted conjunctions of facts.
    Learned(LearnedExplanation),
}

/// The computation of a value from one feature.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FeatureExplanation {
    /// The value of the state.
    pub value: f64,
    /// The function as a formula.
    pub formula: String,
    /// The feature with its parts.
    pub feature: FeaturePart,
    /// The least and the greatest value of the feature.
    pub range: [f64; 2],
    /// The feature's value scaled to 0..1 by its range.
    pub share: f64,
    /// Whether a large or a small value is good.
    pub aim: Aim,
    /// The least and the greatest goal value of the role.
    pub rewards: [i32; 2],
}

/// The terms of a weighted sum of features.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StatisticalExplanation {
    /// The value of the state.
    pub value: f64,
    /// The mean goal value of the playouts that it was learned from, to which the terms are added.
    pub constant: f64,
    /// The terms, the greatest contributions first.
    pub terms: Vec<Contribution>,
    /// The number of terms that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// The sum of their contributions.
    #[serde(skip_serializing_if = "is_nothing")]
    pub rest: f64,
}

/// The terms of a learned function that hold in a state.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LearnedExplanation {
    /// The value of the state.
    pub value: f64,
    /// Whether the fact of the turn holds, if weights depend on it; the listed weights are those of this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<bool>,
    /// Log-odds of a state in which no term holds.
    pub constant: f64,
    /// Log-odds of the state: the constant and the weights of all terms that hold.
    pub sum: f64,
    /// The terms that hold, those with the greatest weights first.
    pub terms: Vec<LearnedTerm>,
    /// The number of terms that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// The sum of their weights.
    #[serde(skip_serializing_if = "is_nothing")]
    pub rest: f64,
}

/// The contribution of a term to a sum.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Contribution {
    /// The amount that it adds to the sum.
    pub contribution: f64,
    /// The mean of its feature, at which the contribution is 0.
    pub mean: f64,
    /// The feature with its parts.
    pub feature: FeaturePart,
}

fn is_nothing(rest: &f64) -> bool {
    *rest == 0.0
}

/// A part of a feature with its value in a state.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FeaturePart {
    /// The part in KIF terms.
    pub formula: String,
    /// Its value.
    pub value: f64,
    /// Its parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<FeaturePart>,
    /// The number of parts that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Explains the value of a state.
///
/// # Errors
/// The function does not fit the game.
pub fn explain(
    machine: &dyn Machine,
    function: &Function,
    position: &ValuedState<'_>,
    detail: ExplanationLimits,
) -> Result<Explanation, FunctionError> {
    Ok(match function {
        Function::Feature(scaled) => {
            Explanation::Feature(feature(&FluentIndex::new(machine), scaled, position, detail)?)
        }
        Function::Fuzzy(fuzzy) => {
            Explanation::Fuzzy(fuzzy.bind(machine)?.explain(position, detail.depth, detail.members))
        }
        Function::Statistical(sum) => Explanation::Statistical(statistical(machine, sum, position, detail)?),
        Function::Learned(sum) => Explanation::Learned(learned(machine, sum, position, detail)?),
    })
}

fn learned(
    machine: &dyn Machine,
    function: &LearnedFunction,
    position: &ValuedState<'_>,
    detail: ExplanationLimits,
) -> Result<LearnedExplanation, LearnedError> {
    let bound = function.bind(machine)?;
    let (true_terms, turn) = (bound.true_terms(position.facts), bound.turn(position.facts));
    // The weight that applies in this state.
    let now = |weight: f64, gain: f64| if turn == Some(true) { weight + gain } else { weight };
    let of_term =
        |term: &LearnedTerm| LearnedTerm { weight: now(term.weight, term.gain), gain: 0.0, ..term.clone() };
    let mut terms: Vec<LearnedTerm> =
        true_terms.into_iter().map(|term| of_term(&function.terms[term])).collect();
    terms.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
    let all: f64 = terms.iter().map(|term| term.weight).sum();
    let left_out = terms.len().saturating_sub(detail.members * TERMS);
    terms.truncate(detail.members * TERMS);
    let rest = if left_out > 0 { all - terms.iter().map(|term| term.weight).sum::<f64>() } else { 0.0 };
    let constant = now(function.constant, function.turn.as_ref().map_or(0.0, |turn| turn.gain));
    let sum = constant + all;
    Ok(LearnedExplanation { value: function.goal(sum), turn, constant, sum, terms, left_out, rest })
}

fn feature(
    fluent_index: &FluentIndex<'_>,
    scaled: &ScaledFeature,
    position: &ValuedState<'_>,
    detail: ExplanationLimits,
) -> Result<FeatureExplanation, FeatureError> {
    let feature = part(fluent_index, &scaled.feature.spec, position, detail)?;
    let [low, high] = scaled.feature.range;
    let share = if high > low { ((feature.value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
    Ok(FeatureExplanation {
        value: scaled.scaled(feature.value),
        formula: scaled.formula(),
        feature,
        range: scaled.feature.range,
        share,
        aim: scaled.aim,
        rewards: scaled.rewards,
    })
}

fn statistical(
    machine: &dyn Machine,
    sum: &StatisticalFunction,
    position: &ValuedState<'_>,
    detail: ExplanationLimits,
) -> Result<StatisticalExplanation, FunctionError> {
    let fluent_index = FluentIndex::new(machine);
    let below = ExplanationLimits { depth: detail.depth.saturating_sub(1), ..detail };
    let parts = sum.terms.iter().map(|term| part(&fluent_index, &term.feature.spec, position, below));
    let parts: Vec<FeaturePart> = parts.collect::<Result<_, FeatureError>>()?;
    let values: Vec<f64> = parts.iter().map(|part| part.value).collect();
    let contributions = sum.contributions(&values).into_iter().zip(parts).zip(&sum.terms);
    let mut terms: Vec<Contribution> = contributions
        .map(|((contribution, feature), term)| Contribution { contribution, mean: term.mean, feature })
        .collect();
    terms.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
    let rest = terms.split_off(terms.len().min(detail.members.saturating_mul(TERMS)));
    Ok(StatisticalExplanation {
        value: sum.bind(machine)?.value(position),
        constant: sum.constant,
        terms,
        left_out: rest.len(),
        rest: rest.iter().map(|term| term.contribution).sum(),
    })
}

/// A feature with its parts.
fn part(
    fluent_index: &FluentIndex<'_>,
    spec: &Spec,
    position: &ValuedState<'_>,
    detail: ExplanationLimits,
) -> Result<FeaturePart, FeatureError> {
    let value = spec.bind_with(fluent_index)?.value(position);
    let inner: Vec<Spec> = match spec {
        Spec::Total { of } => of.clone(),
        Spec::Sum { terms } if terms.len() > 1 => {
            terms.iter().map(|Term { weight, pattern }| weighted_count(*weight, pattern)).collect()
        }
        Spec::Difference { first, second } => vec![(**first).clone(), (**second).clone()],
        Spec::Inverse { of } => vec![(**of).clone()],
        _ => Vec::new(),
    };
    let shown = if detail.depth == 0 { 0 } else { inner.len().min(detail.members) };
    let below = ExplanationLimits { depth: detail.depth.saturating_sub(1), ..detail };
    let members: Result<Vec<FeaturePart>, FeatureError> =
        inner[..shown].iter().map(|spec| part(fluent_index, spec, position, below)).collect();
    Ok(FeaturePart { formula: spec.to_string(), value, members: members?, left_out: inner.len() - shown })
}

fn weighted_count(weight: f64, pattern: &str) -> Spec {
    Spec::Sum { terms: vec![Term { weight, pattern: pattern.to_owned() }] }
}
