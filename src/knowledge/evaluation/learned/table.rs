//! Games under way, and which of their moves are looked at.

use crate::machine::{MoveId, State};
use crate::simulate::Choices;

use super::self_play::{Manner, Played};

/// Moves of a role that are looked at in a state, at most; of more these are drawn: with fewer there are more games, and
/// these differ more.
const MOVES: usize = 10;

/// Moves of a role that are looked at in a state at most where lanes value what comes after.
const MOVES_IN_LANES: usize = 64;

/// Draws of what others do at the same time.
pub(super) const ANSWERS: usize = 2;

/// Uniform draws have so many values.
pub(super) const GRAINS: usize = 1 << 24;

/// A game that goes on.
pub(super) struct Table {
    pub(super) number: u64,
    pub(super) state: State,
    pub(super) legal: Vec<Vec<MoveId>>,
    pub(super) choices: Choices,
    /// Moves of the opening that are left.
    pub(super) opening: u32,
    pub(super) steps: u32,
    pub(super) played: Played,
}

/// Moves of a role that are looked at.
pub(super) struct Look {
    pub(super) table: usize,
    pub(super) role: usize,
    pub(super) moves: Vec<MoveId>,
    /// Where its successors stand: for each answer one for each move.
    pub(super) first: usize,
    pub(super) answers: usize,
    /// Draws one of the moves whose answers are looked at.
    pub(super) draw: usize,
    /// Whether the role draws its move all the same.
    pub(super) explores: bool,
}

impl Table {
    /// Who looks at its moves in a state.
    pub(super) fn looks(
        &mut self,
        number: usize,
        manner: &Manner<'_>,
        in_lanes: &[bool],
        looks: &mut Vec<Look>,
    ) {
        if self.opening > 0 {
            return;
        }
        let choosers = self.legal.iter().filter(|legal| legal.len() > 1).count();
        for role in (0..manner.seats.len()).filter(|&role| manner.seats[role].is_some()) {
            let legal = &self.legal[role];
            if legal.len() < 2 {
                continue;
            }
            let explores = (self.choices.below(GRAINS) as f64) < manner.noise * GRAINS as f64;
            // What was given up by a random move can be told only where nobody else moves.
            if explores && (choosers > 1 || !manner.kept) {
                continue;
            }
            let most = if in_lanes[role] { MOVES_IN_LANES } else { MOVES };
            let moves = match legal.len() <= most {
                true => legal.clone(),
                false => {
                    let mut moves = legal.clone();
                    for place in 0..most {
                        let other = place + self.choices.below(moves.len() - place);
                        moves.swap(place, other);
                    }
                    moves.truncate(most);
                    moves
                }
            };
            let answers = if choosers > 1 { ANSWERS } else { 1 };
            let draw = if manner.answered { self.choices.below(GRAINS) } else { 0 };
            looks.push(Look { table: number, role, moves, first: 0, answers, draw, explores });
        }
    }
}
