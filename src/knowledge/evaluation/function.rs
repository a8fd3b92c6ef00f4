//! Evaluation functions of all kinds, with all data that a document needs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::feature::{FeatureError, Measure, Spec};
use crate::machine::Machine;

use super::formula;
use super::fuzzy::{FuzzyError, FuzzyFunction};
use super::kind::Kind;
use super::learned::{LearnedError, LearnedFunction};
use super::scaled_feature::ScaledFeature;
use super::statistical::{StatisticalError, StatisticalFunction};

/// An evaluation function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Function {
    /// One feature, scaled to the role's goal values.
    Feature(ScaledFeature),
    /// Goal conditions in fuzzy logic.
    Fuzzy(FuzzyFunction),
    /// A weighted sum of features, learned from random play.
    Statistical(StatisticalFunction),
    /// Weighted conjunctions of facts, learned from self-play.
    Learned(LearnedFunction),
}

/// The reason why an evaluation function can't be used with a game.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FunctionError {
    /// A feature does not fit the game.
    #[error(transparent)]
    Feature(#[from] FeatureError),
    /// The fuzzy function does not fit the game.
    #[error(transparent)]
    Fuzzy(#[from] FuzzyError),
    /// The statistical function does not fit the game.
    #[error(transparent)]
    Statistical(#[from] StatisticalError),
    /// The learned function does not fit the game.
    #[error(transparent)]
    Learned(#[from] LearnedError),
}

impl Function {
    /// The kind of the function.
    pub fn kind(&self) -> Kind {
        match self {
            // Hand-written documents may use a feature of any family.
            Function::Feature(scaled) => Kind::of(scaled.feature.family).unwrap_or(Kind::Kuhlmann),
            Function::Fuzzy(_) => Kind::Fuzzy,
            Function::Statistical(_) => Kind::Statistical,
            Function::Learned(_) => Kind::Learned,
        }
    }

    /// The role whose goal value is estimated.
    pub fn role(&self) -> &str {
        match self {
            Function::Feature(scaled) => &scaled.role,
            Function::Fuzzy(fuzzy) => &fuzzy.role,
            Function::Statistical(statistical) => &statistical.role,
            Function::Learned(learned) => &learned.role,
        }
    }

    /// The name, unique among the functions of a game; the same rules give the same names.
    pub fn id(&self) -> String {
        match self {
            Function::Feature(scaled) => format!("{}.{}", self.kind(), scaled.id()),
            Function::Fuzzy(fuzzy) => format!("fuzzy.{}", fuzzy.role),
            Function::Statistical(statistical) => format!("statistical.{}", statistical.role),
            Function::Learned(learned) => format!("learned.{}", learned.role),
        }
    }

    /// The least and the greatest value that the function can have.
    pub fn range(&self) -> [f64; 2] {
        match self {
            Function::Feature(scaled) => scaled.range(),
            Function::Fuzzy(_) => [0.0, 1.0],
            Function::Statistical(statistical) => statistical.range(),
            Function::Learned(learned) => learned.range(),
        }
    }

    /// A goal value on the scale of the function's values: 0 to 1 for fuzzy functions, otherwise unchanged.
    pub fn of_goal(&self, goal: f64) -> f64 {
        match self {
            Function::Fuzzy(_) => goal / 100.0,
            Function::Feature(_) | Function::Statistical(_) | Function::Learned(_) => goal,
        }
    }

    /// The function as a formula in KIF terms.
    pub fn formula(&self) -> String {
        match self {
            Function::Feature(scaled) => scaled.formula(),
            Function::Fuzzy(fuzzy) => formula::of_fuzzy(fuzzy),
            Function::Statistical(statistical) => statistical.formula(),
            Function::Learned(learned) => learned.formula(),
        }
    }

    /// The parameters that it was made with, by name.
    pub fn parameters(&self) -> Map<String, Value> {
        let value = match self {
            Function::Feature(scaled) => json!({ "aim": scaled.aim }),
            Function::Fuzzy(fuzzy) => json!(fuzzy.parameters),
            Function::Statistical(statistical) => json!(statistical.parameters),
            Function::Learned(learned) => json!(learned.parameters),
        };
        match value {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }

    /// The least and the greatest goal value that its values are scaled to; none for fuzzy functions without them.
    pub fn rewards(&self) -> Option<[i32; 2]> {
        match self {
            Function::Feature(scaled) => Some(scaled.rewards),
            Function::Learned(learned) => Some(learned.rewards),
            Function::Fuzzy(_) | Function::Statistical(_) => None,
        }
    }

    /// The features that it uses.
    pub fn specs(&self) -> Vec<&Spec> {
        match self {
            Function::Feature(scaled) => vec![&scaled.feature.spec],
            Function::Fuzzy(_) | Function::Learned(_) => Vec::new(),
            Function::Statistical(statistical) => {
                statistical.terms.iter().map(|term| &term.feature.spec).collect()
            }
        }
    }

    /// Whether values depend on the state from which a search began, so that the search has to report it.
    pub fn is_since_root(&self) -> bool {
        self.specs().into_iter().any(Spec::is_since_root)
    }

    /// Checks everything that needs no machine.
    ///
    /// # Errors
    /// A part of the function is invalid.
    pub fn validate(&self) -> Result<(), FunctionError> {
        match self {
            Function::Feature(scaled) => scaled.validate()?,
            Function::Fuzzy(fuzzy) => fuzzy.parameters.validate().map_err(FuzzyError::from)?,
            Function::Statistical(statistical) => statistical.validate()?,
            Function::Learned(learned) => learned.validate()?,
        }
        Ok(())
    }

    /// Makes the function runnable on a machine.
    ///
    /// # Errors
    /// A part of it does not fit the game.
    pub fn bind<'m>(&self, machine: &'m dyn Machine) -> Result<Box<dyn Measure<'m> + 'm>, FunctionError> {
        Ok(match self {
            Function::Feature(scaled) => scaled.bind(machine)?,
            Function::Fuzzy(fuzzy) => Box::new(fuzzy.bind(machine)?),
            Function::Statistical(statistical) => statistical.bind(machine)?,
            Function::Learned(learned) => Box::new(learned.bind(machine)?),
        })
    }
}
