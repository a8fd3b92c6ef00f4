//! Writes the strategies that prove the values of a solution, as a [`Certificate`].
//!
//! # How
//! From the initial state, all states are visited that can follow if a team plays its strategy. If the solver computed
//! the values of all states or the Grundy numbers of a sum, they give a move that keeps the value. Otherwise alpha-beta
//! without an evaluation function proves such a move; its table stores the proofs of earlier states. In a game for one
//! player, the strategy is the line of the solution. Teams that can force no more than their least goal value need no
//! strategy.
//!
//! # Guarantee
//! None: `certificate` checks the result.

use rustc_hash::FxHashSet;

use crate::certificate::{Certificate, Choice, Claim, Strategy, state_text};
use crate::machine::{Cursor, Machine, MoveId, State, StateView};

use super::alpha_beta::AlphaBetaOptions;
use super::context::SearchContext;
use super::deepening::Deepening;
use super::graph::Policy;
use super::limits::{Halt, Limits, Meter, Stop};
use super::parts::ImpartialSum;
use super::result::{Search, SearchError};
use super::solve::{Solution, Solver};

/// Limit of the states of a strategy; a larger one gives [`StrategyError::TooLarge`].
const MOST_STATES: usize = 1_000_000;

/// Why a strategy can't be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StrategyError {
    /// No value is proved that a strategy without random choices guarantees.
    #[error("no role is proved to get more than its least goal value by moves without random choices")]
    NoValue,
    /// The search for a move reached a limit.
    #[error(
        "after {0} states, no move was proved within the limits that keeps the value; use greater limits"
    )]
    Limits(usize),
    /// The strategy has too many states.
    #[error("the strategy of a team has more than {MOST_STATES} states")]
    TooLarge,
    /// Interrupted by the caller.
    #[error("interrupted")]
    Interrupted,
    /// A state can't be evaluated.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl From<Halt> for StrategyError {
    fn from(halt: Halt) -> StrategyError {
        match halt {
            Halt::Stop(Stop::Interrupted) => StrategyError::Interrupted,
            Halt::Stop(_) => StrategyError::Limits(0),
            Halt::Error(error) => StrategyError::Search(error.into()),
        }
    }
}

/// The strategies of a solution of the initial state: one for each team whose value is proved. `memory` is in bytes.
///
/// # Errors
/// [`StrategyError`]: no value is proved, or a limit is reached.
pub fn certify(
    machine: &dyn Machine,
    teams: &[Vec<usize>],
    solution: &Solution,
    memory: usize,
    limits: &Limits<'_>,
) -> Result<Certificate, StrategyError> {
    let roles = &machine.description().roles;
    let names: Vec<String> = roles.iter().map(|&role| machine.term_text(role)).collect();
    let mut strategies = Vec::new();
    for (role, value) in solution.roles.iter().enumerate() {
        let context = SearchContext::in_team(machine, role, teams);
        let team: Vec<usize> = (0..names.len()).filter(|&other| context.allies[other]).collect();
        let is_claimed = |value: &i32| team[0] == role && *value > context.rewards[0];
        let Some(value) = value.value.filter(is_claimed) else { continue };
        let claim = Claim { team: team.iter().map(|&role| names[role].clone()).collect(), value };
        let mut writer = StrategyWriter { machine, team, choices: Vec::new(), cursor: machine.cursor() };
        match names.len() {
            1 => writer.follow(&solution.principal_variation)?,
            _ => {
                let mut oracle = Oracle::new(context, role, solution, (memory, limits))?;
                writer.walk(&mut oracle, value, limits)?;
            }
        }
        let choices = writer.choices.into_iter().map(|choice| (0, choice)).collect();
        strategies.push(Strategy { claim, line: 0, choices });
    }
    if strategies.is_empty() {
        return Err(StrategyError::NoValue);
    }
    Ok(Certificate { roles: names, strategies })
}

/// A source of moves that keep the value of a state.
enum Oracle<'m> {
    /// The values of all states.
    Policy(Box<Policy>),
    /// The Grundy numbers of a sum, and the role.
    Sum(Box<ImpartialSum>, usize),
    /// A search for each state.
    Search(Box<Deepening<'m>>),
}

impl<'m> Oracle<'m> {
    fn new(
        context: SearchContext<'m>,
        role: usize,
        solution: &Solution,
        (memory, limits): (usize, &Limits<'_>),
    ) -> Result<Oracle<'m>, StrategyError> {
        if solution.solver == Solver::AllStates {
            let (machine, mut meter) = (context.machine, Meter::new(*limits));
            match Policy::of(machine, &context, machine.initial(), memory, &mut meter) {
                Ok(Ok(Some(policy))) => return Ok(Oracle::Policy(Box::new(policy))),
                // Without symmetries there may be too many states.
                Ok(_) | Err(Halt::Stop(Stop::Nodes | Stop::Memory)) => {}
                Err(halt) => return Err(halt.into()),
            }
        }
        if solution.nim_sum.is_some()
            && let Some(sum) = ImpartialSum::of_game(context.machine, memory, limits)
        {
            return Ok(Oracle::Sum(Box::new(sum), role));
        }
        let options = AlphaBetaOptions { table: memory, ..AlphaBetaOptions::default() };
        Ok(Oracle::Search(Box::new(Deepening::plain(context, options))))
    }

