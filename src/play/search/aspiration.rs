//! Aspiration: the search begins in a window around the value of the last depth. The window grows on the side on which
//! the value lies outside. A value outside costs a second search, which the table shortens.

use super::alpha_beta::AlphaBeta;
use super::knowledge::NodeValue;
use super::limits::{Halt, Meter};
use super::score::INFINITE;
use super::window::FULL;

/// Half of the first window: one goal point of a hundred.
const WINDOW: i32 = (1 << 29) / 50;

/// The value at a depth, in windows around `guess` if there is one.
pub(super) fn aspiration(
    alpha_beta: &mut AlphaBeta<'_>,
    depth: u32,
    guess: Option<NodeValue>,
    meter: &mut Meter<'_>,
) -> Result<NodeValue, Halt> {
    let Some(guess) = guess else { return alpha_beta.root(depth, FULL, meter) };
    let (mut below, mut above) = (WINDOW, WINDOW);
    loop {
        let low = guess.score.saturating_sub(below).max(-INFINITE);
        let high = guess.score.saturating_add(above).min(INFINITE);
        let bounds = alpha_beta.root(depth, (low, high), meter)?;
        if bounds.score <= low && low > -INFINITE {
            below = below.saturating_mul(8);
        } else if bounds.score >= high && high < INFINITE {
            above = above.saturating_mul(8);
        } else {
            return Ok(bounds);
        }
    }
}
