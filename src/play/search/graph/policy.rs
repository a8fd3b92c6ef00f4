//! The best move in each reachable state, from the values of all states.

use crate::machine::{Machine, MoveId, State, StateView};
use crate::search::context::SearchContext;
use crate::search::limits::{Halt, Meter};

use super::backward::{Change, Course, RoleView, order};
use super::classes::Classes;
use super::explore::{Graph, GraphError, Links};
use super::line::joint_move;
use super::score::Scores;
use super::states::Id;

/// The values of all states for a role, and with them its best moves.
pub(in crate::search) struct Policy {
    graph: Graph<'static>,
    role: usize,
    allies: Vec<bool>,
    scores: Scores,
    /// All changes of a state one after another, those of late plies first.
    course: Course,
}

impl Policy {
    /// The best moves of a role in the states that can follow a nonterminal state. None if memory does not suffice to
    /// store the values.
    pub(in crate::search) fn of(
        machine: &dyn Machine,
        context: &SearchContext<'_>,
        state: &State,
        memory: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Result<Option<Policy>, GraphError>, Halt> {
        let mut graph = match Graph::new(machine, state, Classes { symmetries: None, equivalence: None }) {
            Ok(graph) => graph,
            Err(error) => return Ok(Err(error)),
        };
        let links = (Links::Children, memory);
        if let Err(error) = graph.explore(machine, state, links, meter, &mut |_, _, _| true)? {
            return Ok(Err(error));
        }
        let (role, allies) = (context.role, context.allies.clone());
        let Some(scores) = Scores::new(graph.rewards[role]) else { return Ok(Err(GraphError::Goals)) };
        let view = RoleView { graph: &graph, role, allies: &allies, scores };
        let room = memory.saturating_sub(graph.bytes()) / size_of::<Change>();
        let course = match &graph.clock {
            Some(_) => view.over_time(room, meter)?.1,
            None => match order(&graph, meter)? {
                Some(order) => view.in_order(&order, meter)?.1,
                None => return Ok(Err(GraphError::Circle)),
            },
        };
        Ok(Ok(course.map(|mut course| {
            if let Course::Changing(changes) = &mut course {
                changes.sort_by_key(|change| change.state);
            }
            Policy { graph, role, allies, scores, course }
        })))
    }

    /// The value of a state that is not terminal, and a joint move that keeps it; none if the state was not found.
    pub(in crate::search) fn best(&self, position: &dyn StateView) -> Option<(i32, Vec<MoveId>)> {
        let graph = &self.graph;
        let ply = match &graph.clock {
            Some((clock, first)) => clock.step(position.state())?.checked_sub(*first)?,
            None => 0,
        };
        let view = RoleView { graph, role: self.role, allies: &self.allies, scores: self.scores };
        let id = graph.find(&position.state().0)?;
        let (score, index) = view.choose(id, |child| self.value(child, ply + 1))?;
        Some((self.scores.goal(score), joint_move(position, graph.rewards.len(), index)))
    }

    /// The value of a state after `ply` plies.
    fn value(&self, id: Id, ply: u32) -> i32 {
        match &self.course {
            Course::Still(values) => values[id as usize],
            Course::Changing(changes) => {
                let begin = changes.partition_point(|change| change.state < id);
                let changes_of_state =
                    changes[begin..].iter().take_while(|change| change.state == id && change.ply >= ply);
                changes_of_state.last().map_or(i32::MIN, |change| change.score)
            }
        }
    }
}
