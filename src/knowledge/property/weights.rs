//! Integer weights of facts whose sum grows in every given change, by a linear program.
//!
//! With fewer parameters, fewer changes are needed, and the weights fit unseen changes better. So the
//! weight of a fact is first a sum over its arguments, then over pairs of arguments, and finally each fact
//! has its own weight. Weights with the least absolute sum are chosen: they are small, and most are 0.
//!
//! # Source
//! Ranking functions by linear programs: Podelski and Rybalchenko 2004.

use std::time::Duration;

use microlp::{ComparisonOp, OptimizationDirection, Problem, Solution, TerminationReason};
use rustc_hash::{FxHashMap, FxHashSet};

use super::solver::Allowance;
use crate::ground::Network;
use crate::ground::network::Fluent;

/// A change: facts, by their bits, that appear (1) or disappear (-1), ascending.
pub(super) type Change = Vec<(u32, i8)>;

/// Maximum number of parameters.
const MAX_PARAMETERS: usize = 500;

/// Maximum number of changes in a linear program; each is a row.
const MAX_ROWS: usize = 400;

/// Maximum number of rows that are added to a program in a round.
const ROWS_PER_ROUND: usize = 60;

/// Maximum number of rounds.
const MAX_ROUNDS: usize = 12;

/// The product of nonzero coefficients and rows that costs as much as one propagated literal.
const CELLS_PER_LITERAL: u64 = 20;

/// Weights are rounded to fractions with denominators up to this.
const MAX_DENOMINATOR: i64 = 12;

/// Maximum absolute weight.
const MAX_WEIGHT: i64 = 1_000;

/// Time between two checks of the interrupt while a linear program is solved.
const SLICE: Duration = Duration::from_millis(25);

/// Maximum number of these slices. The limit ends a program that cycles; programs of the size above take a hundredth of
/// it.
const MAX_SLICES: u32 = 800;

/// The parameters of a fact's weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WeightTemplate {
    /// One for its relation, and one for each argument.
    Arguments,
    /// Also one for each pair of arguments.
    Pairs,
    /// One for the fact itself.
    Facts,
}

impl WeightTemplate {
    pub(super) const ALL: [WeightTemplate; 3] =
        [WeightTemplate::Arguments, WeightTemplate::Pairs, WeightTemplate::Facts];
}

/// For each bit of a network, the parameters whose sum is its weight.
pub(super) struct WeightParameters {
    of_bit: Vec<Vec<u32>>,
    count: usize,
}

impl WeightParameters {
    /// The parameters of a template; none if there are more than [`MAX_PARAMETERS`]. Bits that don't change have none.
    pub(super) fn of(
        network: &Network,
        shape: WeightTemplate,
        changing: &[bool],
    ) -> Option<WeightParameters> {
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut of_bit = Vec::with_capacity(network.bits.len());
        for (&fluent, &changes) in network.bits.iter().zip(changing) {
            let mut own = Vec::new();
            if changes {
                for part in parts(&network.fluents[fluent as usize], shape, of_bit.len()) {
                    let next = known.len() as u32;
                    own.push(*known.entry(part).or_insert(next));
                }
            }
            if known.len() > MAX_PARAMETERS {
                return None;
            }
            of_bit.push(own);
        }
        Some(WeightParameters { of_bit, count: known.len() })
    }

    /// The coefficient of each parameter in a change.
    fn row(&self, change: &Change) -> Vec<(u32, i32)> {
        let mut row: Vec<(u32, i32)> = Vec::new();
        for &(bit, sign) in change {
            row.extend(self.of_bit[bit as usize].iter().map(|&number| (number, i32::from(sign))));
        }
        row.sort_unstable_by_key(|&(number, _)| number);
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        row.retain(|&(_, times)| times != 0);
        row
    }

