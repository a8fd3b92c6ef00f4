//! Maps the fluents of a machine to facts of their relations.

use crate::machine::{FluentId, Machine};

use super::fluent_relations::FluentRelations;
use super::fluents::FactTable;

/// Numbers fluents as they occur: by their relation, and by their index among its facts.
#[derive(Clone, Debug, Default)]
pub(super) struct Decoder {
    known: Vec<Option<(u32, u32)>>,
}

impl Decoder {
    /// Relation and index of a fluent; a new fluent gets the next index of its relation in `seen`. None for
    /// a fluent whose relation occurs in no rule.
    pub(super) fn decode(
        &mut self,
        fluent: FluentId,
        machine: &dyn Machine,
        relations: &FluentRelations,
        seen: &mut [FactTable],
    ) -> Option<(usize, usize)> {
        let index = fluent.0 as usize;
        if let Some(&Some((relation, place))) = self.known.get(index) {
            return Some((relation as usize, place as usize));
        }
        let (name, arguments) = machine.fluent(fluent);
        let relation = relations.position(name, arguments.len())?;
        let place = seen[relation].add(fluent, &arguments);
        if self.known.len() <= index {
            self.known.resize(index + 1, None);
        }
        self.known[index] = Some((relation as u32, place as u32));
        Some((relation, place))
    }
}
