//! The counts behind the statistics. Each block has its own; they are added in the order of the blocks.

use std::collections::BTreeMap;

use crate::gdl::Description;
use crate::machine::MoveId;

use super::fault::FaultKind;
use super::lane_block::LaneBlock;
use super::observer::End;

/// Limit of the playouts that are stored as examples of a fault or an outcome.
const EXAMPLES: usize = 3;

/// Limit of the outcomes that are counted separately. After that, only outcomes with a new goal value of a role are
/// added.
const OUTCOMES: usize = 1_000;

/// Counts of one role.
#[derive(Clone, Debug, Default)]
pub(super) struct RoleCounts {
    pub(super) moves: u64,
    pub(super) most_moves: usize,
    pub(super) choices: u64,
    pub(super) moves_of_choices: u64,
    pub(super) goals: BTreeMap<i32, u64>,
    pub(super) wins: u64,
    /// The goal value in the previous position, if there was exactly one.
    last_goal: Option<i32>,
    goal_fell: bool,
}

/// The number of playouts with a fault or an outcome, and the first of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Occurrences {
    pub(super) playouts: u64,
    pub(super) first: Vec<u64>,
    /// The block of the first playout, if it was played in lanes.
    pub(super) block: Option<LaneBlock>,
}

/// Counts of playouts. All are integers, so sums do not depend on the grouping.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayoutCounts {
    /// Playouts that ended, or were cut off at the step limit.
    pub(super) playouts: u64,
    pub(super) terminal: u64,
    pub(super) capped: u64,
    pub(super) stopped: u64,
    /// Terminal playouts in which every player has exactly one goal value.
    pub(super) scored: u64,
    pub(super) draws: u64,
    pub(super) states: u64,
    pub(super) steps: u64,
    pub(super) positions: u64,
    pub(super) work: u64,
    pub(super) lengths: BTreeMap<u32, u64>,
    pub(super) roles: Vec<RoleCounts>,
    /// The role `random`, which neither wins nor needs a goal value.
    random: Option<usize>,
    pub(super) faults: BTreeMap<(FaultKind, Option<usize>), Occurrences>,
    /// Terminal playouts by the goal values of all roles; none for a role without exactly one value.
    pub(super) outcomes: BTreeMap<Vec<Option<i32>>, Occurrences>,
    /// Terminal playouts whose outcome is not in `outcomes`.
    pub(super) other_outcomes: u64,
}

impl PlayoutCounts {
    pub(super) fn new(description: &Description) -> Self {
        let roles = vec![RoleCounts::default(); description.roles.len()];
        PlayoutCounts { roles, random: description.random_role(), ..PlayoutCounts::default() }
    }

    /// Begins a playout.
    pub(super) fn begin(&mut self) {
        for role in &mut self.roles {
            (role.last_goal, role.goal_fell) = (None, false);
        }
    }

    /// Counts a position of the playout.
    pub(super) fn position(&mut self, legal: &[Vec<MoveId>], terminal: bool, goals: &[Vec<i32>]) {
        self.states += 1;
        self.positions += u64::from(!terminal);
        for ((role, moves), goals) in self.roles.iter_mut().zip(legal).zip(goals) {
            if !terminal {
                role.moves += moves.len() as u64;
                role.most_moves = role.most_moves.max(moves.len());
                if moves.len() > 1 {
                    role.choices += 1;
                    role.moves_of_choices += moves.len() as u64;
                }
            }
            let goal = if let [goal] = goals[..] { Some(goal) } else { None };
            role.goal_fell |= matches!((role.last_goal, goal), (Some(last), Some(goal)) if goal < last);
            role.last_goal = goal;
        }
    }

