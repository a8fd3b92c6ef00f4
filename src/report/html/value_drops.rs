//! The moves after which the mover's searches expect much less.

use crate::analysis::Play;

/// The least drop that is marked, in goal points.
const LARGE: f64 = 15.0;

/// A large drop of the value that searches expect for the role that moved.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ValueDrop {
    /// Its size in goal points.
    pub(super) points: i64,
    /// The values before and after the move, in words.
    pub(super) evidence: String,
}

/// For each joint move the drop after it. A search overrates its own role, so values of different roles can't be
/// compared. The value of the mover must fall from its search before the move to its next one. If an opponent gets what
/// the mover loses (`opposed`), the value of the opponent must rise as well. The last state has the goal values. Other
/// games, and moves that several roles choose together, have no drops, because other roles may have caused them.
pub(super) fn value_drops(play: &Play, roles: &[String], opposed: bool) -> Vec<Option<ValueDrop>> {
    if play.estimates.len() != play.moves.len() {
        return vec![None; play.moves.len()];
    }
    let values = searched_values(play);
    let searches = |role: usize| play.estimates.iter().any(|state| state[role].is_some());
    let single_searcher = (0..roles.len()).filter(|&role| searches(role)).count() == 1;
    let value = |state: usize, role: usize| values.get(state).and_then(|of| of[role]);
    let drop = |state: usize| {
        let [role] = play.choosing[state][..] else { return None };
        let before = value(state, role)?;
        let next = (state + 1..values.len()).find(|&next| value(next, role).is_some())?;
        let after = value(next, role)?;
        let name = &roles[role];
        let mover_text =
            format!("{name} expects {before:.0} before the move and {after:.0} at its next move");
        match opposed {
            true => {
                let other = 1 - role;
                let earlier = (0..state).rev().find_map(|earlier| value(earlier, other))?;
                let later = value(state + 1, other)?;
                let points = (before - after).min(later - earlier);
                let evidence =
                    format!("{mover_text}; {} expects {later:.0} instead of {earlier:.0}", roles[other]);
                Some((points, evidence))
            }
            // With one step between its searches, nothing but the move can have caused the drop.
            false => (single_searcher && next == state + 1).then_some((before - after, mover_text)),
        }
    };
    (0..play.moves.len())
        .map(|state| {
            let (points, evidence) = drop(state).filter(|(points, _)| *points >= LARGE)?;
            Some(ValueDrop { points: points.round() as i64, evidence })
        })
        .collect()
}

/// For each state and role the value that its search expects, and at the end its goal value.
fn searched_values(play: &Play) -> Vec<Vec<Option<f64>>> {
    let mut out = play.estimates.clone();
    if let Some(goals) = &play.goals {
        let goal = |values: &Vec<i32>| if let [goal] = values[..] { Some(f64::from(goal)) } else { None };
        out.push(goals.iter().map(goal).collect());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::PlayedBy;

    fn play(choosing: &[&[usize]], estimates: &[[Option<f64>; 2]], goals: [i32; 2]) -> Play {
        Play {
            by: PlayedBy::Searches,
            number: 0,
            seed: 0,
            states: Vec::new(),
            moves: vec![Vec::new(); choosing.len()],
            choosing: choosing.iter().map(|roles| roles.to_vec()).collect(),
            goals: Some(goals.map(|goal| vec![goal]).to_vec()),
            left_out: 0,
            estimates: estimates.iter().map(|state| state.to_vec()).collect(),
        }
    }

    fn points(play: &Play, opposed: bool) -> Vec<Option<i64>> {
        let roles = ["red", "blue"].map(str::to_owned);
        let drops = value_drops(play, &roles, opposed);
        drops.into_iter().map(|drop| Some(drop?.points)).collect()
    }

    #[test]
    fn optimism_of_both_sides_is_no_mistake() {
        let red = |value| [Some(value), None];
        let blue = |value| [None, Some(value)];
        let turns: [&[usize]; 5] = [&[0], &[1], &[0], &[1], &[0]];
        // Each side expects 70 at its own turns, and red wins at the end.
        let level = [red(70.0), blue(70.0), red(70.0), blue(70.0), red(80.0)];
        assert_eq!(points(&play(&turns, &level, [100, 0]), true), [None; 5]);
        // Blue's second move loses: both sides change their minds.
        let lost = [red(70.0), blue(70.0), red(70.0), blue(60.0), red(95.0)];
        assert_eq!(points(&play(&turns, &lost, [100, 0]), true), [None, None, None, Some(25), None]);
        // Only one side changes its mind.
        let unclear = [red(70.0), blue(70.0), red(40.0), blue(72.0), red(45.0)];
        assert_eq!(points(&play(&turns, &unclear, [50, 50]), true), [None; 5]);
    }

    #[test]
    fn only_moves_of_one_role_are_marked() {
        let one = |value| [Some(value), None];
        let alone: [&[usize]; 3] = [&[0], &[0], &[0]];
        let values = [one(80.0), one(80.0), one(30.0)];
        assert_eq!(points(&play(&alone, &values, [30, 0]), false), [None, Some(50), None]);
        // Chance moves in between.
        let chance: [&[usize]; 3] = [&[0], &[1], &[0]];
        let values = [one(80.0), [None, None], one(30.0)];
        assert_eq!(points(&play(&chance, &values, [30, 0]), false), [None; 3]);
        let both: [&[usize]; 2] = [&[0, 1], &[0, 1]];
        let values = [[Some(80.0), Some(20.0)], [Some(20.0), Some(80.0)]];
        assert_eq!(points(&play(&both, &values, [20, 80]), true), [None; 2]);
        assert_eq!(points(&play(&both, &[], [20, 80]), true), [None; 2], "no search");
    }
}
