//! All evaluation functions of a game.

use crate::feature::Feature;
use crate::machine::Machine;
use crate::structure::finding::Structures;

use super::function::Function;
use super::fuzzy::{FuzzyFunction, FuzzyParameters, UnrollLimits};
use super::kuhlmann;

/// What evaluation functions are made from.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// The game.
    pub machine: &'a dyn Machine,
    /// What it is made of.
    pub structures: &'a Structures,
    /// Its features.
    pub features: &'a [Feature],
}

/// What they are tuned by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Of fuzzy goal functions.
    pub fuzzy: FuzzyParameters,
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
    let &Material { machine, structures, features } = material;
    let mut made = Functions::default();
    let scaled = kuhlmann::functions(machine, features);
    made.list.extend(scaled.into_iter().map(Function::Feature));
    for (number, &role) in machine.description().roles.iter().enumerate() {
        let limits = UnrollLimits::default();
        match FuzzyFunction::new(machine, structures, number, parameters.fuzzy, &limits) {
            Ok(function) => made.list.push(Function::Fuzzy(function)),
            Err(error) => {
                let role = machine.term_text(role);
                made.notes.push(format!("no fuzzy goal function for {role}: {error}"));
            }
        }
    }
    made.list.sort_by_key(Function::kind);
    made
}
