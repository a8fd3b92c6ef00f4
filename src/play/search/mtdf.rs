//! # What it does
//! MTD(f): iterative deepening that finds the value of each depth by searches with empty windows only.
//!
//! # How
//! Each search tests whether the value is below a guess. Its result is a bound, which is the next guess, until the lower
//! and the upper bound meet. The first guess is the value of the depth before. The transposition table holds what the
//! searches have in common; several threads share it.
//!
//! # Guarantee
//! As `alphabeta`: the value is that of exhaustive minimax to the same depth.
//!
//! # Cost
//! A few searches for each depth if the value changes little from depth to depth. Without a table, no search uses the
//! results of another.
//!
//! # Example
//! `mtdf:statistical,depth=6`; `mtdf:fuzzy,threads=2`.
//!
//! # Source
//! Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax algorithms", Artificial Intelligence 1996; used
//! by Walędzik and Mańdziuk 2014.

use super::alpha_beta::AlphaBeta;
use super::knowledge::NodeValue;
use super::limits::{Halt, Meter};
use super::score::INFINITE;

/// The value at a depth, by empty windows from `guess` on.
pub(super) fn mtdf(
    alpha_beta: &mut AlphaBeta<'_>,
    depth: u32,
    guess: Option<NodeValue>,
    meter: &mut Meter<'_>,
) -> Result<NodeValue, Halt> {
    let (mut low, mut high) = (-INFINITE, INFINITE);
    let mut proved = [false; 2];
    let mut score = guess.map_or(0, |guess| guess.score);
    // A search that fails low has no line.
    let mut line = Vec::new();
    loop {
        let from = if score == low { score } else { score - 1 };
        let found = alpha_beta.root(depth, (from, from + 1), meter)?;
        score = found.score;
        if score > from {
            (low, proved[0]) = (score, found.proved);
            line = alpha_beta.root_line();
        } else {
            (high, proved[1]) = (score, found.proved);
        }
        let scale = alpha_beta.knowledge.scale;
        // A proved win can't be improved, and a proved loss can't be avoided, whatever the other bound is.
        let is_settled =
            found.proved && if score > from { scale.is_win(score) } else { scale.is_loss(score) };
        if low >= high || is_settled {
            alpha_beta.set_root_line(line);
            return Ok(NodeValue { proved: is_settled || proved == [true, true], ..found });
        }
    }
}
