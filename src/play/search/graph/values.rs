//! The values of states for each role, computed backwards from the ends.

use crate::machine::{Machine, MoveId, State};
use crate::search::context::SearchContext;
use crate::search::limits::{Halt, Meter};

use super::backward::{Change, RoleView, order};
use super::classes::Classes;
use super::explore::{Graph, GraphError, Links};
use super::line;
use super::score::Scores;

/// The values that the roles can guarantee, with best play.
pub(in crate::search) struct Values {
    /// The goal value of each role.
    pub(in crate::search) goals: Vec<i32>,
    /// Joint moves of best play of the first role; none if memory did not suffice.
    pub(in crate::search) principal_variation: Option<Vec<Vec<MoveId>>>,
    /// Whether two roles have a choice in the same state.
    pub(in crate::search) both_choose: bool,
}

impl Values {
    /// The values of a state that is not terminal. `teams` partitions the roles.
    pub(in crate::search) fn of(
        machine: &dyn Machine,
        teams: &[Vec<usize>],
        state: &State,
        classes: Classes<'_>,
        memory: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Result<Values, GraphError>, Halt> {
        let mut graph = match Graph::new(machine, state, classes) {
            Ok(graph) => graph,
            Err(error) => return Ok(Err(error)),
        };
        if let Err(error) =
            graph.explore(machine, state, (Links::Children, memory), meter, &mut |_, _, _| true)?
        {
            return Ok(Err(error));
        }
        let order = match &graph.clock {
            Some(_) => Vec::new(),
            None => match order(&graph, meter)? {
                Some(order) => order,
                None => return Ok(Err(GraphError::Circle)),
            },
        };
        let mut values =
            Values { goals: Vec::new(), principal_variation: None, both_choose: graph.both_choose() };
        for role in 0..graph.rewards.len() {
            let Some(scores) = Scores::new(graph.rewards[role]) else { return Ok(Err(GraphError::Goals)) };
            let allies = SearchContext::in_team(machine, role, teams).allies;
            let seen = RoleView { graph: &graph, role, allies: &allies, scores };
            let room = memory.saturating_sub(graph.bytes()) / size_of::<Change>();
            let (score, course) = match graph.clock {
                Some(_) => seen.over_time(if role == 0 { room } else { 0 }, meter)?,
                None => seen.in_order(&order, meter)?,
            };
            values.goals.push(scores.goal(score));
            if let Some(course) = course.filter(|_| role == 0) {
                values.principal_variation = Some(line::play(machine, state, &seen, &course)?);
            }
        }
        Ok(Ok(values))
    }
}