    /// Weights for all bits whose sum grows by at least 1 in every change; none if there are no such
    /// weights.
    pub(super) fn weights(&self, changes: &[Change], allowance: &Allowance) -> Option<Vec<i64>> {
        let mut known = FxHashSet::default();
        let mut rows = Vec::new();
        // Later changes, which are counterexamples, constrain weights most.
        for change in changes.iter().rev() {
            let entries: usize = change.iter().map(|&(bit, _)| self.of_bit[bit as usize].len()).sum();
            allowance.spend((change.len() + entries) as u64 / 4 + 2);
            if allowance.is_over() {
                return None;
            }
            let row = self.row(change);
            let back: Vec<(u32, i32)> = row.iter().map(|&(number, times)| (number, -times)).collect();
            // A change without an effect, or with its opposite among the changes, excludes any growing sum.
            if known.contains(&back) || row.is_empty() {
                return None;
            }
            if known.insert(row.clone()) {
                rows.push(row);
            }
        }
        let mut used: Vec<usize> = (0..rows.len().min(ROWS_PER_ROUND)).collect();
        let entries: usize = rows.iter().map(Vec::len).sum();
        for _ in 0..MAX_ROUNDS {
            allowance.spend(entries as u64 / CELLS_PER_LITERAL);
            let numbers = self.program(&rows, &used, allowance)?;
            // The most violated rows are added.
            let mut broken: Vec<(i64, usize)> = Vec::new();
            for (index, row) in rows.iter().enumerate() {
                let sum: f64 =
                    row.iter().map(|&(number, times)| numbers[number as usize] * f64::from(times)).sum();
                if sum < 1.0 - 1e-6 {
                    broken.push(((sum * 1e6) as i64, index));
                }
            }
            if broken.is_empty() {
                return self.integer_weights(&numbers, &rows);
            }
            broken.sort_unstable();
            used.extend(broken.iter().take(ROWS_PER_ROUND).map(|&(_, index)| index));
            if used.len() > MAX_ROWS {
                return None;
            }
        }
        None
    }

    /// The parameters with the least absolute sum for which every row is at least 1.
    fn program(&self, rows: &[Vec<(u32, i32)>], used: &[usize], allowance: &Allowance) -> Option<Vec<f64>> {
        let cells: usize = used.iter().map(|&index| rows[index].len()).sum();
        allowance.spend((cells + 2 * self.count) as u64 * used.len() as u64 / CELLS_PER_LITERAL);
        if allowance.is_over() {
            return None;
        }
        if used.is_empty() {
            return Some(vec![0.0; self.count]);
        }
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let variables: Vec<_> = (0..self.count)
            .map(|_| [(); 2].map(|()| problem.add_var(1.0, (0.0, MAX_WEIGHT as f64))))
            .collect();
        for &index in used {
            let signed = rows[index].iter().flat_map(|&(number, times)| {
                let [more, less] = variables[number as usize];
                [(more, f64::from(times)), (less, -f64::from(times))]
            });
            problem.add_constraint(signed.collect::<Vec<_>>(), ComparisonOp::Ge, 1.0);
        }
        let solution = solve_in_slices(problem, SLICE, &|| allowance.is_interrupted())?;
        Some(
            variables
                .iter()
                .map(|&[more, less]| solution.var_value(more) - solution.var_value(less))
                .collect(),
        )
    }

    /// Integer weights for the bits, in the greatest unit for which every row is positive.
    fn integer_weights(&self, numbers: &[f64], rows: &[Vec<(u32, i32)>]) -> Option<Vec<i64>> {
        (1..=MAX_DENOMINATOR).find_map(|parts| {
            let rounded: Vec<i64> =
                numbers.iter().map(|number| (number * parts as f64).round() as i64).collect();
            let sum = |row: &Vec<(u32, i32)>| -> i64 {
                row.iter().map(|&(number, times)| rounded[number as usize] * i64::from(times)).sum()
            };
            if !rows.iter().all(|row| sum(row) >= 1) {
                return None;
            }
            let mut weights: Vec<i64> = self
                .of_bit
                .iter()
                .map(|own| own.iter().map(|&number| rounded[number as usize]).sum())
                .collect();
            let divisor =
                weights.iter().fold(0, |divisor, &weight| greatest_common_divisor(divisor, weight)).max(1);
            weights.iter_mut().for_each(|weight| *weight /= divisor);
            weights.iter().all(|weight: &i64| weight.abs() <= MAX_WEIGHT).then_some(weights)
        })
    }
}

