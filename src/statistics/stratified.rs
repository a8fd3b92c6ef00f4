//! How two numbers go together within strata: pairs are compared with others of the same stratum alone, so that what
//! tells strata apart, as the number of moves played does, neither makes a correlation nor hides one.
//!
//! # Source
//! The pooled within-class correlation (Cochran, "Analysis of covariance", Biometrics 13, 1957): sums of squares and
//! products about the means of the strata, added up; each stratum after the first takes one degree of freedom.

use super::moments::Pairs;

/// Pairs by stratum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stratified {
    /// By their number, each once.
    strata: Vec<(u32, Pairs)>,
}

/// A correlation pooled over strata.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pooled {
    /// Pearson's coefficient, -1 to 1.
    pub value: f64,
    /// As many pairs without strata would tell as much.
    pub pairs: u64,
}

impl Stratified {
    /// Of pairs, each with its stratum.
    pub fn of(pairs: &[(u32, (f64, f64))]) -> Stratified {
        let mut pairs = pairs.to_vec();
        pairs.sort_by_key(|&(stratum, _)| stratum);
        Stratified::of_sorted(pairs.iter().copied(), &mut Vec::new())
    }

    /// Of pairs by their strata; `alike` has room for those of one.
    pub fn of_sorted(
        pairs: impl Iterator<Item = (u32, (f64, f64))>,
        alike: &mut Vec<(f64, f64)>,
    ) -> Stratified {
        let mut strata: Vec<(u32, Pairs)> = Vec::new();
        alike.clear();
        let mut of = None;
        for (stratum, pair) in pairs {
            if let Some(before) = of.replace(stratum).filter(|&before| before != stratum) {
                strata.push((before, Pairs::of(alike)));
                alike.clear();
            }
            alike.push(pair);
        }
        strata.extend(of.map(|stratum| (stratum, Pairs::of(alike))));
        strata.shrink_to_fit();
        Stratified { strata }
    }

    /// With those of other pairs.
    pub fn merge(&mut self, other: &Stratified) {
        let mut place = 0;
        for &(stratum, pairs) in &other.strata {
            place += self.strata[place..].partition_point(|&(known, _)| known < stratum);
            match self.strata.get_mut(place) {
                Some((known, sum)) if *known == stratum => sum.merge(&pairs),
                _ => self.strata.insert(place, (stratum, pairs)),
            }
        }
    }

    /// The number of pairs.
    pub fn count(&self) -> u64 {
        self.strata.iter().map(|(_, pairs)| pairs.first.count).sum::<f64>() as u64
    }

    /// The correlation within strata; none where one of the two numbers never changes within one.
    pub fn correlation(&self) -> Option<Pooled> {
        let (mut count, mut strata, mut sums) = (0.0, 0, [0.0; 3]);
        for (_, pairs) in self.strata.iter().filter(|(_, pairs)| pairs.first.count > 1.0) {
            count += pairs.first.count;
            strata += 1;
            sums.iter_mut().zip(pairs.sums()).for_each(|(sum, more)| *sum += more);
        }
        let [xx, yy, xy] = sums;
        let spread = (xx * yy).sqrt();
        (spread > 0.0)
            .then(|| Pooled { value: (xy / spread).clamp(-1.0, 1.0), pairs: count as u64 + 1 - strata })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_strata_apart_makes_no_correlation() {
        // Within either stratum the two go against each other, over both they go together.
        let pairs =
            [(0, (1.0, 2.0)), (0, (2.0, 1.0)), (7, (11.0, 12.0)), (7, (12.0, 11.0)), (9, (50.0, 50.0))];
        let plain: Vec<(f64, f64)> = pairs.iter().map(|&(_, pair)| pair).collect();
        assert!(Pairs::of(&plain).correlation().unwrap() > 0.9);
        let found = Stratified::of(&pairs);
        assert_eq!(found.correlation(), Some(Pooled { value: -1.0, pairs: 3 }));
        assert_eq!(found.count(), 5);
        let mut merged = Stratified::of(&pairs[..1]);
        merged.merge(&Stratified::of(&pairs[1..]));
        assert!((merged.correlation().unwrap().value + 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_stratum_is_as_none() {
        let pairs = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (4.0, 5.0), (5.0, 4.0)];
        let found = Stratified::of(&pairs.map(|pair| (3, pair))).correlation().unwrap();
        assert!((found.value - 0.8).abs() < 1e-12 && found.pairs == 5);
        assert_eq!(Stratified::of(&[(0, (1.0, 1.0)), (0, (1.0, 2.0))]).correlation(), None);
        assert_eq!(Stratified::default().correlation(), None);
    }
}
