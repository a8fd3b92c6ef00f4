//! All evaluation functions of a game.

use crate::feature::Feature;
use crate::machine::Machine;
use crate::simulate::{Budget, Context};
use crate::structure::finding::Structures;

use super::function::{Function, Kind};
use super::fuzzy::FuzzyParameters;
use super::kinds::KINDS;
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
    /// How much may be played to learn from: its most steps, threads and work; seeds and counts are parameters.
    pub budget: &'a Budget,
    /// The caller's side of that.
    pub context: Context<'a>,
}

/// What they are tuned by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Of fuzzy goal functions.
    pub fuzzy: FuzzyParameters,
    /// Of statistical functions.
    pub statistical: StatisticalParameters,
}

/// Evaluation functions of a game, and what was left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Functions {
    /// The functions: by kind, then role, then feature.
    pub list: Vec<Function>,
    /// Sentences that name what could not be made, with the reason.
    pub notes: Vec<String>,
}

/// Makes every evaluation function of a game. One that can't be made is noted; the others are not affected.
pub fn functions(build_context: &BuildContext<'_>, parameters: &Parameters) -> Functions {
    functions_of(build_context, parameters, &|_| true)
}

/// The same of some kinds alone.
pub fn functions_of(
    build_context: &BuildContext<'_>,
    parameters: &Parameters,
    wanted: &dyn Fn(Kind) -> bool,
) -> Functions {
    let mut made = Functions::default();
    KINDS
        .iter()
        .filter(|entry| wanted(entry.kind()))
        .for_each(|entry| entry.make(build_context, parameters, &mut made));
    made
}
