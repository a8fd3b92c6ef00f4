//! The role that a search is for, its team, and the range of its goal values.

use crate::evaluation::scaled_feature::rewards;
use crate::machine::Machine;
use crate::structure::finding::Structures;

/// A game seen by one of its roles.
#[derive(Clone)]
pub struct SearchContext<'m> {
    /// The game.
    pub machine: &'m dyn Machine,
    /// The role, counted from 0.
    pub role: usize,
    /// For each role whether it belongs to the same team.
    pub allies: Vec<bool>,
    /// The least and the greatest goal value of the role.
    pub rewards: [i32; 2],
}

impl<'m> SearchContext<'m> {
    /// A role against all others.
    ///
    /// # Panics
    /// The game has no such role.
    pub fn alone(machine: &'m dyn Machine, role: usize) -> SearchContext<'m> {
        let roles = machine.description().roles.len();
        assert!(role < roles, "the game has {roles} roles");
        let allies = (0..roles).map(|other| other == role).collect();
        SearchContext { machine, role, allies, rewards: rewards(machine, role) }
    }

    /// A role with its team, as found in the structures, against all others.
    ///
    /// # Panics
    /// The game has no such role.
    pub fn of(machine: &'m dyn Machine, structures: &Structures, role: usize) -> SearchContext<'m> {
        SearchContext::in_team(machine, role, &structures.teams)
    }

    /// A role with its team of the list, against all others; alone if no team has it.
    ///
    /// # Panics
    /// The game has no such role.
    pub fn in_team(machine: &'m dyn Machine, role: usize, teams: &[Vec<usize>]) -> SearchContext<'m> {
        let mut context = SearchContext::alone(machine, role);
        if let Some(team) = teams.iter().find(|team| team.contains(&role)) {
            context.allies = (0..context.allies.len()).map(|other| team.contains(&other)).collect();
        }
        context
    }

    /// The value of a terminal state for the role: its goal value. If there are several, the lowest; if there is none,
    /// the lowest that the rules have.
    pub fn outcome(&self, goals: &[i32]) -> i32 {
        goals.first().copied().unwrap_or(self.rewards[0])
    }
}
