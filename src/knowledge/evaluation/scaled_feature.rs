//! # What it does
//! Evaluates a state by a single feature. For each feature of Kuhlmann, Dresner and Stone there are two functions:
//! one prefers large values, the other prefers small ones. The kinds for mobility, novelty, material and orders work
//! in the same way.
//!
//! # How
//! Let V be the feature scaled to 0..1 by its range. R- and R+ are the least and the greatest goal value that the
//! role can end with. The function that maximises is E = 1 + R- + (R+ - R- - 2) V. The one that minimises has 1 - V
//! in place of V. Values lie between R- + 1 and R+ - 1: a proved win is better than every estimate, and a proved loss
//! is worse.
//!
//! Both functions are kept: nothing is learned here, and in some games less of something is better. Matches show which
//! of the two is useful. The coordinate of a missing piece lies outside the coordinates of the board. It is the worst
//! value for the owner and its partners, and the best for the others. If no role owns the piece, it is the worst value.
//!
//! # Guarantee
//! Exact, given the feature. If R- and R+ are less than 2 apart, every state has their mean as its value.
//!
//! # Cost
//! That of the feature.
//!
//! # Example
//! Reversi, 8 of 64 cells black: the function that maximises black discs has the value 1 + 98 / 8 = 13.25. The one
//! that minimises them has 86.75.
//!
//! # Source
//! Kuhlmann, Dresner and Stone, "Automatic Heuristic Construction in a Complete General Game Player", AAAI 2006. R-
//! and R+ must be attainable goal values; `attainable_goals.rs` says which are proved, and which were only seen in play.
//! Features of mobility, novelty, material and orders are not in this source. By `reports/judge/findings.md`, these
//! values don't estimate outcomes: searches use their order only, or calibrate them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::feature::{
    Facts, Feature, FeatureError, FluentIndex, Measure, QuantizedMeasure, Spec, ValuedState,
};
use crate::machine::{FluentId, Machine};

use super::attainable_goals::{GoalEvidence, RewardSource};
use super::goal_values::goal_values;
use super::kind::Kind;

/// Whether large or small values of a feature are good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Aim {
    /// Large values are good.
    Maximise,
    /// Small values are good.
    Minimise,
}

/// A function of one feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScaledFeature {
    /// The role whose goal value is estimated.
    pub role: String,
    /// Whether large or small values are good.
    pub aim: Aim,
    /// The least and the greatest goal value that the role can end with.
    pub rewards: [i32; 2],
    /// The reason why other goal values don't count.
    #[serde(default, skip_serializing_if = "RewardSource::is_rules")]
    pub rewards_by: RewardSource,
    /// The feature.
    pub feature: Feature,
}

/// All functions of a game: two for every role except `random` and every feature of a family that has a kind (see
/// [`Kind::of`]). `teams` partitions these roles, by number.
pub fn functions(
    machine: &dyn Machine,
    teams: &[Vec<usize>],
    features: &[Feature],
    goals: &GoalEvidence,
) -> Vec<ScaledFeature> {
    let names: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let mut functions = Vec::new();
    for number in machine.description().players() {
        let (role, (rewards, rewards_by)) = (names[number].clone(), goals.rewards(machine, number));
        for feature in features.iter().filter(|feature| Kind::of(feature.family).is_some()) {
            let owner = feature.role.as_ref().and_then(|owner| names.iter().position(|name| name == owner));
            let partner = |owner| teams.iter().any(|team| team.contains(&owner) && team.contains(&number));
            let mine = owner.is_none_or(|owner| owner == number || partner(owner));
            for aim in [Aim::Maximise, Aim::Minimise] {
                let feature = with_loss(feature, (aim == Aim::Maximise) != mine);
                functions.push(ScaledFeature { role: role.clone(), aim, rewards, rewards_by, feature });
            }
        }
    }
    functions
}

/// A feature whose value for a missing piece lies outside the range of the board: at the upper end if `above`,
/// otherwise at the lower end.
fn with_loss(feature: &Feature, above: bool) -> Feature {
    let mut feature = feature.clone();
    if let Spec::Index { order, absent, .. } = &mut feature.spec
        && *absent < 0.0
    {
        let last = order.len() as f64 - 1.0;
        *absent = if above { last + 1.0 } else { -1.0 };
        feature.range = [absent.min(0.0), absent.max(last)];
    }
    feature
}

