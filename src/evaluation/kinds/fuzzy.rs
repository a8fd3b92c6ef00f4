//! # What it does
//! Values a state by how far it fulfils the conditions of a role's goals, as a number from 0 to 1.
//!
//! # How
//! The rules of goals and the end are instantiated to formulas over fluents, which are valued by t-norms under a
//! threshold; comparisons, boards and quantities by distances. `docs/fuzzy.md` has the formulas.
//!
//! # Guarantee
//! A condition that holds is worth at least the threshold, one that does not at most one less the threshold.
//!
//! # Cost
//! What changes from state to state: tens of nanoseconds for each node of the formula whose sum changes.
//!
//! # Example
//! Tic-tac-toe, `fuzzy.crosses`: the middle is worth 0.4886 at the first move, a corner 0.4857, a side 0.4828.
//!
//! # Source
//! Schiffel and Thielscher, "Fluxplayer: A Successful General Game Player", AAAI 2007.

use crate::catalog::{CatalogEntry, OptionEntry, OptionValues};
use crate::datalog::Interrupt;

use super::super::build_context::{BuildContext, Functions, Parameters};
use super::super::function::Function;
use super::super::fuzzy::{FuzzyFunction, FuzzyParameters, UnrollLimits};
use super::super::kind::Kind;
use super::{FunctionKind, WrongOption};

/// Goal conditions in fuzzy logic.
pub(super) struct Fuzzy;

impl CatalogEntry for Fuzzy {
    fn name(&self) -> &'static str {
        Kind::Fuzzy.name()
    }

    fn title(&self) -> &'static str {
        "Goal conditions in fuzzy logic"
    }

    fn source(&self) -> &'static str {
        "Schiffel and Thielscher 2007"
    }

    fn text(&self) -> &'static str {
        include_str!("fuzzy.rs")
    }

    fn options(&self) -> Vec<OptionEntry> {
        FuzzyParameters::options()
    }
}

impl FunctionKind for Fuzzy {
    fn kind(&self) -> Kind {
        Kind::Fuzzy
    }

    fn is_made_of_features(&self) -> bool {
        false
    }

    fn set(&self, given: &OptionValues, parameters: &mut Parameters) -> Result<(), WrongOption> {
        parameters.fuzzy = FuzzyParameters::of(given);
        Ok(parameters.fuzzy.validate()?)
    }

    fn make(&self, material: &BuildContext<'_>, parameters: &Parameters, made: &mut Functions) {
        let &BuildContext { machine, structures, context, memory, .. } = material;
        let interrupt = Interrupt::of(context.interrupt);
        let limits = UnrollLimits { interrupt, bytes: memory, ..UnrollLimits::default() };
        for (number, &role) in machine.description().roles.iter().enumerate() {
            match FuzzyFunction::telling(machine, structures, number, parameters.fuzzy, &limits) {
                Ok((function, note)) => {
                    let role = machine.term_text(role);
                    made.notes.extend(note.map(|note| format!("fuzzy.{role}: {note}")));
                    made.list.push(Function::Fuzzy(function));
                }
                Err(error) => {
                    let role = machine.term_text(role);
                    made.notes.push(format!("no fuzzy goal function for {role}: {error}"));
                }
            }
        }
    }
}
