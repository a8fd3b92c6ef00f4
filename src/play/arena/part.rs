//! A part of a run: units are distributed by number, so that parts run anywhere and together cover the whole.
//!
//! Tournaments, studies and sweeps are split like this. `Tournament::merge` combines the parts of a tournament, and
//! `cli/cluster/script.rs` writes job files for schedulers.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// A part of a run: every `of`-th unit, beginning with the `number`-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    number: u64,
    of: u64,
}

/// The text does not describe a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a part is written as K/N, with K from 1 to N, such as 2/8")]
pub struct PartError;

impl FromStr for Part {
    type Err = PartError;

    fn from_str(text: &str) -> Result<Part, PartError> {
        let (number, of) = text.split_once('/').ok_or(PartError)?;
        let read = |text: &str| text.trim().parse::<u64>().map_err(|_| PartError);
        match (read(number)?, read(of)?) {
            (number, of) if 1 <= number && number <= of => Ok(Part { number, of }),
            _ => Err(PartError),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl Part {
    /// Whether a unit belongs to it, by its number from 0.
    pub fn has(&self, unit: u64) -> bool {
        unit % self.of == self.number - 1
    }

    /// The name of its log, in the folder of the whole run's `log.jsonl`.
    pub fn log(&self) -> PathBuf {
        PathBuf::from(format!("part-{}-of-{}.jsonl", self.number, self.of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_in_one_part() {
        let parts: Vec<Part> = (1..=4).map(|number| format!("{number}/4").parse().unwrap()).collect();
        for unit in 0..100 {
            assert_eq!(parts.iter().filter(|part| part.has(unit)).count(), 1);
        }
        assert!(parts[0].has(0));
        assert_eq!(parts[1].to_string(), "2/4");
        for wrong in ["", "3", "0/4", "5/4", "a/b", "1/0", "-1/2"] {
            assert_eq!(wrong.parse::<Part>(), Err(PartError), "{wrong}");
        }
    }
}