    /// A proved value of a state that is not terminal, and a joint move that keeps it; none if none is proved.
    fn best(
        &mut self,
        view: &dyn StateView,
        limits: &Limits<'_>,
    ) -> Result<Option<(i32, Vec<MoveId>)>, StrategyError> {
        let search = match self {
            Oracle::Policy(policy) => return Ok(policy.best(view)),
            Oracle::Sum(sum, role) => {
                let value = sum.nim_sum(view.state()).map(|of| sum.goals(of.winner)[*role]);
                return Ok(value.zip(sum.best(view.state()).map(Vec::from)));
            }
            Oracle::Search(search) => search,
        };
        let result = search.search(view.state(), limits, &mut |_| {})?;
        if result.stop == Stop::Interrupted {
            return Err(StrategyError::Interrupted);
        }
        let value = result.value.filter(|_| result.proved);
        let joint = result.principal_variation.into_iter().next();
        Ok(value.map(|value| value.round() as i32).zip(joint))
    }
}

/// A strategy being written.
struct StrategyWriter<'m> {
    machine: &'m dyn Machine,
    /// The roles that follow the strategy.
    team: Vec<usize>,
    choices: Vec<Choice>,
    cursor: Box<dyn Cursor + 'm>,
}

impl<'m> StrategyWriter<'m> {
    /// Whether the team has more than one joint move in the cursor's state.
    fn has_choice(&self) -> bool {
        self.team.iter().any(|&role| self.cursor.legal(role).len() > 1)
    }

    /// Records the team's moves in the cursor's state.
    fn record(&mut self, joint: &[MoveId]) {
        let state = state_text(self.machine, self.cursor.state());
        let moves = self.team.iter().map(|&role| self.machine.move_text(joint[role])).collect();
        self.choices.push(Choice { state, moves });
    }

    /// Records the team's moves along a line.
    fn follow(&mut self, line: &[Vec<MoveId>]) -> Result<(), StrategyError> {
        for joint in line {
            if self.has_choice() {
                self.record(joint);
            }
            self.cursor.advance(joint).map_err(SearchError::from)?;
        }
        Ok(())
    }

    /// Finds a move that keeps the value in all states that can follow.
    fn walk(
        &mut self,
        oracle: &mut Oracle<'_>,
        value: i32,
        limits: &Limits<'_>,
    ) -> Result<(), StrategyError> {
        let mut meter = Meter::new(Limits { nodes: None, children: None, ..*limits });
        let first = self.machine.initial().clone();
        let mut visited: FxHashSet<State> = FxHashSet::from_iter([first.clone()]);
        let mut open = vec![first];
        while let Some(state) = open.pop() {
            self.cursor.set(&state).map_err(SearchError::from)?;
            if self.cursor.terminal() {
                continue;
            }
            let roles = self.machine.description().roles.len();
            let mut moves: Vec<Vec<MoveId>> =
                (0..roles).map(|role| self.cursor.legal(role).to_vec()).collect();
            if self.has_choice() {
                let found = oracle.best(&*self.cursor, limits)?;
                let Some((_, joint)) = found.filter(|(found, _)| *found >= value) else {
                    return Err(StrategyError::Limits(self.choices.len()));
                };
                self.record(&joint);
                self.team.iter().for_each(|&role| moves[role] = vec![joint[role]]);
            }
            let joints = moves.iter().try_fold(1u64, |product, of| product.checked_mul(of.len() as u64));
            for number in 0..joints.unwrap_or(u64::MAX) {
                self.count(&mut meter)?;
                self.cursor.set(&state).map_err(SearchError::from)?;
                self.cursor.advance(&joint_move(&moves, number)).map_err(SearchError::from)?;
                let next = self.cursor.state();
                if !visited.contains(next) {
                    if visited.len() >= MOST_STATES {
                        return Err(StrategyError::TooLarge);
                    }
                    visited.insert(next.clone());
                    open.push(next.clone());
                }
            }
        }
        Ok(())
    }

    fn count(&self, meter: &mut Meter<'_>) -> Result<(), StrategyError> {
        meter.count(1).map_err(|stop| match stop {
            Stop::Interrupted => StrategyError::Interrupted,
            _ => StrategyError::Limits(self.choices.len()),
        })
    }
}

/// The joint move with an index; the last role's move changes fastest.
fn joint_move(moves: &[Vec<MoveId>], mut number: u64) -> Vec<MoveId> {
    let mut joint = vec![MoveId(0); moves.len()];
    for (action, moves) in joint.iter_mut().zip(moves).rev() {
        *action = moves[(number % moves.len() as u64) as usize];
        number /= moves.len() as u64;
    }
    joint
}
