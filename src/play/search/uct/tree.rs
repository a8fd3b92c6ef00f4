//! The tree of UCT: how often each role chose each move in a state, and with which results.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::machine::{Cursor, State};

use super::nodes::{Choice, NodeId, Nodes, TreeNode};

/// Approximate time for keeping a state.
const KEEPING: Duration = Duration::from_micros(2);

/// All states of the tree. A state that several paths reach is stored once. States that differ only in the game's clock
/// are stored separately, because random play ends differently from them: in most games with a clock it is the clock that
/// ends it (`reports/speed/clock.md`).
#[derive(Default)]
pub(super) struct Store {
    pub(super) nodes: Nodes,
    bytes: usize,
    /// For each role whether it moves at random, or is modelled so.
    drawing: Vec<bool>,
}

impl Store {
    /// An empty tree.
    pub(super) fn new(drawing: Vec<bool>) -> Store {
        Store { drawing, ..Store::default() }
    }

    /// Whether a role moves at random, or is modelled so.
    pub(super) fn draws(&self, role: usize) -> bool {
        self.drawing.get(role).copied().unwrap_or(false)
    }

    /// The number of the cursor's state, which is added if it is new, and whether it is new. `share` converts a role's
    /// goal value to a number from 0 to 1.
    pub(super) fn at(
        &mut self,
        cursor: &dyn Cursor,
        roles: usize,
        share: &dyn Fn(usize, &[i32]) -> f64,
    ) -> (NodeId, bool) {
        if let Some(known) = self.nodes.find(cursor.state()) {
            return (known, false);
        }
        let terminal = cursor.terminal();
        let legal = |role: usize| -> Vec<Choice> {
            let legal = if terminal { &[] } else { cursor.legal(role) };
            legal
                .iter()
                .map(|&action| Choice { action, visits: 0, proved: None, sum: 0.0, untried: None })
                .collect()
        };
        let node = TreeNode {
            state: cursor.state().clone(),
            choices: (0..roles).map(legal).collect(),
            visits: 0,
            proved: terminal.then(|| (0..roles).map(|role| share(role, cursor.goals(role))).collect()),
            children: FxHashMap::default(),
            expected: None,
            begun: false,
        };
        self.bytes += cost(&node);
        (self.nodes.add(node), true)
    }

    /// Approximate number of bytes used.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The number of the state from which play continues; none if it is not stored. If more than half of the memory is
    /// used, keeps only states that can be reached from it, or none if that would take too long. Keeps all if `stop` is set
    /// meanwhile.
    pub(super) fn go_on_from(
        &mut self,
        state: &State,
        memory: usize,
        time: Option<Duration>,
        stop: Option<&AtomicBool>,
    ) -> Option<NodeId> {
        let root = self.nodes.find(state);
        if self.bytes <= memory / 2 {
            return root;
        }
        // More states may be reachable than were visited through this one, so they are counted while they are found.
        let most = time.map_or(usize::MAX, |time| (time.as_nanos() / 10 / KEEPING.as_nanos()) as usize);
        let kept = root.and_then(|root| self.keep_from(root, most, stop));
        if kept.is_none() {
            self.forget();
        }
        kept
    }

    /// Removes everything.
    fn forget(&mut self) {
        let empty = Store::new(self.drawing.clone());
        free(std::mem::replace(self, empty).nodes.into_nodes());
    }

