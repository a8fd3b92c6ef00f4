//! Proving what a state is worth.
//!
//! # What it does
//! Finds for every role the goal value it can be sure of, with a line of best play.
//!
//! # How
//! In a game for one by breadth-first search over states without their clock, which gives a shortest way to the best end;
//! where memory does not suffice, by best-first search, which proves a value where it is the greatest or all was seen. In
//! a game for several alpha-beta without estimates, by iterative deepening, until no horizon matters, comes first: one search a
//! role, its team against all others, who answer its moves where moves are made at the same time. A team chooses jointly. What it has not proved
//! after a while is valued backwards over all states that can be reached, where there is room for them; and where there
//! is not, alpha-beta goes on as long as it may. Where both sides were seen to have a choice at the same time, another
//! search for every role has mixed strategies (`mixed`). Where a role draws its moves, alpha-beta takes the mean over them. The line is the first role's; with these, the likeliest moves.
//!
//! # Guarantee
//! A value called proved is right. In a game of two roles with a constant sum of goal values where one role has a
//! choice at a time, these are the values of the game; else a role may hope for more than it can be sure of.
//!
//! # Cost
//! Exponential in the length of the game; memory is that of the table, or of the states.
//!
//! # Source
//! Zermelo 1913; von Neumann 1928; Moore 1959; Knuth and Moore 1975.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use crate::ground::MOST_SYMBOLS;
use crate::machine::{Cursor, Machine, MachineError, MoveId, RelationalMachine, State};

use super::alpha_beta::AlphaBetaOptions;
use super::chance::ChanceSearch;
use super::context::SearchContext;
use super::deepening::Deepening;
use super::graph::{GraphError, Values, shortest};
use super::limits::{Halt, Limits, Meter, Stop};
use super::result::{Search, SearchError, SearchResult};
use super::score::MOST_PLIES;
use super::simultaneous::{SimultaneousOptions, SimultaneousSearch};
use super::single_agent::{BestFirstOptions, SingleAgentSearch};

/// Nodes of alpha-beta, for each role, before all states are looked at.
const FIRST: u64 = 100_000;

/// What a role can be sure of.
#[derive(Clone, Debug, PartialEq)]
pub struct GuaranteedValue {
    /// The goal value; none where it is not proved.
    pub value: Option<i32>,
    /// Why the search for it ended.
    pub stop: Stop,
    /// What it can be sure of on average; none where no moves at the same time were seen.
    pub mixed: Option<Mean>,
}

/// What a role can be sure of on average, by drawing its moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Mean {
    /// The mean goal value; none where it is not proved.
    pub value: Option<f64>,
    /// How likely each of its moves is in the state, the likeliest first.
    pub mixture: Vec<(MoveId, f64)>,
    /// Why the search for it ended.
    pub stop: Stop,
}

/// How values were looked for last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Alpha-beta with iterative deepening.
    AlphaBeta,
    /// Backwards over all states.
    AllStates,
    /// Breadth-first search.
    BreadthFirst,
    /// Best-first search.
    BestFirst,
    /// Minimax with mixed strategies.
    Mixed,
    /// Alpha-beta with a role that draws its moves.
    Chance,
}

/// What came of proving a state's value.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// For every role what it can be sure of.
    pub roles: Vec<GuaranteedValue>,
    /// Joint moves of best play from the state to the end, of the first role's search; as far as it is known where
    /// that proved nothing.
    pub principal_variation: Vec<Vec<MoveId>>,
    /// Whether no line to an end as good is shorter, as is proved in games for one.
    pub shortest: bool,
    /// What found the values.
    pub solver: Solver,
    /// Why others did not.
    pub notes: Vec<String>,
    /// States visited.
    pub nodes: u64,
    /// How long it took.
    pub took: Duration,
}

impl Solution {
    /// Whether the value of every role is proved, the mean where there is one.
    pub fn proved(&self) -> bool {
        let of = |role: &GuaranteedValue| {
            let pure = role.value.is_some() || self.solver == Solver::Chance;
            role.mixed.as_ref().map_or(pure, |mean| mean.value.is_some())
        };
        self.roles.iter().all(of)
    }
}

