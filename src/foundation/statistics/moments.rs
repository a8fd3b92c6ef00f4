//! Means, variances and sums of products that can be merged from parts. The result does not depend on which thread counted
//! which part.
//!
//! # Source
//! Pébay, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical moments",
//! Sandia report SAND2008-6212, 2008.

/// The count, mean and variance of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// How many numbers.
    pub count: f64,
    /// Their mean; 0 if there are none.
    pub mean: f64,
    /// The sum of squared deviations from the mean.
    squares: f64,
}

impl Moments {
    /// Computes the moments of these values. The variance is exactly 0 if all values are equal.
    pub fn of(values: &[f64]) -> Moments {
        let Some(&origin) = values.first() else { return Moments::default() };
        let count = values.len() as f64;
        let mean = values.iter().map(|value| value - origin).sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - origin - mean).powi(2)).sum();
        Moments { count, mean: origin + mean, squares }
    }

    /// Adds the moments of other numbers (Chan, Golub and LeVeque 1979).
    pub fn merge(&mut self, other: &Moments) {
        if other.count == 0.0 {
            return;
        }
        if self.count == 0.0 {
            *self = *other;
            return;
        }
        let (count, apart) = (self.count + other.count, other.mean - self.mean);
        self.squares += other.squares + apart * apart * self.count * other.count / count;
        self.mean += apart * other.count / count;
        self.count = count;
    }

    /// The unbiased variance; 0 for fewer than two numbers.
    pub fn variance(&self) -> f64 {
        if self.count < 2.0 { 0.0 } else { self.squares / (self.count - 1.0) }
    }
}

/// The powers (i, j) of deviations whose sums of `x^i y^j` are stored: all of orders two to four.
const POWERS: [(usize, usize); 12] =
    [(2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3), (4, 0), (3, 1), (2, 2), (1, 3), (0, 4)];

/// The sums of products of deviations of two numbers from their means, up to the fourth order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CoMoments {
    /// The number of pairs.
    pub count: f64,
    /// The means of the two numbers.
    means: [f64; 2],
    /// Sums in the order of [`POWERS`].
    sums: [f64; POWERS.len()],
}

impl CoMoments {
    /// Computes the sums over these pairs. A constant number has sums of exactly 0.
    pub fn of(pairs: &[(f64, f64)]) -> CoMoments {
        let Some(&origin) = pairs.first() else { return CoMoments::default() };
        let count = pairs.len() as f64;
        let offset = |of: fn(&(f64, f64)) -> f64, origin: f64| {
            pairs.iter().map(|pair| of(pair) - origin).sum::<f64>() / count
        };
        let offsets = [offset(|pair| pair.0, origin.0), offset(|pair| pair.1, origin.1)];
        let mut sums = [0.0; POWERS.len()];
        for pair in pairs {
            let (x, y) = (pair.0 - origin.0 - offsets[0], pair.1 - origin.1 - offsets[1]);
            let (xx, xy, yy) = (x * x, x * y, y * y);
            let products =
                [xx, xy, yy, xx * x, xx * y, x * yy, yy * y, xx * xx, xx * xy, xx * yy, xy * yy, yy * yy];
            sums.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
        }
        CoMoments { count, means: [origin.0 + offsets[0], origin.1 + offsets[1]], sums }
    }

    /// Adds the sums of other pairs (Pébay 2008).
    pub fn merge(&mut self, other: &CoMoments) {
        if other.count == 0.0 {
            return;
        }
        if self.count == 0.0 {
            *self = *other;
            return;
        }
        let count = self.count + other.count;
        let mean = |of: usize| self.means[of] + (other.means[of] - self.means[of]) * other.count / count;
        let means = [mean(0), mean(1)];
        let (here, there) = (self.about(means), other.about(means));
        let mut sums = [0.0; POWERS.len()];
        sums.iter_mut().zip(here.iter().zip(there)).for_each(|(sum, (here, there))| *sum = here + there);
        *self = CoMoments { count, means, sums };
    }

