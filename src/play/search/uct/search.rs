//! A thought of UCT: simulations until a limit is reached, and the answer that the tree gives.

use std::time::{Duration, Instant};

use crate::machine::{MoveId, State};
use crate::search::limits::{Halt, Limits, Meter, Stop};
use crate::search::result::{Search, SearchError, SearchResult};

use super::tree::{Choice, NodeId};
use super::{OpponentModel, Uct, share};

/// Simulations between two reports.
const REPORT: u64 = 4096;

impl Search for Uct<'_> {
    fn search(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        let begin = Instant::now();
        let mut meter = Meter::new(*limits);
        let mut result = SearchResult::nothing();
        self.root = None;
        self.cursor.set(state)?;
        if self.cursor.terminal() {
            let goal = self.context.outcome(self.cursor.goals(self.context.role));
            return Ok(SearchResult { value: Some(goal.into()), proved: true, stop: Stop::Solved, ..result });
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
        self.root = Some(root);
        // Simulations in lanes take long, and tell less where the clock ends them: one that is likely to be is not begun.
        let mut usual = Duration::ZERO;
        let by_clock = limits.deadline.is_some() && limits.nodes.is_none();
        result.stop = loop {
            if self.store.nodes[root as usize].proved.is_some() {
                break Stop::Solved;
            }
            let begun = Instant::now();
            if limits.deadline.is_some_and(|deadline| begun + usual >= deadline) {
                break Stop::Time;
            }
            let before = self.simulations;
            let simulated = match self.lanes.is_some() {
                true => self.pass(root, &mut meter, by_clock),
                false => self.simulate(root, &mut meter),
            };
            if self.lanes.is_some() {
                usual = (7 * usual + begun.elapsed()) / 8;
            }
            match simulated {
                Ok(()) => {}
                Err(Halt::Stop(stop)) => break stop,
                Err(Halt::Error(error)) => return Err(error.into()),
            }
            if self.simulations / REPORT > before / REPORT {
                self.answer(root, &mut result);
                (result.nodes, result.took) = (meter.nodes, begin.elapsed());
                on_progress(&result);
            }
        };
        self.answer(root, &mut result);
        (result.nodes, result.took) = (meter.nodes, begin.elapsed());
        if result.action.is_none() {
            // Not even one simulation was possible: any legal move is better than none.
            self.cursor.set(state)?;
            result.action = self.cursor.legal(self.context.role).first().copied();
        }
        Ok(result)
    }
}

impl Uct<'_> {
    /// What is known of the root, as an answer.
    fn answer(&self, root: NodeId, result: &mut SearchResult) {
        let role = self.context.role;
        let node = &self.store.nodes[root as usize];
        let [least, most] = self.rewards[role].map(f64::from);
        let goal = |share: f64| least + (most - least) * share;
        let chooser = node.chooser();
        let rank = |place: usize| {
            let choice = &node.choices[role][place];
            let (class, value) = match choice.proved.filter(|_| chooser == Some(role)) {
                Some(value) if value >= 1.0 => (2, value),
                Some(value) if value <= 0.0 => (0, value),
                Some(value) if node.proved.is_some() => (1, value),
                _ => (1, 0.0),
            };
            (class, value, choice.visits, choice.mean())
        };
        let order = |&a: &usize, &b: &usize| {
            let (a, b) = (rank(a), rank(b));
            // Of many moves each may have been tried once.
            let by_proof = a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
            by_proof.then(a.2.cmp(&b.2)).then(a.3.total_cmp(&b.3))
        };
        let best = (0..node.choices[role].len()).rev().max_by(order);
        let Some(best) = best else { return };
        let choice = &node.choices[role][best];
        result.action = Some(choice.action);
        // What a model says of opponents is no proof.
        result.proved = node.proved.is_some() && self.options.opponent == OpponentModel::Search;
        result.value = Some(goal(node.proved.as_ref().map_or_else(|| choice.mean(), |value| value[role])));
        result.principal_variation = self.principal_variation(root, best);
        result.depth = result.principal_variation.len() as u32;
    }

    /// The joint moves played most, from the root on, which begins with a move of the role.
    fn principal_variation(&self, root: NodeId, first: usize) -> Vec<Vec<MoveId>> {
        let mut line = Vec::new();
        let mut at = Some(root);
        while let Some(node) = at.map(|at| &self.store.nodes[at as usize]) {
            if node.choices.iter().any(Vec::is_empty) || line.len() >= self.max_steps as usize {
                break;
            }
            let most = |choices: &Vec<Choice>| {
                (0..choices.len()).rev().max_by_key(|&place| choices[place].visits).unwrap_or(0)
            };
            let mut places: Vec<usize> = node.choices.iter().map(most).collect();
            if line.is_empty() {
                places[self.context.role] = first;
            }
            let joint = places.iter().zip(&node.choices).map(|(&place, choices)| choices[place].action);
            line.push(joint.collect());
            at = node.joint(&places).and_then(|joint| node.children.get(&joint).copied());
        }
        line
    }
}
