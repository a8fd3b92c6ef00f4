//! All evaluation functions of a game.

use crate::datalog::Interrupt;
use crate::feature::Feature;
use crate::machine::Machine;
use crate::simulate::{Budget, Context};
use crate::structure::finding::Structures;

use super::function::{Function, Kind};
use super::fuzzy::{FuzzyFunction, FuzzyParameters, UnrollLimits};
use super::kuhlmann;
use super::statistical::{self, StatisticalParameters};

/// What evaluation functions are made from.
#[derive(Clone, Copy)]
pub struct Material<'a> {
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
pub fn functions(material: &Material<'_>, parameters: &Parameters) -> Functions {
    functions_of(material, parameters, &|_| true)
}

/// The same of some kinds alone.
pub fn functions_of(
    material: &Material<'_>,
    parameters: &Parameters,
    wanted: &dyn Fn(Kind) -> bool,
) -> Functions {
    let &Material { machine, structures, features, budget, context } = material;
    let mut made = Functions::default();
    let scaled = kuhlmann::functions(machine, features);
    made.list.extend(scaled.into_iter().map(Function::Feature));
    made.list.retain(|function| wanted(function.kind()));
    let roles = machine.description().roles.iter().enumerate();
    for (number, &role) in roles.filter(|_| wanted(Kind::Fuzzy)) {
        let limits = UnrollLimits { interrupt: Interrupt::of(context.interrupt), ..UnrollLimits::default() };
        match FuzzyFunction::new(machine, structures, number, parameters.fuzzy, &limits) {
            Ok(function) => made.list.push(Function::Fuzzy(function)),
            Err(error) => {
                let role = machine.term_text(role);
                made.notes.push(format!("no fuzzy goal function for {role}: {error}"));
            }
        }
    }
    let learn = || statistical::functions(machine, features, &parameters.statistical, budget, &context);
    match wanted(Kind::Statistical).then(learn) {
        Some(Ok(learned)) => {
            made.list.extend(learned.functions.into_iter().map(Function::Statistical));
            made.notes.extend(learned.notes);
        }
        Some(Err(error)) => made.notes.push(format!("no statistical functions: {error}")),
        None => {}
    }
    made.list.sort_by_key(Function::kind);
    made
}