    /// The sums of products of deviations from other means.
    fn about(&self, means: [f64; 2]) -> [f64; POWERS.len()] {
        const CHOOSE: [[f64; 5]; 5] = [
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [1.0, 1.0, 0.0, 0.0, 0.0],
            [1.0, 2.0, 1.0, 0.0, 0.0],
            [1.0, 3.0, 3.0, 1.0, 0.0],
            [1.0, 4.0, 6.0, 4.0, 1.0],
        ];
        let [dx, dy] = [self.means[0] - means[0], self.means[1] - means[1]];
        if dx == 0.0 && dy == 0.0 {
            return self.sums;
        }
        let power = |base: f64| [1.0, base, base * base, base * base * base, base * base * base * base];
        let (dx, dy) = (power(dx), power(dy));
        POWERS.map(|(i, j)| {
            // Sums of the first order are 0.
            let own = POWERS.iter().zip(self.sums).filter(|((a, b), _)| *a <= i && *b <= j);
            let moved = own.map(|(&(a, b), sum)| CHOOSE[i][a] * CHOOSE[j][b] * dx[i - a] * dy[j - b] * sum);
            self.count * dx[i] * dy[j] + moved.sum::<f64>()
        })
    }

    /// Adds the sums of other pairs; each keeps its own means.
    pub(super) fn pool(&mut self, other: &CoMoments) {
        self.count += other.count;
        self.sums.iter_mut().zip(other.sums).for_each(|(sum, more)| *sum += more);
    }

    /// The sum of `x^i y^j` over the deviations; 0 for orders that are not stored.
    pub(super) fn sum(&self, i: usize, j: usize) -> f64 {
        POWERS.iter().position(|&powers| powers == (i, j)).map_or(0.0, |index| self.sums[index])
    }
}

/// The mean of the values; 0 if there are none.
pub fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count();
    values.sum::<f64>() / count.max(1) as f64
}

/// The sums of squared deviations and of their products: (xx, yy, xy).
pub(super) fn central(pairs: &[(f64, f64)]) -> (f64, f64, f64) {
    let centre = (mean(pairs.iter().map(|pair| pair.0)), mean(pairs.iter().map(|pair| pair.1)));
    let sum = |of: fn((f64, f64)) -> f64| -> f64 {
        pairs.iter().map(|pair| of((pair.0 - centre.0, pair.1 - centre.1))).sum()
    };
    (sum(|d| d.0 * d.0), sum(|d| d.1 * d.1), sum(|d| d.0 * d.1))
}

/// Like [`central`], but none if one of the two numbers is constant.
pub(super) fn central_if_varying(pairs: &[(f64, f64)]) -> Option<(f64, f64, f64)> {
    if constant(pairs.iter().map(|pair| pair.0)) || constant(pairs.iter().map(|pair| pair.1)) {
        return None;
    }
    let found = central(pairs);
    (found.0 > 0.0 && found.1 > 0.0).then_some(found)
}

/// Whether all values are equal. Deviations can't show this, because rounding makes them vary.
fn constant(mut values: impl Iterator<Item = f64>) -> bool {
    let first = values.next();
    values.all(|value| Some(value) == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_parts_equal_the_whole() {
        let pairs: Vec<(f64, f64)> = (0..100).map(|n| (f64::from(n % 7), f64::from(n * n % 11))).collect();
        let first: Vec<f64> = pairs.iter().map(|pair| pair.0).collect();
        let mut moments = Moments::default();
        first.chunks(9).for_each(|part| moments.merge(&Moments::of(part)));
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * (1.0 + a.abs());
        assert!(near(moments.mean, 2.95) && near(moments.variance(), Moments::of(&first).variance()));
        let whole = CoMoments::of(&pairs);
        let mut parts = CoMoments::default();
        pairs.chunks(9).for_each(|part| parts.merge(&CoMoments::of(part)));
        let centre = whole.means;
        for (i, j) in POWERS {
            let power =
                |pair: &(f64, f64)| (pair.0 - centre[0]).powi(i as i32) * (pair.1 - centre[1]).powi(j as i32);
            let wanted: f64 = pairs.iter().map(power).sum();
            assert!(near(whole.sum(i, j), wanted) && near(parts.sum(i, j), wanted), "{i}, {j}: {parts:?}");
        }
    }

    #[test]
    fn constants_have_variance_zero() {
        let mut all = Moments::of(&[0.1; 3]);
        all.merge(&Moments::of(&[0.1; 10]));
        assert_eq!((all.variance(), all.mean), (0.0, 0.1));
        let mut pairs = CoMoments::of(&[(0.1, 1.0), (0.1, 2.0)]);
        pairs.merge(&CoMoments::of(&[(0.1, 7.0), (0.1, 3.0), (0.1, 4.0)]));
        assert!(pairs.sum(2, 0) == 0.0 && pairs.sum(4, 0) == 0.0 && pairs.sum(0, 2) > 0.0);
    }
}
