//! Where searches to a depth get the children of states and the values of leaves from.
//!
//! Searches ask for one state after the other and know nothing of what is made together: that is the source's.
//! [`ScalarSource`] steps a machine and values leaves one by one; `lane_source.rs` does as much as it can for hundreds of
//! states at once.

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
    /// For each function the values of all children; empty if these have their states instead.
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

    /// The children, searched at this place or later, that are not terminal and have such a window.
    pub(super) fn open_from(&self, place: usize) -> impl Iterator<Item = u32> {
        let later = self.node.groups[place..].iter().map(|&group| self.node.first_of(group));
        let open =
            later.filter(|&child| !self.node.children.terminal(child) && self.child_window(child).is_some());
        open.map(|child| child as u32)
    }
}

/// The best of the children of a state below which nothing is searched.
pub(super) struct BestLeaf<'s> {
    /// The joint move that leads there; empty if there is no child.
    pub(super) joint: &'s [MoveId],
    /// Its number, if that is known.
    pub(super) number: Option<u16>,
    /// The side that chooses it.
    pub(super) side: usize,
    /// Its score from the role's point of view.
    pub(super) score: i32,
    /// Whether no estimate went into the score.
    pub(super) proved: bool,
    /// Whether it cuts off its siblings, which are not visited then.
    pub(super) cuts: bool,
}

/// A source of children and of the values of leaves. All methods end with an error if a limit is reached or a state can't be
/// evaluated. The last four are for alpha-beta, which visits some of the children only.
pub(super) trait ChildSource<'m>: Send {
    /// What does the same one by one.
    fn scalar(&mut self) -> &mut ScalarSource<'m>;

    /// Makes all children of a state from which a search goes on.
    fn expand(
        &mut self,
        state: &State,
        fields: ChildFields,
        meter: &mut Meter<'_>,
        children: &mut Children,
    ) -> Result<(), Halt> {
        self.scalar().expand(state, fields, meter, children)
    }

    /// Makes all children of a state below which nothing is searched, with their values if these come with them.
    fn expand_leaves(
        &mut self,
        state: &State,
        meter: &mut Meter<'_>,
        successors: &mut Successors,
    ) -> Result<(), Halt> {
        successors.values.clear();
        self.expand(state, ChildFields::PLIES, meter, &mut successors.children)
    }

    /// How good a leaf is for a function, 0 to 1.
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

    /// Makes the children of a node.
    fn expand_node(
        &mut self,
        node: &mut Node,
        _knowledge: &SearchKnowledge<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        let fields = ChildFields { choices: node.visit.depth > 1, ..ChildFields::PLIES };
        self.expand(&node.state, fields, meter, &mut node.children)
    }

    /// A reply that refutes a child, if the source knows one that does so without a search.
    fn refute(
        &mut self,
        _search: NodeSearch<'_>,
        _child: usize,
        _meter: &mut Meter<'_>,
    ) -> Result<Option<BestLeaf<'_>>, Halt> {
        Ok(None)
    }

    /// The search goes on from a child, and then from the siblings after it unless one cuts off.
    fn enter(&mut self, _search: NodeSearch<'_>, _child: usize, _meter: &mut Meter<'_>) -> Result<(), Halt> {
        Ok(())
    }

    /// The best of a node's children, which are leaves, if the source values them together.
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
