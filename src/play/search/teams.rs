//! The teams of a game, for searches in which each team maximises its own goal value.

use crate::evaluation::scaled_feature::rewards;
use crate::machine::{Children, Machine, MachineError, MoveId};
use crate::simulate::Choices;
use crate::structure::finding::Structures;

/// The teams of a game. Each has a representative role, whose goal values are the team's.
#[derive(Clone, Debug)]
pub struct Teams {
    /// The team of each role.
    team: Vec<usize>,
    /// The representative of each team.
    representatives: Vec<usize>,
    /// For each team the lowest and the greatest goal value of its representative.
    rewards: Vec<[i32; 2]>,
    /// The constant sum of the teams' goal values; none if it varies.
    pub(super) sum: Option<i32>,
}

/// Maximum number of steps of the playout that determines the sum of goal values.
const MOST_STEPS: usize = 10_000;

impl Teams {
    /// Each role alone; the sum of goal values is unknown.
    pub fn alone(machine: &dyn Machine) -> Teams {
        let roles = machine.description().roles.len();
        Teams {
            team: (0..roles).collect(),
            representatives: (0..roles).collect(),
            rewards: (0..roles).map(|role| rewards(machine, role)).collect(),
            sum: None,
        }
    }

    /// The teams of the structures; `role` represents its own team. If the structures say that goal values have a
    /// constant sum, a playout determines it.
    ///
    /// # Errors
    /// A state of the playout can't be evaluated.
    pub fn from_structures(
        machine: &dyn Machine,
        structures: &Structures,
        role: usize,
    ) -> Result<Teams, MachineError> {
        let mut teams = Teams::alone(machine);
        let roles = teams.team.len();
        let of = |role: usize| structures.teams.iter().position(|team| team.contains(&role));
        if (0..roles).all(|role| of(role).is_some()) {
            teams.team = (0..roles).filter_map(of).collect();
            let first = |team: usize| (0..roles).find(|&other| teams.team[other] == team).unwrap_or(0);
            teams.representatives = (0..structures.teams.len()).map(first).collect();
            let own = teams.team[role];
            teams.representatives[own] = role;
            teams.rewards = teams.representatives.iter().map(|&role| rewards(machine, role)).collect();
        }
        let sizes: Vec<usize> =
            (0..teams.len()).map(|team| teams.team.iter().filter(|&&other| other == team).count()).collect();
        // A sum that is constant over roles is constant over teams if all have the same size.
        let is_of_teams = structures.sum_is_of_teams() || sizes.iter().all(|size| *size == sizes[0]);
        if structures.zero_sum && is_of_teams {
            teams.sum = teams.sum_of_a_playout(machine)?;
        }
        Ok(teams)
    }

    fn sum_of_a_playout(&self, machine: &dyn Machine) -> Result<Option<i32>, MachineError> {
        let (mut cursor, mut choices) = (machine.cursor(), Choices::new(1, 0));
        for _ in 0..MOST_STEPS {
            if cursor.terminal() {
                let goals = self.representatives.iter().map(|&role| match cursor.goals(role) {
                    [goal] => Some(*goal),
                    _ => None,
                });
                return Ok(goals.sum());
            }
            let mut joint = Vec::with_capacity(self.team.len());
            for role in 0..self.team.len() {
                let legal = cursor.legal(role);
                if legal.is_empty() {
                    return Ok(None);
                }
                joint.push(legal[choices.below(legal.len())]);
            }
            cursor.advance(&joint)?;
        }
        Ok(None)
    }

    /// Sets the constant sum of the teams' goal values.
    #[must_use]
    pub fn with_sum(self, sum: Option<i32>) -> Teams {
        Teams { sum, ..self }
    }

    /// The number of teams.
    #[allow(clippy::len_without_is_empty, reason = "a game has a role")]
    pub fn len(&self) -> usize {
        self.representatives.len()
    }

    /// The team of a role.
    pub fn of(&self, role: usize) -> usize {
        self.team[role]
    }

    /// The representative of a team.
    pub fn representative(&self, team: usize) -> usize {
        self.representatives[team]
    }

    /// The least and the greatest goal value of a team.
    pub fn rewards(&self, team: usize) -> [i32; 2] {
        self.rewards[team]
    }

    /// The value of a terminal child for a team: the goal value. If there are several, the lowest; if there is none, the
    /// lowest that the rules have.
    pub(super) fn outcome(&self, team: usize, children: &Children, child: usize) -> i32 {
        let [least, most] = self.rewards[team];
        children.goals(child, self.representatives[team]).first().copied().unwrap_or(least).clamp(least, most)
    }

    pub(super) fn moves<'a>(&'a self, team: usize, joint: &'a [MoveId]) -> impl Iterator<Item = MoveId> + 'a {
        joint.iter().zip(&self.team).filter(move |(_, other)| **other == team).map(|(&action, _)| action)
    }
}
