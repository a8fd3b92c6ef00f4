//! For whom a search is made: the role, its team, and what they can get.

use crate::evaluation::kuhlmann::rewards;
use crate::machine::Machine;
use crate::structure::finding::Structures;

/// A game seen by one of its roles.
#[derive(Clone)]
pub struct SearchContext<'m> {
    /// The game.
    pub machine: &'m dyn Machine,
    /// The role, counted from 0.
    pub role: usize,
    /// For every role whether it plays on the same side.
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

    /// A role and its team, as they were found, against all others.
    ///
    /// # Panics
    /// The game has no such role.
    pub fn of(machine: &'m dyn Machine, structures: &Structures, role: usize) -> SearchContext<'m> {
        SearchContext::in_team(machine, role, &structures.teams)
    }

    /// A role and its team, of some, against all others; alone where it is in none of them.
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

    /// What a terminal state is worth to the role: its goal value; the least of them where there are several, the
    /// least there can be where there is none.
    pub fn outcome(&self, goals: &[i32]) -> i32 {
        goals.first().copied().unwrap_or(self.rewards[0])
    }
}
