//! Backward induction: computes the values of a graph's states for one role from those of their children.

use crate::search::limits::{Halt, Meter};

use super::explore::Graph;
use super::score::Scores;
use super::states::Id;

/// The value of a state at `ply` and at earlier plies, back to the state's next change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) ply: u32,
    pub(super) state: Id,
    pub(super) score: i32,
}

/// Values of states for one role.
pub(super) enum Course {
    /// They don't depend on the time left.
    Still(Vec<i32>),
    /// They depend on the time left: all changes, the last plies first.
    Changing(Vec<Change>),
}

/// The number of states between two looks at the clock and the interrupt.
const CHUNK: usize = 1 << 14;

/// No value yet.
const UNKNOWN: i32 = i32::MIN;

/// A graph from a role's point of view.
pub(super) struct RoleView<'g> {
    pub(super) graph: &'g Graph<'g>,
    pub(super) role: usize,
    /// For each role whether it belongs to the same team.
    pub(super) allies: &'g [bool],
    pub(super) scores: Scores,
}

impl RoleView<'_> {
    /// The value of a state from those of its children, and the child that play continues with.
    pub(super) fn choose(&self, id: Id, value: impl Fn(Id) -> i32) -> Option<(i32, usize)> {
        self.choose_child(id, self.graph.links(id), value)
    }

    /// The same for a state's image with these children.
    pub(super) fn choose_child(
        &self,
        id: Id,
        children: &[Id],
        value: impl Fn(Id) -> i32,
    ) -> Option<(i32, usize)> {
        if children.is_empty() {
            return None;
        }
        // The worst answer to each choice of the side.
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
            for (index, &child) in children.iter().enumerate() {
                let (score, known) = (value(child), &mut worst[self.own(index, counts)]);
                if known.is_none_or(|(known, _)| score < known) {
                    *known = Some((score, index));
                }
            }
            worst.into_iter().for_each(better);
        } else {
            // Joint moves have the moves of the roles before the side, then those of its own, then those of the roles
            // after it.
            let (own, after) = (product_of(&|role| self.allies[role]), product_of(&|role| role >= own_end));
            for choice in 0..own {
                let mut worst: Option<(i32, usize)> = None;
                for before in (choice * after..children.len()).step_by(own * after) {
                    for (index, &child) in children.iter().enumerate().skip(before).take(after) {
                        let score = value(child);
                        if worst.is_none_or(|(known, _)| score < known) {
                            worst = Some((score, index));
                        }
                    }
                }
                better(worst);
            }
        }
        best.map(|(score, index)| (self.scores.later(score), index))
    }

    /// The number of the side's choice in a joint move, from the joint move's number.
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

    /// The value of a state from the values of its children.
    fn value(&self, id: Id, by_clock: bool, values: &[i32]) -> i32 {
        let graph = self.graph;
        if graph.is_end(id) || by_clock {
            return self.scores.end(graph.goals(id)[self.role], !graph.is_end(id));
        }
        let chosen = self.choose(id, |child| values[child as usize]);
        // No joint move is legal: the rules give no value, so the state gets the lowest one.
        chosen.map_or_else(|| self.scores.end(graph.rewards[self.role][0], false), |(score, _)| score)
    }

    /// The values in a game without a clock; each state comes after its children.
    pub(super) fn in_order(
        &self,
        order: &[Id],
        meter: &mut Meter<'_>,
    ) -> Result<(i32, Option<Course>), Halt> {
        let mut values = vec![UNKNOWN; self.graph.len()];
        for ids in order.chunks(CHUNK) {
            meter.glance()?;
            for &id in ids {
                let value = self.value(id, false, &values);
                values[id as usize] = value;
            }
        }
        Ok((values[0], Some(Course::Still(values))))
    }

    /// The values at each step of the clock, from the last one back; stores at most `room` changes.
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
            // The value at a ply depends on the children's values one ply later.
            for (number, &first) in graph.plies.iter().enumerate().take(ply + 1) {
                let end = graph.plies.get(number + 1).map_or(graph.len() as Id, |&next| next);
                if first == end || !graph.can_occur_at(first, ply) {
                    continue;
                }
                for start in (first..end).step_by(CHUNK) {
                    meter.glance()?;
                    for id in start..end.min(start.saturating_add(CHUNK as Id)) {
                        let value = self.value(id, ply == last, &values);
                        if value != values[id as usize] {
                            now.push((id, value));
                        }
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

/// All states, each after its children; none if play can repeat a state.
pub(super) fn order(graph: &Graph<'_>, meter: &mut Meter<'_>) -> Result<Option<Vec<Id>>, Halt> {
    let mut forward = true;
    for start in (0..graph.len()).step_by(CHUNK) {
        meter.glance()?;
        let mut ids = start as Id..graph.len().min(start + CHUNK) as Id;
        forward &= ids.all(|id| graph.links(id).iter().all(|&child| child > id));
        if !forward {
            break;
        }
    }
    if forward {
        return Ok(Some((0..graph.len() as Id).rev().collect()));
    }
    const NEW: u8 = 0;
    const BEGUN: u8 = 1;
    const DONE: u8 = 2;
    let mut marks = vec![NEW; graph.len()];
    let mut order = Vec::with_capacity(graph.len());
    // States, each with the number of children visited so far.
    let mut stack = vec![(0, 0)];
    while let Some((id, index)) = stack.last_mut() {
        marks[*id as usize] = BEGUN;
        match graph.links(*id).get(*index) {
            Some(&child) => {
                *index += 1;
                match marks[child as usize] {
                    NEW => stack.push((child, 0)),
                    BEGUN => return Ok(None),
                    _ => {}
                }
            }
            None => {
                marks[*id as usize] = DONE;
                order.push(*id);
                stack.pop();
                if order.len() % CHUNK == 0 {
                    meter.glance()?;
                }
            }
        }
    }
    Ok(Some(order))
}
