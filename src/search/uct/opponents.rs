//! A model of opponents: what they are taken to do where they alone choose.

use crate::search::limits::{Halt, Meter};

use super::tree::NodeId;
use super::{OpponentModel, Uct, mean_estimate, share};

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
        let mut best = (f64::NEG_INFINITY, 0);
        for place in 0..node.choices[role].len() {
            meter.glance()?;
            let node = &self.store.nodes[at as usize];
            self.joint.clear();
            let made = |other: usize| node.choices[other][if other == role { place } else { 0 }].action;
            self.joint.extend((0..node.choices.len()).map(made));
            self.cursor.set(&node.state)?;
            self.cursor.advance(&self.joint)?;
            let value = match self.cursor.terminal() {
                // An end that is all or nothing counts more than any guess.
                true => match share(self.rewards[role], self.cursor.goals(role)) {
                    won if won >= 1.0 => 2.0,
                    lost if lost <= 0.0 => -1.0,
                    between => between,
                },
                false => mean_estimate(&mut self.guides[role], &self.cursor.state().0)?,
            };
            if value > best.0 {
                best = (value, place);
            }
        }
        self.store.nodes[at as usize].expected = Some(best.1 as u32);
        Ok(())
    }
}
