//! # What it does
//! Alpha-beta for games in which chance plays a role: the mean value of a state over random moves, to a number of
//! plies.
//!
//! # How
//! The role's team chooses, the others answer as if they knew the choice, and `random` plays each of its legal moves
//! with the same probability. A choice and an answer have the mean value over the random moves. If a mean can't reach
//! the window, whatever the values of the remaining random moves are, they are skipped (Star1, Ballard 1983). A table
//! stores states.
//!
//! # Guarantee
//! The value is that of exhaustive search to the same depth, except for rounding. A value is called proved only if it
//! depends on terminal states alone.
//!
//! # Cost
//! All random moves are searched, so the search is less deep than in games without chance.
//!
//! # Source
//! Ballard 1983, The *-minimax search procedure for trees containing chance nodes.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::evaluation::{Function, FunctionError};
use crate::machine::{ChildFields, Children, Expander, JointMoves, MachineError, MoveId, State};

use super::context::SearchContext;
use super::iterative_deepening::DepthLimited;
use super::leaf::Leaf;
use super::limits::{Halt, Meter};
use super::result::SearchResult;
use super::score::MOST_PLIES;

/// Bound of rounding errors, in goal points.
const ROUNDING: f64 = 1e-9;

/// Bytes of a table entry in addition to its state's words.
const ENTRY: usize = 80;

/// A value in goal points, and whether it is proved.
#[derive(Clone, Copy, Debug)]
struct MeanValue {
    value: f64,
    proved: bool,
}

/// Bounds of a state's value, and the depth of the search that found them.
#[derive(Clone, Copy, Debug)]
struct ValueRange {
    depth: u32,
    low: f64,
    high: f64,
    proved: bool,
}

/// Plies from the root, and plies to the horizon.
#[derive(Clone, Copy)]
struct Plies {
    done: u32,
    left: u32,
}

/// The children by the team's choice, then by the answer to it: one child for each random move.
type Choices = BTreeMap<Vec<MoveId>, BTreeMap<Vec<MoveId>, Vec<usize>>>;

/// A search in games of chance, for one role.
pub struct ChanceSearch<'m> {
    context: SearchContext<'m>,
    /// The role `random`.
    random: usize,
    leaf: Leaf<'m>,
    expander: Box<dyn Expander + 'm>,
    table: FxHashMap<State, ValueRange>,
    /// Greatest number of states in the table.
    room: usize,
    root: State,
    any: Option<MoveId>,
    best: Option<(MoveId, MeanValue)>,
}

