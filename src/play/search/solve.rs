//! Proves the value of a state.
//!
//! # What it does
//! Finds for each role the goal value that it can guarantee, with a line of best play.
//!
//! # How
//! A single-player game of independent parts is solved part by part (`parts`). In another single-player game,
//! breadth-first search over states without their clock finds a shortest plan to the best result. If memory or time
//! does not suffice, best-first search follows: by the distance in the delete relaxation of planning, then by depth. It
//! proves a value that is the greatest goal value, and any value after all states were visited.
//!
//! A sum of impartial parts in normal play, such as Nim, is solved by the Grundy numbers of its parts. In another game
//! for several roles, alpha-beta without an evaluation function comes first, with iterative deepening until no state is
//! cut off at the horizon. There is one search for each role: its team, which chooses jointly, against all other roles,
//! which reply to simultaneous moves as if they had seen them. If a value is not proved after [`FIRST_NODES`] nodes and
//! the sides move alternately, proofs of bounds follow ([`proof`](super::proof)). Between two rounds of proofs,
//! backward induction evaluates all reachable states if there are at most [`FEW_STATES`]. If play can repeat a state,
//! or memory does not suffice, alpha-beta continues to the limits.
//!
//! In a symmetric game, states that are images of each other count as one state ([`symmetry`](super::symmetry)). If few
//! classes of images can be reached, backward induction evaluates all of them before alpha-beta begins.
//!
//! If both sides have a choice in the same state, another search for each role uses mixed strategies (`mixed`). If a
//! role moves at random, alpha-beta takes the mean over its moves. The line of play is that of the first role's search;
//! with mixed strategies or chance, it has the likeliest moves.
//!
//! # Guarantee
//! A value is called proved only if it is exact. In a game of two roles with a constant sum of goal values and no
//! simultaneous moves, these are the values of the game. In other games, a role may get more than it can guarantee.
//!
//! # Cost
//! Exponential in the length of the game. Memory is that of the table, or of the states.
//!
//! # Source
//! Zermelo 1913; von Neumann 1928; Moore 1959; Knuth and Moore 1975.

use std::sync::Arc;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::grouped;
use crate::ground::MOST_SYMBOLS;
use crate::machine::{Cursor, Machine, MachineError, MoveId, RelationalMachine, State};

use super::alpha_beta::AlphaBetaOptions;
use super::chance::ChanceSearch;
use super::context::SearchContext;
use super::deepening::Deepening;
use super::graph::{Classes, GraphError, Values, shortest};
use super::limits::{Halt, Limits, Meter, Stop};
use super::parts::{Equivalence, ImpartialSum, NimSum, PlanOfParts, solve_parts};
use super::proof::{Progress, Prover};
use super::result::{Search, SearchError, SearchResult};
use super::score::MOST_PLIES;
use super::simultaneous::{SimultaneousOptions, SimultaneousSearch};
use super::single_agent::{BestFirstOptions, SingleAgentSearch};
use super::symmetry::Symmetries;

/// Limit of nodes of the first alpha-beta search for each role, before other methods.
const FIRST_NODES: u64 = 100_000;

/// Limit of the states that proofs of bounds visit before backward induction is tried.
const FIRST_PROOFS: u64 = 4_000_000;

/// Limit of the reachable states for backward induction before the proofs continue.
const FEW_STATES: u64 = 16_000_000;

/// Symmetries are used if there are at least this many states per class, on average over the first states.
const LEAST_REDUCTION: f64 = 1.3;

/// Backward induction comes before alpha-beta if symmetries leave at most this many classes of states.
const FEW_CLASSES: u64 = 2048;

/// The value that a role can guarantee.
#[derive(Clone, Debug, PartialEq)]
pub struct GuaranteedValue {
    /// The goal value; none if it is not proved.
    pub value: Option<i32>,
    /// Why the search ended.
    pub stop: Stop,
    /// The mean goal value that it can guarantee; none in games without simultaneous moves and without chance.
    pub mixed: Option<Mean>,
}

