//! Ratings: the maximum-likelihood strengths of players, from their results against each other.
//!
//! The model is that of Bradley and Terry (1952), as in Elo's formula. A player of strength x scores 1 / (1 + e^(y - x)) on
//! average against a player of strength y. A draw counts as half a win and half a loss. The maximum-likelihood strengths are
//! finite and unique if and only if every player scored, directly or through others, against every other player (Ford 1957).
//! Newton's method finds them, and the inverse of Fisher's information gives the intervals. Draws vary less than wins and
//! losses, so the intervals are conservative if there are many draws.
//!
//! If the condition fails, only the largest group for which it holds is rated. A player outside this
//! group that won all, or lost all, of its games against the group gets a one-sided limit: the strength at which such a
//! series has a chance of 5 %. Other players get no rating.

use ndarray::{Array2, ArrayView1};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use schemars::JsonSchema;
use serde::Serialize;

use super::{CONFIDENCE, quantile};

/// All games between two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairResult {
    /// The indices of the two players.
    pub players: [usize; 2],
    /// The first player's points: 1 for a win, 0.5 for a draw.
    pub points: f64,
    /// The number of games.
    pub games: f64,
}

/// The rating of a player in Elo points. The mean of all estimates is 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Rating {
    /// An estimate with its 95 % interval.
    Estimate {
        /// The maximum-likelihood estimate.
        elo: f64,
        /// Lower end of the interval.
        low: f64,
        /// Upper end of the interval.
        high: f64,
    },
    /// The player won every game against rated players.
    Above {
        /// Lower end of a one-sided 95 % interval.
        low: f64,
    },
    /// The player lost every game against rated players.
    Below {
        /// Upper end of a one-sided 95 % interval.
        high: f64,
    },
    /// The results do not determine a rating.
    NotEstimable,
}

/// Converts strength (natural logarithm of odds) to Elo points.
fn elo(strength: f64) -> f64 {
    strength * 400.0 / std::f64::consts::LN_10
}

fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// The ratings of players 0 to `players` - 1 from these results.
pub fn ratings(players: usize, results: &[PairResult]) -> Vec<Rating> {
    let mut all = vec![Rating::NotEstimable; players];
    let group = largest_connected_group(players, results);
    if group.len() < 2 {
        return all;
    }
    let index_in_group = |player: usize| group.binary_search(&player).ok();
    let inside = |result: &PairResult| {
        let [one, other] = result.players;
        Some(PairResult { players: [index_in_group(one)?, index_in_group(other)?], ..*result })
    };
    let group_results: Vec<PairResult> = results.iter().filter_map(inside).collect();
    let (strengths, variances) = maximum_likelihood(group.len(), &group_results);
    let z = quantile::normal();
    for ((&player, &strength), &variance) in group.iter().zip(&strengths).zip(&variances) {
        let half = z * variance.max(0.0).sqrt();
        all[player] =
            Rating::Estimate { elo: elo(strength), low: elo(strength - half), high: elo(strength + half) };
    }
    for player in (0..players).filter(|&player| index_in_group(player).is_none()) {
        let (mut opponents, mut points) = (Vec::new(), 0.0);
        for result in results.iter().filter(|result| result.games > 0.0) {
            let [one, other] = result.players;
            let opponent = if one == player {
                index_in_group(other)
            } else if other == player {
                index_in_group(one)
            } else {
                None
            };
            let Some(opponent) = opponent else { continue };
            opponents.push((strengths[opponent], result.games));
            points += if one == player { result.points } else { result.games - result.points };
        }
        let games: f64 = opponents.iter().map(|(_, games)| games).sum();
        all[player] = match points {
            _ if games == 0.0 => Rating::NotEstimable,
            points if points == games => Rating::Above { low: elo(limit(&opponents)) },
            0.0 => {
                let mirrored: Vec<(f64, f64)> = opponents.iter().map(|&(y, games)| (-y, games)).collect();
                Rating::Below { high: -elo(limit(&mirrored)) }
            }
            _ => Rating::NotEstimable,
        };
    }
    all
}

/// The largest group in which every player scored, directly or through others, against every other; ascending. If several
/// groups are equally large, the one that contains the lowest-numbered player.
fn largest_connected_group(players: usize, results: &[PairResult]) -> Vec<usize> {
    let mut scored: DiGraph<(), ()> = DiGraph::new();
    let nodes: Vec<NodeIndex> = (0..players).map(|_| scored.add_node(())).collect();
    for &PairResult { players: [one, other], points, games } in results {
        if points > 0.0 {
            scored.add_edge(nodes[one], nodes[other], ());
        }
        if points < games {
            scored.add_edge(nodes[other], nodes[one], ());
        }
    }
    let mut groups: Vec<Vec<usize>> = tarjan_scc(&scored)
        .into_iter()
        .map(|group| group.into_iter().map(NodeIndex::index).collect())
        .collect();
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    groups.into_iter().next().unwrap_or_default()
}