/// The solution of a program, computed in slices of time; none if there is none, or if it was ended between
/// two slices.
fn solve_in_slices(mut problem: Problem, slice: Duration, ended: &dyn Fn() -> bool) -> Option<Solution> {
    problem.set_time_limit(slice);
    let mut outcome = problem.solve().ok()?;
    for _ in 0..MAX_SLICES {
        match outcome.termination_reason() {
            TerminationReason::ProvenOptimal => return outcome.into_solution().ok(),
            TerminationReason::TimeLimit if !ended() => outcome = outcome.resume().ok()?,
            _ => return None,
        }
    }
    None
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { greatest_common_divisor(b, a % b) }
}

/// The keys of a fact's parameters.
fn parts(fluent: &Fluent, shape: WeightTemplate, bit: usize) -> Vec<Vec<u32>> {
    if shape == WeightTemplate::Facts {
        return vec![vec![bit as u32]];
    }
    let arguments = &fluent.arguments;
    let relation = [fluent.functor.0, arguments.len() as u32];
    let mut parts = vec![relation.to_vec()];
    for (index, argument) in arguments.iter().enumerate() {
        parts.push(relation.into_iter().chain([index as u32, argument.0]).collect());
        if shape == WeightTemplate::Pairs {
            for (other, second) in arguments.iter().enumerate().skip(index + 1) {
                let pair = [index as u32, argument.0, other as u32, second.0];
                parts.push(relation.into_iter().chain(pair).collect());
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Choices;

    /// A linear program like those for weights, with changes of four facts each; hidden weights satisfy all
    /// rows.
    fn program(numbers: usize, changes: usize) -> (Problem, Vec<microlp::Variable>) {
        let mut choices = Choices::new(7, 0);
        let weights: Vec<i64> = (0..numbers).map(|_| choices.below(9) as i64 - 4).collect();
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let variables: Vec<_> =
            (0..2 * numbers).map(|_| problem.add_var(1.0, (0.0, MAX_WEIGHT as f64))).collect();
        let mut made = 0;
        while made < changes {
            // One from each quarter, so that all are distinct.
            let quarter = numbers / 4;
            let facts: [(usize, i64); 4] = std::array::from_fn(|place| {
                (place * quarter + choices.below(quarter), 1 - 2 * choices.below(2) as i64)
            });
            if facts.iter().map(|&(fact, sign)| weights[fact] * sign).sum::<i64>() < 1 {
                continue;
            }
            let row = facts.iter().flat_map(|&(fact, sign)| {
                [(variables[2 * fact], sign as f64), (variables[2 * fact + 1], -sign as f64)]
            });
            problem.add_constraint(row.collect::<Vec<_>>(), ComparisonOp::Ge, 1.0);
            made += 1;
        }
        (problem, variables)
    }

    #[test]
    fn time_slices_keep_the_solution_and_allow_interrupts() {
        let values = |slice: Duration| -> Vec<f64> {
            let (problem, variables) = program(120, 300);
            let solution = solve_in_slices(problem, slice, &|| false).expect("there are such weights");
            variables.iter().map(|&variable| solution.var_value(variable)).collect()
        };
        let begun = std::time::Instant::now();
        let whole = values(Duration::from_secs(60));
        assert_eq!(whole, values((begun.elapsed() / 20).max(Duration::from_micros(50))));
        let (problem, _) = program(120, 300);
        assert!(solve_in_slices(problem, Duration::ZERO, &|| true).is_none());
    }
}
