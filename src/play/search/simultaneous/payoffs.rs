//! A matrix game: the payoff of one side for each choice of its own (rows) and of the other side (columns).
//!
//! If the matrix has a saddle point, it is the solution. Otherwise dominated rows and columns are removed, and a linear
//! program solves the rest (Dantzig 1951). It maximises the payoff that a mixture of rows gets against every column.

use microlp::{ComparisonOp, OptimizationDirection, Problem};
use ndarray::{Array2, ArrayView1};

/// A matrix of payoffs for the side that chooses rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Payoffs(Array2<f64>);

/// The optimal strategy of the side that chooses rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Optimum {
    /// The value that its mixture guarantees.
    pub(super) low: f64,
    /// An upper bound for all mixtures. Equal to `low` unless the linear program was not solved.
    pub(super) high: f64,
    /// The probability of each row.
    pub(super) mixture: Vec<f64>,
}

/// Limit of cells for the linear program, which takes about 10 ms at this size. For a larger matrix `optimum` returns
/// bounds.
const MOST_CELLS: usize = 1 << 14;

/// Limit of comparisons in the search for dominated rows and columns, about 50 ms. In a larger matrix none are removed.
const MOST_COMPARISONS: usize = 1 << 26;

/// Smaller probabilities count as 0.
const LEAST: f64 = 1e-9;

/// Sums of payoffs with a smaller difference, relative to the distance between the safest row and the safest column,
/// count as equal.
const ROUNDING: f64 = 1e-9;

impl Payoffs {
    /// A matrix of payoffs, given row by row.
    ///
    /// # Panics
    /// The number of payoffs is not that of the cells.
    pub(super) fn new(rows: usize, columns: usize, cells: impl IntoIterator<Item = f64>) -> Payoffs {
        let cells = cells.into_iter().collect();
        Payoffs(Array2::from_shape_vec((rows, columns), cells).expect("a payoff for every cell"))
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.0[[row, column]]
    }

    /// The same game from the other side's point of view.
    pub(super) fn turned(&self) -> Payoffs {
        Payoffs(self.0.t().mapv(|payoff| -payoff))
    }

    /// The row with the greatest guaranteed payoff (maximin), with this payoff.
    fn safest(&self) -> (usize, f64) {
        let least = |row: ArrayView1<'_, f64>| row.iter().copied().fold(f64::INFINITY, f64::min);
        let better = |best: (usize, f64), next: (usize, f64)| if next.1 > best.1 { next } else { best };
        self.0.rows().into_iter().map(least).enumerate().fold((0, f64::NEG_INFINITY), better)
    }

    /// The optimal mixture of rows.
    pub(super) fn optimum(&self, dominance: bool) -> Optimum {
        let (row, low) = self.safest();
        let high = -self.turned().safest().1;
        let mut mixture = vec![0.0; self.0.nrows()];
        if low >= high {
            mixture[row] = 1.0;
            return Optimum { low, high: low, mixture };
        }
        let (rows, columns) = (self.0.nrows(), self.0.ncols());
        let all = || ((0..rows).collect(), (0..columns).collect());
        let is_small = rows.saturating_mul(columns).saturating_mul(rows + columns) <= MOST_COMPARISONS;
        let (rows, columns): (Vec<usize>, Vec<usize>) =
            if dominance && is_small { self.undominated() } else { all() };
        let solved =
            if rows.len() * columns.len() <= MOST_CELLS { self.program(&rows, &columns) } else { None };
        if let Some(shares) = solved {
            let mut mixed = mixture.clone();
            rows.iter().zip(shares).for_each(|(&row, share)| mixed[row] = share);
            let against = |column: ArrayView1<'_, f64>| {
                mixed.iter().zip(column).map(|(share, payoff)| share * payoff).sum::<f64>()
            };
            let guaranteed = self.0.columns().into_iter().map(against).fold(f64::INFINITY, f64::min);
            // The guarantee of the mixture is the value, except for rounding.
            if guaranteed >= low {
                return Optimum { low: guaranteed, high: guaranteed, mixture: mixed };
            }
            // The safest row alone guarantees as much; the mixture's sum was rounded down.
            if guaranteed >= low - ROUNDING * (high - low) {
                mixture[row] = 1.0;
                return Optimum { low, high: low, mixture };
            }
        }
        mixture[row] = 1.0;
        Optimum { low, high, mixture }
    }

    /// Rows and columns that remain after repeated removal of those that another one weakly dominates.
    fn undominated(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut rows, mut columns): (Vec<usize>, Vec<usize>) =
            ((0..self.0.nrows()).collect(), (0..self.0.ncols()).collect());
        loop {
            let before = rows.len() + columns.len();
            let covers = |better: usize, row: usize, columns: &[usize]| {
                columns.iter().all(|&column| self.at(better, column) >= self.at(row, column))
            };
            leave_out(&mut rows, |better, row| covers(better, row, &columns));
            let undercuts = |better: usize, column: usize, rows: &[usize]| {
                rows.iter().all(|&row| self.at(row, better) <= self.at(row, column))
            };
            leave_out(&mut columns, |better, column| undercuts(better, column, &rows));
            if rows.len() + columns.len() == before {
                return (rows, columns);
            }
        }
    }

    /// Solves the linear program for some rows and columns. Returns the probability of each of these rows; none if it
    /// can't be solved.
    fn program(&self, rows: &[usize], columns: &[usize]) -> Option<Vec<f64>> {
        let cells = || rows.iter().flat_map(|&row| columns.iter().map(move |&column| self.at(row, column)));
        let (least, most) = cells().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), cell| {
            (least.min(cell), most.max(cell))
        });
        let scaled = |row: usize, column: usize| (self.at(row, column) - least) / (most - least);
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let value = problem.add_var(1.0, (0.0, 1.0));
        let shares: Vec<_> = rows.iter().map(|_| problem.add_var(0.0, (0.0, f64::INFINITY))).collect();
        let sum: Vec<_> = shares.iter().map(|&share| (share, 1.0)).collect();
        problem.add_constraint(sum, ComparisonOp::Eq, 1.0);
        for &column in columns {
            let payoff = rows.iter().zip(&shares).map(|(&row, &share)| (share, scaled(row, column)));
            let payoff: Vec<_> = payoff.chain([(value, -1.0)]).collect();
            problem.add_constraint(payoff, ComparisonOp::Ge, 0.0);
        }
        let solution = problem.solve().ok()?.into_solution().ok()?;
        let probabilities = shares.iter().map(|&share| solution.var_value(share));
        let probabilities: Vec<f64> =
            probabilities.map(|share| if share > LEAST { share } else { 0.0 }).collect();
        let sum: f64 = probabilities.iter().sum();
        (sum.is_finite() && sum > 0.5).then(|| probabilities.iter().map(|share| share / sum).collect())
    }
}