/// The mean goal value that a role can guarantee with a mixed strategy, or in a game with chance.
#[derive(Clone, Debug, PartialEq)]
pub struct Mean {
    /// The mean goal value; none if it is not proved.
    pub value: Option<f64>,
    /// The probability of each move in the state, the likeliest first.
    pub mixture: Vec<(MoveId, f64)>,
    /// Why the search ended.
    pub stop: Stop,
}

/// The method that was used last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Alpha-beta with iterative deepening.
    AlphaBeta,
    /// Backward evaluation of all states.
    AllStates,
    /// Proofs of bounds.
    Bounds,
    /// Breadth-first search of each part of the game alone.
    Parts,
    /// Grundy numbers of the parts of a sum.
    GrundyNumbers,
    /// Breadth-first search.
    BreadthFirst,
    /// Best-first search by the distance in the delete relaxation.
    Relaxed,
    /// Best-first search by depth.
    BestFirst,
    /// Minimax with mixed strategies.
    Mixed,
    /// Alpha-beta with random moves.
    Chance,
}

/// The proved values of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The value that each role can guarantee.
    pub roles: Vec<GuaranteedValue>,
    /// The joint moves of best play to the end, by the first role's search; only the known part if it proved nothing.
    pub principal_variation: Vec<Vec<MoveId>>,
    /// Whether no other line reaches an equally good end sooner; proved only in single-player games.
    pub shortest: bool,
    /// The method that found the values.
    pub solver: Solver,
    /// The Grundy numbers of the parts of a sum, if they gave the values.
    pub nim_sum: Option<NimSum>,
    /// Why other methods failed.
    pub notes: Vec<String>,
    /// States visited.
    pub nodes: u64,
    /// The time of all searches.
    pub took: Duration,
}

impl Solution {
    /// Whether the value of each role is proved, or the mean if there is one.
    pub fn proved(&self) -> bool {
        let of = |role: &GuaranteedValue| {
            let pure = role.value.is_some() || self.solver == Solver::Chance;
            role.mixed.as_ref().map_or(pure, |mean| mean.value.is_some())
        };
        self.roles.iter().all(of)
    }
}

/// Proves the value of a state for each role, as far as the limits allow. The limit of nodes applies to each search, the
/// deadline to all. `teams` lists roles that choose together; a role in no team plays alone. `memory` is in bytes.
/// `on_progress` receives the result of each depth, with the role's number.
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
    let run = SolverRun::new(machine, teams, state, memory, on_progress);
    SolverRun { proves_bounds: true, uses_symmetry: true, ..run }.finish(limits)
}

/// Proves the value of a state for each role, as [`solve`] does, without symmetries and proofs of bounds.
///
/// # Errors
/// A state can't be evaluated.
pub(crate) fn solve_without_symmetry(
    machine: &dyn Machine,
    teams: &[Vec<usize>],
    state: &State,
    memory: usize,
    limits: &Limits<'_>,
    on_progress: &mut dyn FnMut(usize, &SearchResult),
) -> Result<Solution, SearchError> {
    SolverRun::new(machine, teams, state, memory, on_progress).finish(limits)
}

/// A state whose value is being proved.
struct SolverRun<'a, 'm> {
    machine: &'m dyn Machine,
    /// Roles that choose together.
    teams: &'a [Vec<usize>],
    state: &'a State,
    /// The symmetries, if they reduce the number of states by [`LEAST_REDUCTION`].
    symmetries: Option<Arc<Symmetries>>,
    /// Equivalent states of parts; none for one player.
    equivalence: Option<Equivalence>,
    /// Whether proofs of bounds are used.
    proves_bounds: bool,
    /// Whether symmetries are looked for.
    uses_symmetry: bool,
    /// Memory in bytes.
    memory: usize,
    /// The result so far.
    solution: Solution,
    on_progress: &'a mut dyn FnMut(usize, &SearchResult),
}

