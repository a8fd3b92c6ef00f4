//! Functions that are learned in the start clock, for the player `auto`.

use std::time::Duration;

use crate::machine::Machine;

/// The least time for which learning is worthwhile.
pub const LEAST: Duration = Duration::from_secs(6);

/// The share of the time for learning; the rest is for trial matches.
pub const LEARNING: f64 = 0.5;

/// Whether functions can be learned while a clock runs: self-play in lanes, two roles, no chance.
pub fn can_learn(machine: &dyn Machine) -> bool {
    let description = machine.description();
    machine.suits_lanes() && description.roles.len() == 2 && description.random_role().is_none()
}

/// Learning and trial matches before a match.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Learning {
    /// The functions, as written in a player's line.
    pub(super) name: String,
    /// Time of trial matches.
    pub(super) trials: Duration,
}

impl Learning {
    /// The learning that fits into this part of a start clock; none if it is too short.
    pub(super) fn within(time: Duration) -> Option<Learning> {
        // A unit of work takes about a second of one processor.
        let work = (time.as_secs_f64() * LEARNING) as u64;
        let name = format!("learned(work={work})");
        (time >= LEAST).then(|| Learning { name, trials: time.mul_f64(1.0 - LEARNING) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_clock_has_no_time_to_learn() {
        assert_eq!(Learning::within(Duration::from_secs(5)), None);
        let learning = Learning::within(Duration::from_secs(21)).unwrap();
        assert_eq!(learning.name, "learned(work=10)");
        assert!((learning.trials.as_secs_f64() - 10.5).abs() < 1e-6);
    }
}
