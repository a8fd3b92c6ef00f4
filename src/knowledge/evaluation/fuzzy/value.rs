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
//! In 0..=1, in single precision (see `evaluator`); 1 only where a goal of 100 holds with a value of 1. The value depends on the
//! state alone. Symbols' names change no bit of it, the order of rules only the last ones.
//!
//! # Cost
//! What changed since the last state, or the whole formula where that is most of it; see `evaluator`.
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
        let roots = Roots { values: &[], goals: [&self.goals, &self.against], terminal: Some(self.terminal) };
        let evaluator = Evaluator::of(machine, &self.formula, &roots, &self.parameters)?;
        Ok(BoundFuzzy { function: self.clone(), machine, evaluator })
    }
}

/// A fuzzy goal function made ready for a machine.
pub struct BoundFuzzy<'m> {
    function: FuzzyFunction,
    machine: &'m dyn Machine,
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

impl<'m> BoundFuzzy<'m> {
    /// The function.
    pub fn function(&self) -> &FuzzyFunction {
        &self.function
    }

    /// An evaluator that gives the value of each of these nodes at a state.
    fn of_nodes(&self, position: &ValuedState<'_>, roots: &[Mention]) -> Evaluator<'m> {
        let FuzzyFunction { formula, parameters, .. } = &self.function;
        let made = Evaluator::new(self.machine, formula, roots, *parameters);
        let mut evaluator = made.expect("the same formula was bound before");
        evaluator.update(position.facts);
        evaluator
    }

    /// The values of the end and of every goal's condition at a state.
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

    /// Work so far, in nodes that were found and computed one by one.
    pub fn work(&self) -> u64 {
        self.evaluator.work()
    }

    /// What the value of a state is made of, down to a depth and with at most so many members listed a part.
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
        let (blocks, evaluator) = (self.evaluator.blocks()?, self.evaluator.again()?);
        let measure = Box::new(InLanes(evaluator));
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

/// A fuzzy goal function whose values lanes compute, for single states.
struct InLanes<'m>(Evaluator<'m>);

impl<'m> Measure<'m> for InLanes<'m> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.0.value_at(position.facts)
    }

    fn facts_suffice(&self) -> bool {
        true
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        self.0.reads()
    }
}
