//! A model of opponents: what they are taken to do where they alone choose.

use crate::search::limits::{Halt, Meter};

use super::tree::NodeId;
use super::{OpponentModel, Uct};

impl Uct<'_> {
    /// Notes the move that an opponent is expected to make in a state, where it alone chooses and is taken to follow its
    /// functions.
    pub(super) fn expect(&mut self, at: NodeId, meter: &mut Meter<'_>) -> Result<(), Halt> {
        let node = &self.store.nodes[at as usize];
        if self.options.opponent != OpponentModel::Greedy || node.expected.is_some() {
            return Ok(());
        }
        let follows = |role: &usize| !self.context.allies[*role] && !self.store.draws(*role);
        let Some(role) = node.chooser().filter(follows) else { return Ok(()) };
        if self.guides.get(role).is_none_or(Vec::is_empty) {
            return Ok(());
        }
        // An end that is all or nothing counts more than any guess.
        let of_end = |share| match share {
            won if won >= 1.0 => 2.0,
            lost if lost <= 0.0 => -1.0,
            between => between,
        };
        let Some(said) = self.say_of_moves(at, role, meter, of_end)? else { return Ok(()) };
        // The first of the best.
        let best = (0..said.len()).rev().max_by(|&a, &b| said[a].total_cmp(&said[b]));
        self.store.nodes[at as usize].expected = best.map(|best| best as u32);
        Ok(())
    }
}