/// Proves what a state is worth to every role, as far as the limits allow: nodes are counted for each search, the
/// deadline is for all. `teams` are lists of roles that choose together; a role that is in none plays alone. `memory` is in bytes. `on_progress` hears of every depth done for a role, by its number.
///
/// # Example
///
/// ```
/// # mod ggp { pub use ggp_play::*; pub use ggp_rules::*; pub use ggp_simulation::*; }
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use ggp::gdl::{Source, read};
/// use ggp::ground;
/// use ggp::machine::{Backend, load};
/// use ggp::search::{Limits, solve};
///
/// let rules = read(&Source::load("games/towers_of_hanoi.kif")?).description.expect("the rules have no errors");
/// let game = load(rules, Backend::Auto, &ground::Limits::default())?;
/// let machine = &*game.machine;
/// let limits = Limits { nodes: Some(100_000), ..Limits::default() };
/// let solution = solve(machine, &[], machine.initial(), 16 << 20, &limits, &mut |_, _| {})?;
/// assert!(solution.proved() && solution.shortest);
/// // Five discs need 2^5 - 1 moves.
/// assert_eq!((solution.roles[0].value, solution.principal_variation.len()), (Some(100), 31));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A state can't be evaluated.
pub fn solve(
    machine: &dyn Machine,
    teams: &[Vec<usize>],
    state: &State,
    memory: usize,
    limits: &Limits<'_>,
    on_progress: &mut dyn FnMut(usize, &SearchResult),
) -> Result<Solution, SearchError> {
    let begin = Instant::now();
    let solution = Solution {
        roles: Vec::new(),
        principal_variation: Vec::new(),
        shortest: false,
        solver: Solver::AlphaBeta,
        notes: Vec::new(),
        nodes: 0,
        took: Duration::ZERO,
    };
    let mut run = SolverRun { machine, teams, state, memory, solution, on_progress };
    run.solve(limits)?;
    if !run.solution.proved() && machine.relational().is_some_and(RelationalMachine::terms_grow) {
        run.solution.notes.push(format!(
            "terms grow from state to state, and states whose terms have more than {MOST_SYMBOLS} symbols are left out"
        ));
    }
    Ok(Solution { took: begin.elapsed(), ..run.solution })
}

/// A state whose value is being proved.
struct SolverRun<'a, 'm> {
    machine: &'m dyn Machine,
    /// Roles that choose together.
    teams: &'a [Vec<usize>],
    state: &'a State,
    /// Bytes.
    memory: usize,
    /// What came of it so far.
    solution: Solution,
    on_progress: &'a mut dyn FnMut(usize, &SearchResult),
}

