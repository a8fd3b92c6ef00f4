//! Means, variances and covariances, put together from parts: the same numbers whichever thread counted which part.

/// Mean and spread of some numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// How many.
    pub count: f64,
    /// Their mean; 0 of none.
    pub mean: f64,
    /// Sum of the squares of the distances from the mean.
    squares: f64,
}

impl Moments {
    /// Of numbers; their spread is exactly 0 where they are all the same.
    pub fn of(values: &[f64]) -> Moments {
        Moments::of_each(values.iter().copied())
    }

    fn of_each(values: impl ExactSizeIterator<Item = f64> + Clone) -> Moments {
        let Some(origin) = values.clone().next() else { return Moments::default() };
        let count = values.len() as f64;
        let mean = values.clone().map(|value| value - origin).sum::<f64>() / count;
        let squares = values.map(|value| (value - origin - mean).powi(2)).sum();
        Moments { count, mean: origin + mean, squares }
    }

    /// With those of other numbers (Chan, Golub and LeVeque 1979).
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

    /// Variance without bias; 0 for fewer than two numbers.
    pub fn variance(&self) -> f64 {
        if self.count < 2.0 { 0.0 } else { self.squares / (self.count - 1.0) }
    }
}

/// How two numbers of each of some things go together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pairs {
    /// Those of the first number.
    pub first: Moments,
    /// Those of the second one.
    pub second: Moments,
    /// Sum of the products of the distances from the means.
    products: f64,
}

impl Pairs {
    /// Of pairs.
    pub fn of(pairs: &[(f64, f64)]) -> Pairs {
        let column = |of: fn(&(f64, f64)) -> f64| Moments::of_each(pairs.iter().map(of));
        let (first, second) = (column(|pair| pair.0), column(|pair| pair.1));
        let products = pairs.iter().map(|pair| (pair.0 - first.mean) * (pair.1 - second.mean)).sum();
        Pairs { first, second, products }
    }

    /// With those of other pairs.
    pub fn merge(&mut self, other: &Pairs) {
        let count = self.first.count + other.first.count;
        if count == 0.0 {
            return;
        }
        let apart = (other.first.mean - self.first.mean) * (other.second.mean - self.second.mean);
        // Either side without pairs leaves this term at 0.
        self.products += other.products + apart * self.first.count * other.first.count / count;
        self.first.merge(&other.first);
        self.second.merge(&other.second);
    }

    /// Sums of squares about the means, of the first number and of the second, and of the products.
    pub(super) fn sums(&self) -> [f64; 3] {
        [self.first.squares, self.second.squares, self.products]
    }

    /// Pearson's correlation, -1 to 1; none where one of the two never changes.
    pub fn correlation(&self) -> Option<f64> {
        let spread = (self.first.squares * self.second.squares).sqrt();
        (spread > 0.0).then(|| (self.products / spread).clamp(-1.0, 1.0))
    }
}

/// The mean of some values; 0 of none.
pub fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count();
    values.sum::<f64>() / count.max(1) as f64
}

/// Sums of squares about the means, and of products: xx, yy, xy.
pub(super) fn central(pairs: &[(f64, f64)]) -> (f64, f64, f64) {
    let centre = (mean(pairs.iter().map(|pair| pair.0)), mean(pairs.iter().map(|pair| pair.1)));
    let sum = |of: fn((f64, f64)) -> f64| -> f64 {
        pairs.iter().map(|pair| of((pair.0 - centre.0, pair.1 - centre.1))).sum()
    };
    (sum(|d| d.0 * d.0), sum(|d| d.1 * d.1), sum(|d| d.0 * d.1))
}

/// The same, but none where one of the two never changes.
pub(super) fn varying(pairs: &[(f64, f64)]) -> Option<(f64, f64, f64)> {
    if constant(pairs.iter().map(|pair| pair.0)) || constant(pairs.iter().map(|pair| pair.1)) {
        return None;
    }
    let found = central(pairs);
    (found.0 > 0.0 && found.1 > 0.0).then_some(found)
}

/// Whether all values are the same: rounding must not make them vary.
fn constant(mut values: impl Iterator<Item = f64>) -> bool {
    let first = values.next();
    values.all(|value| Some(value) == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_whole() {
        let pairs: Vec<(f64, f64)> = (0..100).map(|n| (f64::from(n % 7), f64::from(n * n % 11))).collect();
        let whole = Pairs::of(&pairs);
        let mut parts = Pairs::default();
        pairs.chunks(9).for_each(|part| parts.merge(&Pairs::of(part)));
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(whole.first.mean, parts.first.mean) && near(whole.first.mean, 2.95));
        assert!(near(whole.second.variance(), parts.second.variance()));
        assert!(near(whole.correlation().unwrap(), parts.correlation().unwrap()));
    }

    #[test]
    fn what_never_changes_has_no_spread_at_all() {
        let mut all = Moments::of(&[0.1; 3]);
        all.merge(&Moments::of(&[0.1; 10]));
        assert_eq!((all.variance(), all.mean), (0.0, 0.1));
        let mut pairs = Pairs::of(&[(0.1, 1.0), (0.1, 2.0)]);
        pairs.merge(&Pairs::of(&[(0.1, 7.0), (0.1, 3.0), (0.1, 4.0)]));
        assert_eq!(pairs.correlation(), None);
        assert_eq!(Pairs::default().correlation(), None);
    }
}
