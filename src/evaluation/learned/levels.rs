//! What a sum stands for where a goal has several values: a step of the goal's range for each value that it may pass, each of
//! which the same sum passes from another threshold on (the cumulative logit, or proportional odds, of ordinal regression).
//!
//! A draw is no half of a win: in a drawish game many states of different sums are worth half, which one sigmoid has nowhere but at a
//! point.
//!
//! # Source
//! McCullagh, "Regression Models for Ordinal Data", 1980. Targets are means of goal values here, so weights are fitted by the
//! quasi-likelihood of the mean (Papke and Wooldridge 1996) instead of the likelihood of each value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statistics::regression::sigmoid;

use super::function::LearnedError;

/// Levels at most.
pub(super) const MOST: usize = 8;

/// How far a threshold lies from 0 at most before it is fitted, in log-odds: goal values that hardly ever come up say nothing of
/// how much further.
const FARTHEST: f64 = 4.0;

/// Thresholds beyond this are no numbers to compute with.
const GREATEST: f64 = 1e3;

/// Goal values, as shares of the range, that are taken to be one.
const SAME: f32 = 1e-4;

/// The variance of a share so near to 0 or 1 that it is not to be divided by.
const LEAST_VARIANCE: f64 = 1e-9;

/// The variance of the logistic distribution, π² / 3.
const LOGISTIC_VARIANCE: f64 = std::f64::consts::PI * std::f64::consts::PI / 3.0;

/// A step of a goal's range, from one goal value to the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// How much of the range it is, above 0 up to 1; all of them are 1 together.
    pub share: f64,
    /// The sum of log-odds from which on it is likelier than not that the goal value passes it.
    pub threshold: f64,
}

/// The levels of a goal, the lowest first: the share of its range that a sum stands for is that of each level, as likely as the sum
/// passes its threshold. Without levels it is the sigmoid of the sum.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Levels(pub Vec<Level>);

impl Levels {
    /// Whether there are none, so that a sum is the log-odds of the share itself.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The share of the goal's range that a sum stands for, 0 to 1.
    pub fn share(&self, sum: f64) -> f64 {
        if self.is_none() {
            return sigmoid(sum);
        }
        // Shares of documents may be a little more than 1 together.
        self.0.iter().map(|level| level.share * sigmoid(sum - level.threshold)).sum::<f64>().min(1.0)
    }

    /// By how much the share grows with the sum: a quarter at most.
    pub fn slope(&self, sum: f64) -> f64 {
        let of = |threshold: f64| {
            let share = sigmoid(sum - threshold);
            share * (1.0 - share)
        };
        if self.is_none() {
            return of(0.0);
        }
        self.0.iter().map(|level| level.share * of(level.threshold)).sum()
    }

    /// The levels of a role that gets what this one does not: they make of the opposite sum what is left of 1.
    #[must_use]
    pub fn opposite(&self) -> Levels {
        let opposite = |level: &Level| Level { share: level.share, threshold: -level.threshold };
        Levels(self.0.iter().rev().map(opposite).collect())
    }

    /// As a formula of a sum that goes by some name.
    pub(super) fn formula(&self, sum: &str) -> String {
        if self.is_none() {
            return format!("sigmoid({sum})");
        }
        let of = |level: &Level| {
            let sign = if level.threshold > 0.0 { '-' } else { '+' };
            format!("{:.3} * sigmoid({sum} {sign} {:.3})", level.share, level.threshold.abs())
        };
        format!("({})", self.0.iter().map(of).collect::<Vec<String>>().join(" + "))
    }

