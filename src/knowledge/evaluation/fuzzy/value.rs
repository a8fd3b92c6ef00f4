//! The value of a state for a role, from all its goal values and the terminal condition.
//!
//! # How
//! h(z) = ⊕ over the goal values gv of h(gv, z) · gv/100, where ⊕ is a + b - ab.
//! - If goal(gv) holds in z, the end is desirable: h(gv, z) = eval(goal(gv) ∨ terminal, z).
//! - Otherwise the end is undesirable: h(gv, z) = eval(goal(gv) ∧ ¬terminal, z).
//!
//! Goal values that provably no terminal state gives are omitted. In zero-sum games of two teams, the log odds of the
//! value are the log odds of the role's h minus those of the opponents' h.
//!
//! # Guarantee
//! Values are in 0..=1, in single precision (see `evaluator`); 1 only if a goal of 100 holds with a value of 1. A value
//! depends only on the state. Renaming symbols does not change it; reordering rules changes only the last bits.
//!
//! # Source
//! Schiffel and Thielscher 2007. Differences: the goals of opponents, the omitted goal values, and the factor before
//! the sum (see `docs/fuzzy.md`).

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::datalog::Exceeded;
use crate::feature::{Measure, QuantizedMeasure, ValuedState};
use crate::machine::lanes::value::LaneValue;
use crate::machine::{FluentId, Machine};
use crate::structure::finding::Structures;

use super::bind_error::BindError;
use super::evaluator::Evaluator;
use super::evaluator::demand::Roots;
use super::explain::{Explained, explain};
use super::formula::{Formula, Goal};
use super::limits::UnrollLimits;
use super::mention::Mention;
use super::parameters::{FuzzyParameters, ParameterError};
use super::unroll::{FuzzyMaker, Lifted};

/// A fuzzy goal function with all its data, so that a document can store it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FuzzyFunction {
    /// The role, as in the rules.
    pub role: String,
    /// The parameters.
    pub parameters: FuzzyParameters,
    /// The node of the terminal condition.
    pub terminal: Mention,
    /// Goal values, from 1 to 100, each with its node. A goal value of 0 does not change a value.
    pub goals: Vec<Goal>,
    /// The goal values of the opponents, which count against the role.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<Goal>,
    /// Relations that are not unrolled, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lifted: Vec<Lifted>,
    /// The graph of formulas.
    pub formula: Formula,
}

/// The reason why a fuzzy goal function can't be made.
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
    /// The game does not have the role.
    #[error("the game has no role `{role}`; it has {known}")]
    UnknownRole {
        /// The role.
        role: String,
        /// The roles of the game.
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

    /// The function of a role, with a maker for several roles.
    ///
    /// # Errors
    /// A parameter is outside its range, or it is interrupted.
    pub fn by(
        maker: &mut FuzzyMaker<'_>,
        role: usize,
        parameters: FuzzyParameters,
    ) -> Result<FuzzyFunction, FuzzyError> {
        parameters.validate()?;
        let conditions = maker.unroll(role, &|value| (1..=100).contains(&value), &parameters)?;
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

    /// Checks the function and prepares it for a machine.
    ///
    /// # Errors
    /// A part is invalid or does not fit the game.
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
        let roots = Roots { values: &[], goals: [&self.goals, &self.against], terminal: Some(self.terminal) };
        let evaluator = Evaluator::of(machine, &self.formula, &roots, &self.parameters)?;
        Ok(BoundFuzzy { function: self.clone(), machine, evaluator })
    }
}

/// A fuzzy goal function that is prepared for a machine.
pub struct BoundFuzzy<'m> {
    function: FuzzyFunction,
    machine: &'m dyn Machine,
    evaluator: Evaluator<'m>,
}

/// The parts of a state's value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// The value of the state, 0 to 1.
    pub value: f64,
    /// The value of the terminal condition.
    pub terminal: Explained,
    /// The contribution of each goal value.
    pub goals: Vec<GoalExplanation>,
    /// The contribution of each of the opponents' goal values, which lowers the value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<GoalExplanation>,
}

/// The contribution of a goal value to a state's value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GoalExplanation {
    /// The goal value.
    pub goal: i32,
    /// Whether it holds; if so, the end of the game is desirable.
    pub holds: bool,
    /// h(gv, z): the value of its condition combined with the terminal condition.
    pub coupled: f64,
    /// Its term of the sum: h(gv, z) · gv/100.
    pub contribution: f64,
    /// The value of its condition, part by part.
    pub condition: Explained,
}

impl<'m> BoundFuzzy<'m> {
    /// The function.
    pub fn function(&self) -> &FuzzyFunction {
        &self.function
    }

    /// An evaluator of these nodes.
    fn of_nodes(&self, position: &ValuedState<'_>, roots: &[Mention]) -> Evaluator<'m> {
        let FuzzyFunction { formula, parameters, .. } = &self.function;
        let evaluator = Evaluator::new(self.machine, formula, roots, *parameters);
        let mut evaluator = evaluator.expect("the same formula was bound before");
        evaluator.update(position.facts);
        evaluator
    }

    /// The values of the end and of every goal's condition in a state.
    pub fn conditions(&mut self, position: &ValuedState<'_>) -> (f64, Vec<(i32, f64)>) {
        let FuzzyFunction { goals, terminal, .. } = &self.function;
        let roots: Vec<Mention> = goals.iter().map(|goal| goal.condition).chain([*terminal]).collect();
        let evaluator = self.of_nodes(position, &roots);
        let shown = |mention| evaluator.read(mention)[1];
        (shown(*terminal), goals.iter().map(|goal| (goal.value, shown(goal.condition))).collect())
    }

    /// Rows that lifted rules derived so far.
    pub(super) fn work_of_rules(&self) -> u64 {
        self.evaluator.derived()
    }

    /// Nodes computed so far.
    pub fn work(&self) -> u64 {
        self.evaluator.work()
    }

    /// Explains the value of a state: parts down to a depth, each with at most `members` of its members.
    pub fn explain(&mut self, position: &ValuedState<'_>, depth: usize, members: usize) -> Explanation {
        let value = self.value(position);
        let function = &self.function;
        let all: Vec<Mention> = (1..=function.formula.nodes.len() as Mention).collect();
        let evaluator = self.of_nodes(position, &all);
        let part = |mention| explain(&function.formula, &evaluator, mention, depth, members);
        let explained = |goal: &Goal| {
            let condition = goal.condition;
            let coupled = evaluator.coupled(condition, function.terminal);
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

impl<'m> Measure<'m> for BoundFuzzy<'m> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.evaluator.value_at(position.facts)
    }

    fn quantize(&self) -> Option<QuantizedMeasure<'m>> {
        let (blocks, evaluator) = (self.evaluator.blocks()?, self.evaluator.fresh()?);
        let measure = Box::new(BoundFuzzy { function: self.function.clone(), evaluator, ..*self });
        Some(QuantizedMeasure { measure, lanes: LaneValue::of_blocks(Arc::new(blocks), 0.0) })
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
