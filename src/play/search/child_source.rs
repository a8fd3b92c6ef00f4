//! Sources of the children of states and the values of leaves, for depth-limited searches.
//!
//! A search asks for one state after the other; the source decides which children are computed together.
//! [`ScalarSource`] steps a machine and evaluates leaves one by one. `lane_source.rs` computes as much as possible for
//! hundreds of states at once.

use crate::machine::{ChildFields, Children, MachineError, MoveId, State};

use super::knowledge::SearchKnowledge;
use super::limits::{Halt, Meter};
use super::node::{BOTH, Node, choosers};
use super::scalar_source::ScalarSource;
use super::window::{SideWindow, Window};

/// The children of a state.
#[derive(Default)]
pub(super) struct Successors {
    pub(super) children: Children,
    /// For each function the values of all children; empty if the children have states instead.
    pub(super) values: Vec<Vec<f64>>,
}

/// A node under search in a window.
#[derive(Clone, Copy)]
pub(super) struct NodeSearch<'a> {
    pub(super) node: &'a Node,
    pub(super) window: Window,
    pub(super) knowledge: &'a SearchKnowledge<'a>,
}

impl NodeSearch<'_> {
    /// The window of the side that has a choice, unless both have one.
    #[inline]
    pub(super) fn side_window(&self, choose: [bool; 2]) -> Option<SideWindow> {
        (choose != BOTH).then(|| SideWindow::new(choose, self.window, self.knowledge.cutoffs))
    }

    /// The window of the side that has a choice in a child, unless both have one there or in the node.
    #[inline]
    pub(super) fn child_window(&self, child: usize) -> Option<SideWindow> {
        let choose = choosers(&self.knowledge.context, &self.node.children, child);
        self.side_window(choose).filter(|_| self.node.choose != BOTH)
    }

    /// The children that are not terminal and have such a window, from this index of the search order on.
    pub(super) fn open_from(&self, index: usize) -> impl Iterator<Item = u32> {
        let later = self.node.groups[index..].iter().map(|&group| self.node.first_of(group));
        let open =
            later.filter(|&child| !self.node.children.terminal(child) && self.child_window(child).is_some());
        open.map(|child| child as u32)
    }
}

/// The best child of a node whose children are leaves.
pub(super) struct BestLeaf<'s> {
    /// The joint move that leads to it; empty if there is no child.
    pub(super) joint: &'s [MoveId],
    /// Its number, if known.
    pub(super) number: Option<u16>,
    /// The side that chooses it.
    pub(super) side: usize,
    /// Its score from the role's point of view.
    pub(super) score: i32,
    /// Whether the score is proved.
    pub(super) proved: bool,
    /// Whether it cuts off its siblings, which are then not visited.
    pub(super) cuts: bool,
}

/// A source of children and leaf values. All methods fail if a limit is reached or a state can't be evaluated. The last
/// four methods are for alpha-beta, which visits only some of the children.
pub(super) trait ChildSource<'m>: Send {
    /// The source that computes one state at a time.
    fn scalar(&mut self) -> &mut ScalarSource<'m>;

    /// Computes all children of a state from which the search continues.
    fn expand(
        &mut self,
        state: &State,
        fields: ChildFields,
        meter: &mut Meter<'_>,
        children: &mut Children,
    ) -> Result<(), Halt> {
        self.scalar().expand(state, fields, meter, children)
    }

    /// Computes all children of a state that are leaves, with their values if the source computes both together.
    fn expand_leaves(
        &mut self,
        state: &State,
        meter: &mut Meter<'_>,
        successors: &mut Successors,
    ) -> Result<(), Halt> {
        successors.values.clear();
        self.expand(state, ChildFields::PLIES, meter, &mut successors.children)
    }

    /// The estimate of a leaf by a function, from 0 to 1.
    fn leaf_share(
        &mut self,
        function: usize,
        leaves: &Successors,
        child: usize,
    ) -> Result<f64, MachineError> {
        let leaf = &mut self.scalar().leaves[function];
        match leaves.values.get(function) {
            Some(values) => Ok(leaf.share(values[child])),
            None => leaf.estimate(leaves.children.state(child)),
        }
    }

    /// Computes the children of a node.
    fn expand_node(
        &mut self,
        node: &mut Node,
        _knowledge: &SearchKnowledge<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        let fields = ChildFields { choices: node.visit.depth > 1, ..ChildFields::PLIES };
        self.expand(&node.state, fields, meter, &mut node.children)
    }

    /// A reply that refutes a child, if the source knows one without a search.
    fn refute(
        &mut self,
        _search: NodeSearch<'_>,
        _child: usize,
        _meter: &mut Meter<'_>,
    ) -> Result<Option<BestLeaf<'_>>, Halt> {
        Ok(None)
    }

    /// Notifies the source that the search enters a child. The search visits the later siblings afterwards, unless one
    /// cuts off.
    fn enter(&mut self, _search: NodeSearch<'_>, _child: usize, _meter: &mut Meter<'_>) -> Result<(), Halt> {
        Ok(())
    }

    /// The best child of a node whose children are leaves, if the source evaluates them together.
    fn best_leaf(
        &mut self,
        _search: NodeSearch<'_>,
        _meter: &mut Meter<'_>,
    ) -> Result<Option<BestLeaf<'_>>, Halt> {
        Ok(None)
    }
}

impl<'m> ChildSource<'m> for ScalarSource<'m> {
    fn scalar(&mut self) -> &mut ScalarSource<'m> {
        self
    }
}
