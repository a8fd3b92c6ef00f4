//! # What it does
//! Counts the legal moves of a role.
use super::error::FeatureError;
use super::measure::{Measure, Position};
use super::vocabulary::Vocabulary;
use crate::machine::{Machine, MoveId};
use rustc_hash::FxHashMap;

/// How many legal moves a role has, noops not counted.
pub(super) struct Mobility<'m> {
    machine: &'m dyn Machine,
    role: usize,
    noops: Vec<String>,
    /// Whether a move is a noop, for those that were seen.
    known: FxHashMap<MoveId, bool>,
}

impl<'m> Mobility<'m> {
    pub(super) fn new(
        role: &str,
        noops: &[String],
        vocabulary: &Vocabulary<'m>,
    ) -> Result<Mobility<'m>, FeatureError> {
        let role = vocabulary.role(role)?;
        Ok(Mobility {
            machine: vocabulary.machine(),
            role,
            noops: noops.to_vec(),
            known: FxHashMap::default(),
        })
    }
}

impl Measure for Mobility<'_> {
    fn value(&mut self, position: &Position<'_>) -> f64 {
        let legal = position.cursor.legal(self.role);
        if position.cursor.terminal() {
            return 0.0;
        }
        if self.noops.is_empty() {
            return legal.len() as f64;
        }
        let Mobility { machine, noops, known, .. } = self;
        let mut noop = |action: &&MoveId| {
            *known.entry(**action).or_insert_with(|| noops.contains(&machine.move_text(**action)))
        };
        (legal.len() - legal.iter().filter(|action| noop(action)).count()) as f64
    }
}