    /// Checks every number.
    ///
    /// # Errors
    /// There are too many levels, they are not 1 together, or a number can't be computed with.
    pub(super) fn validate(&self) -> Result<(), LearnedError> {
        /// How far shares may be from 1 together, as documents may have them rounded.
        const OFF: f64 = 1e-6;
        let wrong = |place: String, value: f64, expected: &'static str| {
            Err(LearnedError::Number { place, value, expected })
        };
        if self.0.len() > MOST {
            return wrong("the number of `levels`".to_owned(), self.0.len() as f64, "8 at most");
        }
        let mut before = f64::NEG_INFINITY;
        for (number, level) in (1..).zip(&self.0) {
            if !(level.share > 0.0 && level.share <= 1.0 + OFF) {
                let place = format!("`share` of level {number}");
                return wrong(place, level.share, "a number above 0, 1 at most");
            }
            if level.threshold.is_nan() || level.threshold.abs() > GREATEST {
                let place = format!("`threshold` of level {number}");
                return wrong(place, level.threshold, "a number from -1000 to 1000");
            }
            if level.threshold < before {
                let place = format!("`threshold` of level {number}");
                return wrong(place, level.threshold, "no less than that of the level before");
            }
            before = level.threshold;
        }
        let all: f64 = self.0.iter().map(|level| level.share).sum();
        if !self.is_none() && (all - 1.0).abs() > OFF {
            return wrong("the sum of the `share`s of `levels`".to_owned(), all, "1");
        }
        Ok(())
    }

    /// The levels that goal values tell of that games ended with, as shares of the range, with thresholds around 0; none where there
    /// are no values but the least and the greatest. Of more than there may be those next to each other are taken together. Where
    /// sides may be changed, `is_even`, what one side gets counts for the other as well.
    pub(super) fn of(ends: impl Iterator<Item = f32>, is_even: bool) -> Levels {
        let mut ends: Vec<f32> =
            ends.flat_map(|end| [Some(end), is_even.then_some(1.0 - end)]).flatten().collect();
        ends.sort_unstable_by(f32::total_cmp);
        // The values with how many games ended with that one or a lower one.
        let mut values: Vec<(f32, usize)> = vec![(0.0, 0)];
        for (&end, number) in ends.iter().zip(1..) {
            match values.last_mut() {
                Some((value, up_to)) if end - *value <= SAME => *up_to = number,
                _ => values.push((end, number)),
            }
        }
        match values.last_mut() {
            Some((value, _)) if 1.0 - *value <= SAME => *value = 1.0,
            _ => values.push((1.0, ends.len())),
        }
        if values.len() < 3 {
            return Levels::default();
        }
        let step = |pair: &[(f32, usize)]| {
            let (below, above) = (pair[0].1 as f64 + 0.5, (ends.len() - pair[0].1) as f64 + 0.5);
            let threshold = (below / above).ln().clamp(-FARTHEST, FARTHEST);
            Level { share: f64::from(pair[1].0) - f64::from(pair[0].0), threshold }
        };
        let mut levels = Levels(values.windows(2).map(step).collect());
        levels.join();
        if is_even {
            levels.even_out();
        }
        levels.centre();
        levels
    }

    /// Takes levels together whose thresholds lie in the same part of all of them, where there are too many.
    fn join(&mut self) {
        let (Some(first), Some(last)) = (self.0.first(), self.0.last()) else { return };
        if self.0.len() <= MOST {
            return;
        }
        let (least, width) = (first.threshold, (last.threshold - first.threshold).max(1e-9) / MOST as f64);
        let part = |level: &Level| (((level.threshold - least) / width) as usize).min(MOST - 1);
        let together = |levels: &[Level]| {
            let share: f64 = levels.iter().map(|level| level.share).sum();
            let sum: f64 = levels.iter().map(|level| level.share * level.threshold).sum();
            Level { share, threshold: sum / share }
        };
        self.0 = self.0.chunk_by(|one, other| part(one) == part(other)).map(together).collect();
    }

    /// Makes them the same from either side.
    pub(super) fn even_out(&mut self) {
        let other = self.opposite();
        for (level, other) in self.0.iter_mut().zip(other.0) {
            level.share = (level.share + other.share) / 2.0;
            level.threshold = (level.threshold + other.threshold) / 2.0;
        }
    }

    /// Moves the thresholds so that their mean is 0, and gives what it was.
    pub(super) fn centre(&mut self) -> f64 {
        let mean: f64 = self.0.iter().map(|level| level.share * level.threshold).sum();
        self.0.iter_mut().for_each(|level| level.threshold -= mean);
        mean
    }

    /// Puts thresholds that passed each other at their mean.
    pub(super) fn put_in_order(&mut self) {
        // Blocks of levels with one threshold, each with its share (pool adjacent violators).
        let mut blocks: Vec<(usize, Level)> = Vec::with_capacity(self.0.len());
        for &level in &self.0 {
            let mut block = (1, level);
            while let Some(&(count, before)) = blocks.last()
                && before.threshold > block.1.threshold
            {
                blocks.pop();
                let share = before.share + block.1.share;
                let sum = before.share * before.threshold + block.1.share * block.1.threshold;
                block = (count + block.0, Level { share, threshold: sum / share });
            }
            blocks.push(block);
        }
        let thresholds =
            blocks.iter().flat_map(|&(count, block)| std::iter::repeat_n(block.threshold, count));
        self.0.iter_mut().zip(thresholds).for_each(|(level, threshold)| level.threshold = threshold);
    }

    /// By how much wider the distribution is that has this curve than that of the sigmoid: weights fitted to the one say about as
    /// much to the other, times this.
    pub(super) fn width(&self) -> f64 {
        let variance: f64 = self.0.iter().map(|level| level.share * level.threshold * level.threshold).sum();
        (1.0 + variance / LOGISTIC_VARIANCE).sqrt()
    }

    /// How a sum's loss grows with it, where the loss is the cross-entropy of a target and the share.
    pub(super) fn loss_slope(&self, sum: f64, target: f64) -> f64 {
        if self.is_none() {
            return sigmoid(sum) - target;
        }
        let share = self.share(sum);
        (share - target) * self.factor(sum, share)
    }

    /// How the slope of the loss grows with the sum, at a target that is the share itself.
    pub(super) fn curvature(&self, sum: f64) -> f64 {
        let share = self.share(sum);
        if self.is_none() {
            return share * (1.0 - share);
        }
        self.slope(sum) * self.factor(sum, share)
    }

    /// The cross-entropy of a target and the share that a sum stands for, in nats.
    pub(super) fn loss(&self, sum: f64, target: f64) -> f64 {
        if self.is_none() {
            // ln(1 + e^sum) - target * sum, without large powers.
            return sum.max(0.0) + (-sum.abs()).exp().ln_1p() - target * sum;
        }
        let share = self.share(sum).clamp(LEAST_VARIANCE, 1.0 - LEAST_VARIANCE);
        -(target * share.ln() + (1.0 - target) * (1.0 - share).ln())
    }

    /// How the loss grows with each threshold.
    pub(super) fn threshold_slopes(&self, sum: f64, target: f64, out: &mut [f64]) {
        let share = self.share(sum);
        let missing = (share - target) / variance(share);
        for (level, out) in self.0.iter().zip(out) {
            let passed = sigmoid(sum - level.threshold);
            *out = -missing * level.share * passed * (1.0 - passed);
        }
    }

    /// What a difference of share and target counts in the slope of the loss: 1 at most, and far out.
    fn factor(&self, sum: f64, share: f64) -> f64 {
        let variance = variance(share);
        if variance > LEAST_VARIANCE { self.slope(sum) / variance } else { 1.0 }
    }
}

