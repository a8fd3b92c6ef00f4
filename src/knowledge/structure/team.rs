//! Teams.
//!
//! # What it finds
//! The partition of the players into teams: roles that had the same goal value in every terminal state
//! seen. Chance (the role `random` of GDL-II) is not a player. Also whether the goal values of all players
//! always had the same sum, or else those of the teams: teams of different sizes can be strictly opposed, too.
//!
//! # How
//! All roles start as one team; every terminal state splits roles whose values differ. A role that had the
//! same value in all terminal states gives no information and is reported alone. If values varied and were
//! always equal, even all roles are one team: they cooperate.
//!
//! # Guarantee
//! An estimate: every split is certain, but a terminal state that was not seen may still split a team. If
//! no playout ended, teams and sums are unknown.
//!
//! # Cost
//! One comparison for each pair of roles at the end of every playout.
//!
//! # Example
//! In two against two, `north` and `south` always have the same value, and `east` another.
//!
//! # Source
//! Kuhlmann, Dresner and Stone 2006.

use super::detector::{Detector, Game};
use super::evidence::Evidence;
use super::evidence::{Extent, counterexample_bound};
use super::finding::Method;
use super::findings::Findings;
use super::goals::GoalSamples;
use super::reason::Reason;
use super::samples::Samples;
use crate::catalog_entry;

catalog_entry!(TeamDetector, "team", "Teams and zero sums", "Kuhlmann, Dresner and Stone 2006");

impl Detector for TeamDetector {
    fn needs(&self) -> &'static [&'static str] {
        &[]
    }

    fn read_samples<'g>(&self, game: &Game<'g>, samples: &Samples<'_>, findings: &mut Findings<'g>) {
        let players: Vec<usize> = game.description().players().collect();
        let (goals, extent) = (&samples.goals, samples.extent);
        let whole = &mut findings.structures;
        whole.teams = detect(goals, &players);
        whole.teams_evidence = evidence(goals, &whole.teams, extent);
        (whole.zero_sum, whole.zero_sum_evidence) = zero_sum(goals, &whole.teams, extent);
    }
}

/// The teams of these roles, as lists of role numbers in role order.
pub fn detect(goals: &GoalSamples, players: &[usize]) -> Vec<Vec<usize>> {
    let mut teams: Vec<Vec<usize>> = Vec::new();
    for &role in players {
        // Equal values that never vary show nothing.
        let alike =
            |team: &&mut Vec<usize>| goals.varies(role) && team.iter().all(|&other| goals.equal(role, other));
        match teams.iter_mut().find(alike) {
            Some(team) => team.push(role),
            None => teams.push(vec![role]),
        }
    }
    teams
}

/// The evidence for the teams.
pub fn evidence(goals: &GoalSamples, teams: &[Vec<usize>], extent: Extent) -> Evidence {
    let reason = if goals.terminal == 0 {
        Reason::NoGameEnded { playouts: extent.playouts }
    } else if teams.iter().all(|team| team.len() == 1) && teams.len() > 1 && goals.outcomes() == 1 {
        Reason::OneOutcome { terminal: goals.terminal }
    } else {
        Reason::SameGoals { terminal: goals.terminal, outcomes: goals.outcomes() }
    };
    let extent = Extent { states: goals.terminal, ..extent };
    Evidence::new(&[Method::Simulation], reason, extent, bound(goals))
}

/// The counterexample bound for teams; 0 if no playout ended, because nothing is claimed.
fn bound(goals: &GoalSamples) -> f64 {
    if goals.terminal == 0 { 0.0 } else { counterexample_bound(goals.terminal) }
}

