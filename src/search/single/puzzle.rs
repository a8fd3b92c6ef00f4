//! A player of games for one: it looks for a way to the best end, keeps it, and follows it.

use std::time::Instant;

use crate::evaluation::{Function, FunctionError};
use crate::machine::{ChildFields, Children, State};
use crate::search::leaf::Leaf;
use crate::search::limits::{Halt, Limits, Meter, Stop};
use crate::search::score::Scale;
use crate::search::setting::Setting;
use crate::search::thought::{Search, SearchError, Thought};

use super::bestfirst::{BestFirst, BestFirstOptions};
use super::bidirectional::{Bidirectional, OneEnd};
use super::ida::{Ida, IdaOptions};
use super::journey::Journey;

/// A way of looking for ends.
pub(super) trait Finder {
    /// Looks for ways from a state; gives the most plies looked ahead. It ends when nothing better can come, when all
    /// was tried, or by a halt. `better` hears of every better way, with the nodes so far.
    fn find(
        &mut self,
        journey: &mut Journey<'_>,
        root: &State,
        meter: &mut Meter<'_>,
        better: &mut dyn FnMut(&Journey<'_>, u64),
    ) -> Result<u32, Halt>;
}

/// A search for one player.
pub struct Puzzle<'m> {
    journey: Journey<'m>,
    finder: Box<dyn Finder>,
    scale: Scale,
}

impl<'m> Puzzle<'m> {
    /// Best-first search by an evaluation function; without one, by depth alone.
    ///
    /// # Errors
    /// The function does not fit the game.
    ///
    /// # Panics
    /// The game has more than one role.
    pub fn best_first(
        setting: Setting<'m>,
        function: Option<&Function>,
        options: BestFirstOptions,
    ) -> Result<Puzzle<'m>, FunctionError> {
        Puzzle::new(setting, function, Box::new(BestFirst::new(options)))
    }

    /// Iterative deepening over the distance that an evaluation function gives.
    ///
    /// # Errors
    /// The function does not fit the game.
    ///
    /// # Panics
    /// The game has more than one role.
    pub fn ida(
        setting: Setting<'m>,
        function: Option<&Function>,
        options: IdaOptions,
    ) -> Result<Puzzle<'m>, FunctionError> {
        Puzzle::new(setting, function, Box::new(Ida::new(options)))
    }

    /// Search from both ends, with so many bytes of memory.
    ///
    /// # Errors
    /// The ends can't be listed, or there is no way back from them.
    ///
    /// # Panics
    /// The game has more than one role.
    pub fn bidirectional(setting: Setting<'m>, memory: usize) -> Result<Puzzle<'m>, OneEnd> {
        assert_eq!(setting.allies.len(), 1, "a game of one role");
        let scale = Scale::new(setting.rewards);
        let leaf = Leaf::none(setting.machine);
        let mut journey = Journey::new(setting, leaf);
        let finder = Box::new(Bidirectional::new(&mut journey, memory)?);
        Ok(Puzzle { journey, finder, scale })
    }

    fn new(
        setting: Setting<'m>,
        function: Option<&Function>,
        finder: Box<dyn Finder>,
    ) -> Result<Puzzle<'m>, FunctionError> {
        assert_eq!(setting.allies.len(), 1, "a game of one role");
        let leaf = match function {
            Some(function) => Leaf::of(setting.machine, function)?,
            None => Leaf::none(setting.machine),
        };
        let scale = Scale::new(setting.rewards);
        Ok(Puzzle { journey: Journey::new(setting, leaf), finder, scale })
    }
}

/// What is known so far, as a thought.
fn told(journey: &Journey<'_>, scale: Scale, mut thought: Thought) -> Thought {
    if let Some(plan) = &journey.plan {
        thought.action = plan.moves.first().copied().or(thought.action);
        thought.value = Some(plan.goal.into());
        thought.proved = plan.best;
        thought.line = plan.moves.iter().map(|&action| vec![action]).collect();
        thought.depth = thought.depth.max(plan.moves.len() as u32);
    } else if let Some((action, share)) = journey.hope {
        thought.action = Some(action);
        thought.value = Some(scale.goal(scale.estimated(share)));
    }
    thought
}

impl Search for Puzzle<'_> {
    fn think(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        tell: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, SearchError> {
        let begin = Instant::now();
        let (journey, scale) = (&mut self.journey, self.scale);
        journey.begin(state, limits);
        let mut thought = Thought::nothing();
        if journey.plan.as_ref().is_some_and(|plan| plan.best) {
            thought.stop = Stop::Solved;
            return Ok(Thought { took: begin.elapsed(), ..told(journey, scale, thought) });
        }
        let mut seen = Children::default();
        journey.expander.evaluate(&[state], ChildFields::ALL, &mut seen)?;
        if seen.terminal(0) {
            let goal = journey.setting.outcome(seen.goals(0, journey.setting.role));
            return Ok(Thought { value: Some(goal.into()), proved: true, stop: Stop::Solved, ..thought });
        }
        // Before anything is searched any legal move is better than none.
        thought.action = seen.legal(0, journey.setting.role).first().copied();
        let mut meter = Meter::new(*limits);
        let mut better = |journey: &Journey<'_>, nodes: u64| {
            let so_far = Thought { nodes, took: begin.elapsed(), ..thought.clone() };
            tell(&told(journey, scale, so_far));
        };
        let mut found = self.finder.find(journey, state, &mut meter, &mut better);
        // Where the time that is over may bring more than all ends found, how soon states are reached isn't all.
        let open =
            |journey: &Journey<'_>| !journey.is_done() && !journey.is_exhausted() && journey.cut.is_none();
        if found.is_ok() && open(journey) && journey.mind_the_clock() {
            found = self.finder.find(journey, state, &mut meter, &mut better);
        }
        match found {
            Ok(plies) => {
                thought.depth = plies;
                let exhausted = journey.is_exhausted();
                if let Some(plan) = &mut journey.plan {
                    plan.best |= exhausted;
                }
                let proved = journey.plan.as_ref().is_some_and(|plan| plan.best);
                thought.stop = match journey.cut {
                    _ if proved => Stop::Solved,
                    cut => cut.unwrap_or(Stop::Depth),
                };
            }
            Err(Halt::Error(error)) => return Err(error.into()),
            Err(Halt::Stop(stop)) => thought.stop = stop,
        }
        thought.nodes = meter.nodes;
        thought.took = begin.elapsed();
        let thought = told(journey, scale, thought);
        tell(&thought);
        Ok(thought)
    }
}