    /// Keeps only states that can be reached from a state; returns its new number. If these are more than `most`, nothing
    /// changes, and if `stop` is set, nothing changes either.
    fn keep_from(&mut self, root: NodeId, most: usize, stop: Option<&AtomicBool>) -> Option<NodeId> {
        let mut order = vec![root];
        let mut number: FxHashMap<NodeId, NodeId> = [(root, 0)].into_iter().collect();
        let mut next = 0;
        while next < order.len() {
            if order.len() > most {
                return None;
            }
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Some(root);
            }
            let mut below: Vec<(u64, NodeId)> = self.nodes[order[next] as usize]
                .children
                .iter()
                .map(|(&joint, &child)| (joint, child))
                .collect();
            below.sort_unstable();
            for (_, child) in below {
                number.entry(child).or_insert_with(|| {
                    order.push(child);
                    order.len() as NodeId - 1
                });
            }
            next += 1;
        }
        let mut old = std::mem::take(&mut self.nodes);
        self.forget();
        for id in order {
            // The order contains each state once.
            let mut node = std::mem::replace(&mut old[id as usize], TreeNode::empty());
            node.children.values_mut().for_each(|child| *child = number[child]);
            self.bytes += cost(&node);
            self.nodes.add(node);
        }
        free(old.into_nodes());
        Some(0)
    }

    /// Records that a move's child is proved, if one role alone chooses in the state.
    pub(super) fn note_proved(&mut self, id: NodeId, places: &[usize], child: NodeId) {
        let Some(chooser) = self.nodes[id as usize].chooser() else { return };
        if let Some(proved) = &self.nodes[child as usize].proved {
            let share = proved[chooser] as f32;
            self.nodes[id as usize].choices[chooser][places[chooser]].proved = Some(share);
        }
    }

    /// Proves a state's value from those of its children. If one role has the only choice: a child has its greatest
    /// value, or all children are proved. If several roles choose: all children have the same value.
    pub(super) fn prove(&mut self, id: NodeId) {
        let node = &self.nodes[id as usize];
        if node.proved.is_some() {
            return;
        }
        let all: Option<u64> = node.choices.iter().try_fold(1_u64, |all, c| all.checked_mul(c.len() as u64));
        let Some(all) = all else { return };
        let proved = |child: &NodeId| self.nodes[*child as usize].proved.as_deref();
        let mut below: Vec<(u64, &[f64])> =
            node.children.iter().filter_map(|(&joint, child)| Some((joint, proved(child)?))).collect();
        below.sort_unstable_by_key(|(joint, _)| *joint);
        let complete = below.len() as u64 == all;
        let several = (0..node.choices.len()).filter(|&role| node.choices[role].len() > 1).count() > 1;
        let value: Option<Box<[f64]>> = match node.chooser() {
            // The opponent model excludes all moves but the expected one.
            Some(_) if let Some(expected) = node.expected => {
                let made = below.iter().find(|(joint, _)| *joint == u64::from(expected));
                made.map(|(_, value)| (*value).into())
            }
            // A role that moves at random gets the mean.
            Some(role) if self.draws(role) => complete.then(|| {
                let mean = |role: usize| below.iter().map(|(_, value)| value[role]).sum::<f64>() / all as f64;
                (0..node.choices.len()).map(mean).collect()
            }),
            Some(role) => {
                let best = below.iter().map(|(_, value)| value).max_by(|a, b| a[role].total_cmp(&b[role]));
                best.filter(|best| complete || best[role] >= 1.0).map(|best| (**best).into())
            }
            None if several => {
                let first = below.first().map(|(_, value)| *value);
                first
                    .filter(|first| complete && below.iter().all(|(_, value)| value == first))
                    .map(Into::into)
            }
            None => below.first().filter(|_| complete).map(|(_, value)| (*value).into()),
        };
        self.nodes[id as usize].proved = value;
    }
}

/// Frees a large structure on another thread, a little at a time: with as many searches as processors, it must not take
/// their time.
fn free<T: Send + 'static>(old: impl Iterator<Item = T> + Send + 'static) {
    const AT_ONCE: usize = 256;
    const REST: u32 = 3;
    let gently = move || {
        let mut old = old;
        loop {
            let begun = Instant::now();
            if old.by_ref().take(AT_ONCE).count() == 0 {
                return;
            }
            std::thread::sleep(REST * begun.elapsed());
        }
    };
    // If no thread can be started, the closure is dropped here with its content.
    let _ = std::thread::Builder::new().name("free".to_owned()).spawn(gently);
}

/// Approximate bytes of a state, including its entry in the table.
fn cost(node: &TreeNode) -> usize {
    let choices: usize = node.choices.iter().map(Vec::len).sum();
    node.state.0.len() * 8 + choices * (size_of::<Choice>() + 16) + size_of::<TreeNode>() + 96
}

/// A state on the path of a simulation, with the index of each role's move.
pub(super) struct PathStep {
    pub(super) node: NodeId,
    pub(super) places: Vec<usize>,
}

/// The share of a role's goal values, from 0 to 1: 0 if a state has no goal value, and the lowest of several.
pub(super) fn share([least, most]: [i32; 2], goals: &[i32]) -> f64 {
    let goal = goals.first().copied().unwrap_or(least);
    if most > least { f64::from(goal - least) / f64::from(most - least) } else { 1.0 }
}
