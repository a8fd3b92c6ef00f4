//! A sequential probability ratio test (SPRT) that decides whether one of two players is better.
//!
//! The observations are mean scores of rounds. A round plays all assignments of roles from one opening, so its games depend
//! on each other and rounds do not. The statistic is the generalised log-likelihood ratio of two expectations s0 and s1. For
//! each, the most likely distribution over the scores with that expectation is found with a Lagrange multiplier t:
//!
//! ```text
//! p_i(s) = q_i / (1 + t (a_i - s)),   sum of q_i (a_i - s) / (1 + t (a_i - s)) = 0
//! LLR = n * sum of q_i * ln(p_i(s1) / p_i(s0))
//! ```
//!
//! with the shares q_i of the scores a_i among n rounds (Van den Bergh, *Comments on Normalized Elo*, 2021, proposition
//! 1.1). For pairs of games this is the pentanomial test of fishtest and fastchess. Wald's bounds (1945) are ln(beta / (1 -
//! alpha)) and ln((1 - beta) / alpha).
//!
//! Two such tests run at once, one for each player being better, as in the three-hypothesis test of Sobel and Wald (1949). A
//! player is better if its test accepts elo1; the players are alike if both tests accept elo0.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parameters of a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sprt {
    /// Hypothesis of no advantage, in Elo.
    pub elo0: f64,
    /// Hypothesis of an advantage, in Elo.
    pub elo1: f64,
    /// Maximum chance that a player whose advantage is elo0 is called better.
    pub alpha: f64,
    /// Maximum chance that a player whose advantage is elo1 is not called better.
    pub beta: f64,
}

impl Sprt {
    /// The largest hypothesis in Elo, positive or negative. Near 6,400 Elo the expected score is rounded to 1.
    pub const MAX_ELO: f64 = 2_000.0;

    /// Whether the parameters are consistent: elo0 is below elo1, neither is beyond [`Sprt::MAX_ELO`], alpha and beta are above
    /// 0, and alpha + beta is below 1.
    pub fn is_sound(&self) -> bool {
        let Sprt { elo0, elo1, alpha, beta } = *self;
        let errors = alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0;
        errors && elo0 < elo1 && elo0 >= -Self::MAX_ELO && elo1 <= Self::MAX_ELO
    }

    /// Wald's bounds for the log-likelihood ratio: at or below the first elo0 is accepted, at or above the second elo1.
    pub fn bounds(&self) -> [f64; 2] {
        let Sprt { alpha, beta, .. } = *self;
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{},{}", self.elo0, self.elo1, self.alpha, self.beta)
    }
}

/// The test's verdict on the first of two players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SprtVerdict {
    /// It is better.
    Better,
    /// It is worse.
    Worse,
    /// Neither player is better by elo1.
    Alike,
    /// The test has not decided yet.
    #[default]
    Open,
}

/// The possible scores of a round of two games. They are part of every test, even if they never occur.
const PENTANOMIAL: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The count given to a score that never occurred, so that its probability is not 0 (as in fishtest).
const UNSEEN: f64 = 1e-3;