impl<'m> SolverRun<'_, 'm> {
    fn solve(&mut self, limits: &Limits<'_>) -> Result<(), SearchError> {
        let mut cursor = self.machine.cursor();
        cursor.set(self.state)?;
        if cursor.terminal() {
            self.solution.roles = ended(self.machine, &*cursor);
            self.solution.shortest = self.roles() == 1;
            return Ok(());
        }
        if let Some(random) = self.machine.description().random_role() {
            return self.with_chance(random, limits);
        }
        if self.roles() == 1 {
            return self.alone(limits);
        }
        let first = Limits { nodes: Some(limits.nodes.map_or(FIRST, |nodes| nodes.min(FIRST))), ..*limits };
        let at_once = self.alpha_beta(&first)?;
        let over = |role: &GuaranteedValue| matches!(role.stop, Stop::Time | Stop::Interrupted);
        let few = limits.nodes.is_some_and(|nodes| nodes <= FIRST);
        if let Some(stop) = self.solution.roles.iter().find(|role| over(role)).map(|role| role.stop) {
            // That the first look has few nodes is nobody's wish: what ends it for one role ends it for all.
            let unasked = self.solution.roles.iter_mut().filter(|role| !few && role.stop == Stop::Nodes);
            unasked.for_each(|role| role.stop = stop);
        } else if !self.solution.proved() && !few && !self.all_states(limits)? {
            self.alpha_beta(limits)?;
        }
        if at_once {
            self.simultaneous(limits)?;
        }
        Ok(())
    }

    fn roles(&self) -> usize {
        self.machine.description().roles.len()
    }

    /// A role with its team.
    fn context(&self, role: usize) -> SearchContext<'m> {
        SearchContext::in_team(self.machine, role, self.teams)
    }

    /// A search for a role.
    fn search(
        &mut self,
        search: &mut dyn Search,
        role: usize,
        limits: &Limits<'_>,
    ) -> Result<SearchResult, SearchError> {
        let found = search.search(self.state, limits, &mut |result| (self.on_progress)(role, result))?;
        self.solution.nodes += found.nodes;
        Ok(found)
    }

    /// A game in which a role draws its moves: what the others are sure of on average.
    fn with_chance(&mut self, random: usize, limits: &Limits<'_>) -> Result<(), SearchError> {
        self.solution.solver = Solver::Chance;
        for role in 0..self.roles() {
            let mut sure = GuaranteedValue { value: None, stop: Stop::Solved, mixed: None };
            // What the one that draws gets is nobody's concern.
            let search =
                (role != random).then(|| ChanceSearch::plain(self.context(role), self.memory)).flatten();
            if let Some(mut search) = search {
                let found = self.search(&mut search, role, limits)?;
                sure.stop = found.stop;
                let mixture = found.action.map(|action| (action, 1.0)).into_iter().collect();
                let value = found.value.filter(|_| found.proved);
                sure.mixed = Some(Mean { value, mixture, stop: found.stop });
            }
            self.solution.roles.push(sure);
        }
        Ok(())
    }

    /// A game for one.
    fn alone(&mut self, limits: &Limits<'_>) -> Result<(), SearchError> {
        let mut meter = Meter::new(half(limits));
        let found = shortest(self.machine, self.state, self.memory, &mut meter);
        self.solution.nodes += meter.nodes;
        let found = or_note(found, &mut self.solution.notes)?;
        if let Some(Some(found)) = found {
            self.solution.solver = Solver::BreadthFirst;
            self.solution.roles.push(GuaranteedValue {
                value: Some(found.goal),
                stop: Stop::Solved,
                mixed: None,
            });
            (self.solution.principal_variation, self.solution.shortest) = (found.moves, true);
            return Ok(());
        }
        // All states have room, but what the end of the time brings has to be weighed.
        if found.is_some() && self.all_states(limits)? {
            return Ok(());
        }
        let options = BestFirstOptions { memory: self.memory, ..BestFirstOptions::default() };
        let context = SearchContext::alone(self.machine, 0);
        let mut search = SingleAgentSearch::best_first(context, None, options)
            .expect("no function, so none that does not fit");
        let found = self.search(&mut search, 0, limits)?;
        self.solution.solver = Solver::BestFirst;
        let value = found.value.filter(|_| found.proved).map(|value| value.round() as i32);
        self.solution.roles.push(GuaranteedValue { value, stop: found.stop, mixed: None });
        self.solution.principal_variation = found.principal_variation;
        Ok(())
    }

    /// All states backwards; whether that gave the values.
    fn all_states(&mut self, limits: &Limits<'_>) -> Result<bool, SearchError> {
        let mut meter = Meter::new(half(limits));
        let teams = if self.roles() == 1 { &[] } else { self.teams };
        let found = Values::of(self.machine, teams, self.state, self.memory, &mut meter);
        self.solution.nodes += meter.nodes;
        let Some(values) = or_note(found, &mut self.solution.notes)? else { return Ok(false) };
        self.solution.solver = Solver::AllStates;
        self.solution.roles = values
            .goals
            .iter()
            .map(|&goal| GuaranteedValue { value: Some(goal), stop: Stop::Solved, mixed: None })
            .collect();
        if values.principal_variation.is_none() {
            self.solution.notes.push("no room to remember best play".to_owned());
        }
        self.solution.principal_variation = values.principal_variation.unwrap_or_default();
        Ok(true)
    }

    /// Alpha-beta for every role; whether both sides were seen to have a choice in one state.
    fn alpha_beta(&mut self, limits: &Limits<'_>) -> Result<bool, SearchError> {
        let mut at_once = false;
        self.solution.solver = Solver::AlphaBeta;
        self.solution.roles.clear();
        for role in 0..self.roles() {
            let options = AlphaBetaOptions { table: self.memory, ..AlphaBetaOptions::default() };
            let mut search = Deepening::plain(self.context(role), options);
            let found = self.search(&mut search, role, limits)?;
            at_once |= search.saw_both_choose();
            let value = found.value.filter(|_| found.proved).map(|value| value.round() as i32);
            self.solution.roles.push(GuaranteedValue { value, stop: found.stop, mixed: None });
            if role == 0 {
                self.solution.principal_variation = found.principal_variation;
                if found.proved {
                    self.finish_line(&mut search, limits)?;
                }
            }
        }
        Ok(at_once)
    }

    /// Mixed strategies for every role.
    fn simultaneous(&mut self, limits: &Limits<'_>) -> Result<(), SearchError> {
        self.solution.solver = Solver::Mixed;
        for role in 0..self.solution.roles.len() {
            let options = SimultaneousOptions { table: self.memory, ..SimultaneousOptions::default() };
            let mut search = SimultaneousSearch::plain(self.context(role), options);
            let found = self.search(&mut search, role, limits)?;
            if role == 0 && found.proved {
                self.solution.principal_variation = found.principal_variation;
                self.finish_line(&mut search, limits)?;
            }
            let value = found.value.filter(|_| found.proved);
            self.solution.roles[role].mixed = Some(Mean { value, mixture: found.mixture, stop: found.stop });
        }
        Ok(())
    }

    /// Carries the line on to the end of the game, each time by the move that keeps the value.
    fn finish_line(&mut self, search: &mut dyn Search, limits: &Limits<'_>) -> Result<(), SearchError> {
        let mut cursor = self.machine.cursor();
        let mut play = |state: &State, joints: &[Vec<MoveId>]| -> Result<State, MachineError> {
            cursor.set(state)?;
            joints.iter().try_for_each(|joint| cursor.advance(joint))?;
            Ok(cursor.state().clone())
        };
        let line = &mut self.solution.principal_variation;
        let (mut at, mut done) = (self.state.clone(), 0);
        while line.len() < MOST_PLIES as usize {
            at = play(&at, &line[done..])?;
            done = line.len();
            let more = search.search(&at, limits, &mut |_| {})?;
            self.solution.nodes += more.nodes;
            if more.principal_variation.is_empty() || !more.proved {
                break;
            }
            line.extend(more.principal_variation);
        }
        Ok(())
    }
}

