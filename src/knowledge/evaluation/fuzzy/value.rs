//! The value of a state for a role: all goal values together, with the end coupled in.
//!
//! # What it does
//! Says how far a state fulfils the conditions of a role's goals, in 0..=1.
//!
//! # How
//! h(z) = ⊕ over the goal values gv of h(gv, z) · gv/100, where ⊕ is a + b - ab, and with the end as `terminal`
//! - h(gv, z) = eval(goal(gv) ∨ terminal, z) where goal(gv) holds: now the end is wanted,
//! - h(gv, z) = eval(goal(gv) ∧ ¬terminal, z) where it does not: until then the end is to be avoided.
//!
//! Goal values that are proved to be given at no end are left out; one that random play never gave stays, as it may be the
//! one to be looked for.
//!
//! Where there are two teams and what one gets the other does not, the value is that with the
//! difference of the log odds of h of the role and h of the opponents.
//!
//! # Guarantee
//! In 0..=1; 1 only where a goal of 100 holds with a value of 1. The value depends on the state alone. Symbols'
//! names and the order of rules change no bit of it.
//!
//! # Cost
//! What changed since the last state, see `evaluate`.
//!
//! # Example
//! Tic-tac-toe's first moves rank the centre before a corner before a side.
//!
//! # Source
//! Schiffel and Thielscher 2007. Its formula is a picture in the lectures; their text says that ⊕ is the product
//! t-conorm over all goal values and what the two cases are for. A factor 1/Σgv is remembered before the sum; it
//! changes no order of states, and would keep a won state far below 1, so it is left out here.
//! Departures: goal values that no end gives, and the goals of opponents, which they don't take in
//! (`reports/telling/README.md` has what these and the strict norm changed together).

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::datalog::Exceeded;
use crate::feature::{Measure, Quantized, ValuedState};
use crate::machine::lanes::value::LaneValue;
use crate::machine::{FluentId, Machine};
use crate::structure::finding::Structures;

use super::bind_error::BindError;
use super::block::{ERROR, FuzzyBlocks, SingleState};
use super::evaluate::Evaluator;
use super::explain::{Explained, explain};
use super::formula::{Formula, Mention};
use super::limits::UnrollLimits;
use super::norm::Norm;
use super::parameters::{FuzzyParameters, ParameterError};
use super::unroll::{FuzzyMaker, Lifted};

/// A fuzzy goal function: complete in itself, so that a document can carry it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FuzzyFunction {
    /// The role whose goals they are, as the rules write it.
    pub role: String,
    /// The parameters.
    pub parameters: FuzzyParameters,
    /// The node of the end.
    pub terminal: Mention,
    /// Goal values, from 1 to 100, each with its node; 0 adds nothing to a value.
    pub goals: Vec<Goal>,
    /// Those of the opponents, which count against the role.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<Goal>,
    /// Relations that are not unrolled, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lifted: Vec<Lifted>,
    /// The graph of formulas.
    pub formula: Formula,
}

/// A goal value and the node of its condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// The value, 1 to 100.
    pub value: i32,
    /// The node.
    pub condition: Mention,
}

/// Why a fuzzy goal function can't be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FuzzyError {
    /// The parameters.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    /// Unrolling the conditions was interrupted.
    #[error("the conditions can't be unrolled: {0}")]
    Unroll(#[from] Exceeded),
    /// The formula does not fit the game.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The role is none of the game's.
    #[error("the game has no role `{role}`; it has {known}")]
    UnknownRole {
        /// The role.
        role: String,
        /// Those that it has.
        known: String,
    },
    /// A goal value outside its range, or twice.
    #[error("{0} can't be a goal value here: they go from 1 to 100, ascending, each once")]
    GoalValue(i32),
}

impl FuzzyFunction {
    /// The function of a role (counted from 0).
    ///
    /// # Errors
    /// A parameter is outside its range, or it is interrupted.
    pub fn new(
        machine: &dyn Machine,
        structures: &Structures,
        role: usize,
        parameters: FuzzyParameters,
        limits: &UnrollLimits,
    ) -> Result<FuzzyFunction, FuzzyError> {
        FuzzyFunction::by(&mut FuzzyMaker::new(machine, structures, limits.clone()), role, parameters)
    }

