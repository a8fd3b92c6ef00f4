//! A state in a search, with its joint moves as a matrix: the rows are the choices of the role's side, the columns
//! those of the other side.

use crate::machine::{MoveId, State};
use crate::search::child_source::Successors;
use crate::search::node::moves_of_side;

/// A state in a search, and its children as a matrix.
pub(super) struct MatrixNode {
    pub(super) state: State,
    pub(super) key: u64,
    pub(super) successors: Successors,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// The indices of the children, row by row.
    pub(super) order: Vec<u32>,
}

impl MatrixNode {
    /// An empty node, which uses the storage of `state`.
    pub(super) fn empty(state: State) -> MatrixNode {
        MatrixNode {
            state,
            key: 0,
            successors: Successors::default(),
            rows: 0,
            columns: 0,
            order: Vec::new(),
        }
    }

    /// Sorts the children into rows and columns, both in the order of the moves.
    pub(super) fn arrange(&mut self, allies: &[bool]) {
        let MatrixNode { successors: Successors { children, .. }, order, rows, columns, .. } = self;
        order.clear();
        order.extend(0..children.len() as u32);
        let moves = |&child: &u32| moves_of_side(children.joint(child as usize), allies, 0);
        order.sort_by(|a, b| moves(a).cmp(moves(b)).then(a.cmp(b)));
        *columns = order.iter().take_while(|child| moves(child).eq(moves(&order[0]))).count();
        *rows = order.len() / (*columns).max(1);
    }

    /// The joint move of the cell with this index in `order`.
    pub(super) fn joint(&self, cell: usize) -> &[MoveId] {
        self.successors.children.joint(self.order[cell] as usize)
    }
}
