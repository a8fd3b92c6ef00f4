//! # What it does
//! Finds the goal value that a role, with its team, can force from a state, by visiting every reachable state.
//!
//! # How
//! All reachable states are listed depth first, without duplicates. Then every state gets the value max over the team's
//! joint moves of min over the answers of all others, until nothing changes. If the roles take turns and the sum of goal
//! values is constant, this is minimax. For a single player it is the best reachable goal value. If others move at the
//! same time, they are assumed to know the team's moves (a pessimistic value, of pure strategies). With more than two
//! teams, all others are assumed to play against it (paranoid).
//!
//! If a state can repeat, play may never end. Two values are then computed: endless play counts as worse than any goal
//! value, or as better. If both agree, this is the value; otherwise there is none. Without opponents endless play counts
//! as the worst, as only the role's own choices lead there.
//!
//! # Guarantee
//! Exact, or no value: if a limit ends the search, or if a relevant terminal state has no goal value for the role, or
//! several.
//!
//! # Cost
//! One expansion for each reachable state, and one pass over the successors if no state can repeat.

use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::machine::{ChildFields, Children, Expander, JointMoves, Machine, MachineError, MoveId, State};

use super::sides::Sides;

/// Limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactLimits {
    /// The number of states that all searches together may list. A search that would need more gives no value.
    pub states: usize,
    /// The memory of states and successors in bytes; a search that would need more gives no value.
    pub bytes: usize,
}

impl Default for ExactLimits {
    /// 400,000 states in 256 MiB.
    fn default() -> Self {
        ExactLimits { states: 400_000, bytes: 256 << 20 }
    }
}

/// Why a state has no exact value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsolved {
    /// More states are reachable than the limit allows.
    #[error("more states are reachable than the limit allows")]
    Budget,
    /// It is undecided whether play ends, or a terminal state lacks a goal value.
    #[error("its value depends on endless play, or on ends without a goal value")]
    Unsettled,
    /// The search was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// A state could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

/// The lowest and the greatest possible value of a state.
type Bounds = [i32; 2];

/// A successor: the index of a state, or, if the bit `OUTCOME` is set, the index of an outcome.
type Edge = u32;

/// The highest bit of an `Edge`.
const OUTCOME: Edge = 1 << 31;

/// The range of a state's successors.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    first: u32,
    count: u32,
    /// Number of successors in a group: the answers to one joint move of the team.
    group: u32,
}

/// Exact values of states for one role. Stores all results.
pub struct Solver<'m> {
    sides: Sides,
    expander: Box<dyn Expander + 'm>,
    children: Children,
    states: IndexSet<State, FxBuildHasher>,
    nodes: Vec<Node>,
    values: Vec<Bounds>,
    edges: Vec<Edge>,
    /// Bounds of terminal states, without duplicates.
    outcomes: Vec<Bounds>,
    /// The value of endless play if it counts as the worst result, and if it counts as the best.
    endless: Bounds,
    /// A number above every goal value.
    above: i32,
    limits: ExactLimits,
    /// States listed so far, including those of abandoned searches.
    listed: usize,
    interrupt: Option<&'m AtomicBool>,
}