    /// Ends the playout after `steps` joint moves; `goals` are the goal values if the last position could be evaluated.
    pub(super) fn end(&mut self, playout: u64, steps: u32, goals: Option<&[Vec<i32>]>, end: End) {
        self.steps += u64::from(steps);
        for role in 0..self.roles.len() {
            if self.roles[role].goal_fell {
                self.fault(FaultKind::GoalFell, Some(role), playout);
            }
        }
        if end == End::Stopped {
            self.stopped += 1;
            return;
        }
        self.playouts += 1;
        *self.lengths.entry(steps).or_default() += 1;
        match end {
            End::Terminal => {
                self.terminal += 1;
                self.outcome(goals.unwrap_or(&[]), 1, &[playout]);
            }
            End::Cap => self.capped += 1,
            End::NoLegalMove { role } => self.fault(FaultKind::NoLegalMove, Some(role), playout),
            End::Failed => self.fault(FaultKind::Failed, None, playout),
            End::Stopped => {}
        }
    }

    /// Counts playouts that ended in a terminal state with these goal values; `examples` are numbers of some of them.
    pub(super) fn outcome(&mut self, goals: &[Vec<i32>], playouts: u64, examples: &[u64]) {
        let single = |values: &Vec<i32>| if let [goal] = values[..] { Some(goal) } else { None };
        let first = examples.iter().take(1).copied().collect();
        if !goals.is_empty() {
            self.add_outcome(
                goals.iter().map(single).collect(),
                Occurrences { playouts, first, block: None },
            );
        }
        for (role, values) in goals.iter().enumerate() {
            let fault = match values[..] {
                [goal] => {
                    *self.roles[role].goals.entry(goal).or_default() += playouts;
                    continue;
                }
                [] if self.random == Some(role) => continue,
                [] => FaultKind::NoGoal,
                _ => FaultKind::SeveralGoals,
            };
            let occurrences = self.faults.entry((fault, Some(role))).or_default();
            occurrences.playouts += playouts;
            PlayoutCounts::examples(&mut occurrences.first, examples.iter().copied());
        }
        let players = || goals.iter().enumerate().filter(|(role, _)| self.random != Some(*role));
        let scores: Option<Vec<(usize, i32)>> =
            players().map(|(role, values)| Some((role, single(values)?))).collect();
        let Some(scores) = scores else { return };
        let Some(best) = scores.iter().map(|(_, goal)| *goal).max() else { return };
        self.scored += playouts;
        if let [(role, goal)] = scores[..] {
            self.roles[role].wins += if goal == 100 { playouts } else { 0 };
            return;
        }
        if scores.iter().all(|(_, goal)| *goal == best) {
            self.draws += playouts;
            return;
        }
        for (role, _) in scores.into_iter().filter(|(_, goal)| *goal == best) {
            self.roles[role].wins += playouts;
        }
    }

    /// Adds later playouts with one outcome; call this before their goal values are counted. Beyond `OUTCOMES`, an outcome
    /// is added only if it is the first with some goal value of a role, so that every goal value has an example.
    fn add_outcome(&mut self, goals: Vec<Option<i32>>, later: Occurrences) {
        let is_new = |(role, goal): (&RoleCounts, &Option<i32>)| {
            goal.is_some_and(|goal| !role.goals.contains_key(&goal))
        };
        let room = self.outcomes.len() < OUTCOMES || self.roles.iter().zip(&goals).any(is_new);
        match self.outcomes.get_mut(&goals) {
            Some(known) => known.playouts += later.playouts,
            None if room => {
                for (role, goal) in self.roles.iter_mut().zip(&goals) {
                    goal.iter().for_each(|&goal| _ = role.goals.entry(goal).or_default());
                }
                self.outcomes.insert(goals, later);
            }
            None => self.other_outcomes += later.playouts,
        }
    }

    fn fault(&mut self, kind: FaultKind, role: Option<usize>, playout: u64) {
        let occurrences = self.faults.entry((kind, role)).or_default();
        occurrences.playouts += 1;
        PlayoutCounts::examples(&mut occurrences.first, std::iter::once(playout));
    }

    /// Counts a fault of a role in `playouts` playouts, whose numbers are given.
    pub(super) fn faults(
        &mut self,
        kind: FaultKind,
        role: usize,
        playouts: u64,
        numbers: impl Iterator<Item = u64>,
    ) {
        let occurrences = self.faults.entry((kind, Some(role))).or_default();
        occurrences.playouts += playouts;
        PlayoutCounts::examples(&mut occurrences.first, numbers);
    }

