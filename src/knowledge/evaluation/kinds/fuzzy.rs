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

    fn make(&self, material: &BuildContext<'_>, parameters: &Parameters, made: &mut Functions) {
        let &BuildContext { machine, structures, context, memory, value_steps, .. } = material;
        let interrupt = Interrupt::of(context.interrupt);
        let limits = UnrollLimits { interrupt, bytes: memory, ..UnrollLimits::default() };
        let roles = 0..machine.description().roles.len();
        let unattainable = roles.map(|role| material.goals.unattainable(machine, role).to_vec());
        let mut maker = FuzzyMaker::new(machine, structures, limits).without(unattainable.collect());
        // If no step can be made, a note of random play has already said so.
        let cost = match value_steps {
            f64::INFINITY => None,
            _ => StepCost::new(machine, context.interrupt).ok().flatten(),
        };
        for number in machine.description().players() {
            let role = machine.description().roles[number];
            match make_distinguishing(&mut maker, number, parameters.fuzzy) {
                Ok((function, note)) => {
                    let role = machine.term_text(role);
                    made.notes.extend(note.map(|note| format!("fuzzy.{role}: {note}")));
                    let least = parameters.fuzzy.regression;
                    let found = match &cost {
                        Some(cost) => affordable(function, &mut maker, least, cost, value_steps),
                        None => Ok(function),
                    };
                    match found {
                        Ok(function) => made.list.push(Function::Fuzzy(function)),
                        Err(steps) => made.too_expensive.push(format!("fuzzy.{role} ({steps:.0} steps)")),
                    }
                }
                Err(error) => {
                    let role = machine.term_text(role);
                    made.notes.push(format!("no fuzzy function for {role}: {error}"));
                }
            }
        }
    }
}

/// The limit of cost is raised by this factor if no cheaper function distinguishes states.
const EXCEPTION: f64 = 10.0;

/// The function if its values cost at most `value_steps`, otherwise a version that is unrolled less. If neither is
/// cheap enough, returns the cost in steps.
fn affordable(
    function: FuzzyFunction,
    maker: &mut FuzzyMaker<'_>,
    least: u64,
    cost: &StepCost<'_>,
    most: f64,
) -> Result<FuzzyFunction, f64> {
    let dearest = if function.parameters.regression > least { EXCEPTION * most } else { most };
    let Some(steps) = cost.of(&function, dearest).filter(|&steps| steps > most) else { return Ok(function) };
    let mut flat = None;
    for other in with_fewer_steps(&function, maker, least) {
        if cost.of(&other, most).is_some_and(|steps| steps <= most) {
            if distinguishes_states(&other, maker) {
                return Ok(other);
            }
            flat = flat.or(Some(other));
        }
    }
    // Unrolling was needed to distinguish states, so the higher limit applies.
    if steps <= dearest { Ok(function) } else { flat.ok_or(steps) }
}