/// The least and the greatest goal value that the rules have for a role, given by number; 0 and 100 if they have
/// none.
pub fn rewards(machine: &dyn Machine, role: usize) -> [i32; 2] {
    let values = goal_values(machine, role);
    [values.iter().min().copied().unwrap_or(0), values.iter().max().copied().unwrap_or(100)]
}

impl ScaledFeature {
    /// The name among the functions of its kind.
    pub fn id(&self) -> String {
        let aim = match self.aim {
            Aim::Maximise => "max",
            Aim::Minimise => "min",
        };
        format!("{aim}.{}.{}", self.feature.id, self.role)
    }

    /// A value of the feature scaled to goal values: between the least goal value + 1 and the greatest - 1.
    pub fn scaled(&self, value: f64) -> f64 {
        let [low, high] = self.feature.range;
        let scaled = if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
        let aimed = match self.aim {
            Aim::Maximise => scaled,
            Aim::Minimise => 1.0 - scaled,
        };
        let [least, most] = self.rewards.map(f64::from);
        if most - least < 2.0 {
            return (least + most) / 2.0;
        }
        1.0 + least + (most - least - 2.0) * aimed
    }

    /// The least and the greatest value that the function can have.
    pub fn range(&self) -> [f64; 2] {
        let ends = self.feature.range.map(|value| self.scaled(value));
        [ends[0].min(ends[1]), ends[0].max(ends[1])]
    }

    /// The function as a formula: `1 + 98 * count (cell ?x ?y black) / 64`.
    pub fn formula(&self) -> String {
        let ([low, high], [least, most]) = (self.feature.range, self.rewards);
        if high <= low || most - least < 2 {
            return format!("{}", self.scaled(low));
        }
        let formula = &self.feature.formula;
        let grouped = |text: &str| match text.contains(" + ") || text.contains(" - ") {
            true => format!("({text})"),
            false => text.to_owned(),
        };
        let shifted = match low {
            0.0 => grouped(formula),
            low if low < 0.0 => format!("({} + {})", grouped(formula), -low),
            low => format!("({} - {low})", grouped(formula)),
        };
        let (factor, width) = (most - least - 2, high - low);
        match self.aim {
            Aim::Maximise => format!("{} + {factor} * {shifted} / {width}", least + 1),
            Aim::Minimise => format!("{} - {factor} * {shifted} / {width}", most - 1),
        }
    }

    /// Checks the numbers of the function.
    ///
    /// # Errors
    /// A range or the goal values are in the wrong order.
    pub fn validate(&self) -> Result<(), FeatureError> {
        let [low, high] = self.feature.range;
        if !(low <= high && (high - low).is_finite()) {
            return Err(FeatureError::Range { what: "range of the feature", low, high });
        }
        let [least, most] = self.rewards;
        if least > most {
            return Err(FeatureError::Range { what: "goal values", low: least.into(), high: most.into() });
        }
        Ok(())
    }

    /// Makes the function runnable on a machine.
    ///
    /// # Errors
    /// The feature or the role does not fit the game.
    pub fn bind<'m>(&self, machine: &'m dyn Machine) -> Result<Box<dyn Measure<'m> + 'm>, FeatureError> {
        self.validate()?;
        let fluent_index = FluentIndex::new(machine);
        fluent_index.role(&self.role)?;
        let feature = self.feature.spec.bind_with(&fluent_index)?;
        Ok(Box::new(BoundScaledFeature { function: self.clone(), feature }))
    }
}

struct BoundScaledFeature<'m> {
    function: ScaledFeature,
    feature: Box<dyn Measure<'m> + 'm>,
}

impl<'m> Measure<'m> for BoundScaledFeature<'m> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.function.scaled(self.feature.value(position))
    }

    fn begin(&mut self, root: &Facts) -> bool {
        self.feature.begin(root)
    }

    fn facts_suffice(&self) -> bool {
        self.feature.facts_suffice()
    }

    fn quantize(&self) -> Option<QuantizedMeasure<'m>> {
        let [low, high] = self.function.feature.range;
        let [least, most] = self.function.rewards.map(f64::from);
        let steepness = if high > low { (most - least - 2.0).max(0.0) / (high - low) } else { 0.0 };
        let (function, feature) = (self.function.clone(), self.feature.quantize()?);
        let lanes = feature.lanes.map(steepness, move |value| function.scaled(value));
        let measure =
            Box::new(BoundScaledFeature { function: self.function.clone(), feature: feature.measure });
        Some(QuantizedMeasure { measure, lanes })
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        self.feature.reads()
    }
}