/// Removes elements that a remaining one replaces. If two replace each other, the second is removed.
fn leave_out(list: &mut Vec<usize>, replaces: impl Fn(usize, usize) -> bool) {
    let mut number = list.len();
    while number > 0 {
        number -= 1;
        let element = list[number];
        if list.iter().any(|&other| other != element && replaces(other, element)) {
            list.remove(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(rows: usize, cells: &[f64]) -> f64 {
        Payoffs::new(rows, cells.len() / rows, cells.iter().copied()).optimum(true).low
    }

    #[test]
    fn known_matrix_games_have_their_values() {
        // Rock, paper, scissors; matching pennies; von Neumann's (a d - b c) / (a + d - b - c) for two by two.
        assert!((value(3, &[50.0, 0.0, 100.0, 100.0, 50.0, 0.0, 0.0, 100.0, 50.0]) - 50.0).abs() < 1e-9);
        assert!((value(2, &[100.0, 0.0, 0.0, 100.0]) - 50.0).abs() < 1e-9);
        assert!((value(2, &[100.0, 0.0, 30.0, 60.0]) - 6000.0 / 130.0).abs() < 1e-9);
        // A saddle point: the lower left cell.
        assert_eq!(value(2, &[10.0, 20.0, 30.0, 40.0]), 30.0);
        // A row that a mixture of two others dominates.
        assert!((value(3, &[100.0, 0.0, 0.0, 100.0, 40.0, 40.0]) - 50.0).abs() < 1e-9);
    }

    #[test]
    fn a_pure_row_can_equal_the_best_mixture() {
        // Adding the first two rows in equal shares changes nothing against the second and the last column.
        let least = 64.53238252420152;
        let rows = [
            [0.0, 0.0, 0.0, 0.0, 0.0, 100.0],
            [0.0, 100.0, 0.0, 0.0, 0.0, 0.0],
            [0.0; 6],
            [least, 50.0, 100.0, 100.0, 100.0, 50.0],
        ];
        let best = Payoffs::new(4, 6, rows.into_iter().flatten()).optimum(true);
        assert!((best.low - 50.0).abs() < 1e-9 && best.high == best.low, "{best:?}");
        assert!((best.mixture.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{best:?}");
    }

    proptest! {
        #[test]
        fn both_sides_agree_on_the_value(
            rows in 1usize..7,
            columns in 1usize..7,
            numbers in prop::collection::vec(prop_oneof![Just(0.0), Just(50.0), Just(100.0), 0.0..100.0], 36),
        ) {
            let game = Payoffs::new(rows, columns, numbers.into_iter().take(rows * columns));
            let ours = game.optimum(true);
            prop_assert!((ours.mixture.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(ours.mixture.iter().all(|&share| share >= 0.0));
            // Two mixtures, one for each side, that guarantee the same value prove each other (von Neumann 1928).
            let theirs = game.turned().optimum(true);
            prop_assert!((ours.low + theirs.low).abs() < 1e-6, "{ours:?} {theirs:?}");
            prop_assert!((ours.low - game.optimum(false).low).abs() < 1e-6);
        }
    }
}
