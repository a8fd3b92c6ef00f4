//! Counts of [`Ownership`] from playouts in lanes, for 512 games at a time.

use crate::ground::Network;
use crate::machine::FluentId;
use crate::machine::lanes::word::Word;
use crate::simulate::{LaneObserver, LaneStep};

use super::ownership::{LocatedObjects, Ownership};

/// The bits of objects' facts in a network's state.
pub(super) struct ObjectBits {
    roles: usize,
    /// For each object the bits of its facts, and the number of its facts that always hold.
    objects: Vec<(Vec<usize>, u64)>,
}

impl ObjectBits {
    pub(super) fn new(objects: &mut LocatedObjects<'_>, network: &Network) -> ObjectBits {
        let mut bits = vec![(Vec::new(), 0); objects.len()];
        for (number, fluent) in network.fluents.iter().enumerate() {
            let Some(object) = objects.of(FluentId(number as u32)) else { continue };
            match fluent.bit {
                Some(bit) => bits[object as usize].0.push(bit as usize),
                None => bits[object as usize].1 += 1,
            }
        }
        ObjectBits { roles: network.moves.len(), objects: bits }
    }
}

/// Counts the facts of objects that appear in steps of lanes.
pub(super) struct LaneOwnershipObserver<'b> {
    bits: &'b ObjectBits,
    seen: Ownership,
    /// For each role the lanes in which only this role had a choice in the previous step.
    chose: Vec<Word>,
    /// The words of all bits in the previous step, object by object.
    before: Vec<Word>,
}

impl<'b> LaneOwnershipObserver<'b> {
    pub(super) fn new(bits: &'b ObjectBits) -> LaneOwnershipObserver<'b> {
        let none = vec![vec![0; bits.roles]; bits.objects.len()];
        let before = vec![Word::ZERO; bits.objects.iter().map(|(bits, _)| bits.len()).sum()];
        let seen = Ownership { added: none.clone(), present: none };
        LaneOwnershipObserver { bits, seen, chose: vec![Word::ZERO; bits.roles], before }
    }

    pub(super) fn finish(self) -> Ownership {
        self.seen
    }
}

impl LaneObserver for LaneOwnershipObserver<'_> {
    fn step(&mut self, step: &LaneStep<'_>) {
        if self.bits.objects.is_empty() {
            return;
        }
        let went_on = step.active & !step.first;
        let moved: Vec<(usize, Word)> = (self.chose.iter().enumerate())
            .map(|(role, &lanes)| (role, lanes & went_on))
            .filter(|(_, lanes)| !lanes.is_zero())
            .collect();
        let mut before = self.before.iter_mut();
        for (object, (bits, always)) in self.bits.objects.iter().enumerate() {
            let (added, present) = (&mut self.seen.added[object], &mut self.seen.present[object]);
            for &(role, lanes) in &moved {
                present[role] += always * u64::from(lanes.count());
            }
            for (&bit, before) in bits.iter().zip(&mut before) {
                let here = step.block.bit(bit);
                for &(role, lanes) in &moved {
                    present[role] += u64::from((*before & lanes).count());
                    added[role] += u64::from((here & !*before & lanes).count());
                }
                *before = here;
            }
        }
        for (role, chose) in self.chose.iter_mut().enumerate() {
            let others = step.several.iter().enumerate().filter(|(other, _)| *other != role);
            *chose = others.fold(step.several[role], |lanes, (_, &several)| lanes & !several);
        }
    }

    fn outcome(&mut self, _goals: &[Vec<i32>], _playouts: u64) {}

    /// A block ends: its last states have no successor in the next block.
    fn over(&mut self, _playouts: u64, _states: u64) {
        self.chose.fill(Word::ZERO);
    }

    fn merge(&mut self, later: Self) {
        self.seen.merge(&later.seen);
    }
}