impl<'a, 'm> SolverRun<'a, 'm> {
    fn new(
        machine: &'m dyn Machine,
        teams: &'a [Vec<usize>],
        state: &'a State,
        memory: usize,
        on_progress: &'a mut dyn FnMut(usize, &SearchResult),
    ) -> SolverRun<'a, 'm> {
        let solution = Solution {
            roles: Vec::new(),
            principal_variation: Vec::new(),
            shortest: false,
            solver: Solver::AlphaBeta,
            nim_sum: None,
            notes: Vec::new(),
            nodes: 0,
            took: Duration::ZERO,
        };
        SolverRun {
            machine,
            teams,
            state,
            symmetries: None,
            equivalence: None,
            proves_bounds: false,
            uses_symmetry: false,
            memory,
            solution,
            on_progress,
        }
    }

    fn finish(mut self, limits: &Limits<'_>) -> Result<Solution, SearchError> {
        let begin = Instant::now();
        if self.roles() == 2 && self.by_sum(limits)? {
            return Ok(Solution { took: begin.elapsed(), ..self.solution });
        }
        if self.uses_symmetry {
            self.symmetries = useful_symmetries(self.machine, self.state, limits)?.map(Arc::new);
        }
        if self.roles() > 1 && self.machine.description().random_role().is_none() {
            self.find_equivalence(limits)?;
        }
        self.solve(limits)?;
        if !self.solution.proved() && self.machine.relational().is_some_and(RelationalMachine::terms_grow) {
            self.solution.notes.push(format!(
                "terms grow from state to state, and states whose terms have more than {} symbols are left out",
                grouped(MOST_SYMBOLS.into())
            ));
        }
        Ok(Solution { took: begin.elapsed(), ..self.solution })
    }

    fn solve(&mut self, limits: &Limits<'_>) -> Result<(), SearchError> {
        let mut cursor = self.machine.cursor();
        cursor.set(self.state)?;
        if cursor.terminal() {
            self.solution.roles = terminal_values(self.machine, &*cursor);
            self.solution.shortest = self.roles() == 1;
            return Ok(());
        }
        if let Some(random) = self.machine.description().random_role() {
            return self.with_chance(random, limits);
        }
        if self.roles() == 1 {
            return self.alone(limits);
        }
        if self.few_classes(limits)? {
            return Ok(());
        }
        let first = Limits {
            nodes: Some(limits.nodes.map_or(FIRST_NODES, |nodes| nodes.min(FIRST_NODES))),
            ..*limits
        };
        let both_choose = self.alpha_beta(&first)?;
        let over = |role: &GuaranteedValue| matches!(role.stop, Stop::Time | Stop::Interrupted);
        let few = limits.nodes.is_some_and(|nodes| nodes <= FIRST_NODES);
        if let Some(stop) = self.solution.roles.iter().find(|role| over(role)).map(|role| role.stop) {
            // The first search has few nodes only to leave time for others, so it must not be reported as a limit of the
            // caller.
            let stopped_by_nodes =
                self.solution.roles.iter_mut().filter(|role| !few && role.stop == Stop::Nodes);
            stopped_by_nodes.for_each(|role| role.stop = stop);
        } else if !self.solution.proved() && !few {
            // Without lanes, computing replies to all children would take too long between two checks of the clock.
            let proves = self.proves_bounds && !both_choose && self.machine.suits_lanes();
            let mut prover = proves.then(|| self.prover());
            if !self.by_bounds(&mut prover, limits)? && !self.all_states(limits)? {
                self.alpha_beta(limits)?;
                self.fill_in(prover.as_ref());
            }
        }
        if both_choose {
            self.simultaneous(limits)?;
        }
        Ok(())
    }

    fn roles(&self) -> usize {
        self.machine.description().roles.len()
    }