/// The variance of a win that is as likely as a share, no nearer to 0 than can be divided by.
fn variance(share: f64) -> f64 {
    (share * (1.0 - share)).max(LEAST_VARIANCE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Levels of any shares and thresholds, as documents may have them.
    fn any_levels() -> impl Strategy<Value = Levels> {
        proptest::collection::vec((0.05..1.0, -6.0..6.0), 0..=MOST).prop_map(|parts| {
            let all: f64 = parts.iter().map(|(share, _)| share).sum();
            let mut thresholds: Vec<f64> = parts.iter().map(|&(_, threshold)| threshold).collect();
            thresholds.sort_unstable_by(f64::total_cmp);
            let level = |((share, _), threshold): (&(f64, f64), f64)| Level { share: share / all, threshold };
            Levels(parts.iter().zip(thresholds).map(level).collect())
        })
    }

    fn levels(parts: &[(f64, f64)]) -> Levels {
        Levels(parts.iter().map(|&(share, threshold)| Level { share, threshold }).collect())
    }

    proptest! {
        #[test]
        fn shares_grow_from_0_to_1_and_slopes_are_those_of_them(
            levels in any_levels(), sum in -20.0..20.0, more in 0.0..3.0, target in 0.0..=1.0,
        ) {
            prop_assert!(levels.validate().is_ok());
            let share = levels.share(sum);
            prop_assert!((0.0..=1.0).contains(&share));
            prop_assert!(levels.share(sum + more) >= share - 1e-15);
            prop_assert!((levels.opposite().share(-sum) - (1.0 - share)).abs() < 1e-12);
            let difference = |of: &dyn Fn(f64) -> f64| (of(sum + 1e-5) - of(sum - 1e-5)) / 2e-5;
            let slope = levels.slope(sum);
            prop_assert!((0.0..=0.25 + 1e-15).contains(&slope));
            prop_assert!((slope - difference(&|sum| levels.share(sum))).abs() < 1e-6);
            if sum.abs() < 12.0 {
                let wanted = difference(&|sum| levels.loss(sum, target));
                let found = levels.loss_slope(sum, target);
                prop_assert!((found - wanted).abs() < 1e-3, "{} is not {}", found, wanted);
                let mut slopes = vec![0.0; levels.0.len()];
                levels.threshold_slopes(sum, target, &mut slopes);
                // To move all thresholds is to move the sum the other way.
                prop_assert!(levels.is_none() || (slopes.iter().sum::<f64>() + found).abs() < 1e-6);
            }
        }

        #[test]
        fn none_and_one_are_the_sigmoid(sum in -800.0..800.0, target in 0.0..=1.0) {
            let none = Levels::default();
            prop_assert_eq!(none.share(sum).to_bits(), sigmoid(sum).to_bits());
            prop_assert_eq!(none.loss_slope(sum, target).to_bits(), (sigmoid(sum) - target).to_bits());
            let one = levels(&[(1.0, 0.0)]);
            prop_assert_eq!(one.share(sum).to_bits(), sigmoid(sum).to_bits());
            prop_assert!((one.loss_slope(sum, target) - none.loss_slope(sum, target)).abs() < 1e-6);
        }

        #[test]
        fn what_ends_tell_can_be_computed_with(
            ends in proptest::collection::vec(0_u8..=100, 0..300), is_even in any::<bool>(),
        ) {
            let found = Levels::of(ends.iter().map(|&end| f32::from(end) / 100.0), is_even);
            prop_assert!(found.validate().is_ok(), "{:?}", found);
            let between = ends.iter().any(|&end| 0 < end && end < 100);
            prop_assert_eq!(found.is_none(), !between);
            if is_even {
                for (one, other) in found.0.iter().zip(&found.opposite().0) {
                    prop_assert!((one.threshold - other.threshold).abs() < 1e-12);
                    prop_assert!((one.share - other.share).abs() < 1e-12);
                }
            }
        }

        #[test]
        fn thresholds_that_passed_each_other_are_put_in_order(thresholds in proptest::collection::vec(-3.0..3.0, 1..=MOST)) {
            let share = 1.0 / thresholds.len() as f64;
            let mut found = Levels(thresholds.iter().map(|&threshold| Level { share, threshold }).collect());
            found.put_in_order();
            prop_assert!(found.validate().is_ok(), "{:?}", found);
            let mean = |all: &mut dyn Iterator<Item = f64>| all.sum::<f64>() * share;
            let after = mean(&mut found.0.iter().map(|level| level.threshold));
            prop_assert!((after - mean(&mut thresholds.iter().copied())).abs() < 1e-9);
        }
    }

    #[test]
    fn draws_that_come_up_often_lie_far_from_won_and_lost() {
        // A tenth won, eight drawn, a tenth lost.
        let ends =
            || (0..1_000).map(|number| [0.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5][number % 10]);
        let found = Levels::of(ends(), false);
        let [low, high] = found.0[..] else { panic!("{found:?}") };
        assert!(
            (low.share, high.share) == (0.5, 0.5) && (high.threshold - 9_f64.ln()).abs() < 0.01,
            "{found:?}"
        );
        assert!((low.threshold + high.threshold).abs() < 1e-9, "{found:?}");
        assert!((found.width() - (1.0 + 9_f64.ln().powi(2) / LOGISTIC_VARIANCE).sqrt()).abs() < 0.01);
        // Games that are won or lost, whatever else could be, are no ordinal ones; neither are none.
        assert!(Levels::of([0.0, 1.0, 1.0].into_iter(), true).is_none());
        assert!(Levels::of(std::iter::empty(), false).is_none());
        // Of what one side gets a third the other gets two.
        let uneven = Levels::of([0.0, 1.0, 0.3].into_iter(), true);
        let shares: Vec<f64> = uneven.0.iter().map(|level| (level.share * 10.0).round()).collect();
        assert_eq!(shares, [3.0, 4.0, 3.0]);
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        let error =
            |parts: &[(f64, f64)]| levels(parts).validate().err().map(|error| error.to_string()).unwrap();
        assert_eq!(error(&[(0.125, 0.0); 9]), "the number of `levels` is 9; it must be 8 at most");
        assert!(error(&[(0.0, 0.0), (1.0, 0.0)]).starts_with("`share` of level 1 is 0"));
        assert!(error(&[(f64::NAN, 0.0)]).starts_with("`share` of level 1 is NaN"));
        assert!(error(&[(0.5, 0.0), (0.5, f64::INFINITY)]).starts_with("`threshold` of level 2 is inf"));
        assert!(error(&[(0.5, 0.0), (0.5, f64::NAN)]).starts_with("`threshold` of level 2 is NaN"));
        assert!(error(&[(0.5, 1.0), (0.5, -1.0)]).ends_with("no less than that of the level before"));
        assert!(error(&[(0.5, 0.0), (0.4, 0.0)]).starts_with("the sum of the `share`s of `levels` is 0.9"));
    }

    #[test]
    fn formulas_name_each_level() {
        assert_eq!(Levels::default().formula("1 + 2"), "sigmoid(1 + 2)");
        let two = levels(&[(0.5, -0.3), (0.5, 0.3)]);
        assert_eq!(two.formula("z"), "(0.500 * sigmoid(z + 0.300) + 0.500 * sigmoid(z - 0.300))");
    }
}
