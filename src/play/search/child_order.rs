//! In which order alpha-beta looks at the children of a state.

use std::cmp::Reverse;

use super::alpha_beta::AlphaBeta;
use super::frame::{Frame, Group, own};
use super::ordering::Rank;

impl AlphaBeta<'_> {
    /// Puts the children in groups, and the group to look at first in front: what ends the game well, then the table's
    /// move, killers, history; then by number. The others are in no order yet, as most often nobody looks at them.
    pub(super) fn order(&self, frame: &mut Frame, first: Option<u16>, side: usize, ply: usize) {
        let Frame { children, order, groups, choose, .. } = frame;
        let allies = &self.context.allies;
        order.clear();
        order.extend(0..children.len() as u32);
        groups.clear();
        if *choose == [true, true] {
            let moves = |&child: &u32| own(children.joint(child as usize), allies, 0);
            order.sort_by(|a, b| moves(a).cmp(moves(b)).then(a.cmp(b)));
            let mut start = 0;
            for place in 1..=order.len() {
                if place == order.len() || !moves(&order[place]).eq(moves(&order[start])) {
                    groups.push(Group { rank: 0, start: start as u32, end: place as u32 });
                    start = place;
                }
            }
        } else {
            groups.extend((0..order.len() as u32).map(|start| Group { rank: 0, start, end: start + 1 }));
        }
        let sign = if side == 0 { 1 } else { -1 };
        for group in groups.iter_mut() {
            let members = &order[group.start as usize..group.end as usize];
            let child = members[0] as usize;
            let joint = children.joint(child);
            let wins = members.len() == 1 && children.terminal(child) && {
                let goal = self.context.outcome(children.goals(child, self.context.role));
                self.scale.is_win(sign * self.scale.proved(goal, 0))
            };
            if wins {
                group.rank = u32::MAX;
                continue;
            }
            let of_table = first.is_some_and(|first| members.contains(&u32::from(first)));
            let rank = self.ordering.rank(self.rank(of_table), side, own(joint, allies, side), joint, ply);
            group.rank = rank.min(u32::MAX - 1);
        }
        let first = (0..groups.len()).min_by_key(|&number| self.place(&groups[number]));
        if let Some(first) = first {
            groups.swap(0, first);
        }
    }

    /// Puts the groups after the first in order.
    pub(super) fn order_rest(&self, frame: &mut Frame) {
        // No two are equal.
        frame.groups[1..].sort_unstable_by_key(|group| self.place(group));
    }

    /// Groups are looked at from the least place on.
    fn place(&self, group: &Group) -> (Reverse<u32>, u64) {
        (Reverse(group.rank), self.ordering.among_equals(group.start))
    }

    /// What a move is ranked by.
    pub(super) fn rank(&self, of_table: bool) -> Rank {
        Rank { of_table, killers: self.options.killers }
    }
}
