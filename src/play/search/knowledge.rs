//! The state of an alpha-beta search besides the tree: the scale of values, the transposition table, and the order of
//! moves.

use std::cmp::Reverse;
use std::ops::Range;

use crate::machine::{Children, MoveId};

use super::clock_keys::{Reach, further};
use super::context::SearchContext;
use super::node::{BOTH, Group, Node, moves_of_side};
use super::ordering::{KILLER, Ordering};
use super::score::Scale;
use super::table::{Bound, TableEntry};
use super::transpositions::{Transpositions, Visit};
use super::window::{SideWindow, Window};

/// The value of a state, from the role's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeValue {
    pub(super) score: i32,
    /// Whether no estimate went into it.
    pub(super) proved: bool,
    /// The number of plies after the state that it depends on.
    pub(super) reach: Reach,
}

impl NodeValue {
    /// The same value as a value of the parent.
    #[inline]
    pub(super) fn for_parent(self) -> NodeValue {
        NodeValue { reach: further(self.reach), ..self }
    }
}

/// The scale of values, the table and the move ordering.
pub(super) struct SearchKnowledge<'m> {
    pub(super) context: SearchContext<'m>,
    pub(super) scale: Scale,
    /// Whether branches are cut off.
    pub(super) cutoffs: bool,
    pub(super) table: Transpositions,
    pub(super) ordering: Ordering,
}

impl SearchKnowledge<'_> {
    /// The score of a terminal state with these goal values of the role, at a ply.
    #[inline]
    pub(super) fn end_score(&self, goals: &[i32], ply: usize) -> i32 {
        self.scale.proved(self.context.outcome(goals), ply as u32)
    }

    /// The state's value from the table if it is sufficient in this window, and the child to search first.
    pub(super) fn lookup(&self, visit: Visit, window: Window) -> (Option<NodeValue>, Option<u16>) {
        let seen = |entry: &TableEntry| self.scale.seen_from_root(entry.score, visit.ply as u32);
        let enough = |entry: &TableEntry| match entry.bound {
            // The root needs a move, not only a value.
            _ if visit.ply == 0 || !self.cutoffs => false,
            Bound::Exact => true,
            Bound::AtLeast => seen(entry) >= window.1,
            Bound::AtMost => seen(entry) <= window.0,
        };
        let (entry, first) = self.table.find(visit, enough);
        let value =
            entry.map(|entry| NodeValue { score: seen(&entry), proved: entry.proved, reach: entry.reach });
        (value, first)
    }

    /// Stores the value of a state that was searched in a window, with its best child if that has a number.
    pub(super) fn store(&mut self, visit: Visit, window: SideWindow, value: NodeValue, best: Option<u16>) {
        let entry = TableEntry {
            score: self.scale.seen_here(value.score, visit.ply as u32),
            bound: window.bound(window.sign * value.score),
            depth: visit.depth.min(u32::from(u8::MAX)) as u8,
            proved: value.proved,
            best,
            reach: value.reach,
        };
        self.table.keep(visit, entry);
    }

    /// Records that a joint move of a side cut off its later siblings, at a ply and a depth.
    #[inline]
    pub(super) fn note_cutoff(&mut self, side: usize, joint: &[MoveId], (ply, depth): (usize, u32)) {
        let moves = moves_of_side(joint, &self.context.allies, side);
        self.ordering.cut(side, moves, joint, ply, depth);
    }

    /// Groups the children and puts the group to search first in front: winning ends, then the table's move, killer moves
    /// and history; ties by number. The other groups are sorted later by `arrange_rest`, as most nodes are cut off
    /// before.
    pub(super) fn arrange(&self, node: &mut Node, first: Option<u16>, side: usize) {
        let Node { children, order, groups, choose, visit, .. } = node;
        let allies = &self.context.allies;
        order.clear();
        order.extend(0..children.len() as u32);
        groups.clear();
        if *choose == BOTH {
            let moves = |&child: &u32| moves_of_side(children.joint(child as usize), allies, 0);
            order.sort_by(|a, b| moves(a).cmp(moves(b)).then(a.cmp(b)));
            let mut start = 0;
            for index in 1..=order.len() {
                if index == order.len() || !moves(&order[index]).eq(moves(&order[start])) {
                    groups.push(Group { rank: 0, start: start as u32, end: index as u32 });
                    start = index;
                }
            }
        } else {
            groups.extend((0..order.len() as u32).map(|start| Group { rank: 0, start, end: start + 1 }));
        }
        let sign = if side == 0 { 1 } else { -1 };
        for group in groups.iter_mut() {
            let members = &order[group.start as usize..group.end as usize];
            let child = members[0] as usize;
            let wins = members.len() == 1
                && children.terminal(child)
                && self.scale.is_win(sign * self.end_score(children.goals(child, self.context.role), 0));
            group.rank = match first.is_some_and(|first| members.contains(&u32::from(first))) {
                _ if wins => u32::MAX,
                true => KILLER,
                false => self.rank(children, child, side, visit.ply),
            };
        }
        let first = (0..groups.len()).min_by_key(|&number| self.place(&groups[number]));
        if let Some(first) = first {
            groups.swap(0, first);
        }
    }

    /// Sorts the groups after the first.
    pub(super) fn arrange_rest(&self, node: &mut Node) {
        // No two keys are equal, so an unstable sort is deterministic.
        node.groups[1..].sort_unstable_by_key(|group| self.place(group));
    }

    /// The sort key: groups are searched in ascending order.
    fn place(&self, group: &Group) -> (Reverse<u32>, u64) {
        (Reverse(group.rank), self.ordering.among_equals(group.start))
    }

    /// The priority of a child that is neither a win nor the table's move; higher ones are searched first.
    fn rank(&self, children: &Children, child: usize, side: usize, ply: usize) -> u32 {
        let joint = children.joint(child);
        self.ordering.rank(side, moves_of_side(joint, &self.context.allies, side), joint, ply)
    }

    /// The child that would probably be searched first in a state that was not searched yet. Its children are a range of
    /// `children`; terminal ones are skipped.
    pub(super) fn likely_first(
        &self,
        visit: Visit,
        side: usize,
        state: &[u64],
        (children, range): (&Children, Range<usize>),
    ) -> Option<usize> {
        let is_open = |&child: &usize| !children.terminal(child);
        let of_table = self.table.find(visit, |_| false).1;
        let of_table =
            of_table.and_then(|code| self.table.coded_child(visit, state, code, (children, range.clone())));
        let of_table = of_table.map(|best| range.start + usize::from(best));
        let rank = |&child: &usize| {
            let position = self.ordering.among_equals((child - range.start) as u32);
            (self.rank(children, child, side, visit.ply), Reverse(position))
        };
        let of_table = of_table.filter(|child| range.contains(child) && is_open(child));
        of_table.or_else(|| range.clone().filter(is_open).max_by_key(rank))
    }
}
