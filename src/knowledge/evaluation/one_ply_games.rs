//! Games in which some roles follow a function one move ahead and all others play at random.
//!
//! A role that follows a function plays the best move by [`move_values`], and a random one of equal moves. It always
//! plays a move that ends the game with its greatest goal value for certain.
//!
//! Such games are shown to readers (`analysis/demonstration/good_play.rs`), and they repair statistical functions
//! that play worse than random play (`statistical/own_play.rs`).

use crate::feature::Measure;
use crate::machine::{Machine, MachineError, MoveId, State};
use crate::simulate::Choices;

use super::function::{Function, FunctionError};
use super::move_values::{MoveValue, REPLIES, move_values};
use super::scaled_feature::rewards;

/// A role with the function that it follows.
pub struct Seat<'m, 'f> {
    function: &'f Function,
    measure: Box<dyn Measure<'m> + 'm>,
    /// The greatest goal value of the function's role.
    most: f64,
}

impl<'m, 'f> Seat<'m, 'f> {
    /// A seat for the function's role.
    ///
    /// # Errors
    /// The function does not fit the game.
    pub fn new(machine: &'m dyn Machine, function: &'f Function) -> Result<Seat<'m, 'f>, FunctionError> {
        let mut roles = machine.description().roles.iter();
        let role = roles.position(|&role| machine.term_text(role) == function.role());
        let most = role.map_or(100.0, |role| f64::from(rewards(machine, role)[1]));
        Ok(Seat { function, measure: function.bind(machine)?, most })
    }
}

/// Limits at which a game is cut off.
#[derive(Clone, Copy)]
pub struct GameLimits<'a> {
    /// The most joint moves.
    pub steps: u32,
    /// The most evaluated states: one for each move and each reply of the others.
    pub values: u64,
    /// Returns whether to stop at once.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// A game from the initial state.
#[derive(Clone, Debug, PartialEq)]
pub struct OnePlyGame {
    /// Its states, the initial one first.
    pub states: Vec<State>,
    /// The joint moves between them.
    pub moves: Vec<Vec<MoveId>>,
    /// The goal values of every role at the end; none if the game was cut off.
    pub goals: Option<Vec<Vec<i32>>>,
    /// The number of states that were evaluated.
    pub values: u64,
}

/// Plays a game. A role without a seat plays at random.
///
/// # Errors
/// A state can't be evaluated.
pub fn one_ply_game(
    machine: &dyn Machine,
    seats: &mut [Option<Seat<'_, '_>>],
    choices: &mut Choices,
    limits: &GameLimits<'_>,
) -> Result<OnePlyGame, MachineError> {
    let roles = seats.len();
    let mut cursor = machine.cursor();
    cursor.set(machine.initial())?;
    let states = vec![machine.initial().clone()];
    let mut game = OnePlyGame { states, moves: Vec::new(), goals: None, values: 0 };
    for _ in 0..=limits.steps {
        if cursor.terminal() {
            game.goals = Some((0..roles).map(|role| cursor.goals(role).to_vec()).collect());
            break;
        }
        let stuck = (0..roles).any(|role| cursor.legal(role).is_empty());
        if stuck || game.moves.len() as u32 >= limits.steps {
            break;
        }
        let mut joint = Vec::with_capacity(roles);
        for (role, seat) in seats.iter_mut().enumerate() {
            let legal = cursor.legal(role);
            let others = (0..roles).filter(|&other| other != role);
            let seat = seat.as_mut().filter(|_| legal.len() > 1);
            joint.push(match seat {
                None => legal[choices.below(legal.len())],
                Some(seat) => {
                    let replies = others.map(|other| cursor.legal(other).len() as u64);
                    let replies =
                        replies.fold(1, |all: u64, count| all.saturating_mul(count).min(REPLIES as u64));
                    game.values += replies * legal.len() as u64;
                    if game.values > limits.values || (limits.interrupted)() {
                        return Ok(game);
                    }
                    followed(machine, seat, role, cursor.state(), choices)?
                }
            });
        }
        cursor.advance(&joint)?;
        game.moves.push(joint);
        game.states.push(cursor.state().clone());
    }
    Ok(game)
}

/// The move of a role that follows a function.
fn followed(
    machine: &dyn Machine,
    seat: &mut Seat<'_, '_>,
    role: usize,
    state: &State,
    choices: &mut Choices,
) -> Result<MoveId, MachineError> {
    let most = seat.most;
    let moves = move_values(machine, seat.function, &mut *seat.measure, role, state)?;
    let key = |of: &MoveValue| match of.terminal == of.replies && of.goal == Some(most) {
        true => f64::INFINITY,
        false => of.rank,
    };
    let best = moves.iter().map(key).fold(f64::NEG_INFINITY, f64::max);
    let equals: Vec<MoveId> = moves.iter().filter(|of| key(of) == best).map(|of| of.action).collect();
    Ok(equals.get(choices.below(equals.len())).copied().unwrap_or(moves[0].action))
}
