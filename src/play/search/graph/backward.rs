//! Backward induction: values of the states of a graph for one role, from those of their children.

use crate::search::limits::{Halt, Meter};

use super::explore::Graph;
use super::score::Scores;
use super::states::Id;

/// A value that changed going backwards: from this step of play down to the next change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) ply: u32,
    pub(super) state: Id,
    pub(super) score: i32,
}

/// Values of states for one role.
pub(super) enum Course {
    /// They are the same whenever a state is reached.
    Still(Vec<i32>),
    /// They depend on the time left: all changes, the last plies first.
    Changing(Vec<Change>),
}

/// No value yet.
const UNKNOWN: i32 = i32::MIN;

/// A graph as a role sees it.
pub(super) struct RoleView<'g> {
    pub(super) graph: &'g Graph,
    pub(super) role: usize,
    /// For every role whether it plays on the same side.
    pub(super) allies: &'g [bool],
    pub(super) scores: Scores,
}

impl RoleView<'_> {
    /// The value of a state that has children, by the values of these; and the child that play goes on to.
    pub(super) fn choose(&self, id: Id, value: impl Fn(Id) -> i32) -> Option<(i32, usize)> {
        let children = self.graph.links(id);
        if children.is_empty() {
            return None;
        }
        // For each choice of the side the worst answer.
        let mut best: Option<(i32, usize)> = None;
        let mut better = |worst: Option<(i32, usize)>| {
            if let Some((score, _)) = worst
                && best.is_none_or(|(known, _)| score > known)
            {
                best = worst;
            }
        };
        let counts = self.graph.choices(id);
        let product_of = |among: &dyn Fn(usize) -> bool| {
            let counts = counts.iter().enumerate().filter(|(role, _)| among(*role));
            counts.map(|(_, &count)| usize::from(count)).product::<usize>()
        };
        let first = self.allies.iter().position(|&ally| ally).unwrap_or(0);
        let own_end = first + self.allies[first..].iter().take_while(|&&ally| ally).count();
        if self.allies[own_end..].contains(&true) {
            let mut worst: Vec<Option<(i32, usize)>> = vec![None; product_of(&|role| self.allies[role])];
            for (place, &child) in children.iter().enumerate() {
                let (score, known) = (value(child), &mut worst[self.own(place, counts)]);
                if known.is_none_or(|(known, _)| score < known) {
                    *known = Some((score, place));
                }
            }
            worst.into_iter().for_each(better);
        } else {
            // Joint moves: the roles before the side, each of its own, the roles after it.
            let (own, after) = (product_of(&|role| self.allies[role]), product_of(&|role| role >= own_end));
            for choice in 0..own {
                let mut worst: Option<(i32, usize)> = None;
                for before in (choice * after..children.len()).step_by(own * after) {
                    for (place, &child) in children.iter().enumerate().skip(before).take(after) {
                        let score = value(child);
                        if worst.is_none_or(|(known, _)| score < known) {
                            worst = Some((score, place));
                        }
                    }
                }
                better(worst);
            }
        }
        best.map(|(score, place)| (self.scores.later(score), place))
    }

    /// Which of its side's choices a joint move holds, by the joint move's number.
    fn own(&self, mut joint: usize, counts: &[u16]) -> usize {
        let (mut own, mut weight) = (0, 1);
        for (&count, &ally) in counts.iter().zip(self.allies).rev() {
            let count = usize::from(count);
            if ally {
                own += (joint % count) * weight;
                weight *= count;
            }
            joint /= count;
        }
        own
    }

    /// The value of a state, by the values of its children.
    fn value(&self, id: Id, by_clock: bool, values: &[i32]) -> i32 {
        let graph = self.graph;
        if graph.is_end(id) || by_clock {
            return self.scores.end(graph.goals(id)[self.role], !graph.is_end(id));
        }
        let chosen = self.choose(id, |child| values[child as usize]);
        // Nobody can move on: the rules give no value, so the least there is.
        chosen.map_or_else(|| self.scores.end(graph.rewards[self.role][0], false), |(score, _)| score)
    }

    /// Values in a game without a clock, states after their children.
    pub(super) fn in_order(
        &self,
        order: &[Id],
        meter: &mut Meter<'_>,
    ) -> Result<(i32, Option<Course>), Halt> {
        let mut values = vec![UNKNOWN; self.graph.len()];
        for ids in order.chunks(1 << 16) {
            meter.glance()?;
            for &id in ids {
                let value = self.value(id, false, &values);
                values[id as usize] = value;
            }
        }
        Ok((values[0], Some(Course::Still(values))))
    }

    /// Values over the steps of the clock, from the last one on; with at most so many changes remembered.
    pub(super) fn over_time(
        &self,
        room: usize,
        meter: &mut Meter<'_>,
    ) -> Result<(i32, Option<Course>), Halt> {
        let graph = self.graph;
        let last = graph.last_ply().unwrap_or(0);
        let mut values = vec![UNKNOWN; graph.len()];
        let mut changes = Some(Vec::new());
        let mut now: Vec<(Id, i32)> = Vec::new();
        for ply in (0..=last).rev() {
            now.clear();
            // What a state is worth a ply later is what its children are worth then.
            for (number, &first) in graph.plies.iter().enumerate().take(ply + 1) {
                let end = graph.plies.get(number + 1).map_or(graph.len() as Id, |&next| next);
                if first == end || !graph.stands_at(first, ply) {
                    continue;
                }
                meter.glance()?;
                for id in first..end {
                    let value = self.value(id, ply == last, &values);
                    if value != values[id as usize] {
                        now.push((id, value));
                    }
                }
            }
            for &(state, score) in &now {
                values[state as usize] = score;
            }
            if let Some(known) = &mut changes {
                known.extend(now.iter().map(|&(state, score)| Change { ply: ply as u32, state, score }));
            }
            if changes.as_ref().is_some_and(|changes| changes.len() > room) {
                changes = None;
            }
        }
        Ok((values[0], changes.map(Course::Changing)))
    }
}

/// All states, each after its children; none where play can go round in a circle.
pub(super) fn order(graph: &Graph) -> Option<Vec<Id>> {
    let all = 0..graph.len() as Id;
    if all.clone().all(|id| graph.links(id).iter().all(|&child| child > id)) {
        return Some(all.rev().collect());
    }
    const NEW: u8 = 0;
    const BEGUN: u8 = 1;
    const DONE: u8 = 2;
    let mut marks = vec![NEW; graph.len()];
    let mut order = Vec::with_capacity(graph.len());
    // States with how many of their children were looked at.
    let mut stack = vec![(0, 0)];
    while let Some((id, place)) = stack.last_mut() {
        marks[*id as usize] = BEGUN;
        match graph.links(*id).get(*place) {
            Some(&child) => {
                *place += 1;
                match marks[child as usize] {
                    NEW => stack.push((child, 0)),
                    BEGUN => return None,
                    _ => {}
                }
            }
            None => {
                marks[*id as usize] = DONE;
                order.push(*id);
                stack.pop();
            }
        }
    }
    Some(order)
}
