//! The states of a best-first search: a tree of bounded size, which drops its worst leaves.

use std::collections::BTreeSet;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::machine::{MoveId, State};

/// The index of a state.
pub(super) type Id = u32;

/// Greater than every rank. In [`PathNode::lowest_dropped`] it means that no child was dropped.
pub(super) const NONE: u32 = u32::MAX;

/// A state of the tree.
pub(super) struct PathNode {
    pub(super) state: State,
    pub(super) key: u64,
    pub(super) parent: Id,
    /// The move from the parent.
    pub(super) action: MoveId,
    /// Plies from the root.
    pub(super) plies: u32,
    /// The estimated distance from a good end; less is better.
    pub(super) rank: u32,
    /// A lower bound of its rank and its children's; 0 if none is known. When a state is opened again after its
    /// children were dropped, this is their lowest rank.
    pub(super) floor: u32,
    /// The number of its stored children.
    pub(super) stored_children: u32,
    /// The lowest rank of its dropped children.
    pub(super) lowest_dropped: u32,
}

/// All stored states, and which of them are open, that is, to be expanded.
pub(super) struct Memory {
    nodes: Vec<PathNode>,
    free: Vec<Id>,
    known: FxHashMap<u64, Id>,
    /// The open states by rank; among equal ranks the deepest comes first.
    by_rank: BTreeSet<(u32, u32, Id)>,
    /// The open states by depth, deepest first; at equal depth the lowest rank comes first.
    by_depth: BTreeSet<(u32, u32, Id)>,
    most: usize,
    /// Words of all stored states. On the relational machine, states can have more words than the root.
    words: usize,
    bytes: usize,
}

/// Bytes of a node without the words of its state: the node, and its entries in `by_rank`, `by_depth` and `known`.
const NODE_BYTES: usize = size_of::<PathNode>() + 2 * 24 + 24;

/// Initial capacity of the table: growing a large table would make a move late. Untouched memory costs almost nothing.
const INITIAL_CAPACITY: usize = 1 << 22;

/// The index of the root.
pub(super) const ROOT: Id = 0;

impl Memory {
    /// A tree with only the root, of at most `bytes` bytes.
    pub(super) fn new(bytes: usize, root: State, key: u64, rank: u32) -> Memory {
        let most = (bytes / (NODE_BYTES + root.0.len() * 8)).clamp(2, NONE as usize);
        let mut memory = Memory {
            nodes: Vec::new(),
            free: Vec::new(),
            known: FxHashMap::with_capacity_and_hasher(most.min(INITIAL_CAPACITY), FxBuildHasher),
            by_rank: BTreeSet::new(),
            by_depth: BTreeSet::new(),
            most,
            words: 0,
            bytes,
        };
        memory.add(PathNode {
            state: root,
            key,
            parent: ROOT,
            action: MoveId(0),
            plies: 0,
            rank,
            floor: 0,
            stored_children: 0,
            lowest_dropped: NONE,
        });
        memory
    }

    pub(super) fn node(&self, id: Id) -> &PathNode {
        &self.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: Id) -> &mut PathNode {
        &mut self.nodes[id as usize]
    }

    /// The state with a hash.
    pub(super) fn find(&self, key: u64) -> Option<Id> {
        self.known.get(&key).copied()
    }

    /// Number of states.
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether the limit of memory is exceeded.
    pub(super) fn is_full(&self) -> bool {
        let states = self.known.len();
        states > self.most || states > 2 && states * NODE_BYTES + self.words * 8 > self.bytes
    }

    /// The number of open states.
    pub(super) fn open_count(&self) -> usize {
        self.by_rank.len()
    }

    /// Adds an open state.
    pub(super) fn add(&mut self, node: PathNode) -> Id {
        self.words += node.state.0.len();
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as Id - 1
            }
        };
        self.known.insert(self.node(id).key, id);
        self.open(id);
        id
    }

    /// Opens a state.
    pub(super) fn open(&mut self, id: Id) {
        let (by_rank, by_depth) = self.places(id);
        self.by_rank.insert(by_rank);
        self.by_depth.insert(by_depth);
    }

    /// Closes a state; returns whether it was open.
    pub(super) fn close(&mut self, id: Id) -> bool {
        let (by_rank, by_depth) = self.places(id);
        self.by_depth.remove(&by_depth);
        self.by_rank.remove(&by_rank)
    }

    /// Whether a state is open.
    pub(super) fn is_open(&self, id: Id) -> bool {
        self.by_rank.contains(&self.places(id).0)
    }

    fn places(&self, id: Id) -> ((u32, u32, Id), (u32, u32, Id)) {
        let node = self.node(id);
        ((node.rank, NONE - node.plies, id), (NONE - node.plies, node.rank, id))
    }

    /// The open state of the lowest rank.
    pub(super) fn best(&self) -> Option<Id> {
        self.by_rank.first().map(|&(_, _, id)| id)
    }

    /// The deepest open state; at equal depth, the one of the lowest rank.
    pub(super) fn deepest(&self) -> Option<Id> {
        self.by_depth.first().map(|&(_, _, id)| id)
    }

    /// The open state of the greatest rank, the least deep of several.
    pub(super) fn worst(&self) -> Option<Id> {
        self.by_rank.last().map(|&(_, _, id)| id)
    }

    /// Removes a leaf from the tree and from its parent's children.
    pub(super) fn remove(&mut self, id: Id) {
        self.close(id);
        let (key, parent) = (self.node(id).key, self.node(id).parent);
        self.known.remove(&key);
        self.free.push(id);
        let state = std::mem::replace(&mut self.node_mut(id).state, State(Box::default()));
        self.words = self.words.saturating_sub(state.0.len());
        self.node_mut(parent).stored_children -= 1;
    }

    /// The moves from the root to a state.
    pub(super) fn path(&self, mut id: Id) -> Vec<MoveId> {
        let mut moves = Vec::new();
        while id != ROOT {
            moves.push(self.node(id).action);
            id = self.node(id).parent;
        }
        moves.reverse();
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_states_fill_the_memory_sooner() {
        let of_words = |words: usize, key: u64| PathNode {
            state: State(vec![key; words].into()),
            key,
            parent: ROOT,
            action: MoveId(0),
            plies: 1,
            rank: 1,
            floor: 0,
            stored_children: 0,
            lowest_dropped: NONE,
        };
        let until_full = |words: usize| {
            let mut memory = Memory::new(100_000, State(Box::new([1])), 0, 0);
            (1..).find(|&key| {
                memory.add(of_words(words, key));
                memory.is_full()
            })
        };
        let (small, large) = (until_full(1).unwrap(), until_full(1000).unwrap());
        assert!(small > 300 && large < 20, "{small} states of one word, {large} of a thousand");
        // Removed nodes leave room for others.
        let mut memory = Memory::new(100_000, State(Box::new([1])), 0, 0);
        for key in 1..1000 {
            let id = memory.add(of_words(1000, key));
            memory.node_mut(ROOT).stored_children += 1;
            memory.remove(id);
        }
        assert!(!memory.is_full());
    }
}