/// The strength at which winning every game against these opponents has a chance of 5 %.
fn limit(opponents: &[(f64, f64)]) -> f64 {
    let chance = |x: f64| -> f64 { opponents.iter().map(|&(y, games)| games * expected(x - y).ln()).sum() };
    let (mut low, mut high) = (-100.0, 100.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if chance(middle) < (1.0 - CONFIDENCE).ln() {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The maximum-likelihood strengths and their variances, both relative to a mean of 0.
fn maximum_likelihood(players: usize, results: &[PairResult]) -> (Vec<f64>, Vec<f64>) {
    let likelihood = |x: &[f64]| -> f64 {
        let of = |result: &PairResult| {
            let [one, other] = result.players;
            let won = expected(x[one] - x[other]).ln();
            let lost = expected(x[other] - x[one]).ln();
            result.points * won + (result.games - result.points) * lost
        };
        results.iter().map(of).sum()
    };
    let mut strengths = vec![0.0; players];
    let mut best_likelihood = likelihood(&strengths);
    for _ in 0..200 {
        let mut slope = vec![0.0; players];
        for &PairResult { players: [one, other], points, games } in results {
            let more = points - games * expected(strengths[one] - strengths[other]);
            slope[one] += more;
            slope[other] -= more;
        }
        let inverse = inverse_information(&strengths, results);
        // Summed in the order of the players, so that the last digits don't depend on an algorithm for matrix products.
        let step = |row: ArrayView1<'_, f64>| row.iter().zip(&slope).map(|(a, b)| a * b).sum::<f64>();
        let step: Vec<f64> = inverse.rows().into_iter().map(step).collect();
        // The likelihood has a single maximum, but a full Newton step can overshoot it.
        let mut share = 1.0;
        let better = loop {
            let candidate: Vec<f64> = strengths.iter().zip(&step).map(|(x, d)| x + share * d).collect();
            let likelihood_there = likelihood(&candidate);
            if likelihood_there > best_likelihood {
                break Some((candidate, likelihood_there));
            }
            share /= 2.0;
            if share < 1e-6 {
                break None;
            }
        };
        let Some((candidate, likelihood_there)) = better else { break };
        let gained = likelihood_there - best_likelihood;
        (strengths, best_likelihood) = (candidate, likelihood_there);
        if gained < 1e-13 {
            break;
        }
    }
    let mean = strengths.iter().sum::<f64>() / players as f64;
    strengths.iter_mut().for_each(|x| *x -= mean);
    let inverse = inverse_information(&strengths, results);
    let variances = inverse.diag().iter().map(|variance| variance - 1.0 / players as f64).collect();
    (strengths, variances)
}

/// The inverse of Fisher's information with 1/players added to every entry. The information is singular: it does not
/// determine a common shift of all strengths. The added term fixes this shift at 0.
fn inverse_information(strengths: &[f64], results: &[PairResult]) -> Array2<f64> {
    let players = strengths.len();
    let mut matrix = Array2::from_elem((players, players), 1.0 / players as f64);
    for &PairResult { players: [one, other], games, .. } in results {
        let score = expected(strengths[one] - strengths[other]);
        let weight = games * score * (1.0 - score);
        matrix[[one, one]] += weight;
        matrix[[other, other]] += weight;
        matrix[[one, other]] -= weight;
        matrix[[other, one]] -= weight;
    }
    inverse(matrix)
}

/// The inverse of a positive definite matrix by Gauss-Jordan elimination; such a matrix needs no pivoting.
fn inverse(mut matrix: Array2<f64>) -> Array2<f64> {
    let size = matrix.nrows();
    let mut inverse = Array2::eye(size);
    for pivot in 0..size {
        let divisor = matrix[[pivot, pivot]];
        for half in [&mut matrix, &mut inverse] {
            half.row_mut(pivot).mapv_inplace(|value| value / divisor);
        }
        let above = [matrix.row(pivot).to_owned(), inverse.row(pivot).to_owned()];
        for other in (0..size).filter(|&other| other != pivot) {
            let factor = matrix[[other, pivot]];
            for (half, above) in [&mut matrix, &mut inverse].into_iter().zip(&above) {
                half.row_mut(other).zip_mut_with(above, |value, above| *value -= factor * above);
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(one: usize, other: usize, points: f64, games: f64) -> PairResult {
        PairResult { players: [one, other], points, games }
    }

    fn estimate(rating: Rating) -> [f64; 3] {
        match rating {
            Rating::Estimate { elo, low, high } => [elo, low, high],
            other => panic!("{other:?}"),
        }
    }

    fn assert_close(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-6 * wanted.abs().max(1.0), "{found} for {wanted}");
    }

    /// After n games of two players the difference is the logit of the score p, with the variance 1 / (n p (1 - p)).
    #[test]
    fn ratings_of_two_players_agree_with_hand_computation() {
        let found = ratings(2, &[result(0, 1, 75.0, 100.0)]);
        let [elo, low, high] = estimate(found[0]);
        assert_close(elo, 400.0 * 3_f64.log10() / 2.0);
        assert_close(estimate(found[1])[0], -elo);
        // Each strength is half of the difference away from the mean, so its deviation is half of the difference's
        // deviation.
        assert_close(
            high - low,
            2.0 * 1.959_963_985 * 400.0 / 10_f64.ln() * (1.0 / (100.0 * 0.75 * 0.25_f64)).sqrt() / 2.0,
        );
    }

    /// 0 beats 1 by 3 to 1, and 1 beats 2 by 3 to 1: the estimates differ by log 3 each. 0 against 2 by 9 to 1 agrees with
    /// this.
    #[test]
    fn ratings_of_a_chain_agree_with_hand_computation() {
        let chain = [result(0, 1, 3.0, 4.0), result(1, 2, 3.0, 4.0), result(0, 2, 9.0, 10.0)];
        for results in [&chain[..2], &chain[..]] {
            let found: Vec<f64> = ratings(3, results).into_iter().map(|rating| estimate(rating)[0]).collect();
            let step = 400.0 * 3_f64.log10();
            assert_close(found[0], step);
            assert!(found[1].abs() < 1e-6);
            assert_close(found[2], -step);
        }
    }

    #[test]
    fn expected_points_equal_actual_points() {
        // At the maximum of the likelihood, the expected and the actual points of every player are equal.
        let results = [
            result(0, 1, 7.5, 10.0),
            result(1, 2, 2.0, 8.0),
            result(2, 3, 6.0, 9.0),
            result(3, 0, 1.0, 12.0),
            result(1, 3, 4.0, 5.0),
        ];
        let found: Vec<f64> = ratings(4, &results).into_iter().map(|rating| estimate(rating)[0]).collect();
        for player in 0..4 {
            let more = |result: &PairResult| {
                let [one, other] = result.players;
                let score = 1.0 / (1.0 + 10_f64.powf((found[other] - found[one]) / 400.0));
                let more = result.points - result.games * score;
                if one == player {
                    more
                } else if other == player {
                    -more
                } else {
                    0.0
                }
            };
            assert!(results.iter().map(more).sum::<f64>().abs() < 1e-5);
        }
        assert_close(found.iter().sum::<f64>() + 1.0, 1.0);
    }

    #[test]
    fn players_without_an_estimate_get_a_limit_or_nothing() {
        assert_eq!(ratings(2, &[result(0, 1, 6.0, 6.0)]), [Rating::NotEstimable; 2]);
        assert_eq!(ratings(3, &[]), [Rating::NotEstimable; 3]);
        // 0 and 1 are rated; 2 won all five games against 0, 3 lost all games against both, 4 played only against 2.
        let results = [
            result(0, 1, 5.0, 10.0),
            result(2, 0, 5.0, 5.0),
            result(0, 3, 5.0, 5.0),
            result(1, 3, 5.0, 5.0),
            result(2, 4, 1.0, 1.0),
        ];
        let found = ratings(5, &results);
        assert_close(estimate(found[0])[0] + 1.0, 1.0);
        // Five wins have a chance of 5 % if each has the expected score 0.05^(1/5) = 0.5493.
        let score = 0.05_f64.powf(0.2);
        let Rating::Above { low: above } = found[2] else { panic!("{:?}", found[2]) };
        assert_close(above, 400.0 * (score / (1.0 - score)).log10());
        let Rating::Below { high: below } = found[3] else { panic!("{:?}", found[3]) };
        let score = 0.05_f64.powf(0.1);
        assert_close(below, -400.0 * (score / (1.0 - score)).log10());
        assert_eq!(found[4], Rating::NotEstimable);
    }
}