/// What a terminal state is worth.
fn ended(machine: &dyn Machine, cursor: &dyn Cursor) -> Vec<GuaranteedValue> {
    let role = |role: usize| {
        let value = SearchContext::alone(machine, role).outcome(cursor.goals(role));
        GuaranteedValue { value: Some(value), stop: Stop::Solved, mixed: None }
    };
    (0..machine.description().roles.len()).map(role).collect()
}

/// Limits of which half is left for what comes after.
fn half<'a>(limits: &Limits<'a>) -> Limits<'a> {
    let now = Instant::now();
    let deadline = limits.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 2);
    Limits { deadline, ..*limits }
}

/// What a search came to that looks at all states, or why it came to nothing.
fn or_note<T>(
    found: Result<Result<T, GraphError>, Halt>,
    notes: &mut Vec<String>,
) -> Result<Option<T>, SearchError> {
    match found {
        Ok(Ok(found)) => return Ok(Some(found)),
        Ok(Err(error)) => notes.push(format!("not by all states: {}", error.text())),
        Err(Halt::Error(error)) => return Err(error.into()),
        Err(Halt::Stop(Stop::Time)) => notes.push("not by all states: they take too long to find".to_owned()),
        Err(Halt::Stop(Stop::Nodes)) => {
            notes.push("not by all states: they are more than the nodes".to_owned())
        }
        Err(Halt::Stop(Stop::Memory)) => {
            notes.push("not by all states: one has more joint moves than can be listed".to_owned())
        }
        Err(Halt::Stop(_)) => {}
    }
    Ok(None)
}
