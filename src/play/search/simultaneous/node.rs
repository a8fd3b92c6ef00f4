//! A state under search, with its joint moves as a matrix: rows are choices of the role's side, columns the other's.

use crate::machine::{Children, MoveId, State};

use crate::search::frame::own;

/// A state under search.
pub(super) struct Node {
    pub(super) state: State,
    pub(super) key: u64,
    pub(super) children: Children,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// The children, row after row.
    pub(super) order: Vec<u32>,
    /// What the function makes of each child; nothing where children have their states instead.
    pub(super) values: Vec<Vec<f64>>,
}

impl Node {
    /// With nothing in it; the state is a place for others.
    pub(super) fn empty(state: State) -> Node {
        let (children, order, values) = (Children::default(), Vec::new(), Vec::new());
        Node { state, key: 0, children, rows: 0, columns: 0, order, values }
    }

    /// Puts the children into rows and columns, both in the order of the moves.
    pub(super) fn arrange(&mut self, allies: &[bool]) {
        let Node { children, order, rows, columns, .. } = self;
        order.clear();
        order.extend(0..children.len() as u32);
        let moves = |&child: &u32| own(children.joint(child as usize), allies, 0);
        order.sort_by(|a, b| moves(a).cmp(moves(b)).then(a.cmp(b)));
        *columns = order.iter().take_while(|child| moves(child).eq(moves(&order[0]))).count();
        *rows = order.len() / (*columns).max(1);
    }

    /// The joint move of a cell, by its number in `order`.
    pub(super) fn joint(&self, cell: usize) -> &[MoveId] {
        self.children.joint(self.order[cell] as usize)
    }
}