    /// The same by what unrolls conditions of several roles.
    ///
    /// # Errors
    /// A parameter is outside its range, or it is interrupted.
    pub fn by(
        maker: &mut FuzzyMaker<'_>,
        role: usize,
        parameters: FuzzyParameters,
    ) -> Result<FuzzyFunction, FuzzyError> {
        parameters.validate()?;
        let wanted = |value: i32| (1..=100).contains(&value);
        let conditions = maker.unroll(role, &wanted, &parameters)?;
        let description = maker.machine.description();
        Ok(FuzzyFunction {
            role: description.term(description.roles[role]),
            parameters,
            terminal: conditions.terminal,
            goals: conditions.goals,
            against: conditions.against,
            lifted: conditions.lifted,
            formula: conditions.formula,
        })
    }

    /// Makes it ready for a machine, after checking every part.
    ///
    /// # Errors
    /// A part does not fit the game, or is no part of such a function.
    pub fn bind<'m>(&self, machine: &'m dyn Machine) -> Result<BoundFuzzy<'m>, FuzzyError> {
        self.parameters.validate()?;
        let description = machine.description();
        let roles: Vec<String> = description.roles.iter().map(|&role| description.term(role)).collect();
        if !roles.contains(&self.role) {
            return Err(FuzzyError::UnknownRole { role: self.role.clone(), known: roles.join(", ") });
        }
        for goals in [&self.goals, &self.against] {
            let mut last = 0;
            for goal in goals {
                if goal.value <= last || goal.value > 100 {
                    return Err(FuzzyError::GoalValue(goal.value));
                }
                last = goal.value;
            }
        }
        let mut roots = vec![self.terminal];
        roots.extend(self.goals.iter().chain(&self.against).map(|goal| goal.condition));
        let evaluator = Evaluator::new(machine, &self.formula, &roots, self.parameters)?;
        Ok(BoundFuzzy { function: self.clone(), evaluator })
    }
}

/// A fuzzy goal function made ready for a machine.
pub struct BoundFuzzy<'m> {
    function: FuzzyFunction,
    evaluator: Evaluator<'m>,
}

/// What a state's value is made of.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// The value of the state, 0 to 1.
    pub value: f64,
    /// The value of the end.
    pub terminal: Explained,
    /// What each goal value adds.
    pub goals: Vec<GoalExplanation>,
    /// What each of the opponents' takes away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<GoalExplanation>,
}

/// What a goal value adds to a state's value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GoalExplanation {
    /// The goal value.
    pub goal: i32,
    /// Whether it holds: then the end is wanted, else it is to be avoided.
    pub holds: bool,
    /// h(gv, z): its condition with the end coupled in.
    pub coupled: f64,
    /// What it brings to the sum: h(gv, z) · gv/100.
    pub contribution: f64,
    /// The value of its condition, part by part.
    pub condition: Explained,
}

impl BoundFuzzy<'_> {
    /// The function.
    pub fn function(&self) -> &FuzzyFunction {
        &self.function
    }

    /// The values of the end and of every goal's condition at a state.
    pub fn conditions(&mut self, position: &ValuedState<'_>) -> (f64, Vec<(i32, f64)>) {
        self.evaluator.update(position.facts);
        let shown = |mention| self.evaluator.shown(&self.evaluator.graded(mention));
        let goals = self.function.goals.iter().map(|goal| (goal.value, shown(goal.condition)));
        (shown(self.function.terminal), goals.collect())
    }

    /// Rows that lifted rules derived so far.
    pub(super) fn work_of_rules(&self) -> u64 {
        self.evaluator.derived()
    }

    /// Work so far, in nodes that were found and computed one by one.
    pub fn work(&self) -> u64 {
        self.evaluator.work()
    }

    /// What the value of a state is made of, down to a depth and with at most so many members listed a part.
    pub fn explain(&mut self, position: &ValuedState<'_>, depth: usize, members: usize) -> Explanation {
        let value = self.exact_value(position);
        let (function, evaluator) = (&self.function, &self.evaluator);
        let part = |mention| explain(&function.formula, evaluator, mention, depth, members);
        let explained = |goal: &Goal| {
            let condition = goal.condition;
            let coupled = coupled(&function.parameters, evaluator, condition, function.terminal);
            GoalExplanation {
                goal: goal.value,
                holds: evaluator.holds(condition),
                coupled,
                contribution: coupled * f64::from(goal.value) / 100.0,
                condition: part(condition),
            }
        };
        Explanation {
            value,
            terminal: part(function.terminal),
            goals: function.goals.iter().map(explained).collect(),
            against: function.against.iter().map(explained).collect(),
        }
    }
}