    /// The search context of a role with its team.
    fn context(&self, role: usize) -> SearchContext<'m> {
        SearchContext::in_team(self.machine, role, self.teams)
    }

    /// Runs a search for a role, and counts its nodes.
    fn search(
        &mut self,
        search: &mut dyn Search,
        role: usize,
        limits: &Limits<'_>,
    ) -> Result<SearchResult, SearchError> {
        let answer = search.search(self.state, limits, &mut |result| (self.on_progress)(role, result))?;
        self.solution.nodes += answer.nodes;
        Ok(answer)
    }

    /// Solves a game with chance: finds the mean goal value that each other role can guarantee.
    fn with_chance(&mut self, random: usize, limits: &Limits<'_>) -> Result<(), SearchError> {
        self.solution.solver = Solver::Chance;
        for role in 0..self.roles() {
            let mut guaranteed = GuaranteedValue { value: None, stop: Stop::Solved, mixed: None };
            // The goal values of `random` don't matter.
            let search =
                (role != random).then(|| ChanceSearch::plain(self.context(role), self.memory)).flatten();
            if let Some(mut search) = search {
                let result = self.search(&mut search, role, limits)?;
                guaranteed.stop = result.stop;
                let mixture = result.action.map(|action| (action, 1.0)).into_iter().collect();
                let value = result.value.filter(|_| result.proved);
                guaranteed.mixed = Some(Mean { value, mixture, stop: result.stop });
            }
            self.solution.roles.push(guaranteed);
        }
        Ok(())
    }

    /// Solves a single-player game.
    fn alone(&mut self, limits: &Limits<'_>) -> Result<(), SearchError> {
        if self.by_parts(limits)? {
            return Ok(());
        }
        // Many puzzles are too large for breadth-first search, but not for a heuristic search, so it gets a quarter of
        // the time.
        let mut meter = Meter::new(half(&half(limits)));
        let result = shortest(self.machine, self.state, self.classes(), self.memory, &mut meter);
        self.solution.nodes += meter.nodes;
        let result = or_note(result, &mut self.solution.notes)?;
        if let Some(Some(result)) = result {
            self.solution.solver = Solver::BreadthFirst;
            self.solution.roles.push(GuaranteedValue {
                value: Some(result.goal),
                stop: Stop::Solved,
                mixed: None,
            });
            (self.solution.principal_variation, self.solution.shortest) = (result.moves, true);
            return Ok(());
        }
        // All states fit in memory, but the time may end first.
        if result.is_some() && self.all_states(limits)? {
            return Ok(());
        }
        self.best_first(limits)
    }

    /// Best-first search in a single-player game: by the distance in the delete relaxation, then by depth alone.
    fn best_first(&mut self, limits: &Limits<'_>) -> Result<(), SearchError> {
        let context = SearchContext::alone(self.machine, 0);
        let mut known = None;
        if let Some(mut search) = SingleAgentSearch::relaxed(context.clone(), self.memory) {
            let result = self.search(&mut search, 0, &half(limits))?;
            known = Some((Solver::Relaxed, result));
        }
        if !known.as_ref().is_some_and(|(_, result)| result.proved) {
            let options = BestFirstOptions { memory: self.memory, ..BestFirstOptions::default() };
            let mut search = SingleAgentSearch::best_first(context, None, options)
                .expect("no function, so none that does not fit");
            let mut result = self.search(&mut search, 0, limits)?;
            // The better line is shown, even if its value is not proved.
            if let Some((_, relaxed)) =
                known.as_mut().filter(|(_, of)| !result.proved && is_better_line(of, &result))
            {
                std::mem::swap(&mut relaxed.stop, &mut result.stop);
            } else {
                known = Some((Solver::BestFirst, result));
            }
        }
        if let Some((solver, result)) = known {
            self.solution.solver = solver;
            let value = result.value.filter(|_| result.proved).map(|value| value.round() as i32);
            self.solution.roles.push(GuaranteedValue { value, stop: result.stop, mixed: None });
            self.solution.principal_variation = result.principal_variation;
        }
        Ok(())
    }

    /// Solves the parts of a single-player game alone; returns whether that gave the value.
    fn by_parts(&mut self, limits: &Limits<'_>) -> Result<bool, SearchError> {
        let mut meter = Meter::new(half(&half(limits)));
        let found = solve_parts(self.machine, self.state, self.memory, &mut meter);
        self.solution.nodes += meter.nodes;
        let PlanOfParts { goal, moves, shortest } = match found {
            Ok(Some(plan)) => plan,
            Ok(None) | Err(Halt::Stop(_)) => return Ok(false),
            Err(Halt::Error(error)) => return Err(error.into()),
        };
        self.solution.solver = Solver::Parts;
        self.solution.roles.push(GuaranteedValue { value: Some(goal), stop: Stop::Solved, mixed: None });
        (self.solution.principal_variation, self.solution.shortest) = (moves, shortest);
        Ok(true)
    }

    /// Solves a sum of impartial parts in normal play by Grundy numbers; returns whether that gave the values.
    fn by_sum(&mut self, limits: &Limits<'_>) -> Result<bool, SearchError> {
        let mut meter = Meter::new(half(&half(limits)));
        let sum = ImpartialSum::find(self.machine, self.state, self.memory, &mut meter);
        let found = sum.and_then(|sum| {
            let Some(sum) = sum else { return Ok(None) };
            let line = sum.line(self.machine, self.state, &mut meter)?;
            Ok(line.map(|line| (sum, line)))
        });
        let (sum, line) = match found {
            Ok(Some(found)) => found,
            Ok(None) | Err(Halt::Stop(_)) => return Ok(false),
            Err(Halt::Error(error)) => return Err(error.into()),
        };
        let Some(nim_sum) = sum.nim_sum(self.state) else { return Ok(false) };
        self.solution.nodes += meter.nodes;
        self.solution.solver = Solver::GrundyNumbers;
        self.solution.roles = sum.goals(nim_sum.winner).into_iter().map(proved).collect();
        self.solution.principal_variation = line;
        self.solution.nim_sum = Some(nim_sum);
        Ok(true)
    }

    /// Finds equivalent states of parts, within half of the limits. Their states count as visited.
    fn find_equivalence(&mut self, limits: &Limits<'_>) -> Result<(), SearchError> {
        let nodes = limits.nodes.map(|nodes| nodes / 2);
        let mut meter = Meter::new(half(&Limits { nodes, ..*limits }));
        let found = Equivalence::find(self.machine, self.state, &mut meter);
        self.solution.nodes += meter.nodes;
        match found {
            Ok(found) => self.equivalence = found,
            Err(Halt::Error(error)) => return Err(error.into()),
            Err(Halt::Stop(_)) => {}
        }
        Ok(())
    }

    fn classes(&self) -> Classes<'_> {
        Classes { symmetries: self.symmetries.as_deref(), equivalence: self.equivalence.as_ref() }
    }

    /// Evaluates all states backwards if classes leave only a few; returns whether that gave the values.
    fn few_classes(&mut self, limits: &Limits<'_>) -> Result<bool, SearchError> {
        if !self.classes().join() {
            return Ok(false);
        }
        // With equivalent states of parts, there are far fewer classes than states that alpha-beta would visit.
        let most = if self.equivalence.is_some() { 100 * FEW_CLASSES } else { FEW_CLASSES };
        let nodes = limits.nodes.map_or(most, |nodes| nodes.min(most));
        let mut meter = Meter::new(half(&Limits { nodes: Some(nodes), ..*limits }));
        let found = Values::of(self.machine, self.teams, self.state, self.classes(), self.memory, &mut meter);
        self.solution.nodes += meter.nodes;
        match found {
            // Mixed strategies need another search.
            Ok(Ok(values)) if !values.both_choose => {
                self.accept(values);
                Ok(true)
            }
            Err(Halt::Error(error)) => Err(error.into()),
            _ => Ok(false),
        }
    }

    fn prover(&self) -> Prover<'a, 'm> {
        Prover::new((self.machine, self.teams), self.state, self.symmetries.as_ref(), self.memory / 2)
    }

    /// Proves bounds, and evaluates all states if they are few; returns whether that gave the values.
    fn by_bounds(
        &mut self,
        prover: &mut Option<Prover<'a, 'm>>,
        limits: &Limits<'_>,
    ) -> Result<bool, SearchError> {
        if prover.is_none() {
            return Ok(false);
        }
        // Backward induction merges states that differ only in the clock; the prover's table does not.
        let is_timed = self.machine.clock().is_some();
        Ok(is_timed && self.few_states(limits)?
            || self.advance(prover, Some(FIRST_PROOFS), limits)?
            || prover.is_some() && !is_timed && self.few_states(limits)?
            || self.advance(prover, None, limits)?)
    }

    /// Continues proofs within a number of nodes, in half of the time, or in three quarters of it without such a number; returns
    /// whether that gave the values. A prover that can't continue is removed.
    ///
    /// Later methods rarely solve a game that proofs can't, so they have the last quarter.
    fn advance(
        &mut self,
        prover: &mut Option<Prover<'a, 'm>>,
        most: Option<u64>,
        limits: &Limits<'_>,
    ) -> Result<bool, SearchError> {
        let Some(proofs) = prover else { return Ok(false) };
        let nodes = [most, limits.nodes].into_iter().flatten().min();
        let before = proofs.nodes;
        let share = if most.is_some() { 1.0 / 2.0 } else { 3.0 / 4.0 };
        let progress = proofs.advance(&Limits { nodes, ..part(limits, share) })?;
        self.solution.nodes += proofs.nodes - before;
        match progress {
            Progress::Proved => {
                self.solution.solver = Solver::Bounds;
                self.solution.roles = proofs.values().map(proved).collect();
                self.solution.principal_variation = std::mem::take(&mut proofs.line);
                return Ok(true);
            }
            Progress::Unsuitable => *prover = None,
            Progress::Stopped(_) if most.is_none() => proofs.free(),
            Progress::Stopped(_) => {}
        }
        Ok(false)
    }

    /// Evaluates all states backwards if they are few; returns whether that gave the values.
    fn few_states(&mut self, limits: &Limits<'_>) -> Result<bool, SearchError> {
        let nodes = Some(limits.nodes.map_or(FEW_STATES, |nodes| nodes.min(FEW_STATES)));
        let notes = self.solution.notes.len();
        // Proofs keep half of the memory.
        let found = self.evaluate(self.memory / 2, &Limits { nodes, ..*limits })?;
        if !found {
            // A later attempt adds its own notes.
            self.solution.notes.truncate(notes);
        }
        Ok(found)
    }

    /// Fills in the values that only the prover has proved.
    fn fill_in(&mut self, prover: Option<&Prover<'_, '_>>) {
        for (role, value) in self.solution.roles.iter_mut().zip(prover.iter().flat_map(|of| &of.values)) {
            if let (None, &Some(value)) = (role.value, value) {
                *role = proved(value);
            }
        }
    }

    /// Evaluates all states backwards; returns whether that gave the values.
    fn all_states(&mut self, limits: &Limits<'_>) -> Result<bool, SearchError> {
        self.evaluate(self.memory, limits)
    }

    /// Evaluates all states backwards in this memory; returns whether that gave the values.
    fn evaluate(&mut self, memory: usize, limits: &Limits<'_>) -> Result<bool, SearchError> {
        let mut meter = Meter::new(half(limits));
        let teams = if self.roles() == 1 { &[] } else { self.teams };
        let found = Values::of(self.machine, teams, self.state, self.classes(), memory, &mut meter);
        self.solution.nodes += meter.nodes;
        let Some(values) = or_note(found, &mut self.solution.notes)? else { return Ok(false) };
        self.accept(values);
        Ok(true)
    }

    /// Takes the values of all states as the result.
    fn accept(&mut self, values: Values) {
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
    }

    /// Runs alpha-beta for each role; returns whether both sides had a choice in the same state.
    fn alpha_beta(&mut self, limits: &Limits<'_>) -> Result<bool, SearchError> {
        let mut both_choose = false;
        self.solution.solver = Solver::AlphaBeta;
        self.solution.roles.clear();
        for role in 0..self.roles() {
            let options = AlphaBetaOptions { table: self.memory, ..AlphaBetaOptions::default() };
            let search = Deepening::plain(self.context(role), options);
            let mut search = search.with_symmetries(self.symmetries.as_ref());
            let result = self.search(&mut search, role, limits)?;
            both_choose |= search.saw_both_choose();
            let value = result.value.filter(|_| result.proved).map(|value| value.round() as i32);
            self.solution.roles.push(GuaranteedValue { value, stop: result.stop, mixed: None });
            if role == 0 {
                self.solution.principal_variation = result.principal_variation;
                if result.proved {
                    self.finish_line(&mut search, limits)?;
                }
            }
        }
        Ok(both_choose)
    }

    /// Finds mixed strategies for each role.
    fn simultaneous(&mut self, limits: &Limits<'_>) -> Result<(), SearchError> {
        self.solution.solver = Solver::Mixed;
        for role in 0..self.solution.roles.len() {
            let options = SimultaneousOptions { table: self.memory, ..SimultaneousOptions::default() };
            let mut search = SimultaneousSearch::plain(self.context(role), options);
            let result = self.search(&mut search, role, limits)?;
            if role == 0 && result.proved {
                self.solution.principal_variation = result.principal_variation;
                self.finish_line(&mut search, limits)?;
            }
            let value = result.value.filter(|_| result.proved);
            self.solution.roles[role].mixed =
                Some(Mean { value, mixture: result.mixture, stop: result.stop });
        }
        Ok(())
    }

    /// Extends the line to the end of the game, at each step by the move that keeps the value.
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

