//! Who plays with whom, where every team wants its own goals.

use crate::evaluation::kuhlmann::rewards;
use crate::machine::{Children, Machine, MachineError, MoveId};
use crate::simulate::Choices;
use crate::structure::finding::Structures;

/// The teams of a game. Each is represented by a role, whose goal values count.
#[derive(Clone, Debug)]
pub struct Teams {
    /// For every role its team.
    team: Vec<usize>,
    /// For every team its role.
    stands: Vec<usize>,
    /// For every team the least and the greatest goal value of its role.
    rewards: Vec<[i32; 2]>,
    /// The sum that the teams' goal values always have; none where they have several.
    pub(super) sum: Option<i32>,
}

/// Steps of the playout that tells the sum of goals, at most.
const MOST_STEPS: usize = 10_000;

impl Teams {
    /// Every role for itself; the sum of their goal values is not known.
    pub fn alone(machine: &dyn Machine) -> Teams {
        let roles = machine.description().roles.len();
        Teams {
            team: (0..roles).collect(),
            stands: (0..roles).collect(),
            rewards: (0..roles).map(|role| rewards(machine, role)).collect(),
            sum: None,
        }
    }

    /// As they were found, a role standing for its own team. Where goal values were found to have one sum, a playout
    /// tells it.
    ///
    /// # Errors
    /// A state of the playout can't be evaluated.
    pub fn found(machine: &dyn Machine, structures: &Structures, role: usize) -> Result<Teams, MachineError> {
        let mut teams = Teams::alone(machine);
        let roles = teams.team.len();
        let of = |role: usize| structures.teams.iter().position(|team| team.contains(&role));
        if (0..roles).all(|role| of(role).is_some()) {
            teams.team = (0..roles).filter_map(of).collect();
            let first = |team: usize| (0..roles).find(|&other| teams.team[other] == team).unwrap_or(0);
            teams.stands = (0..structures.teams.len()).map(first).collect();
            let own = teams.team[role];
            teams.stands[own] = role;
            teams.rewards = teams.stands.iter().map(|&role| rewards(machine, role)).collect();
        }
        let sizes: Vec<usize> =
            (0..teams.len()).map(|team| teams.team.iter().filter(|&&other| other == team).count()).collect();
        // The sum is one over roles; over teams it is one where they are as large.
        if structures.zero_sum && sizes.iter().all(|size| *size == sizes[0]) {
            teams.sum = teams.sum_of_a_playout(machine)?;
        }
        Ok(teams)
    }

    fn sum_of_a_playout(&self, machine: &dyn Machine) -> Result<Option<i32>, MachineError> {
        let (mut cursor, mut choices) = (machine.cursor(), Choices::new(1, 0));
        for _ in 0..MOST_STEPS {
            if cursor.terminal() {
                let goals = self.stands.iter().map(|&role| match cursor.goals(role) {
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

    /// The same with this as the sum of the teams' goal values.
    #[must_use]
    pub fn with_sum(self, sum: Option<i32>) -> Teams {
        Teams { sum, ..self }
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty, reason = "a game has a role")]
    pub fn len(&self) -> usize {
        self.stands.len()
    }

    /// The team of a role.
    pub fn of(&self, role: usize) -> usize {
        self.team[role]
    }

    /// The role that stands for a team.
    pub fn stands_for(&self, team: usize) -> usize {
        self.stands[team]
    }

    /// The least and the greatest goal value of a team.
    pub fn rewards(&self, team: usize) -> [i32; 2] {
        self.rewards[team]
    }

    /// What a terminal child is worth to a team: the goal value; the least of them where there are several, the least
    /// there can be where there is none.
    pub(super) fn outcome(&self, team: usize, children: &Children, child: usize) -> i32 {
        let [least, most] = self.rewards[team];
        children.goals(child, self.stands[team]).first().copied().unwrap_or(least).clamp(least, most)
    }

    pub(super) fn moves<'a>(&'a self, team: usize, joint: &'a [MoveId]) -> impl Iterator<Item = MoveId> + 'a {
        joint.iter().zip(&self.team).filter(move |(_, other)| **other == team).map(|(&action, _)| action)
    }
}