impl BoundFuzzy<'_> {
    /// The value of a state in double precision.
    fn exact_value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.evaluator.update(position.facts);
        let own = self.together(&self.function.goals);
        match self.function.against.is_empty() {
            true => own,
            false => ahead(self.function.parameters.norm, own, self.together(&self.function.against)),
        }
    }

    /// Some goal values together: ⊕ of h(gv, z) · gv/100.
    fn together(&self, goals: &[Goal]) -> f64 {
        let FuzzyFunction { parameters, terminal, .. } = &self.function;
        goals.iter().fold(0.0, |sum, goal| {
            let more = coupled(parameters, &self.evaluator, goal.condition, *terminal)
                * f64::from(goal.value)
                / 100.0;
            sum + more - sum * more
        })
    }
}

/// How far one value is ahead of another: the share that has the difference of their log odds, 1/2 where they are equal.
/// Norms that are cut give 0, whose odds would hide the other value: half the difference, from 1/2.
fn ahead(norm: Norm, own: f64, other: f64) -> f64 {
    if norm != Norm::Strict {
        return 0.5 + (own - other) / 2.0;
    }
    let (first, second) = (own * (1.0 - other), other * (1.0 - own));
    if first + second > 0.0 { first / (first + second) } else { 0.5 }
}

/// h(gv, z).
fn coupled(parameters: &FuzzyParameters, evaluator: &Evaluator<'_>, goal: Mention, terminal: Mention) -> f64 {
    let FuzzyParameters { norm, threshold, .. } = *parameters;
    if norm == Norm::Strict {
        let (of_goal, of_end) = (evaluator.graded(goal), evaluator.graded(terminal));
        let coupled = match of_goal.holds() {
            true => evaluator.both(&of_goal.negated(), &of_end.negated()).negated(),
            false => evaluator.both(&of_goal, &of_end.negated()),
        };
        return evaluator.shown(&coupled);
    }
    let (of_goal, of_end) = (evaluator.value(goal), evaluator.value(terminal));
    if of_goal > 0.5 {
        norm.disjunction_of_two(of_goal, of_end, threshold)
    } else {
        norm.conjunction_of_two(of_goal, 1.0 - of_end, threshold)
    }
}

impl<'m> Measure<'m> for BoundFuzzy<'m> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.exact_value(position)
    }

    fn quantize(&self) -> Option<Quantized<'m>> {
        let blocks = FuzzyBlocks::new(&self.function, &self.evaluator)?;
        let measure = Box::new(InSinglePrecision { single: blocks.single(), reads: self.evaluator.reads() });
        Some(Quantized { measure, lanes: LaneValue::of_blocks(Arc::new(blocks), ERROR) })
    }

    fn facts_suffice(&self) -> bool {
        true
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        self.evaluator.reads()
    }

    fn work(&self) -> u64 {
        self.evaluator.derived()
    }
}

/// A fuzzy goal function in the precision of lanes, one state at a time.
struct InSinglePrecision {
    single: SingleState,
    reads: Option<Vec<FluentId>>,
}

impl<'m> Measure<'m> for InSinglePrecision {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.single.value(position.facts)
    }

    fn facts_suffice(&self) -> bool {
        true
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        self.reads.clone()
    }
}
