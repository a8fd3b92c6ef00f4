//! The inputs and parameters from which evaluation functions are made, and the resulting list.

use crate::feature::Feature;
use crate::machine::{Machine, State};
use crate::simulate::{Budget, Context};
use crate::structure::finding::Structures;

use super::attainable_goals::GoalEvidence;
use super::function::Function;
use super::fuzzy::FuzzyParameters;
use super::learned::{LearnedParameters, LearningRound};
use super::novelty::NoveltySince;
use super::statistical::StatisticalParameters;

/// The inputs from which evaluation functions are made.
#[derive(Clone, Copy)]
pub struct BuildContext<'a> {
    /// The game.
    pub machine: &'a dyn Machine,
    /// The findings about the game.
    pub structures: &'a Structures,
    /// Its features.
    pub features: &'a [Feature],
    /// Information on attainable goal values.
    pub goals: &'a GoalEvidence,
    /// The states of a plan to a goal value that random play did not reach, in order; empty if there is no plan. Half
    /// of the games that functions are learned from begin at one of them.
    pub plan_states: &'a [State],
    /// The most memory for the instances of rules that fuzzy functions are made from, in bytes.
    pub memory: usize,
    /// The most that a value of a fuzzy function may cost, in steps of the machine.
    pub value_steps: f64,
    /// Limits of the playouts to learn from: steps, threads and work. Seeds and counts are parameters.
    pub budget: &'a Budget,
    /// Interrupt and progress for these playouts.
    pub context: Context<'a>,
    /// Called after every round of learning.
    pub on_round: Option<&'a (dyn Fn(&LearningRound) + Sync)>,
}

/// No information but the rules.
static NOTHING: GoalEvidence = GoalEvidence { unattainable: Vec::new(), seen: Vec::new() };

impl<'a> BuildContext<'a> {
    /// A context without information on goal values, with a gibibyte for instances, no limit on the cost of values,
    /// and no interrupt.
    pub fn new(
        machine: &'a dyn Machine,
        structures: &'a Structures,
        features: &'a [Feature],
        budget: &'a Budget,
    ) -> BuildContext<'a> {
        let context = Context::default();
        BuildContext {
            machine,
            structures,
            features,
            goals: &NOTHING,
            plan_states: &[],
            memory: 1 << 30,
            value_steps: f64::INFINITY,
            budget,
            context,
            on_round: None,
        }
    }
}

/// The parameters of all kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parameters {
    /// The reference state of novelty functions.
    pub novelty: NoveltySince,
    /// Parameters of fuzzy functions.
    pub fuzzy: FuzzyParameters,
    /// Parameters of statistical functions.
    pub statistical: StatisticalParameters,
    /// Parameters of learned functions.
    pub learned: LearnedParameters,
}

/// The evaluation functions of a game, and notes on what was left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Functions {
    /// The functions: by kind, then role, then feature.
    pub list: Vec<Function>,
    /// Sentences that name functions that could not be made, with the reason.
    pub notes: Vec<String>,
    /// Functions that were left out because their values cost too much, with the cost.
    pub too_expensive: Vec<String>,
}
