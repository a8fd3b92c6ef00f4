//! The teams from one role's point of view, and joint moves grouped by them.

use crate::machine::{Children, MoveId};

/// A role and the roles that share its goal values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The role, counted from 0.
    pub role: usize,
    /// For each role whether it belongs to the team; true for the role itself.
    pub own: Vec<bool>,
}

/// Children of a state in groups: those of a group have the same moves of the role's team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildGroups {
    /// The children, group by group.
    pub order: Vec<usize>,
    /// Children of a group; all groups have the same size, as every answer is possible for every move.
    pub size: usize,
}

impl Sides {
    /// A role that plays alone.
    pub fn alone(role: usize, roles: usize) -> Sides {
        Sides { role, own: (0..roles).map(|other| other == role).collect() }
    }

    /// A role of a game with `roles` roles, with its team.
    pub fn of_team(role: usize, roles: usize, team: &[usize]) -> Sides {
        Sides { role, own: (0..roles).map(|other| other == role || team.contains(&other)).collect() }
    }

    /// Whether the role has no opponents.
    pub fn unopposed(&self) -> bool {
        self.own.iter().all(|&own| own)
    }

    /// The team's moves in a joint move.
    fn own_moves<'j>(&'j self, joint: &'j [MoveId]) -> impl Iterator<Item = MoveId> + 'j {
        joint.iter().zip(&self.own).filter(|(_, own)| **own).map(|(&action, _)| action)
    }

    /// Groups all children of a state: those of [`JointMoves::All`](crate::machine::JointMoves::All).
    pub fn group(&self, children: &Children) -> ChildGroups {
        let count = children.len();
        let Some(last) = count.checked_sub(1) else { return ChildGroups { order: Vec::new(), size: 1 } };
        // In lexicographic order a role has a choice if its first and its last move differ.
        let chooses = |side: bool| {
            let ends = children.joint(0).iter().zip(children.joint(last)).zip(&self.own);
            ends.into_iter().any(|((first, last), &own)| own == side && first != last)
        };
        let mut order: Vec<usize> = (0..count).collect();
        if !chooses(true) {
            return ChildGroups { order, size: count };
        }
        if !chooses(false) {
            return ChildGroups { order, size: 1 };
        }
        order.sort_by(|&a, &b| self.own_moves(children.joint(a)).cmp(self.own_moves(children.joint(b))));
        let same = |&&child: &&usize| {
            self.own_moves(children.joint(child)).eq(self.own_moves(children.joint(order[0])))
        };
        let size = order.iter().take_while(same).count();
        ChildGroups { order, size }
    }

    /// For each move of the role the value that its team can force: the best, over the team's other moves, of the worst
    /// answer. `children` are all children of a state, `value` gives the value of each.
    pub fn moves<V: Copy>(
        &self,
        children: &Children,
        value: impl Fn(usize) -> V,
        worse: fn(V, V) -> V,
        better: fn(V, V) -> V,
    ) -> Vec<(MoveId, V)> {
        let grouped = self.group(children);
        let mut moves: Vec<(MoveId, V)> = Vec::new();
        for group in grouped.order.chunks(grouped.size) {
            let action = children.joint(group[0])[self.role];
            let Some(worst) = group.iter().map(|&child| value(child)).reduce(worse) else { continue };
            match moves.iter_mut().find(|(known, _)| *known == action) {
                Some((_, best)) => *best = better(*best, worst),
                None => moves.push((action, worst)),
            }
        }
        moves
    }
}
