//! Children of siblings that are not near the depth: where the first of them has not cut off, those of all others are made
//! together, as many as go into a pass of lanes.

use crate::machine::lanes::frontier::LaneFrontier;
use crate::machine::lanes::tried::TriedChildren;
use crate::machine::lanes::word::LANES;
use crate::machine::{Children, MachineError, Until};

use super::frontier::states_of;

/// Children of siblings, for every ply at which these are.
#[derive(Default)]
pub(super) struct Broods(Vec<Brood>);

#[derive(Default)]
struct Brood {
    /// The siblings, by number.
    numbers: Vec<u32>,
    made: TriedChildren,
}

impl Broods {
    /// Begins with another state at a ply: nothing is known of its children's.
    pub(super) fn forget(&mut self, ply: usize) {
        if self.0.len() <= ply {
            self.0.resize_with(ply + 1, Brood::default);
        }
        self.0[ply].numbers.clear();
    }

    fn place(&self, ply: usize, number: u32) -> Option<usize> {
        self.0.get(ply)?.numbers.iter().position(|&other| other == number)
    }

    /// Whether the children of a child of the state at a ply are there.
    pub(super) fn has(&self, ply: usize, number: u32) -> bool {
        self.place(ply, number).is_some()
    }

    /// Takes the children of a child of the state at a ply, if they are there.
    pub(super) fn take(&self, ply: usize, number: u32, children: &mut Children) -> bool {
        let Some(place) = self.place(ply, number) else { return false };
        let made = &self.0[ply].made;
        children.copy_from(&made.children, made.of(place));
        true
    }

    /// Makes the children of children of the state at a ply, given by number among `all`; gives how many.
    pub(super) fn make(
        &mut self,
        until: Until<'_>,
        (ply, lanes): (usize, &mut LaneFrontier<'_>),
        (siblings, all): (impl Iterator<Item = u32>, &Children),
    ) -> Result<usize, MachineError> {
        let Brood { numbers, made } = &mut self.0[ply];
        numbers.clear();
        numbers.extend(siblings.take(LANES));
        let done = lanes.expand_tried(until, &states_of(numbers, all), LANES, &[], made);
        numbers.truncate(*done.as_ref().unwrap_or(&0));
        done.map(|_| made.children.len())
    }
}
