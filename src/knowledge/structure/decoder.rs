//! Which fact of which relation a fluent is.

use crate::machine::{FluentId, Machine};

use super::fluent_relations::FluentRelations;
use super::fluents::FactTable;

/// Numbers the fluents that come up: their relation, and their place among the facts of that relation.
#[derive(Clone, Debug, Default)]
pub(super) struct Decoder {
    known: Vec<Option<(u32, u32)>>,
}

impl Decoder {
    /// Relation and place of a fluent; where it is new, it gets the next place of its relation in `seen`.
    /// None for a fluent whose relation no rule names.
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
