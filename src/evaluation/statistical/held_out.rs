//! Whether components beyond the facts of a state make a function foretell more.
//!
//! Twice a function is learned from one half of the sequences with such components and without, and held against the labels
//! of the other half. They are kept where both halves together say that they help.

use crate::feature::{
    Feature, FluentIndex, Measure, RoleGoals, ValuedState, Valuer, measured_within, sequence_statistics,
};
use crate::simulate::{Sequence, Watch};

use super::function::StatisticalFunction;
use super::learn::{LearnError, select};
use super::parameters::StatisticalParameters;

/// The fewest sequences that can be halved.
const FEWEST: usize = 100;

/// What components that count solutions of what rules derive, or of joins, are worth to the function of a role: for each
/// role the mean correlation without and with them; none where that can't be told.
pub(super) fn correlations(
    fluent_index: &FluentIndex<'_>,
    candidates: &[Feature],
    sequences: &[Sequence],
    labels: &[RoleGoals],
    (parameters, threads): (&StatisticalParameters, usize),
    watch: &Watch<'_>,
) -> Result<Vec<Option<[f64; 2]>>, LearnError> {
    let machine = fluent_index.machine();
    let roles = machine.description().roles.len();
    let mut sums = vec![Some([0.0; 2]); roles];
    if sequences.len() < FEWEST {
        return Ok(vec![None; roles]);
    }
    let half = sequences.len() / 2;
    let halves = [(&sequences[..half], &labels[..half]), (&sequences[half..], &labels[half..])];
    let quotas = [0, parameters.derived];
    for (of, other) in [(0, 1), (1, 0)] {
        let (learned, goals) = halves[of];
        let (measured, _) = measured_within(fluent_index, candidates, learned, goals, threads, watch)?;
        let mut functions = Vec::with_capacity(2 * roles);
        for role in 0..roles {
            for derived in quotas {
                let parameters = StatisticalParameters { derived, ..*parameters };
                let (terms, candidates) = select(&measured, role, &parameters);
                functions.push(StatisticalFunction {
                    role: machine.term_text(machine.description().roles[role]),
                    parameters,
                    sequences: learned.len() as u64,
                    playouts: 0,
                    constant: 0.0,
                    scale: 1.0,
                    candidates,
                    terms,
                    held_out: None,
                });
            }
        }
        let bind = || -> Result<Bound<'_>, LearnError> {
            let bound = functions.iter().map(|function| function.bind(machine));
            Ok(Bound(bound.collect::<Result<_, _>>()?))
        };
        let (states, goals) = halves[other];
        let found = sequence_statistics(machine, states, goals, threads, watch, bind)?;
        for (role, sum) in sums.iter_mut().enumerate() {
            let correlation = |place: usize| found.list[2 * role + place].correlation(role, "").correlation;
            // A function of no components is a constant, which goes with nothing.
            let without = correlation(0).or_else(|| functions[2 * role].terms.is_empty().then_some(0.0));
            *sum = sum
                .zip(without.zip(correlation(1)))
                .map(|(sum, (without, with))| [sum[0] + without / 2.0, sum[1] + with / 2.0]);
        }
    }
    Ok(sums)
}

/// Functions of roles, two each, ready for a machine.
struct Bound<'m>(Vec<Box<dyn Measure + 'm>>);

impl Valuer for Bound<'_> {
    fn width(&self) -> usize {
        self.0.len()
    }

    fn role(&self, number: usize) -> Option<usize> {
        Some(number / 2)
    }

    fn values(&mut self, position: &ValuedState<'_>, values: &mut Vec<f64>) {
        values.clear();
        values.extend(self.0.iter_mut().map(|measure| measure.value(position)));
    }
}
