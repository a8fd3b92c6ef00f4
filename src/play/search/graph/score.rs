//! Goal values combined with the distance to the end of the game, as integers.

/// The difference between the scores of two consecutive goal values.
const STEP: i32 = 1 << 16;
/// The bonus of the greatest goal value if the game is over in this state; each ply reduces it by 1.
const MAX_BONUS: i32 = STEP / 2 - 1;

/// A bound of goal values, so that scores do not overflow.
const MAX_GOAL: i32 = MAX_BONUS / 4;

/// Orders the results of a game for one role: by goal value, then by distance. The greatest value is better if it comes
/// sooner, the least if it comes later. A game that is over because its clock ran out counts as the latest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scores {
    least: i32,
    most: i32,
}

impl Scores {
    /// The order for a role with this least and greatest goal value; none if they are outside ±[`MAX_GOAL`]. GDL allows
    /// 0 to 100.
    pub(super) fn new([least, most]: [i32; 2]) -> Option<Scores> {
        (least >= -MAX_GOAL && most <= MAX_GOAL).then_some(Scores { least, most })
    }

    /// The score of a state in which the game is over.
    pub(super) fn end(self, goal: i32, by_clock: bool) -> i32 {
        let goal = goal.clamp(self.least, self.most);
        let soon = match goal {
            _ if by_clock || self.least == self.most => 0,
            goal if goal == self.most => MAX_BONUS,
            goal if goal == self.least => -MAX_BONUS,
            _ => 0,
        };
        goal * STEP + soon
    }

    /// The score if the same result comes one ply later.
    pub(super) fn later(self, score: i32) -> i32 {
        match score - self.goal(score) * STEP {
            // A bonus of 1 stays: later results can't be distinguished.
            -1..=1 => score,
            soon => score - soon.signum(),
        }
    }

    /// The goal value of a score.
    pub(super) fn goal(self, score: i32) -> i32 {
        (score + STEP / 2).div_euclid(STEP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_wins_and_late_losses_score_best() {
        let scores = Scores::new([0, 100]).unwrap();
        let (won, lost) = (scores.end(100, false), scores.end(0, false));
        assert!(won > scores.later(won) && scores.later(won) > scores.end(100, true));
        assert!(lost < scores.later(lost) && scores.later(lost) < scores.end(0, true));
        assert_eq!(scores.later(scores.end(50, false)), scores.end(50, true));
        for goal in [0, 1, 50, 99, 100] {
            for score in [scores.end(goal, true), scores.end(goal, false)] {
                assert_eq!(scores.goal(score), goal);
                assert_eq!(scores.goal((0..100_000).fold(score, |score, _| scores.later(score))), goal);
            }
        }
    }
}
