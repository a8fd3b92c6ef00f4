//! The states of UCT's tree, by number and by what holds in them.
//!
//! # How
//! They lie in pieces that never move, and the table holds hashes beside numbers: to make room for more no state is looked at again.
//! In one piece, with states as keys, a tree of a million states stood still for a tenth of a second now and then, and a
//! move came late.

use std::hash::BuildHasher as _;
use std::ops::{Index, IndexMut};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::machine::State;

use super::tree::{Node, NodeId};

/// States in a piece.
const PIECE: usize = 1 << 10;

/// Numbered states.
#[derive(Default)]
pub(super) struct Nodes {
    pieces: Vec<Vec<Node>>,
    table: HashTable<(u64, NodeId)>,
}

impl Nodes {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.pieces.last().map_or(0, |last| (self.pieces.len() - 1) * PIECE + last.len())
    }

    /// The number of a state.
    pub(super) fn find(&self, state: &State) -> Option<NodeId> {
        let hash = FxBuildHasher.hash_one(state);
        let same = |&(of, id): &(u64, NodeId)| of == hash && self[id as usize].state == *state;
        self.table.find(hash, same).map(|&(_, id)| id)
    }

    /// Adds a state that is not there; gives its number.
    pub(super) fn add(&mut self, node: Node) -> NodeId {
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

    /// All of them, by number.
    pub(super) fn into_nodes(self) -> impl Iterator<Item = Node> + Send {
        self.pieces.into_iter().flatten()
    }
}

impl Index<usize> for Nodes {
    type Output = Node;

    fn index(&self, number: usize) -> &Node {
        &self.pieces[number / PIECE][number % PIECE]
    }
}

impl IndexMut<usize> for Nodes {
    fn index_mut(&mut self, number: usize) -> &mut Node {
        &mut self.pieces[number / PIECE][number % PIECE]
    }
}
