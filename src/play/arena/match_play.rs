//! A match: players, clocks and moves.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::catalog::grouped;
use crate::machine::{Machine, MachineError, MoveId, State};
use crate::search::{SearchError, SearchResult};
use crate::simulate::Choices;

use super::overrun::Overrun;
use super::player::{Player, Turn, TurnError};

/// Limit of the symbols in all states of a match, which its record contains. A thousand steps on a large board have a
/// million.
const MOST_SYMBOLS: u64 = 10_000_000;

/// The clocks of a match. By default there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Time before the first move.
    pub start: Duration,
    /// Time for each move; none if every player is limited by depth or nodes.
    pub play: Option<Duration>,
    /// The safety margin of a player; it grows after a late answer.
    pub margin: Duration,
}

/// The conditions of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// The clock of the players.
    pub clock: Clock,
    /// Limit of states that a player visits for a move, unless its line sets one.
    pub nodes: Option<u64>,
    /// Joint moves after which the match is aborted.
    pub most_steps: u32,
    /// Seed of the random moves that replace late or illegal ones.
    pub seed: u64,
    /// Joint moves that are played before the players begin.
    pub opening: Vec<Vec<MoveId>>,
}

impl Default for Conditions {
    /// No limits of time and nodes, at most 1,000 joint moves, no opening.
    fn default() -> Self {
        Conditions { clock: Clock::default(), nodes: None, most_steps: 1000, seed: 1, opening: Vec::new() }
    }
}

/// Why a player's move is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It came too late.
    Late {
        /// The time it took.
        took: Duration,
        /// The time it had.
        allowed: Duration,
    },
    /// It is not legal. The value is the player's text.
    Illegal(String),
    /// The player gave no move.
    Missing,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Late { took, allowed } => {
                write!(f, "late: {:.3} s of {:.3} s", took.as_secs_f64(), allowed.as_secs_f64())
            }
            Fault::Illegal(text) => write!(f, "not legal: {text}"),
            Fault::Missing => f.write_str("no move"),
        }
    }
}

/// A move of a role.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The move that was played.
    pub action: MoveId,
    /// The player's result; none if it was not asked, as for a single legal move and moves of the opening, or if its move was
    /// replaced.
    pub result: Option<SearchResult>,
    /// The line of the player that chose the move.
    pub by: Option<String>,
    /// Why a random move replaced the player's.
    pub fault: Option<Fault>,
}

impl Move {
    /// A move that no player chose.
    fn without_player(action: MoveId) -> Move {
        Move { action, result: None, by: None, fault: None }
    }
}

/// A step of a match, for observers.
pub struct PlayedStep<'a> {
    /// The number of steps before it.
    pub step: u32,
    /// The state before the step.
    pub before: &'a State,
    /// The move of each role.
    pub moves: &'a [Move],
    /// The state after the step.
    pub after: &'a State,
}

/// The course and the result of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// The states, from the initial one on.
    pub states: Vec<State>,
    /// The moves of each role, step by step.
    pub moves: Vec<Vec<Move>>,
    /// The goal value of each role. None if the match did not end; none for a role if the rules give no value or several.
    pub goals: Option<Vec<Option<i32>>>,
    /// The duration of each step.
    pub times: Vec<Duration>,
    /// Why a player left before the end.
    pub left: Option<String>,
    /// Why the terms of the game grew too large to be evaluated, if they did; the match then has no result.
    pub outgrown: Option<String>,
    /// The role that had no legal move although the game had not ended; the match then has no result.
    pub stuck: Option<usize>,
}

/// Why a match can't continue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// A search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A player has no limit of time or nodes.
    #[error("{0} has no limit: give it a clock, a depth or a number of nodes")]
    NoLimit(String),
}

impl Match {
    /// The goal values as numbers; the role `random`, given by its index, has 0 if the rules give it no single value. None if the
    /// match did not end, or if the rules give a player no value or several.
    pub(super) fn goal_numbers(&self, random: Option<usize>) -> Option<Vec<i32>> {
        let number =
            |(role, goal): (usize, &Option<i32>)| goal.or_else(|| (random == Some(role)).then_some(0));
        self.goals.as_ref()?.iter().enumerate().map(number).collect()
    }

    /// A match in its initial state.
    pub fn new(initial: State) -> Match {
        Match {
            states: vec![initial],
            moves: Vec::new(),
            goals: None,
            times: Vec::new(),
            left: None,
            outgrown: None,
            stuck: None,
        }
    }

