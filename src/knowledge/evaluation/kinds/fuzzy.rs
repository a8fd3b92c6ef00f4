//! # What it does
//! Measures, from 0 to 1, how close the conditions of a role's goals are to being true.
//!
//! # How
//! The rules for `goal` and `terminal` are instantiated to formulas over fluents. T-norms with a threshold combine
//! the values of conditions. Comparisons, boards and quantities are evaluated by distances. `docs/fuzzy.md` has the
//! formulas.
//!
//! # Guarantee
//! A condition that holds has at least the threshold as its value; one that does not hold has at most 1 minus the
//! threshold.
//!
//! # Cost
//! Tens of nanoseconds for each node of the formula whose value changes from state to state.
//!
//! # Example
//! Tic-tac-toe, `fuzzy.crosses`: at the first move, a mark in the middle has the value 0.518, in a corner 0.514, and on
//! a side 0.5093.
//!
//! # Source
//! Schiffel and Thielscher, "Fluxplayer: A Successful General Game Player", AAAI 2007.

use crate::catalog::{CatalogEntry, OptionEntry, OptionValues};
use crate::datalog::Interrupt;

use super::super::build_context::{BuildContext, Functions, Parameters};
use super::super::function::Function;
use super::super::fuzzy::{
    FuzzyFunction, FuzzyMaker, FuzzyParameters, UnrollLimits, distinguishes_states, make_distinguishing,
    with_fewer_steps,
};
use super::super::kind::Kind;
use super::super::value_cost::StepCost;
use super::{FunctionKind, OptionConflict};

/// The kind of fuzzy functions.
pub(super) struct FuzzyKind;

impl CatalogEntry for FuzzyKind {
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

impl FunctionKind for FuzzyKind {
    fn kind(&self) -> Kind {
        Kind::Fuzzy
    }

    fn is_made_of_features(&self) -> bool {
        false
    }

    fn set(&self, given: &OptionValues, parameters: &mut Parameters) -> Result<(), OptionConflict> {
        parameters.fuzzy = FuzzyParameters::of(given);
        Ok(parameters.fuzzy.validate()?)
    }

    fn make(&self, build: &BuildContext<'_>, parameters: &Parameters, functions: &mut Functions) {
        let &BuildContext { machine, structures, context, memory, value_steps, .. } = build;
        let interrupt = Interrupt::of(context.interrupt);
        let limits = UnrollLimits { interrupt, bytes: memory, ..UnrollLimits::default() };
        let roles = 0..machine.description().roles.len();
        let unattainable = roles.map(|role| build.goals.unattainable(machine, role).to_vec());
        let mut maker = FuzzyMaker::new(machine, structures, limits).without(unattainable.collect());
        // If the game allows no step, a note of random play already reports it.
        let cost = match value_steps {
            f64::INFINITY => None,
            _ => StepCost::new(machine, context.interrupt).ok().flatten(),
        };
        for number in machine.description().players() {
            let role = machine.description().roles[number];
            match make_distinguishing(&mut maker, number, parameters.fuzzy) {
                Ok((function, note)) => {
                    let role = machine.term_text(role);
                    functions.notes.extend(note.map(|note| format!("fuzzy.{role}: {note}")));
                    let min_unrolling = parameters.fuzzy.regression;
                    let result = match &cost {
                        Some(cost) => affordable(function, &mut maker, min_unrolling, cost, value_steps),
                        None => Ok(function),
                    };
                    match result {
                        Ok(function) => functions.list.push(Function::Fuzzy(function)),
                        Err(steps) => {
                            functions.too_expensive.push(format!("fuzzy.{role} ({steps:.0} steps)"))
                        }
                    }
                }
                Err(error) => {
                    let role = machine.term_text(role);
                    functions.notes.push(format!("no fuzzy function for {role}: {error}"));
                }
            }
        }
    }
}

/// The limit of cost is raised by this factor if no cheaper function distinguishes states.
const EXCEPTION: f64 = 10.0;

/// Returns the function if a value costs at most `value_steps` steps of the game, otherwise a version that is unrolled
/// less. If neither is cheap enough, the error is the cost of the function in steps.
fn affordable(
    function: FuzzyFunction,
    maker: &mut FuzzyMaker<'_>,
    min_unrolling: u64,
    cost: &StepCost<'_>,
    value_steps: f64,
) -> Result<FuzzyFunction, f64> {
    let max_steps =
        if function.parameters.regression > min_unrolling { EXCEPTION * value_steps } else { value_steps };
    let Some(steps) = cost.of(&function, max_steps).filter(|&steps| steps > value_steps) else {
        return Ok(function);
    };
    let mut indistinct = None;
    for cheaper in with_fewer_steps(&function, maker, min_unrolling) {
        if cost.of(&cheaper, value_steps).is_some_and(|steps| steps <= value_steps) {
            if distinguishes_states(&cheaper, maker) {
                return Ok(cheaper);
            }
            indistinct = indistinct.or(Some(cheaper));
        }
    }
    // Unrolling was needed to distinguish states, so the higher limit applies.
    if steps <= max_steps { Ok(function) } else { indistinct.ok_or(steps) }
}
