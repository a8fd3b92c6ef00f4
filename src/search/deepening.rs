//! Iterative deepening: depth after depth, until the value is proved or a limit is reached.
//!
//! Each depth begins with the best moves of the last one (Slate and Atkin 1977). A depth cut short counts for what it
//! found until then.

use std::time::Instant;

use crate::evaluation::{Function, FunctionError};
use crate::machine::State;

use super::alphabeta::aspiration;
use super::leaf::Leaf;
use super::limits::{Limits, Meter, Stop};
use super::mtdf::mtdf;
use super::score::{INFINITE, MOST_PLIES};
use super::setting::Setting;
use super::thought::{Search, SearchError, Thought};
use super::tree::{Found, Halt, Tree, TreeOptions};

/// How the value at a depth is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Alpha-beta with all values in its window.
    Full,
    /// Alpha-beta with a window around the last value.
    #[default]
    Aspiration,
    /// MTD(f).
    Mtdf,
}

/// A search that looks ever deeper, for one role.
pub struct Deepening<'m> {
    tree: Tree<'m>,
    method: Method,
}

impl<'m> Deepening<'m> {
    /// A search with an evaluation function of the role.
    ///
    /// # Errors
    /// The function does not fit the game.
    pub fn new(
        setting: Setting<'m>,
        function: &Function,
        method: Method,
        options: TreeOptions,
    ) -> Result<Deepening<'m>, FunctionError> {
        let leaf = Leaf::of(setting.machine, function)?;
        Ok(Deepening { tree: Tree::new(setting, leaf, options), method })
    }

    /// A search that knows nothing of states that are not terminal.
    pub fn plain(setting: Setting<'m>, method: Method, options: TreeOptions) -> Deepening<'m> {
        let leaf = Leaf::none(setting.machine);
        Deepening { tree: Tree::new(setting, leaf, options), method }
    }

    /// Whether a state was looked at in which both sides have a choice.
    pub(super) fn saw_both_choose(&self) -> bool {
        self.tree.at_once
    }

    fn iteration(&mut self, depth: u32, last: Option<Found>, meter: &mut Meter<'_>) -> Result<Found, Halt> {
        match self.method {
            _ if !self.tree.options.cutoffs => self.tree.root(depth, (-INFINITE, INFINITE), meter),
            Method::Full => self.tree.root(depth, (-INFINITE, INFINITE), meter),
            Method::Aspiration => aspiration(&mut self.tree, depth, last, meter),
            Method::Mtdf => mtdf(&mut self.tree, depth, last, meter),
        }
    }
}

impl Search for Deepening<'_> {
    fn think(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        tell: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, SearchError> {
        let begin = Instant::now();
        let mut meter = Meter::new(*limits);
        let mut thought = Thought::nothing();
        if let Some(goal) = self.tree.begin(state)? {
            return Ok(Thought { value: Some(goal.into()), proved: true, stop: Stop::Solved, ..thought });
        }
        // Before anything is searched any legal move is better than none.
        thought.action = self.tree.any;
        let role = self.tree.setting.role;
        let mut last = None;
        for depth in 1..=limits.depth.unwrap_or(MOST_PLIES).min(MOST_PLIES) {
            self.tree.forget_best();
            let result = self.iteration(depth, last, &mut meter);
            if let Some((joint, found)) = self.tree.best.take() {
                thought.action = Some(joint[role]);
                thought.value = Some(self.tree.scale.goal(found.score));
                thought.line = self.tree.line();
            }
            thought.nodes = meter.nodes;
            thought.took = begin.elapsed();
            match result {
                Ok(found) => {
                    thought.depth = depth;
                    thought.value = Some(self.tree.scale.goal(found.score));
                    thought.proved = found.proved;
                    last = Some(found);
                }
                Err(Halt::Error(error)) => return Err(error.into()),
                Err(Halt::Stop(stop)) => {
                    thought.stop = stop;
                    break;
                }
            }
            tell(&thought);
            if thought.proved {
                thought.stop = Stop::Solved;
                break;
            }
        }
        Ok(thought)
    }
}
