//! Proving what a state is worth.
//!
//! # What it does
//! Finds for every role the goal value it can be sure of, with a line of best play.
//!
//! # How
//! Alpha-beta without estimates, ever deeper, until no horizon matters: one search a role, itself against all others,
//! who answer its moves where moves are made at the same time. The line is that of the first role's search.
//!
//! # Guarantee
//! A value called proved is right. In a game of two roles with a constant sum of goal values where one role has a
//! choice at a time, these are the values of the game; else a role may hope for more than it can be sure of.
//!
//! # Cost
//! Exponential in the length of the game; memory is that of the table.
//!
//! # Source
//! von Neumann 1928; Knuth and Moore 1975.

use std::time::{Duration, Instant};

use crate::machine::{Machine, MachineError, MoveId, State};

use super::deepening::{Deepening, Method};
use super::limits::{Limits, Stop};
use super::score::MOST_PLIES;
use super::setting::Setting;
use super::thought::{Search, SearchError, Thought};
use super::tree::TreeOptions;

/// What a role can be sure of.
#[derive(Clone, Debug, PartialEq)]
pub struct Sure {
    /// The goal value; none where it is not proved.
    pub value: Option<i32>,
    /// Why the search for it ended.
    pub stop: Stop,
}

/// What came of proving a state's value.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// For every role what it can be sure of.
    pub roles: Vec<Sure>,
    /// Joint moves of best play from the state to the end, of the first role's search; as far as it is known where
    /// that proved nothing.
    pub line: Vec<Vec<MoveId>>,
    /// States visited.
    pub nodes: u64,
    /// How long it took.
    pub took: Duration,
}

impl Solution {
    /// Whether the value of every role is proved.
    pub fn proved(&self) -> bool {
        self.roles.iter().all(|role| role.value.is_some())
    }
}

/// Proves what a state is worth to every role, as far as the limits allow: nodes are counted for each role, the
/// deadline is for all. `tell` hears of every depth done for a role, by its number.
///
/// # Errors
/// A state can't be evaluated.
pub fn solve(
    machine: &dyn Machine,
    state: &State,
    table: usize,
    limits: &Limits<'_>,
    tell: &mut dyn FnMut(usize, &Thought),
) -> Result<Solution, SearchError> {
    let begin = Instant::now();
    let mut solution = Solution { roles: Vec::new(), line: Vec::new(), nodes: 0, took: Duration::ZERO };
    for role in 0..machine.description().roles.len() {
        let options = TreeOptions { table, ..TreeOptions::default() };
        let mut search = Deepening::plain(Setting::alone(machine, role), Method::Aspiration, options);
        let found = search.think(state, limits, &mut |thought| tell(role, thought))?;
        solution.nodes += found.nodes;
        let value = found.value.filter(|_| found.proved).map(|value| value.round() as i32);
        solution.roles.push(Sure { value, stop: found.stop });
        if role == 0 {
            solution.line = found.line;
            if found.proved {
                solution.nodes += to_the_end(machine, state, &mut solution.line, &mut search, limits)?;
            }
        }
    }
    solution.took = begin.elapsed();
    Ok(solution)
}

/// Carries a line on to the end of the game, each time by the move that keeps the value; gives the nodes it took.
fn to_the_end(
    machine: &dyn Machine,
    state: &State,
    line: &mut Vec<Vec<MoveId>>,
    search: &mut dyn Search,
    limits: &Limits<'_>,
) -> Result<u64, SearchError> {
    let mut cursor = machine.cursor();
    let play = |state: &State, joints: &[Vec<MoveId>]| -> Result<State, MachineError> {
        cursor.set(state)?;
        joints.iter().try_for_each(|joint| cursor.advance(joint))?;
        Ok(cursor.state().clone())
    };
    let mut play = play;
    let (mut at, mut done, mut nodes) = (state.clone(), 0, 0);
    while line.len() < MOST_PLIES as usize {
        at = play(&at, &line[done..])?;
        done = line.len();
        let more = search.think(&at, limits, &mut |_| {})?;
        nodes += more.nodes;
        if more.line.is_empty() || !more.proved {
            break;
        }
        line.extend(more.line);
    }
    Ok(nodes)
}