/// Whether the goal values of the players, or one for each team, had a constant sum, with the evidence.
pub fn zero_sum(goals: &GoalSamples, teams: &[Vec<usize>], extent: Extent) -> (bool, Evidence) {
    let (players, terminal) = (teams.iter().map(Vec::len).sum::<usize>(), goals.terminal);
    let of_teams = || {
        let first: Vec<usize> = teams.iter().filter_map(|team| team.first().copied()).collect();
        goals.constant_sum_of(&first).filter(|_| 1 < first.len() && first.len() < players)
    };
    let reason = match goals.constant_sum() {
        _ if players < 2 => Reason::OnePlayer,
        _ if terminal == 0 => Reason::NoGameEnded { playouts: extent.playouts },
        Some(sum) => Reason::ConstantSum { sum, terminal },
        None => match of_teams() {
            Some(sum) => Reason::ConstantTeamSum { sum, terminal },
            None => Reason::NoConstantSum { terminal },
        },
    };
    let is_constant = matches!(reason, Reason::ConstantSum { .. } | Reason::ConstantTeamSum { .. });
    let bound = if is_constant { counterexample_bound(terminal) } else { 0.0 };
    let extent = Extent { states: terminal, ..extent };
    (is_constant, Evidence::new(&[Method::Simulation], reason, extent, bound))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn teams(ends: &[&[i32]]) -> Vec<Vec<usize>> {
        let roles = ends[0].len();
        let mut goals = GoalSamples::new(roles, None);
        for end in ends {
            goals.end(&end.iter().map(|&value| vec![value]).collect::<Vec<_>>(), 1);
        }
        detect(&goals, &(0..roles).collect::<Vec<_>>())
    }

    #[test]
    fn chance_belongs_to_no_team_or_sum() {
        let mut goals = GoalSamples::new(3, Some(1));
        goals.end(&[vec![100], vec![100], vec![0]], 1);
        goals.end(&[vec![0], vec![0], vec![100]], 1);
        assert_eq!(goals.constant_sum(), Some(100));
        assert_eq!(detect(&goals, &[0, 2]), vec![vec![0], vec![2]]);
        assert_eq!(detect(&goals, &[1]), vec![vec![1]]);
    }

    #[test]
    fn two_teams_of_two_are_found() {
        assert_eq!(teams(&[&[100, 0, 100, 0], &[50, 50, 50, 50]]), vec![vec![0, 2], vec![1, 3]]);
    }

    #[test]
    fn constant_values_give_no_teams() {
        assert_eq!(teams(&[&[50, 50], &[50, 50]]), vec![vec![0], vec![1]]);
    }

    #[test]
    fn constant_equal_values_make_no_team() {
        let ends: [&[i32]; 3] = [&[100, 50, 0, 0, 50], &[50, 100, 0, 0, 100], &[100, 0, 0, 0, 0]];
        assert_eq!(teams(&ends), vec![vec![0], vec![1, 4], vec![2], vec![3]]);
    }

    #[test]
    fn roles_with_equal_varying_values_cooperate() {
        assert_eq!(teams(&[&[50, 50], &[0, 0]]), vec![vec![0, 1]]);
    }

    #[test]
    fn opposed_teams_of_different_sizes_have_a_constant_sum() {
        let mut goals = GoalSamples::new(3, None);
        goals.end(&[vec![100], vec![100], vec![0]], 1);
        goals.end(&[vec![0], vec![0], vec![100]], 1);
        let teams = detect(&goals, &[0, 1, 2]);
        let extent = Extent::default();
        let (is_constant, evidence) = zero_sum(&goals, &teams, extent);
        assert_eq!((teams, is_constant), (vec![vec![0, 1], vec![2]], true));
        assert_eq!(evidence.reason, Reason::ConstantTeamSum { sum: 100, terminal: 2 });
        // Two equal roles that both lose are not opposed to the third.
        goals.end(&[vec![0], vec![0], vec![0]], 1);
        assert!(!zero_sum(&goals, &detect(&goals, &[0, 1, 2]), extent).0);
    }

    #[test]
    fn sums_of_goal_values_are_found() {
        let mut goals = GoalSamples::new(2, None);
        goals.end(&[vec![100], vec![0]], 1);
        goals.end(&[vec![50], vec![50]], 1);
        assert_eq!(goals.constant_sum(), Some(100));
        goals.end(&[vec![0], vec![0]], 1);
        assert_eq!(goals.constant_sum(), None);
    }
}
