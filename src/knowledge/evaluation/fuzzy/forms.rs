//! The form of a function whose values tell states apart: the first of some that does.
//!
//! Conditions may be made of nothing but facts that come with the end: a thing picked up, a piece that stands nowhere
//! before, a cell that no distance leads to. Such a function is the same in every state of a few random playouts, and is
//! made anew so that these facts look back through the rules of moves (see `regression`).

use crate::datalog::Interrupt;
use crate::feature::{Facts, Measure, ValuedState};
use crate::machine::Machine;

use super::parameters::FuzzyParameters;
use super::random_walk::walk;
use super::unroll::FuzzyMaker;
use super::value::{FuzzyError, FuzzyFunction};

/// A function whose values lie closer together than this tells no states apart.
const LIVE: f64 = 0.001;

/// A spread below this does not justify a larger formula.
const FAINT: f64 = 1e-5;

/// Playouts, and states of them, that are looked at.
const PLAYOUTS: u64 = 30;
const STATES: usize = 1_000;
/// Rows that lifted rules may derive meanwhile.
const ROWS: u64 = 2_000_000;

/// Steps that facts look back where nothing else tells states apart.
const STEPS: [u64; 2] = [3, 6];

/// A formula with more mentions of nodes looks back one step at most.
const MENTIONS: usize = 20_000;

impl FuzzyFunction {
    /// The function of a role (counted from 0) in the first form that tells states apart, with a sentence where it is not
    /// the one that was asked for.
    ///
    /// # Errors
    /// Those of [`FuzzyFunction::new`].
    pub fn telling(
        maker: &mut FuzzyMaker<'_>,
        role: usize,
        parameters: FuzzyParameters,
    ) -> Result<(FuzzyFunction, Option<String>), FuzzyError> {
        let (machine, interrupt) = (maker.machine, maker.limits.interrupt.clone());
        let plain = FuzzyFunction::by(maker, role, parameters)?;
        let flat = spread(machine, &plain, &interrupt)?;
        if flat.of_a_step >= LIVE || parameters.regression > 0 || plain.goals.is_empty() {
            return Ok((plain, None));
        }
        let mentions: usize = plain.formula.nodes.iter().map(|node| node.mentions().len()).sum();
        // Of a large one, looking back one step.
        let steps = if mentions > MENTIONS { &[1][..] } else { &STEPS };
        let mut best: Option<(Spread, u64, FuzzyFunction)> = None;
        for &regression in steps {
            let other = FuzzyFunction::by(maker, role, FuzzyParameters { regression, ..parameters })?;
            let wide = spread(machine, &other, &interrupt)?;
            if best.as_ref().is_none_or(|(most, ..)| wide.more_than(most)) {
                best = Some((wide, regression, other));
            }
            if wide.of_a_step >= LIVE {
                break;
            }
        }
        Ok(match best {
            Some((wide, steps, function)) if wide.more_than(&flat) => {
                let wide = wide.of_a_step;
                let alike = match flat.of_a_step {
                    0.0 => "are the same".to_owned(),
                    flat => format!("lie within {flat:.1e}"),
                };
                let wide = match wide {
                    0.0 => "they still are the same".to_owned(),
                    wide => format!("they lie within {wide:.1e}"),
                };
                let note = format!(
                    "among states after the same number of steps its values {alike}; with facts that look back {steps} \
                     steps through the rules of moves {wide}"
                );
                (function, Some(note))
            }
            _ => {
                let note = match flat.of_a_step {
                    0.0 if flat.of_all >= FAINT => {
                        "its values depend on the number of steps alone".to_owned()
                    }
                    0.0 => "its values are the same in all states that were compared".to_owned(),
                    flat => format!(
                        "among states after the same number of steps its values lie within {flat:.1e}: it hardly distinguishes them"
                    ),
                };
                (plain, Some(note))
            }
        })
    }

    /// Whether its values in states after as many steps of random play differ by more than a thousandth.
    pub fn tells_states_apart(&self, maker: &FuzzyMaker<'_>) -> bool {
        let spread = spread(maker.machine, self, &maker.limits.interrupt);
        spread.is_ok_and(|spread| spread.of_a_step >= LIVE)
    }

    /// The same looking back fewer steps, the most first, and `least` at last; those that can't be made are left out.
    pub fn shorter(&self, maker: &mut FuzzyMaker<'_>, least: u64) -> Vec<FuzzyFunction> {
        let description = maker.machine.description();
        let Some(role) = description.roles.iter().position(|&role| description.term(role) == self.role)
        else {
            return Vec::new();
        };
        let mut make = |regression| {
            let parameters = FuzzyParameters { regression, ..self.parameters };
            FuzzyFunction::by(maker, role, parameters).ok()
        };
        (least..self.parameters.regression).rev().filter_map(&mut make).collect()
    }
}

/// How far apart the values of a function lie.
#[derive(Clone, Copy)]
struct Spread {
    /// Of states after as many steps: a counter alone tells no states apart.
    of_a_step: f64,
    /// Of all states.
    of_all: f64,
}

impl Spread {
    /// Whether the function distinguishes states better than another one: its spread within a step is larger, or equal with a
    /// larger spread over all states; and one of the two is at least `FAINT`.
    fn more_than(&self, other: &Spread) -> bool {
        let key = |of: &Spread| (of.of_a_step.min(LIVE), of.of_all);
        key(self) > key(other) && self.of_all.max(self.of_a_step) >= FAINT
    }
}

/// How far apart the values of a function lie in states of a few random playouts that are not terminal; no further than
/// matters.
fn spread(
    machine: &dyn Machine,
    function: &FuzzyFunction,
    interrupt: &Interrupt,
) -> Result<Spread, FuzzyError> {
    let mut bound = function.bind(machine)?;
    let mut facts = Facts::new(machine);
    // By step the least value and the greatest.
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
        wide < LIVE && states < STATES && bound.work_of_rules() < ROWS
    });
    Ok(Spread { of_a_step: wide, of_all: (all[1] - all[0]).max(0.0) })
}
