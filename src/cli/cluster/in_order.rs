//! Stores results in the order of unit numbers, so that the log is the same as that of a run on one thread.

use std::collections::BTreeMap;

use anyhow::Context as _;
use serde::de::DeserializeOwned;

use super::gather::Units;

/// Units, and a callback for the result of each.
pub(super) struct InOrder<'a, T> {
    /// The units of the run, in ascending order.
    units: Vec<u64>,
    /// The number of units that `next` has returned.
    issued: usize,
    /// The number of results passed to `keep`.
    kept: usize,
    /// Results and errors that wait for those of earlier units.
    pending: BTreeMap<u64, Result<T, String>>,
    keep: &'a mut dyn FnMut(u64, Result<T, String>) -> anyhow::Result<()>,
    name: &'a dyn Fn(u64) -> String,
}

impl<'a, T: DeserializeOwned> InOrder<'a, T> {
    /// `keep` gets the result of each unit or the error that it failed with. `name` describes a unit to the user.
    pub(super) fn new(
        units: Vec<u64>,
        keep: &'a mut dyn FnMut(u64, Result<T, String>) -> anyhow::Result<()>,
        name: &'a dyn Fn(u64) -> String,
    ) -> InOrder<'a, T> {
        InOrder { units, issued: 0, kept: 0, pending: BTreeMap::new(), keep, name }
    }
}

impl<T: DeserializeOwned> Units for InOrder<'_, T> {
    fn next(&mut self) -> Option<u64> {
        let next = self.units.get(self.issued).copied();
        self.issued += usize::from(next.is_some());
        next
    }

    fn take(&mut self, unit: u64, bytes: &[u8]) -> anyhow::Result<()> {
        let found = serde_json::from_slice(bytes).context("a worker's result can't be read")?;
        // A repeated result is ignored: the first one counts.
        if self.units[self.kept..].binary_search(&unit).is_ok() {
            self.pending.entry(unit).or_insert(Ok(found));
        }
        Ok(())
    }

    fn given_up(&mut self, unit: u64, error: &str) {
        self.pending.entry(unit).or_insert_with(|| Err(error.to_owned()));
    }

    fn keep(&mut self) -> anyhow::Result<u64> {
        while let Some(unit) = self.units.get(self.kept) {
            let Some(found) = self.pending.remove(unit) else { break };
            (self.keep)(*unit, found)?;
            self.kept += 1;
        }
        Ok((self.units.len() - self.kept - self.pending.len()) as u64)
    }

    fn named(&self, unit: u64) -> String {
        (self.name)(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_stored_once_and_in_order() {
        let mut kept = Vec::new();
        let mut keep = |unit: u64, found: Result<u32, String>| {
            kept.push((unit, found));
            Ok(())
        };
        let name = |unit: u64| unit.to_string();
        let mut units = InOrder::new(vec![2, 5, 7], &mut keep, &name);
        assert_eq!(
            [units.next(), units.next(), units.next(), units.next()],
            [Some(2), Some(5), Some(7), None]
        );
        units.take(7, b"70").unwrap();
        units.take(3, b"30").unwrap();
        assert_eq!(units.keep().unwrap(), 2);
        units.take(2, b"20").unwrap();
        assert_eq!(units.keep().unwrap(), 1);
        units.take(2, b"21").unwrap();
        units.given_up(5, "why");
        assert_eq!(units.keep().unwrap(), 0);
        assert!(units.take(9, b"x").is_err());
        drop(units);
        assert_eq!(kept, [(2, Ok(20)), (5, Err("why".to_owned())), (7, Ok(70))]);
    }
}