/// The expected score of a player with this advantage in Elo.
fn expected(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// A count, or [`UNSEEN`] if the score never occurred.
fn positive(count: f64) -> f64 {
    if count > 0.0 { count } else { UNSEEN }
}

/// The generalised log-likelihood ratio of the expected score `s1` to `s0`. `counts` has (score, count), ascending; the first
/// score is below `s0` and `s1`, the last above.
pub fn log_likelihood_ratio(counts: &[(f64, f64)], s0: f64, s1: f64) -> f64 {
    let term = |multiplier: f64, score: f64, s: f64| (multiplier * (score - s)).ln_1p();
    let (t0, t1) = (multiplier(counts, s0), multiplier(counts, s1));
    // n times the logarithm of the ratio: n * q_i is the count, and q_i cancels in p_i(s1) / p_i(s0).
    counts.iter().map(|&(score, count)| positive(count) * (term(t0, score, s0) - term(t1, score, s1))).sum()
}

/// The multiplier t for an expectation, by bisection: the sum decreases in t.
fn multiplier(counts: &[(f64, f64)], s: f64) -> f64 {
    let sum = |t: f64| -> f64 {
        counts.iter().map(|&(score, count)| positive(count) * (score - s) / (1.0 + t * (score - s))).sum()
    };
    let (first, last) = (counts.first().map_or(0.0, |c| c.0), counts.last().map_or(1.0, |c| c.0));
    let (mut low, mut high) = (-1.0 / (last - s), -1.0 / (first - s));
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if sum(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// A running test. Add rounds in their order.
#[derive(Clone, Debug)]
pub struct Sequential {
    sprt: Sprt,
    /// Scores and their counts.
    counts: Vec<(f64, f64)>,
    /// Rounds added until the test decided.
    pub rounds: u32,
    /// The log-likelihood ratios of "the first player is better" and "the second player is better".
    pub ratios: [f64; 2],
    /// For each player: true if its test accepted elo1, false if elo0, none while it is undecided.
    accepted: [Option<bool>; 2],
}

impl Sequential {
    /// A test without rounds.
    pub fn new(sprt: Sprt) -> Sequential {
        let counts = PENTANOMIAL.map(|score| (score, 0.0)).to_vec();
        Sequential { sprt, counts, rounds: 0, ratios: [0.0; 2], accepted: [None; 2] }
    }

    /// Adds a round with the first player's mean score, 0 to 1. After the decision it changes nothing.
    pub fn add(&mut self, score: f64) {
        if self.verdict() != SprtVerdict::Open {
            return;
        }
        self.rounds += 1;
        match self.counts.binary_search_by(|(known, _)| known.total_cmp(&score)) {
            Ok(index) => self.counts[index].1 += 1.0,
            Err(index) => self.counts.insert(index, (score, 1.0)),
        }
        let Sprt { elo0, elo1, .. } = self.sprt;
        let [low, high] = self.sprt.bounds();
        let mirrored: Vec<(f64, f64)> =
            self.counts.iter().rev().map(|&(score, n)| (1.0 - score, n)).collect();
        for (side, counts) in [&self.counts, &mirrored].into_iter().enumerate() {
            let ratio = log_likelihood_ratio(counts, expected(elo0), expected(elo1));
            self.ratios[side] = ratio;
            let decided = (ratio >= high).then_some(true).or((ratio <= low).then_some(false));
            self.accepted[side] = self.accepted[side].or(decided);
        }
    }

    /// The verdict so far.
    pub fn verdict(&self) -> SprtVerdict {
        match self.accepted {
            [Some(true), _] => SprtVerdict::Better,
            [_, Some(true)] => SprtVerdict::Worse,
            [Some(false), Some(false)] => SprtVerdict::Alike,
            _ => SprtVerdict::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn ratio(scores: &[f64], counts: &[f64], elo0: f64, elo1: f64) -> f64 {
        let counts: Vec<(f64, f64)> = scores.iter().copied().zip(counts.iter().copied()).collect();
        log_likelihood_ratio(&counts, expected(elo0), expected(elo1))
    }

    /// The expected values of fastchess's tests for the logistic model (`app/tests/sprt_test.cpp`).
    #[test]
    fn ratios_agree_with_fastchess() {
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 0.01, "{found} for {wanted}");
        let three = [0.0, 0.5, 1.0];
        close(ratio(&three, &[21184.0, 40708.0, 21404.0], 0.5, 2.5), -1.57);
        close(ratio(&three, &[57030.0, 106_593.0, 57433.0], 0.0, 2.0), -2.59);
        close(ratio(&PENTANOMIAL, &[223.0, 9863.0, 21279.0, 10037.0, 246.0], 0.5, 2.5), -3.07);
        close(ratio(&PENTANOMIAL, &[871.0, 26175.0, 55983.0, 26678.0, 821.0], 0.0, 2.0), -4.98);
    }

    /// With two scores only one distribution has a given expectation, so the ratio is that of binomial likelihoods.
    #[test]
    fn two_scores_give_a_binomial_test() {
        let (s0, s1) = (expected(0.0), expected(100.0));
        let wanted = 30.0 * (s1 / s0).ln() + 12.0 * ((1.0 - s1) / (1.0 - s0)).ln();
        assert!((ratio(&[0.0, 1.0], &[12.0, 30.0], 0.0, 100.0) - wanted).abs() < 1e-9);
    }

    #[test]
    fn verdicts_follow_the_bounds() {
        let sprt = Sprt { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05 };
        let run = |scores: &[f64]| {
            let mut test = Sequential::new(sprt);
            (0..1000).for_each(|number| test.add(scores[number % scores.len()]));
            (test.verdict(), test.rounds)
        };
        let (better, rounds) = run(&[1.0, 1.0, 0.5]);
        assert_eq!(better, SprtVerdict::Better);
        assert!((6..30).contains(&rounds), "{rounds}");
        assert_eq!(run(&[0.0, 0.0, 0.5]), (SprtVerdict::Worse, rounds));
        assert_eq!(run(&[0.5, 0.75, 0.25]).0, SprtVerdict::Alike);
        // One round is too few to decide.
        let mut few = Sequential::new(sprt);
        few.add(1.0);
        assert_eq!(few.verdict(), SprtVerdict::Open);
    }

    #[test]
    fn the_largest_hypotheses_have_finite_ratios() {
        let sprt = |elo0: f64, elo1: f64| Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 };
        for (elo0, elo1) in [(0.0, 7_000.0), (-7_000.0, 0.0), (f64::NAN, 0.0), (9.0, 0.0)] {
            assert!(!sprt(elo0, elo1).is_sound(), "{elo0} {elo1}");
        }
        let largest = sprt(-Sprt::MAX_ELO, Sprt::MAX_ELO);
        assert!(largest.is_sound());
        let mut test = Sequential::new(largest);
        for score in [1.0, 0.5, 0.0] {
            test.add(score);
            assert!(test.ratios.iter().all(|ratio| ratio.is_finite()), "{test:?}");
        }
    }

    /// The test's error rate over players of known strength is at most alpha and beta, with a margin for chance.
    #[test]
    fn error_rates_are_at_most_alpha_and_beta() {
        let sprt = Sprt { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05 };
        let share = |expectation: f64, wanted: SprtVerdict| {
            let found = (0..400).filter(|&run| {
                let mut random = ChaCha8Rng::seed_from_u64(run);
                let mut test = Sequential::new(sprt);
                while test.verdict() == SprtVerdict::Open && test.rounds < 5000 {
                    let won = || usize::from(random.random_bool(expectation));
                    let games: usize = std::iter::repeat_with(won).take(2).sum();
                    test.add(games as f64 / 2.0);
                }
                test.verdict() == wanted
            });
            found.count() as f64 / 400.0
        };
        // Equal players: each is called better in at most 5 %. A player that is 100 Elo better is called so in at least 95
        // %.
        assert!(share(0.5, SprtVerdict::Better) < 0.08);
        assert!(share(expected(100.0), SprtVerdict::Better) > 0.92);
    }
}
