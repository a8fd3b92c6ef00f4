//! # What it does
//! MTD(f): the value at a depth, by empty windows alone.
//!
//! # How
//! Every look asks whether the value is less than a guess; the answer, a bound, is the next guess, until the bounds
//! meet. The transposition table keeps what the looks have in common.
//!
//! # Guarantee
//! That of alpha-beta: the same values.
//!
//! # Cost
//! A few looks a depth where the value changes little from depth to depth. Without a table each is a search of its own.
//!
//! # Example
//! `mtdf:statistical?depth=6`; options and values are those of `alphabeta`.
//!
//! # Source
//! Plaat, Schaeffer, Pijls and de Bruin 1996; used by Walędzik and Mańdziuk 2014.

use super::alpha_beta::{AlphaBeta, Found};
use super::limits::{Halt, Meter};
use super::score::INFINITE;

/// The value at a depth, from a first guess on.
pub(super) fn mtdf(
    alpha_beta: &mut AlphaBeta<'_>,
    depth: u32,
    guess: Option<Found>,
    meter: &mut Meter<'_>,
) -> Result<Found, Halt> {
    let (mut low, mut high) = (-INFINITE, INFINITE);
    let mut proved = [false; 2];
    let mut score = guess.map_or(0, |guess| guess.score);
    loop {
        let from = if score == low { score } else { score - 1 };
        let found = alpha_beta.root(depth, (from, from + 1), meter)?;
        score = found.score;
        if score > from {
            (low, proved[0]) = (score, found.proved);
        } else {
            (high, proved[1]) = (score, found.proved);
        }
        // A proved win can't be bettered, whatever the upper bound.
        let settled = found.proved && (alpha_beta.scale.is_win(score) || alpha_beta.scale.is_loss(score));
        if low >= high || settled {
            return Ok(Found { proved: settled || proved == [true, true], ..found });
        }
    }
}
