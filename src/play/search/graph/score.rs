//! Goal values combined with their distance, as integers.

/// The distance between two goal values.
const STEP: i32 = 1 << 16;
/// The bonus of an end that is reached at once.
const SOON: i32 = STEP / 2 - 1;

/// The greatest goal value that doesn't overflow.
const MOST_GOAL: i32 = SOON / 4;

/// The order of a role's ends: by goal value; the highest is better if it comes sooner, the lowest if it comes later. An
/// end made by the clock counts as latest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scores {
    least: i32,
    most: i32,
}

impl Scores {
    /// For a role with this lowest and greatest goal value; none if they are too great. By the language they are 0 to 100.
    pub(super) fn new([least, most]: [i32; 2]) -> Option<Scores> {
        (least >= -MOST_GOAL && most <= MOST_GOAL).then_some(Scores { least, most })
    }

    /// The value of an end.
    pub(super) fn end(self, goal: i32, by_clock: bool) -> i32 {
        let goal = goal.clamp(self.least, self.most);
        let soon = match goal {
            _ if by_clock || self.least == self.most => 0,
            goal if goal == self.most => SOON,
            goal if goal == self.least => -SOON,
            _ => 0,
        };
        goal * STEP + soon
    }

    /// The value of the same end one ply later.
    pub(super) fn later(self, score: i32) -> i32 {
        match score - self.goal(score) * STEP {
            // The latest that a score can represent.
            -1..=1 => score,
            soon => score - soon.signum(),
        }
    }

    /// The goal value.
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
