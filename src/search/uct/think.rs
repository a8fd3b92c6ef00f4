//! A thought of UCT: simulations until a limit is reached, and the answer that the tree gives.

use std::time::{Duration, Instant};

use crate::machine::{MoveId, State};
use crate::search::limits::{Halt, Limits, Meter, Stop};
use crate::search::thought::{Search, SearchError, Thought};

use super::tree::{Choice, NodeId};
use super::{Uct, share};

/// Simulations between two reports.
const REPORT: u64 = 4096;

impl Search for Uct<'_> {
    fn think(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        tell: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, SearchError> {
        let begin = Instant::now();
        let mut meter = Meter::new(*limits);
        let mut thought = Thought::nothing();
        self.cursor.set(state)?;
        if self.cursor.terminal() {
            let goal = self.setting.outcome(self.cursor.goals(self.setting.role));
            return Ok(Thought { value: Some(goal.into()), proved: true, stop: Stop::Solved, ..thought });
        }
        let time = limits.deadline.map(|deadline| deadline.saturating_duration_since(begin));
        let root = match self.store.go_on_from(state, self.options.memory, time) {
            Some(root) => root,
            None => {
                let rewards = &self.rewards;
                let share = |role: usize, goals: &[i32]| share(rewards[role], goals);
                self.store.at(&*self.cursor, rewards.len(), &share).0
            }
        };
        // Simulations in lanes take long, so one that would end too late is not begun.
        let mut usual = Duration::ZERO;
        thought.stop = loop {
            if self.store.nodes[root as usize].proved.is_some() {
                break Stop::Solved;
            }
            let begun = Instant::now();
            if limits.deadline.is_some_and(|deadline| begun + 2 * usual >= deadline) {
                break Stop::Time;
            }
            let simulated = self.simulate(root, &mut meter);
            if self.lanes.is_some() {
                usual = (7 * usual + begun.elapsed()) / 8;
            }
            match simulated {
                Ok(()) => {}
                Err(Halt::Stop(stop)) => break stop,
                Err(Halt::Error(error)) => return Err(error.into()),
            }
            if self.simulations.is_multiple_of(REPORT) {
                self.answer(root, &mut thought);
                (thought.nodes, thought.took) = (meter.nodes, begin.elapsed());
                tell(&thought);
            }
        };
        self.answer(root, &mut thought);
        (thought.nodes, thought.took) = (meter.nodes, begin.elapsed());
        if thought.action.is_none() {
            // Not even one simulation was possible: any legal move is better than none.
            self.cursor.set(state)?;
            thought.action = self.cursor.legal(self.setting.role).first().copied();
        }
        Ok(thought)
    }
}

impl Uct<'_> {
    /// What is known of the root, as an answer.
    fn answer(&self, root: NodeId, thought: &mut Thought) {
        let role = self.setting.role;
        let node = &self.store.nodes[root as usize];
        let [least, most] = self.rewards[role].map(f64::from);
        let goal = |share: f64| least + (most - least) * share;
        let chooser = node.chooser();
        let rank = |place: usize| {
            let choice = &node.choices[role][place];
            match choice.proved.filter(|_| chooser == Some(role)) {
                Some(value) if value >= 1.0 => (2, value, choice.visits),
                Some(value) if value <= 0.0 => (0, value, choice.visits),
                Some(value) if node.proved.is_some() => (1, value, choice.visits),
                _ => (1, 0.0, choice.visits),
            }
        };
        let order = |&a: &usize, &b: &usize| {
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))
        };
        let best = (0..node.choices[role].len()).rev().max_by(order);
        let Some(best) = best else { return };
        let choice = &node.choices[role][best];
        thought.action = Some(choice.action);
        thought.proved = node.proved.is_some();
        thought.value = Some(goal(node.proved.as_ref().map_or_else(|| choice.mean(), |value| value[role])));
        thought.line = self.line(root, best);
        thought.depth = thought.line.len() as u32;
    }

    /// The joint moves played most, from the root on, which begins with a move of the role.
    fn line(&self, root: NodeId, first: usize) -> Vec<Vec<MoveId>> {
        let mut line = Vec::new();
        let mut at = Some(root);
        while let Some(node) = at.map(|at| &self.store.nodes[at as usize]) {
            if node.choices.iter().any(Vec::is_empty) || line.len() >= self.options.max_steps as usize {
                break;
            }
            let most = |choices: &Vec<Choice>| {
                (0..choices.len()).rev().max_by_key(|&place| choices[place].visits).unwrap_or(0)
            };
            let mut places: Vec<usize> = node.choices.iter().map(most).collect();
            if line.is_empty() {
                places[self.setting.role] = first;
            }
            let joint = places.iter().zip(&node.choices).map(|(&place, choices)| choices[place].action);
            line.push(joint.collect());
            at = node.joint(&places).and_then(|joint| node.children.get(&joint).copied());
        }
        line
    }
}