    /// Counts playouts by their length.
    pub(super) fn count_length(&mut self, steps: u32, playouts: u64) {
        if playouts > 0 {
            *self.lengths.entry(steps).or_default() += playouts;
            self.steps += u64::from(steps) * playouts;
        }
    }

    /// Adds playout numbers to the stored examples while there is room.
    pub(super) fn examples(stored: &mut Vec<u64>, playouts: impl Iterator<Item = u64>) {
        stored.extend(playouts.take(EXAMPLES - stored.len().min(EXAMPLES)));
    }

    /// Adds the counts of later playouts.
    pub(super) fn merge(&mut self, later: PlayoutCounts) {
        self.playouts += later.playouts;
        self.terminal += later.terminal;
        self.capped += later.capped;
        self.stopped += later.stopped;
        self.scored += later.scored;
        self.draws += later.draws;
        self.states += later.states;
        self.steps += later.steps;
        self.positions += later.positions;
        self.work += later.work;
        for (length, count) in later.lengths {
            *self.lengths.entry(length).or_default() += count;
        }
        self.other_outcomes += later.other_outcomes;
        for (goals, other) in later.outcomes {
            self.add_outcome(goals, other);
        }
        for (role, other) in self.roles.iter_mut().zip(later.roles) {
            role.moves += other.moves;
            role.most_moves = role.most_moves.max(other.most_moves);
            role.choices += other.choices;
            role.moves_of_choices += other.moves_of_choices;
            role.wins += other.wins;
            for (goal, count) in other.goals {
                *role.goals.entry(goal).or_default() += count;
            }
        }
        for (key, other) in later.faults {
            let occurrences = self.faults.entry(key).or_default();
            occurrences.playouts += other.playouts;
            if occurrences.first.is_empty() {
                occurrences.block = other.block;
            }
            occurrences.first.extend(other.first);
            occurrences.first.truncate(EXAMPLES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_role_random_needs_no_goal_value() {
        let roles = vec![RoleCounts::default(); 3];
        let mut counts = PlayoutCounts { roles, random: Some(1), ..PlayoutCounts::default() };
        counts.outcome(&[vec![100], vec![], vec![0]], 3, &[0]);
        counts.outcome(&[vec![50], vec![100], vec![50]], 2, &[3]);
        assert_eq!([counts.scored, counts.draws], [5, 2]);
        assert_eq!(counts.roles.iter().map(|role| role.wins).collect::<Vec<_>>(), [3, 0, 0]);
        assert!(counts.faults.is_empty());
    }

    #[test]
    fn every_goal_value_has_an_example() {
        let outcome = |counts: &mut PlayoutCounts, a: i32, b: i32, playout: u64| {
            counts.outcome(&[vec![a], vec![b]], 1, &[playout]);
        };
        let empty = || PlayoutCounts { roles: vec![RoleCounts::default(); 2], ..PlayoutCounts::default() };
        let mut counts = empty();
        (0..OUTCOMES as u64 * 2).for_each(|n| outcome(&mut counts, (n % 60) as i32, (n / 60) as i32, n));
        // The later block has a goal value that the first block does not have.
        let mut later = empty();
        (0..OUTCOMES as u64 * 2).for_each(|n| outcome(&mut later, (n % 60) as i32, (n / 60) as i32, n));
        outcome(&mut later, 99, 0, 7_777);
        counts.merge(later);
        assert!(counts.outcomes.len() < OUTCOMES + 60, "{}", counts.outcomes.len());
        for (role, of) in counts.roles.iter().enumerate() {
            for &goal in of.goals.keys() {
                let mut with = counts.outcomes.iter().filter(|(goals, _)| goals[role] == Some(goal));
                assert!(
                    with.any(|(_, occurrences)| !occurrences.first.is_empty()),
                    "role {role}, goal {goal}"
                );
            }
        }
        let apart = counts.outcomes.values().map(|occurrences| occurrences.playouts).sum::<u64>();
        assert_eq!(apart + counts.other_outcomes, 4 * OUTCOMES as u64 + 1);
    }
}