impl<'m> Solver<'m> {
    /// A solver for a role whose goal values lie between the two `rewards`.
    pub fn new(
        machine: &'m dyn Machine,
        sides: Sides,
        rewards: [i32; 2],
        limits: ExactLimits,
        interrupt: Option<&'m AtomicBool>,
    ) -> Solver<'m> {
        let worst = rewards[0].saturating_sub(1);
        let above = rewards[1].saturating_add(1);
        let best = if sides.unopposed() { worst } else { above };
        Solver {
            sides,
            expander: machine.expander(),
            children: Children::default(),
            states: IndexSet::default(),
            nodes: Vec::new(),
            values: Vec::new(),
            edges: Vec::new(),
            outcomes: Vec::new(),
            endless: [worst, best],
            above,
            limits,
            listed: 0,
            interrupt,
        }
    }

    /// States listed so far.
    pub fn listed(&self) -> usize {
        self.listed
    }

    /// The value that the role can force from a state that is not terminal. A search may list half of the states that the
    /// limit still allows, so that one state does not use up all.
    ///
    /// # Errors
    /// The reason why the state has no value.
    pub fn value(&mut self, state: &State) -> Result<i32, Unsolved> {
        let number = match self.states.get_index_of(state) {
            Some(number) => number,
            None => {
                let before = (self.states.len(), self.edges.len());
                self.search(state).inspect_err(|_| {
                    self.states.truncate(before.0);
                    self.nodes.truncate(before.0);
                    self.values.truncate(before.0);
                    self.edges.truncate(before.1);
                })?
            }
        };
        self.exact_value(self.values[number])
    }

    /// The value that the role can still force after each of its moves.
    ///
    /// # Errors
    /// The reason why a move has no value.
    pub fn moves(&mut self, state: &State) -> Result<Vec<(MoveId, i32)>, Unsolved> {
        self.value(state)?;
        let fields = ChildFields::SUCCESSORS;
        let mut children = std::mem::take(&mut self.children);
        let expanded = self.expander.expand(state, JointMoves::All, fields, &mut children);
        let mut bounds = Vec::with_capacity(children.len());
        for child in 0..children.len() {
            let edge = if children.terminal(child) {
                self.outcome(&children, child)
            } else {
                let child = State(children.state(child).into());
                self.states.get_index_of(&child).map_or(OUTCOME, |number| number as u32)
            };
            bounds.push(self.bounds(edge));
        }
        let values = self.sides.moves(&children, |child| bounds[child], worse, better);
        self.children = children;
        expanded?;
        values.into_iter().map(|(action, bounds)| Ok((action, self.exact_value(bounds)?))).collect()
    }

    fn exact_value(&self, bounds: Bounds) -> Result<i32, Unsolved> {
        let value = (bounds[0] == bounds[1]).then_some(bounds[0]);
        value.filter(|&value| value != self.endless[0]).ok_or(Unsolved::Unsettled)
    }

    /// Lists all reachable states and computes their values. Returns the state's number.
    fn search(&mut self, root: &State) -> Result<usize, Unsolved> {
        let mut left = self.limits.states.saturating_sub(self.listed) / 2;
        let first = self.states.len();
        // States in the order in which they were completed: successors come first, unless states repeat.
        let mut done = Vec::new();
        let mut finished = Vec::new();
        let mut cyclic = false;
        let mut path = vec![(self.list(root, &mut left)?, 0)];
        while let Some((number, next)) = path.last_mut() {
            let node = self.nodes[*number];
            if *next == node.count {
                finished.resize(self.nodes.len() - first, false);
                finished[*number - first] = true;
                done.push(*number);
                path.pop();
                continue;
            }
            let edge = self.edges[(node.first + *next) as usize];
            *next += 1;
            if edge & OUTCOME != 0 {
                continue;
            }
            let child = edge as usize;
            if self.nodes.get(child).is_some_and(|node| node.group > 0) {
                cyclic |= child >= first && !finished.get(child - first).copied().unwrap_or(false);
                continue;
            }
            let state = self.states[child].clone();
            path.push((self.expand(child, &state, &mut left)?, 0));
        }
        loop {
            let mut changed = false;
            for &number in &done {
                let value = self.fold(self.nodes[number]);
                changed |= value != self.values[number];
                self.values[number] = value;
            }
            if !changed || !cyclic {
                return Ok(first);
            }
            let round: usize = done.len();
            left = left.checked_sub(round / 8).ok_or(Unsolved::Budget)?;
            self.check_interrupt()?;
        }
    }

    fn check_interrupt(&self) -> Result<(), Unsolved> {
        match self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            true => Err(Unsolved::Interrupted),
            false => Ok(()),
        }
    }

    /// Assigns a number to a state and lists its successors.
    fn list(&mut self, state: &State, left: &mut usize) -> Result<usize, Unsolved> {
        let (number, _) = self.states.insert_full(state.clone());
        self.expand(number, state, left)
    }

    /// Lists the successors of a state that has a number.
    fn expand(&mut self, number: usize, state: &State, left: &mut usize) -> Result<usize, Unsolved> {
        *left = left.checked_sub(1).ok_or(Unsolved::Budget)?;
        self.listed += 1;
        self.check_interrupt()?;
        let words = state.0.len() * 8 + 64;
        if self.states.len() * words + self.edges.len() * 4 > self.limits.bytes {
            return Err(Unsolved::Budget);
        }
        let fields = ChildFields::SUCCESSORS;
        let mut children = std::mem::take(&mut self.children);
        let expanded = self.expander.expand(state, JointMoves::All, fields, &mut children);
        let grouped = self.sides.group(&children);
        let first = self.edges.len() as u32;
        for &child in &grouped.order {
            let edge = if children.terminal(child) {
                self.outcome(&children, child)
            } else {
                self.states.insert_full(State(children.state(child).into())).0 as u32
            };
            self.edges.push(edge);
        }
        self.children = children;
        expanded?;
        if grouped.order.is_empty() {
            // Not terminal, and a role has no legal move: the rules give no value.
            let unknown = self.unknown();
            self.edges.push(unknown);
        }
        self.nodes.resize(self.states.len(), Node::default());
        self.values.resize(self.states.len(), self.endless);
        let count = self.edges.len() as u32 - first;
        self.nodes[number] = Node { first, count, group: grouped.size as u32 };
        Ok(number)
    }

    /// The edge to a terminal state.
    fn outcome(&mut self, children: &Children, child: usize) -> Edge {
        match *children.goals(child, self.sides.role) {
            [goal] => self.outcome_of([goal, goal]),
            _ => self.unknown(),
        }
    }

    /// The edge to a terminal state whose goal value is unknown.
    fn unknown(&mut self) -> Edge {
        self.outcome_of([self.endless[0], self.above])
    }

    fn outcome_of(&mut self, bounds: Bounds) -> Edge {
        let known = self.outcomes.iter().position(|&known| known == bounds);
        let number = known.unwrap_or_else(|| {
            self.outcomes.push(bounds);
            self.outcomes.len() - 1
        });
        OUTCOME | number as u32
    }

    fn bounds(&self, edge: Edge) -> Bounds {
        match edge & OUTCOME {
            0 => self.values[edge as usize],
            _ => self.outcomes[(edge & !OUTCOME) as usize],
        }
    }

    /// The maximum over the team's joint moves of the minimum over the answers.
    fn fold(&self, node: Node) -> Bounds {
        let edges = &self.edges[node.first as usize..(node.first + node.count) as usize];
        let groups = edges.chunks(node.group as usize);
        let worst = groups.filter_map(|group| group.iter().map(|&edge| self.bounds(edge)).reduce(worse));
        worst.reduce(better).unwrap_or(self.endless)
    }
}

/// The bounds of the worse of two, as the role sees it.
fn worse(a: Bounds, b: Bounds) -> Bounds {
    [a[0].min(b[0]), a[1].min(b[1])]
}

/// The bounds of the better of two.
fn better(a: Bounds, b: Bounds) -> Bounds {
    [a[0].max(b[0]), a[1].max(b[1])]
}
