//! Values of states as integers. Proved values lie outside the range of estimates; early wins are worth more.

/// The greatest search depth in plies.
pub(super) const MOST_PLIES: u32 = 240;

/// The greatest distance of a value from the middle of the goal values, before the bonus for early wins.
const SPAN: i64 = 1 << 29;

/// A bound that no value reaches.
pub(super) const INFINITE: i32 = 1 << 30;

/// The scale from goal values, in most games 0 to 100, to integers: 0 is the middle between the role's lowest and highest
/// goal value.
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

    /// The value of a terminal state `ply` plies away. The highest goal value is worth more if it comes sooner, the
    /// lowest if it comes later; others are exact.
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

    /// The value of an estimate: `share`, from 0 to 1, is the position between the lowest goal value + 1 and the highest
    /// - 1.
    pub(super) fn estimated(self, share: f64) -> i32 {
        let width = (i64::from(self.most) - i64::from(self.least) - 2).max(0) * self.unit;
        ((share.clamp(0.0, 1.0) * 2.0 - 1.0) * width as f64) as i32
    }

    /// The value in goal points.
    pub(super) fn goal(self, score: i32) -> f64 {
        let middle = (f64::from(self.least) + f64::from(self.most)) / 2.0;
        let goal = middle + f64::from(score) / (2 * self.unit) as f64;
        // The bonus for early wins is less than a goal point.
        if self.is_win(score) {
            f64::from(self.most)
        } else if self.is_win(-score) {
            f64::from(self.least)
        } else {
            goal
        }
    }

    /// Whether this is a proved win: the highest goal value.
    pub(super) fn is_win(self, score: i32) -> bool {
        self.most > self.least && i64::from(score) >= self.centred(self.most)
    }

    /// Whether this is a proved loss: the lowest goal value.
    pub(super) fn is_loss(self, score: i32) -> bool {
        self.is_win(score.saturating_neg())
    }

    /// Converts a value from the root's point of view to that of a state `ply` plies away, for the table.
    pub(super) fn seen_here(self, score: i32, ply: u32) -> i32 {
        self.moved(score, ply as i32)
    }

    /// The inverse of `seen_here`.
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
    fn proved_values_outrank_estimates_and_early_wins_late_ones() {
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
    fn distances_are_kept_in_the_table() {
        let scale = Scale::new([0, 100]);
        for score in [scale.proved(100, 9), scale.proved(0, 9), scale.proved(70, 9), scale.estimated(0.3)] {
            assert_eq!(scale.seen_from_root(scale.seen_here(score, 4), 4), score);
        }
        assert_eq!(scale.seen_here(scale.proved(100, 9), 4), scale.proved(100, 5));
    }

    #[test]
    fn constant_games_have_one_value() {
        let scale = Scale::new([100, 100]);
        assert_eq!(scale.proved(100, 3), 0);
        assert_eq!(scale.goal(0), 100.0);
        assert!(!scale.is_win(0) && !scale.is_loss(0));
    }
}