impl<'m> ChanceSearch<'m> {
    /// A search with an evaluation function of the role, and a table of `table` bytes; none if no role moves at random.
    ///
    /// # Errors
    /// The function does not fit the game.
    pub fn new(
        context: SearchContext<'m>,
        function: &Function,
        table: usize,
    ) -> Result<Option<ChanceSearch<'m>>, FunctionError> {
        let leaf = Leaf::of(context.machine, function)?;
        Ok(ChanceSearch::with(context, leaf, table))
    }

    /// A search without an evaluation function; none if no role moves at random.
    pub fn plain(context: SearchContext<'m>, table: usize) -> Option<ChanceSearch<'m>> {
        let leaf = Leaf::none(context.machine);
        ChanceSearch::with(context, leaf, table)
    }

    fn with(context: SearchContext<'m>, leaf: Leaf<'m>, table: usize) -> Option<ChanceSearch<'m>> {
        let random = context.machine.description().random_role();
        // The role `random` itself can't be searched for.
        let random = random.filter(|&random| random != context.role)?;
        let root = context.machine.initial().clone();
        Some(ChanceSearch {
            random,
            leaf,
            expander: context.machine.expander(),
            table: FxHashMap::default(),
            room: table / (ENTRY + 8 * root.0.len()),
            root,
            any: None,
            best: None,
            context,
        })
    }

    /// The least and the greatest goal value.
    fn range(&self) -> [f64; 2] {
        self.context.rewards.map(f64::from)
    }

    fn value(
        &mut self,
        state: &State,
        plies: Plies,
        (mut low, mut high): (f64, f64),
        meter: &mut Meter<'_>,
    ) -> Result<MeanValue, Halt> {
        if plies.done > 0
            && let Some(known) = self.table.get(state)
            && (known.proved || known.depth >= plies.left)
        {
            let found = |value| MeanValue { value, proved: known.proved };
            if known.low >= high || known.high - known.low <= ROUNDING {
                return Ok(found(known.low));
            }
            if known.high <= low {
                return Ok(found(known.high));
            }
            (low, high) = (low.max(known.low), high.min(known.high));
        }
        let mut children = Children::default();
        let limits = meter.expansion_limits();
        self.expander.expand_within(limits, state, JointMoves::All, ChildFields::ALL, &mut children)?;
        meter.made(children.len());
        if children.is_empty() {
            // No joint move is legal: the rules give no value, so the state gets the lowest one.
            return Ok(MeanValue { value: self.range()[0], proved: true });
        }
        let choices = self.choices(&children);
        let (mut best, mut proved) = (f64::NEG_INFINITY, true);
        for (own, answers) in &choices {
            let (mut worst, mut worst_proved) = (f64::INFINITY, true);
            for draws in answers.values() {
                let window = (low.max(best), high.min(worst));
                let mean = self.mean(&children, draws, plies, window, meter)?;
                worst_proved &= mean.proved;
                worst = worst.min(mean.value);
                if worst <= low.max(best) {
                    break;
                }
            }
            proved &= worst_proved;
            if worst > best {
                best = worst;
                if plies.done == 0 {
                    let index = self.own_index();
                    self.best = Some((own[index], MeanValue { value: worst, proved: worst_proved }));
                }
            }
            if best >= high {
                break;
            }
        }
        if self.table.len() < self.room || self.table.contains_key(state) {
            let [least, most] = self.range();
            let known = ValueRange {
                depth: plies.left,
                low: if best > low { best } else { least },
                high: if best < high { best } else { most },
                proved,
            };
            self.table.insert(state.clone(), known);
        }
        Ok(MeanValue { value: best, proved })
    }

    /// The index of the role's move among those of its team.
    fn own_index(&self) -> usize {
        let team =
            self.context.allies.iter().enumerate().filter(|&(role, ally)| *ally && role != self.random);
        team.take_while(|&(role, _)| role < self.context.role).count()
    }

    fn choices(&self, children: &Children) -> Choices {
        let mut choices = Choices::new();
        for child in 0..children.len() {
            let joint = children.joint(child);
            let of = |side: bool| -> Vec<MoveId> {
                let moves = joint
                    .iter()
                    .enumerate()
                    .filter(|&(role, _)| role != self.random && self.context.allies[role] == side);
                moves.map(|(_, &action)| action).collect()
            };
            choices.entry(of(true)).or_default().entry(of(false)).or_default().push(child);
        }
        choices
    }

    /// The mean over random moves, or a bound of it if it lies outside the window.
    fn mean(
        &mut self,
        children: &Children,
        draws: &[usize],
        plies: Plies,
        (low, high): (f64, f64),
        meter: &mut Meter<'_>,
    ) -> Result<MeanValue, Halt> {
        let [least, most] = self.range();
        let count = draws.len() as f64;
        let (mut sum, mut proved) = (0.0, true);
        for (number, &child) in draws.iter().enumerate() {
            meter.count(1)?;
            let rest = count - number as f64 - 1.0;
            // The window of this random move that keeps the mean in the window.
            let from = (low * count - sum - rest * most).max(least - 1.0);
            let to = (high * count - sum - rest * least).min(most + 1.0);
            let bounds = self.child(children, child, plies, (from, to), meter)?;
            proved &= bounds.proved;
            sum += bounds.value;
            if bounds.value <= from {
                return Ok(MeanValue { value: (sum + rest * most) / count, proved });
            }
            if bounds.value >= to {
                return Ok(MeanValue { value: (sum + rest * least) / count, proved });
            }
        }
        Ok(MeanValue { value: sum / count, proved })
    }

    fn child(
        &mut self,
        children: &Children,
        child: usize,
        Plies { done, left }: Plies,
        window: (f64, f64),
        meter: &mut Meter<'_>,
    ) -> Result<MeanValue, Halt> {
        if children.terminal(child) {
            let goal = self.context.outcome(children.goals(child, self.context.role));
            return Ok(MeanValue { value: goal.into(), proved: true });
        }
        if left <= 1 || done + 1 >= MOST_PLIES {
            let [least, most] = self.range();
            let share = self.leaf.estimate(children.state(child))?;
            return Ok(MeanValue { value: least + share * (most - least), proved: false });
        }
        let state = State(children.state(child).into());
        self.value(&state, Plies { done: done + 1, left: left - 1 }, window, meter)
    }
}

impl DepthLimited for ChanceSearch<'_> {
    fn begin(&mut self, state: &State, result: &mut SearchResult) -> Result<Option<i32>, MachineError> {
        // Estimates may have changed since the last search, so the table must not keep them.
        self.leaf.begin(state);
        self.table.retain(|_, known| known.proved);
        let mut evaluated = Children::default();
        self.expander.evaluate(&[state], ChildFields::ALL, &mut evaluated)?;
        if evaluated.terminal(0) {
            return Ok(Some(self.context.outcome(evaluated.goals(0, self.context.role))));
        }
        self.any = evaluated.legal(0, self.context.role).first().copied();
        result.action = self.any;
        self.root = state.clone();
        Ok(None)
    }

    fn search_to_depth(
        &mut self,
        depth: u32,
        meter: &mut Meter<'_>,
        result: &mut SearchResult,
    ) -> Result<(), Halt> {
        let [least, most] = self.range();
        self.best = None;
        let root = self.root.clone();
        let found = self.value(&root, Plies { done: 0, left: depth }, (least - 1.0, most + 1.0), meter);
        if let Some((action, found)) = self.best {
            result.action = Some(action);
            result.value = Some(found.value);
        }
        let found = found?;
        result.value = Some(found.value);
        result.proved = found.proved;
        Ok(())
    }
}
