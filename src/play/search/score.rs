//! Values of states as whole numbers: proved ones beyond all estimates, wins by how soon they come.

/// Plies that a search looks ahead at most.
pub(super) const MOST_PLIES: u32 = 240;

/// How far a value is from the middle of the goal values at most, before what is added for early wins.
const SPAN: i64 = 1 << 29;

/// What no value reaches.
pub(super) const INFINITE: i32 = 1 << 30;

/// How goal values, 0 to 100 in most games, become whole numbers: 0 is the middle between the least and the greatest
/// goal value of the role, and what is good for it is positive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    least: i32,
    most: i32,
    /// Half a goal point.
    unit: i64,
}

impl Scale {
    pub(super) fn new([least, most]: [i32; 2]) -> Scale {
        let width = (i64::from(most) - i64::from(least)).max(1);
        Scale { least, most, unit: SPAN / width }
    }

    fn centred(self, goal: i32) -> i64 {
        (2 * i64::from(goal) - i64::from(self.least) - i64::from(self.most)) * self.unit
    }

    /// The value of a terminal state so many plies away: the greatest goal value is worth more the sooner it comes,
    /// the least one more the later; those between are kept exactly.
    pub(super) fn proved(self, goal: i32, ply: u32) -> i32 {
        let near = i64::from(MOST_PLIES.saturating_sub(ply));
        let goal = goal.clamp(self.least, self.most);
        let value = match goal {
            _ if self.most == self.least => 0,
            goal if goal == self.most => self.centred(goal) + near,
            goal if goal == self.least => self.centred(goal) - near,
            goal => self.centred(goal),
        };
        value as i32
    }

    /// The value of an estimate: `share` 0 to 1 of the way from the least goal value + 1 to the greatest - 1.
    pub(super) fn estimated(self, share: f64) -> i32 {
        let width = (i64::from(self.most) - i64::from(self.least) - 2).max(0) * self.unit;
        ((share.clamp(0.0, 1.0) * 2.0 - 1.0) * width as f64) as i32
    }

    /// The value as goal points.
    pub(super) fn goal(self, score: i32) -> f64 {
        let middle = (f64::from(self.least) + f64::from(self.most)) / 2.0;
        let goal = middle + f64::from(score) / (2 * self.unit) as f64;
        // What is added for early wins is less than any goal point.
        if self.is_win(score) {
            f64::from(self.most)
        } else if self.is_win(-score) {
            f64::from(self.least)
        } else {
            goal
        }
    }

    /// Whether it is the greatest goal value, proved.
    pub(super) fn is_win(self, score: i32) -> bool {
        self.most > self.least && i64::from(score) >= self.centred(self.most)
    }

    /// Whether it is the least goal value, proved.
    pub(super) fn is_loss(self, score: i32) -> bool {
        self.is_win(score.saturating_neg())
    }

    /// A value seen from the root, as it is seen from a state so many plies away, for a table.
    pub(super) fn seen_here(self, score: i32, ply: u32) -> i32 {
        self.moved(score, ply as i32)
    }

    /// The reverse.
    pub(super) fn seen_from_root(self, score: i32, ply: u32) -> i32 {
        self.moved(score, -(ply as i32))
    }

    fn moved(self, score: i32, plies: i32) -> i32 {
        match score {
            score if self.is_win(score) => score + plies,
            score if self.is_loss(score) => score - plies,
            score => score,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proved_values_stand_beyond_estimates_and_early_wins_beyond_late_ones() {
        let scale = Scale::new([0, 100]);
        assert!(scale.proved(100, 3) > scale.proved(100, 5));
        assert!(scale.proved(0, 3) < scale.proved(0, 5));
        assert!(scale.proved(100, MOST_PLIES) > scale.estimated(1.0));
        assert!(scale.proved(0, MOST_PLIES) < scale.estimated(0.0));
        assert_eq!(scale.proved(50, 7), 0);
        assert_eq!(scale.goal(scale.proved(50, 7)), 50.0);
        assert_eq!(scale.goal(scale.proved(100, 7)), 100.0);
        assert!((scale.goal(scale.estimated(1.0)) - 99.0).abs() < 1e-6);
        assert!((scale.goal(scale.proved(30, 2)) - 30.0).abs() < 1e-6);
    }

    #[test]
    fn distances_survive_the_table() {
        let scale = Scale::new([0, 100]);
        for score in [scale.proved(100, 9), scale.proved(0, 9), scale.proved(70, 9), scale.estimated(0.3)] {
            assert_eq!(scale.seen_from_root(scale.seen_here(score, 4), 4), score);
        }
        assert_eq!(scale.seen_here(scale.proved(100, 9), 4), scale.proved(100, 5));
    }

    #[test]
    fn games_with_one_goal_value_have_one_value() {
        let scale = Scale::new([100, 100]);
        assert_eq!(scale.proved(100, 3), 0);
        assert_eq!(scale.goal(0), 100.0);
        assert!(!scale.is_win(0) && !scale.is_loss(0));
    }
}
