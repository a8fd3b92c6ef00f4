//! Evaluation functions estimate all moves of a state, or none. A state that would take too much of a move's time gets no
//! estimates, and the search continues without them.

use std::ops::Range;
use std::time::Instant;

use crate::search::limits::{Halt, Meter};

/// The greatest share of the remaining time for the moves of one state, if the clock ends the search.
const PART: f64 = 0.25;

/// The time that functions need for a move, and their limit.
#[derive(Default)]
pub(super) struct EstimateBudget {
    /// Mean seconds for one move; 0 before the first.
    each: f64,
}

impl EstimateBudget {
    /// Whether there is time for the values of this number of moves. Before the first measurement, there is time only for
    /// the state with `first`.
    pub(super) fn affords(&self, moves: usize, first: bool, meter: &Meter<'_>) -> bool {
        self.most(meter).is_none_or(|most| first || self.each > 0.0 && self.each * moves as f64 <= most)
    }

    /// Seconds that values may take, if the clock ends the search.
    fn most(&self, meter: &Meter<'_>) -> Option<f64> {
        meter.time_by_clock().map(|left| PART * left.as_secs_f64())
    }

    /// The values of a number of moves. `value` adds those of a range of at most `at_once` of them. None if that takes
    /// too long, or is known to.
    ///
    /// # Errors
    /// A limit was reached, or a state can't be evaluated.
    pub(super) fn of_all(
        &mut self,
        moves: usize,
        at_once: usize,
        meter: &mut Meter<'_>,
        mut value: impl FnMut(Range<usize>, &mut Vec<f64>) -> Result<(), Halt>,
    ) -> Result<Option<Vec<f64>>, Halt> {
        let begun = Instant::now();
        let most = self.most(meter).unwrap_or(f64::INFINITY);
        if self.each * moves as f64 > most {
            return Ok(None);
        }
        let mut values = Vec::with_capacity(moves);
        while values.len() < moves && begun.elapsed().as_secs_f64() <= most {
            meter.glance()?;
            let next = values.len()..moves.min(values.len() + at_once);
            value(next, &mut values)?;
        }
        if moves > 0 {
            let each = begun.elapsed().as_secs_f64() / values.len().max(1) as f64;
            self.each = if self.each == 0.0 { each } else { 0.9 * self.each + 0.1 * each };
        }
        Ok((values.len() == moves).then_some(values))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::*;
    use crate::search::Limits;
    use crate::search::limits::Stop;

    /// The values of a hundred moves, and the number of values computed.
    fn hundred(
        budget: &mut EstimateBudget,
        limits: Limits<'_>,
        takes: Duration,
    ) -> (Result<bool, Halt>, usize) {
        let mut asked = 0;
        let found = budget.of_all(100, 1, &mut Meter::new(limits), |numbers, values| {
            asked += numbers.len();
            std::thread::sleep(takes);
            values.extend(numbers.map(|number| number as f64));
            Ok(())
        });
        (found.map(|values| values.is_some_and(|values| values.len() == 100 && values[7] == 7.0)), asked)
    }

    #[test]
    fn expensive_functions_estimate_few_moves_then_none() {
        let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(3)), ..Limits::default() };
        let mut budget = EstimateBudget::default();
        let (said, asked) = hundred(&mut budget, limits, Duration::from_millis(20));
        assert!(!said.unwrap() && (1..100).contains(&asked), "asked for {asked}");
        assert_eq!(hundred(&mut budget, limits, Duration::ZERO).1, 0, "what it costs is known");
    }

    #[test]
    fn all_moves_are_estimated_if_the_budget_allows() {
        let far = Some(Instant::now() + Duration::from_secs(3600));
        for limits in [
            Limits { deadline: far, nodes: Some(1), ..Limits::default() },
            Limits { deadline: far, ..Limits::default() },
        ] {
            let (said, asked) = hundred(&mut EstimateBudget::default(), limits, Duration::ZERO);
            assert_eq!((said.unwrap(), asked), (true, 100));
        }
        // The same number of nodes must give the same search, however expensive a function was.
        let mut budget = EstimateBudget { each: 1e9 };
        let limits = Limits { deadline: far, nodes: Some(1), ..Limits::default() };
        assert!(hundred(&mut budget, limits, Duration::ZERO).0.unwrap());
    }

    #[test]
    fn a_limit_stops_estimates_before_the_next_move() {
        let flag = AtomicBool::new(true);
        let interrupted = Limits { interrupt: Some(&flag), ..Limits::default() };
        let late = Limits { deadline: Some(Instant::now()), nodes: Some(1), ..Limits::default() };
        for (limits, wanted) in [(interrupted, Stop::Interrupted), (late, Stop::Time)] {
            let (said, asked) = hundred(&mut EstimateBudget::default(), limits, Duration::ZERO);
            assert!(matches!(said, Err(Halt::Stop(stop)) if stop == wanted));
            assert_eq!(asked, 0);
        }
    }
}
