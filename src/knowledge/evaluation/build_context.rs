//! What evaluation functions are made from, what they are tuned by, and the list that comes of it.

use crate::feature::Feature;
use crate::machine::{Machine, State};
use crate::simulate::{Budget, Context};
use crate::structure::finding::Structures;

use super::attainable::KnownGoals;
use super::function::Function;
use super::fuzzy::FuzzyParameters;
use super::learned::{LearnedParameters, LearningRound};
use super::novelty::NoveltySince;
use super::statistical::StatisticalParameters;

/// What evaluation functions are made from.
#[derive(Clone, Copy)]
pub struct BuildContext<'a> {
    /// The game.
    pub machine: &'a dyn Machine,
    /// What it is made of.
    pub structures: &'a Structures,
    /// Its features.
    pub features: &'a [Feature],
    /// What is known of its goal values.
    pub goals: &'a KnownGoals,
    /// States after each number of joint moves on a way to a goal value that random play did not reach; empty where there is none.
    /// Half of the games that functions are learned from begin there.
    pub way: &'a [State],
    /// Bytes that the instances may hold which fuzzy functions are made from.
    pub memory: usize,
    /// The most steps of the machine that a value of a fuzzy function may cost.
    pub value_steps: f64,
    /// How much may be played to learn from: its most steps, threads and work; seeds and counts are parameters.
    pub budget: &'a Budget,
    /// The caller's side of that.
    pub context: Context<'a>,
    /// Hears of every round of learning.
    pub on_round: Option<&'a (dyn Fn(&LearningRound) + Sync)>,
}

/// What the rules say of goal values, and no more.
static NOTHING: KnownGoals = KnownGoals { unattainable: Vec::new(), seen: Vec::new() };

impl<'a> BuildContext<'a> {
    /// Nothing known of goal values but the rules, a gibibyte for instances, values that cost what they cost, nothing that interrupts.
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
            way: &[],
            memory: 1 << 30,
            value_steps: f64::INFINITY,
            budget,
            context,
            on_round: None,
        }
    }
}

/// What they are tuned by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parameters {
    /// What functions of novelty compare a state with.
    pub novelty: NoveltySince,
    /// Of fuzzy goal functions.
    pub fuzzy: FuzzyParameters,
    /// Of statistical functions.
    pub statistical: StatisticalParameters,
    /// Of learned functions.
    pub learned: LearnedParameters,
}

/// Evaluation functions of a game, and what was left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Functions {
    /// The functions: by kind, then role, then feature.
    pub list: Vec<Function>,
    /// Sentences that name what could not be made, with the reason.
    pub notes: Vec<String>,
    /// Functions that were left out as their values cost too much, with what they cost.
    pub too_expensive: Vec<String>,
}
