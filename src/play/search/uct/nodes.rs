//! The states of UCT's tree, by number and by content.
//!
//! # How
//! States are stored in pieces that never move, and the table stores hashes with numbers, so growing it touches no state.
//! In one piece, with states as keys, a tree of a million states sometimes stopped for a tenth of a second, which made
//! moves late.

use std::hash::BuildHasher as _;
use std::ops::{Index, IndexMut};

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::machine::{MoveId, State};

/// The number of a state.
pub(super) type NodeId = u32;

/// Statistics of a move of a role in a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) action: MoveId,
    /// How often it was chosen, and the sum of the role's goal values after it, each from 0 to 1.
    pub(super) visits: u32,
    /// The proved share of the role's goal values, from 0 to 1, if the role alone chooses.
    pub(super) proved: Option<f32>,
    pub(super) sum: f64,
    /// The function's value, if a function orders untried moves and this one is untried.
    pub(super) untried: Option<f32>,
}

impl Choice {
    /// The mean result; a half without visits.
    pub(super) fn mean(&self) -> f64 {
        if self.visits == 0 { 0.5 } else { self.sum / f64::from(self.visits) }
    }
}

/// A state.
pub(super) struct TreeNode {
    pub(super) state: State,
    /// The legal moves of each role; empty in a terminal state.
    pub(super) choices: Vec<Vec<Choice>>,
    pub(super) visits: u32,
    /// For each role the proved share of its goal values, from 0 to 1.
    pub(super) proved: Option<Box<[f64]>>,
    /// The state after each joint move, by the joint move's number.
    pub(super) children: FxHashMap<u64, NodeId>,
    /// The index of the move that the opponent model predicts, for a state in which only one role has a choice.
    pub(super) expected: Option<u32>,
    /// Whether a simulation began from it.
    pub(super) begun: bool,
}

impl TreeNode {
    pub(super) fn empty() -> TreeNode {
        let (state, choices, children) = (State(Box::default()), Vec::new(), FxHashMap::default());
        TreeNode { state, choices, visits: 0, proved: None, children, expected: None, begun: false }
    }

    /// The number of a joint move, from the index of each role's move among its legal ones; none if there are too many
    /// joint moves.
    pub(super) fn joint(&self, places: &[usize]) -> Option<u64> {
        let mut joint = 0_u64;
        for (index, choices) in places.iter().zip(&self.choices) {
            joint = joint.checked_mul(choices.len() as u64)?.checked_add(*index as u64)?;
        }
        Some(joint)
    }

    /// The only role with a choice; none if there are several or none.
    pub(super) fn chooser(&self) -> Option<usize> {
        let mut choosing = (0..self.choices.len()).filter(|&role| self.choices[role].len() > 1);
        let first = choosing.next();
        first.filter(|_| choosing.next().is_none())
    }
}

/// States of a piece.
const PIECE: usize = 1 << 10;

/// Numbered states.
#[derive(Default)]
pub(super) struct Nodes {
    pieces: Vec<Vec<TreeNode>>,
    table: HashTable<(u64, NodeId)>,
}

impl Nodes {
    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.pieces.last().map_or(0, |last| (self.pieces.len() - 1) * PIECE + last.len())
    }

    /// The number of a state.
    pub(super) fn find(&self, state: &State) -> Option<NodeId> {
        let hash = FxBuildHasher.hash_one(state);
        let same = |&(of, id): &(u64, NodeId)| of == hash && self[id as usize].state == *state;
        self.table.find(hash, same).map(|&(_, id)| id)
    }

    /// Adds a state that is not stored yet; returns its number.
    pub(super) fn add(&mut self, node: TreeNode) -> NodeId {
        let id = self.len() as NodeId;
        let hash = FxBuildHasher.hash_one(&node.state);
        self.table.insert_unique(hash, (hash, id), |&(hash, _)| hash);
        match self.pieces.last_mut().filter(|last| last.len() < PIECE) {
            Some(last) => last.push(node),
            None => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(node);
                self.pieces.push(piece);
            }
        }
        id
    }

    /// All states, by number.
    pub(super) fn into_nodes(self) -> impl Iterator<Item = TreeNode> + Send {
        self.pieces.into_iter().flatten()
    }
}

impl Index<usize> for Nodes {
    type Output = TreeNode;

    fn index(&self, number: usize) -> &TreeNode {
        &self.pieces[number / PIECE][number % PIECE]
    }
}

impl IndexMut<usize> for Nodes {
    fn index_mut(&mut self, number: usize) -> &mut TreeNode {
        &mut self.pieces[number / PIECE][number % PIECE]
    }
}