    /// Plays a match from the initial state. A player with a single legal move plays it without a search. A late or
    /// illegal move is replaced by a random one, as game managers do. A player that leaves ends the match without a
    /// result.
    ///
    /// # Example
    ///
    /// ```
    /// # mod ggp { pub use ggp_play::*; pub use ggp_rules::*; pub use ggp_simulation::*; }
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    /// use std::time::Duration;
    ///
    /// use ggp::analysis::{AnalysisContext, LoadedGame, Plan, analyze};
    /// use ggp::arena::{Clock, Conditions, Match, OwnPlayers, PlayerFactory, PreparedGame};
    /// use ggp::gdl::{Source, read};
    /// use ggp::ground::Limits;
    /// use ggp::machine::{Backend, load};
    ///
    /// let source = Source::load("games/tic_tac_toe.kif")?;
    /// let rules = read(&source).description.expect("the rules have no errors");
    /// let loaded = load(rules, Backend::Auto, &Limits::default())?;
    /// let game = LoadedGame::new("games/tic_tac_toe.kif".to_owned(), &source, loaded);
    /// // What the players need to know of the game.
    /// let plan = Plan { playouts: Some(200), ..Plan::default() };
    /// let analysis = analyze(&game.game(), &plan, &AnalysisContext::default())?;
    /// let prepared = PreparedGame::new(game.machine(), analysis);
    ///
    /// let mut players = [
    ///     OwnPlayers.player("alphabeta:fuzzy,depth=2", &prepared, 0, 1)?,
    ///     OwnPlayers.player("random", &prepared, 1, 1)?,
    /// ];
    /// // No clock: the depth limits the first player, and the second answers at once.
    /// let clock = Clock { start: Duration::ZERO, play: None, margin: Duration::ZERO };
    /// let conditions = Conditions { clock, nodes: None, most_steps: 100, seed: 1, opening: Vec::new() };
    /// let played = Match::play(game.machine(), &mut players, &conditions, None, &mut |_| {})?;
    /// let goals = played.goals.expect("the match came to its end");
    /// assert!(goals[0] > goals[1], "who looks ahead beats who does not");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A state can't be evaluated, or a player has no limit of time or nodes.
    pub fn play(
        machine: &dyn Machine,
        players: &mut [Box<dyn Player + '_>],
        conditions: &Conditions,
        interrupt: Option<&AtomicBool>,
        on_move: &mut dyn FnMut(&PlayedStep<'_>),
    ) -> Result<Match, MatchError> {
        let clock = &conditions.clock;
        for player in players.iter() {
            if clock.play.is_none() && conditions.nodes.is_none() && !player.is_limited() {
                return Err(MatchError::NoLimit(player.name().to_owned()));
            }
        }
        let played_match = Match::play_steps(machine, players, conditions, interrupt, on_move);
        let ended = played_match.as_ref().is_ok_and(|played_match| played_match.goals.is_some());
        players.iter_mut().for_each(|player| player.over(ended));
        played_match
    }

    fn play_steps(
        machine: &dyn Machine,
        players: &mut [Box<dyn Player + '_>],
        conditions: &Conditions,
        interrupt: Option<&AtomicBool>,
        on_move: &mut dyn FnMut(&PlayedStep<'_>),
    ) -> Result<Match, MatchError> {
        let clock = &conditions.clock;
        let mut cursor = machine.cursor();
        let mut played_match = Match::new(machine.initial().clone());
        let mut turns = Turns {
            machine,
            conditions,
            interrupt,
            overruns: vec![Overrun::default(); players.len()],
            chance: Choices::new(conditions.seed, u64::MAX),
        };
        let interrupted = || interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        // The first move of each player also has the time of the start clock.
        let first_step = conditions.opening.len() as u32;
        let mut symbols = 0;
        for step in 0..conditions.most_steps {
            if cursor.terminal() || interrupted() {
                break;
            }
            let begin = Instant::now();
            let before = cursor.state().clone();
            if step == first_step {
                let clocks = clock.play.map(|play| [clock.start, play]);
                players.iter_mut().for_each(|player| player.begin(&before, clocks, interrupt));
            }
            let given = conditions.opening.get(step as usize);
            let mut moves: Vec<Move> =
                given.into_iter().flatten().copied().map(Move::without_player).collect();
            for (role, player) in players.iter_mut().enumerate().skip(moves.len()) {
                let legal = cursor.legal(role);
                let Some(&first) = legal.first() else {
                    played_match.stuck = Some(role);
                    return Ok(played_match);
                };
                if legal.len() == 1 && !player.follows() {
                    moves.push(Move::without_player(first));
                    continue;
                }
                match turns.ask(role, &mut **player, &before, legal, step == first_step)? {
                    Ok(played) => moves.push(played),
                    Err(NoMove::Left(why)) => {
                        played_match.left = Some(why);
                        return Ok(played_match);
                    }
                    Err(NoMove::Outgrown(why)) => {
                        played_match.outgrown = Some(why);
                        return Ok(played_match);
                    }
                }
            }
            let joint: Vec<MoveId> = moves.iter().map(|played| played.action).collect();
            match cursor.advance(&joint) {
                // The match has no result, but other matches can be played.
                Err(error) if error.is_of_growth() => {
                    played_match.outgrown = Some(error.to_string());
                    break;
                }
                advanced => advanced?,
            }
            if step >= first_step {
                players.iter_mut().for_each(|player| player.played(&joint));
            }
            on_move(&PlayedStep { step, before: &before, moves: &moves, after: cursor.state() });
            played_match.states.push(cursor.state().clone());
            played_match.moves.push(moves);
            played_match.times.push(begin.elapsed());
            symbols += machine.relational().map_or(0, |machine| machine.symbols(cursor.state()));
            if symbols > MOST_SYMBOLS {
                played_match.outgrown = Some(format!(
                    "terms grow from state to state, and the states have {} symbols",
                    grouped(symbols)
                ));
                break;
            }
        }
        if cursor.terminal() {
            let goal = |role| if let [goal] = *cursor.goals(role) { Some(goal) } else { None };
            played_match.goals = Some((0..players.len()).map(goal).collect());
        }
        Ok(played_match)
    }
}

/// Why a player gave no move, which ends the match without a result.
enum NoMove {
    /// It left the match.
    Left(String),
    /// The successors can't be evaluated, so no player can search.
    Outgrown(String),
}

/// The players' turns in a match.
struct Turns<'a> {
    machine: &'a dyn Machine,
    conditions: &'a Conditions,
    interrupt: Option<&'a AtomicBool>,
    /// The overruns of each player.
    overruns: Vec<Overrun>,
    /// Random moves for players that give none.
    chance: Choices,
}

impl Turns<'_> {
    /// Asks a player for its move, and replaces the move if it is late or illegal. The first turn also has the time of
    /// the start clock.
    fn ask(
        &mut self,
        role: usize,
        player: &mut dyn Player,
        before: &State,
        legal: &[MoveId],
        is_first: bool,
    ) -> Result<Result<Move, NoMove>, MatchError> {
        let Clock { start: before_match, play, margin } = self.conditions.clock;
        let start = Instant::now();
        let time = play.filter(|_| player.is_timed());
        let time = time.map(|play| if is_first { play + before_match } else { play });
        let margin = |time| self.overruns[role].margin(time, margin);
        let turn = Turn {
            nodes: self.conditions.nodes,
            deadline: time.map(|time| start + time.saturating_sub(margin(time))),
            interrupt: self.interrupt,
        };
        let result = match player.choose(before, &turn) {
            Err(TurnError::Left(why)) => {
                return Ok(Err(NoMove::Left(format!("{} stopped: {why}", player.name()))));
            }
            Err(TurnError::Search(SearchError::Machine(error))) if error.is_of_growth() => {
                return Ok(Err(NoMove::Outgrown(error.to_string())));
            }
            Err(TurnError::Search(error)) => return Err(error.into()),
            Ok(result) => result,
        };
        let answered = Instant::now();
        // A remote player is timed by its own connection.
        if let Some(due) = turn.deadline.filter(|_| !player.follows()) {
            self.overruns[role].note(due, answered);
        }
        let took = answered - start;
        let fault = match (time, result.action) {
            (Some(allowed), _) if took > allowed => Some(Fault::Late { took, allowed }),
            (_, Some(action)) if legal.contains(&action) => None,
            (_, Some(action)) => Some(Fault::Illegal(self.machine.move_text(action))),
            (_, None) => Some(Fault::Missing),
        };
        let action = match result.action {
            Some(action) if fault.is_none() => action,
            _ => legal[self.chance.below(legal.len())],
        };
        let choice = fault.is_none().then(|| (result, player.line().to_owned()));
        let (result, by) = choice.unzip();
        Ok(Ok(Move { action, result, by, fault }))
    }
}
