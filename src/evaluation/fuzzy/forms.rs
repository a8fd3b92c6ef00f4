//! The form of a function whose values tell states apart: the first of some that does.
//!
//! Conditions may be made of nothing but facts that come with the end: a thing picked up, a piece that stands nowhere
//! before, a cell that no distance leads to. Such a function is the same in every state of a few random playouts, and is
//! made anew so that these facts look back through the rules of moves (see `regression`).

use crate::feature::{Facts, Measure, ValuedState};
use crate::machine::Machine;
use crate::structure::finding::Structures;

use super::limits::UnrollLimits;
use super::parameters::FuzzyParameters;
use super::random_walk::walk;
use super::value::{FuzzyError, FuzzyFunction};

/// A function whose values lie closer together than this tells no states apart.
const LIVE: f64 = 0.001;

/// Playouts, and states of them, that are looked at.
const PLAYOUTS: u64 = 30;
const STATES: usize = 1_000;
/// Rows that lifted rules may derive meanwhile.
const ROWS: u64 = 2_000_000;

/// Steps that facts look back where nothing else tells states apart.
const STEPS: [u64; 2] = [3, 6];

/// A formula with more mentions of nodes is not made anew.
const MENTIONS: usize = 20_000;

impl FuzzyFunction {
    /// The function of a role (counted from 0) in the first form that tells states apart, with a sentence where it is not
    /// the one that was asked for.
    ///
    /// # Errors
    /// Those of [`FuzzyFunction::new`].
    pub fn telling(
        machine: &dyn Machine,
        structures: &Structures,
        role: usize,
        parameters: FuzzyParameters,
        limits: &UnrollLimits,
    ) -> Result<(FuzzyFunction, Option<String>), FuzzyError> {
        let make = |parameters| FuzzyFunction::new(machine, structures, role, parameters, limits);
        let plain = make(parameters)?;
        let flat = spread(machine, &plain)?;
        if flat >= LIVE || parameters.regression > 0 || plain.goals.is_empty() {
            return Ok((plain, None));
        }
        let mentions: usize = plain.formula.nodes.iter().map(|node| node.mentions().count()).sum();
        let steps = if mentions > MENTIONS { &[][..] } else { &STEPS };
        let mut best: Option<(f64, u64, FuzzyFunction)> = None;
        for &regression in steps {
            let other = make(FuzzyParameters { regression, ..parameters })?;
            let wide = spread(machine, &other)?;
            if best.as_ref().is_none_or(|(most, ..)| wide > *most) {
                best = Some((wide, regression, other));
            }
            if wide >= LIVE {
                break;
            }
        }
        Ok(match best {
            Some((wide, steps, function)) if wide > flat => {
                let note = format!(
                    "its values lie within {flat:.1e}; with facts that look back {steps} steps through the rules of moves \
                     within {wide:.1e}"
                );
                (function, Some(note))
            }
            _ => (plain, Some(format!("its values lie within {flat:.1e} and tell no states apart"))),
        })
    }
}

/// How far apart the values of a function lie in states of a few random playouts that are not terminal, after as many
/// steps, as a counter alone tells no states apart; no further than matters.
fn spread(machine: &dyn Machine, function: &FuzzyFunction) -> Result<f64, FuzzyError> {
    let mut bound = function.bind(machine)?;
    let mut facts = Facts::new(machine);
    // By step the least value and the greatest.
    let mut ends: Vec<[f64; 2]> = Vec::new();
    let (mut step, mut states, mut wide) = (0, 0, 0.0_f64);
    walk(machine, PLAYOUTS, &mut |cursor, first| {
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
        states += 1;
        wide < LIVE && states < STATES && bound.work_of_rules() < ROWS
    });
    Ok(wide)
}