/// The symmetries of a game, if they map enough of the first states to each other.
fn useful_symmetries(
    machine: &dyn Machine,
    state: &State,
    limits: &Limits<'_>,
) -> Result<Option<Symmetries>, SearchError> {
    let Some(symmetries) = Symmetries::find(machine, limits.interrupt) else { return Ok(None) };
    let mut meter = Meter::new(Limits { nodes: None, children: None, ..*limits });
    match symmetries.reduction(machine, state, &mut meter) {
        Ok(reduction) => Ok(Some(symmetries).filter(|_| reduction >= LEAST_REDUCTION)),
        Err(Halt::Error(error)) => Err(error.into()),
        Err(Halt::Stop(_)) => Ok(None),
    }
}

/// The guarantee of a proved value.
fn proved(value: i32) -> GuaranteedValue {
    GuaranteedValue { value: Some(value), stop: Stop::Solved, mixed: None }
}

/// Whether a result without proof has the better line. Without a line, its value is only an estimate.
fn is_better_line(result: &SearchResult, than: &SearchResult) -> bool {
    match (result.principal_variation.is_empty(), than.principal_variation.is_empty()) {
        (false, false) => result.value >= than.value,
        (no_line, _) => !no_line,
    }
}

/// The values of a terminal state.
fn terminal_values(machine: &dyn Machine, cursor: &dyn Cursor) -> Vec<GuaranteedValue> {
    let role = |role: usize| {
        let value = SearchContext::alone(machine, role).outcome(cursor.goals(role));
        GuaranteedValue { value: Some(value), stop: Stop::Solved, mixed: None }
    };
    (0..machine.description().roles.len()).map(role).collect()
}

