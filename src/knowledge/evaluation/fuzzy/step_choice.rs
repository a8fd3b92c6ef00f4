//! Chooses the number of steps that fluents look back, so that a function distinguishes states.
//!
//! Conditions may consist only of fluents that change just before the end, such as a captured flag, or a cell to which
//! no distance is defined. The value of such a function is the same in all states of a few random playouts. Then the
//! function is made again with fluents that look back through the rules of moves (see `regression`).

use crate::datalog::Interrupt;
use crate::feature::{Facts, Measure, ValuedState};
use crate::gdl::term::TermId;
use crate::machine::Machine;

use super::parameters::FuzzyParameters;
use super::random_walk::walk;
use super::unroll::FuzzyMaker;
use super::value::{FuzzyError, FuzzyFunction};

/// A function with a smaller range of values does not distinguish states.
const DISTINCT: f64 = 0.001;

/// A range of values below this does not justify a larger formula.
const FAINT: f64 = 1e-5;

const PLAYOUTS: u64 = 30;
const STATES: usize = 1_000;
/// Rows that lifted rules may derive in these states.
const ROWS: u64 = 2_000_000;

/// The numbers of steps back that are tried.
const STEPS: [u64; 2] = [3, 6];

/// A formula with more mentions of nodes looks back at most one step.
const MENTIONS: usize = 20_000;

/// Makes the function of a role (counted from 0) with the fewest steps with which it distinguishes states. A note
/// explains the choice if it is not the number of steps of `parameters`, or if the function hardly distinguishes
/// states.
///
/// # Errors
/// Those of [`FuzzyFunction::new`].
pub fn make_distinguishing(
    maker: &mut FuzzyMaker<'_>,
    role: usize,
    parameters: FuzzyParameters,
) -> Result<(FuzzyFunction, Option<String>), FuzzyError> {
    let (machine, interrupt) = (maker.machine, maker.limits.interrupt.clone());
    let plain = FuzzyFunction::by(maker, role, parameters)?;
    let flat = spread(machine, &plain, &interrupt)?;
    if flat.of_a_step >= DISTINCT || parameters.regression > 0 || plain.goals.is_empty() {
        return Ok((plain, None));
    }
    let mentions: usize = plain.formula.nodes.iter().map(|node| node.mentions().len()).sum();
    let steps = if mentions > MENTIONS { &[1][..] } else { &STEPS };
    let mut best: Option<(Spread, u64, FuzzyFunction)> = None;
    for &regression in steps {
        let other = FuzzyFunction::by(maker, role, FuzzyParameters { regression, ..parameters })?;
        let wide = spread(machine, &other, &interrupt)?;
        if best.as_ref().is_none_or(|(most, ..)| wide.more_than(most)) {
            best = Some((wide, regression, other));
        }
        if wide.of_a_step >= DISTINCT {
            break;
        }
    }
    let scope = "among states after the same number of steps its values";
    let (function, note) = match best {
        Some((wide, steps, function)) if wide.more_than(&flat) => {
            let alike = match flat.of_a_step {
                0.0 => "are the same".to_owned(),
                flat => format!("lie within {flat:.1e}"),
            };
            let wide = match wide.of_a_step {
                0.0 => "they still are the same".to_owned(),
                wide => format!("they lie within {wide:.1e}"),
            };
            let back = format!("with facts that look back {steps} steps through the rules of moves");
            (function, format!("{scope} {alike}; {back} {wide}"))
        }
        _ => {
            let note = match flat.of_a_step {
                0.0 if flat.of_all >= FAINT => "its values depend on the number of steps alone".to_owned(),
                0.0 => "its values are the same in all states that were compared".to_owned(),
                flat => format!("{scope} lie within {flat:.1e}: it hardly distinguishes them"),
            };
            (plain, note)
        }
    };
    Ok((function, Some(note)))
}

/// Whether the values of a function differ by more than a thousandth among states after the same number of random
/// steps.
pub fn distinguishes_states(function: &FuzzyFunction, maker: &FuzzyMaker<'_>) -> bool {
    let spread = spread(maker.machine, function, &maker.limits.interrupt);
    spread.is_ok_and(|spread| spread.of_a_step >= DISTINCT)
}

/// The same function with fewer steps back, down to `least`; those that can't be made are omitted.
pub fn with_fewer_steps(
    function: &FuzzyFunction,
    maker: &mut FuzzyMaker<'_>,
    least: u64,
) -> Vec<FuzzyFunction> {
    let description = maker.machine.description();
    let is_its = |&role: &TermId| description.term(role) == function.role;
    let Some(role) = description.roles.iter().position(is_its) else { return Vec::new() };
    let make = |regression| {
        FuzzyFunction::by(maker, role, FuzzyParameters { regression, ..function.parameters }).ok()
    };
    (least..function.parameters.regression).rev().filter_map(make).collect()
}

/// The range of a function's values.
#[derive(Clone, Copy)]
struct Spread {
    /// The range among states after the same number of steps, so that a step counter alone does not count.
    of_a_step: f64,
    /// The range among all states.
    of_all: f64,
}

impl Spread {
    /// Whether the function distinguishes states better than another one: its spread within a step is larger, or equal
    /// with a larger spread over all states; and one of the two is at least `FAINT`.
    fn more_than(&self, other: &Spread) -> bool {
        let key = |of: &Spread| (of.of_a_step.min(DISTINCT), of.of_all);
        key(self) > key(other) && self.of_all.max(self.of_a_step) >= FAINT
    }
}

/// The range of a function's values in the states before the end of a few random playouts. It stops at [`DISTINCT`].
fn spread(
    machine: &dyn Machine,
    function: &FuzzyFunction,
    interrupt: &Interrupt,
) -> Result<Spread, FuzzyError> {
    let mut bound = function.bind(machine)?;
    let mut facts = Facts::new(machine);
    // The least and the greatest value of each step.
    let mut ends: Vec<[f64; 2]> = Vec::new();
    let (mut step, mut states, mut wide) = (0, 0, 0.0_f64);
    let mut all = [f64::INFINITY, f64::NEG_INFINITY];
    walk(machine, PLAYOUTS, interrupt, &mut |cursor, first| {
        step = if first { 0 } else { step + 1 };
        if cursor.terminal() {
            return true;
        }
        facts.fill(machine, cursor.state());
        let value = bound.value(&ValuedState { facts: &facts, view: cursor });
        if ends.len() <= step {
            ends.resize(step + 1, [value; 2]);
        }
        let [least, most] = ends[step];
        ends[step] = [least.min(value), most.max(value)];
        wide = wide.max(ends[step][1] - ends[step][0]);
        all = [all[0].min(value), all[1].max(value)];
        states += 1;
        wide < DISTINCT && states < STATES && bound.work_of_rules() < ROWS
    });
    Ok(Spread { of_a_step: wide, of_all: (all[1] - all[0]).max(0.0) })
}