/// Limits that leave half of the time for later methods.
fn half<'a>(limits: &Limits<'a>) -> Limits<'a> {
    part(limits, 1.0 / 2.0)
}

/// Limits with a share of the time that is left.
fn part<'a>(limits: &Limits<'a>, share: f64) -> Limits<'a> {
    let now = Instant::now();
    let deadline =
        limits.deadline.map(|deadline| now + deadline.saturating_duration_since(now).mul_f64(share));
    Limits { deadline, ..*limits }
}

/// The result of a search over all states, or a note why it failed.
fn or_note<T>(
    found: Result<Result<T, GraphError>, Halt>,
    notes: &mut Vec<String>,
) -> Result<Option<T>, SearchError> {
    match found {
        Ok(Ok(found)) => return Ok(Some(found)),
        Ok(Err(error)) => notes.push(format!("backward induction was not used: {}", error.text())),
        Err(Halt::Error(error)) => return Err(error.into()),
        Err(Halt::Stop(Stop::Time)) => {
            notes.push("backward induction was not used: listing all states takes too long".to_owned())
        }
        Err(Halt::Stop(Stop::Nodes)) => notes
            .push("backward induction was not used: there are more states than --nodes allows".to_owned()),
        Err(Halt::Stop(Stop::Memory)) => {
            notes.push("backward induction was not used: a state has too many joint moves to list".to_owned())
        }
        Err(Halt::Stop(_)) => {}
    }
    Ok(None)
}
